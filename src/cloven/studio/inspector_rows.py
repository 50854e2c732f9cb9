"""Pages of a set-generalised release: records that look alike, one group of them, and somebody who is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.kinds.generalised.attack.known_person import MOST_KNOWN
from cloven.studio.inspection.generalised import ORDERS, OpenedRows, knowing_of_rows, ranked_rows, rows_view
from cloven.studio.inspection.generalised_truth import holders_of_rows, true_items
from cloven.studio.inspection.listing import NotThereError

if TYPE_CHECKING:
    from cloven.kinds.generalised.key import GeneralisedKey
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.protocols import Relatedness
    from cloven.studio.inspection.drawer import Drawer
    from cloven.studio.inspector_address import Address


@dataclass(frozen=True, eq=False)
class RowPages:
    """The pages of one release."""

    opened: OpenedRows
    key: GeneralisedKey | None

    @classmethod
    def of(
        cls,
        release: SetGeneralised,
        key: GeneralisedKey | None,
        relatedness: Relatedness | None,
        drawer: Drawer,
    ) -> RowPages:
        """Pages of a release; what words mean is not asked here. Nothing takes so long that it is kept."""
        del relatedness, drawer
        return cls(OpenedRows(release), key)

    @property
    def release(self) -> SetGeneralised:
        """What is looked at."""
        return self.opened.release

    @property
    def meaningful(self) -> tuple[str, ...]:
        """Nobody asks here what words mean."""
        return ()

    def overview(self, address: Address) -> tuple[str, dict[str, Any]]:
        """All groups."""
        by, page = address.get("by", "size"), address.number("page", 1)
        lines, pages = ranked_rows(self.opened, by, page)
        return "inspector_row_groups.html", {
            "title": "Records that look alike",
            "release": self.release,
            "groups": len(self.opened.starts) - 1,
            "lines": lines,
            "orders": ORDERS,
            "by": by,
            "page": page,
            "pages": pages,
        }

    def group(self, address: Address, number: int) -> tuple[str, dict[str, Any]]:
        """One group."""
        view = rows_view(self.opened, number)
        told = true_items(self.opened, self.key, view) if address.truth and self.key is not None else None
        choices = [item for block in view.blocks if len(block.items) <= 12 for item in block.items][:60]
        return "inspector_row_group.html", {
            "title": f"Group {number:,}",
            "release": self.release,
            "group": view,
            "told": told,
            **self._knowing(address, number, choices),
        }

    def known(self, address: Address) -> tuple[str, dict[str, Any]]:
        """What is told of somebody of whom items are known."""
        return "inspector_row_known.html", {
            "title": "What if somebody knows a few items?",
            "release": self.release,
            **self._knowing(address, None, []),
        }

    def people(self, address: Address) -> tuple[str, dict[str, Any]]:
        """There is no list of people here."""
        del address
        message = "releases of this kind have no list of people; open a group and show the truth there"
        raise NotThereError(message)

    def _knowing(self, address: Address, number: int | None, choices: list[str]) -> dict[str, Any]:
        codes = self.opened.code_of
        known = [item if item in codes else item.strip() for item in address.all("know")]
        found = knowing_of_rows(self.opened, known, number) if known else None
        told = None
        if found is not None and address.truth and self.key is not None:
            told = holders_of_rows(self.opened, self.key, found, number)
        return {
            "m": self.release.parameters.get("all_up_to") or 0,
            "known": known,
            "choices": list(dict.fromkeys((*known, *choices))),
            "most_known": MOST_KNOWN,
            "knowing": found,
            "holders": told,
        }
