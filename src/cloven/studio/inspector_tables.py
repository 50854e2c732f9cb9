"""Pages of a published table: its groups of rows, one of them, and somebody who is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.studio.inspection.listing import NotThereError
from cloven.studio.inspection.table_truth import true_values
from cloven.studio.inspection.tables import (
    ORDERS,
    OpenedTable,
    bucket_view,
    knowing_values,
    ranked_buckets,
    whose,
)

if TYPE_CHECKING:
    from cloven.kinds.tables.key import TableKey
    from cloven.kinds.tables.release import CellDomain, TableRelease
    from cloven.protocols import Relatedness
    from cloven.studio.inspection.drawer import Drawer
    from cloven.studio.inspector_address import Address

CHOICES = 300
"""Values of an attribute that are listed to choose from; where there are more, they are typed."""
KNOWN = "q."
"""What the name of a known attribute begins with in an address: q.age=34."""


@dataclass(frozen=True, eq=False)
class TablePages:
    """The pages of one published table."""

    opened: OpenedTable
    key: TableKey | None

    @classmethod
    def of(
        cls, release: TableRelease, key: TableKey | None, relatedness: Relatedness | None, drawer: Drawer
    ) -> TablePages:
        """Pages of a table; what words mean is not asked here. Nothing takes so long that it is kept."""
        del relatedness, drawer
        return cls(OpenedTable(release), key)

    @property
    def release(self) -> TableRelease:
        """What is looked at."""
        return self.opened.release

    @property
    def meaningful(self) -> tuple[str, ...]:
        """Nobody asks here what words mean."""
        return ()

    def overview(self, address: Address) -> tuple[str, dict[str, Any]]:
        """All groups, the worst first."""
        attribute = self.opened.sensitive(address.get("attribute"))
        by, page = address.get("by", "sure"), address.number("page", 1)
        lines, pages = ranked_buckets(self.opened, attribute, by, page)
        return "inspector_buckets.html", {
            "title": "Groups of rows, the worst first",
            **self._about(attribute),
            "lines": lines,
            "orders": ORDERS,
            "by": by,
            "page": page,
            "pages": pages,
        }

    def group(self, address: Address, number: int) -> tuple[str, dict[str, Any]]:
        """One group."""
        attribute = self.opened.sensitive(address.get("attribute"))
        column = address.number("column", 0) if address.get("column") else None
        view, found = bucket_view(self.opened, number), whose(self.opened, number, attribute, column)
        told = true_values(self.opened, self.key, number, found) if address.truth and self.key else None
        return "inspector_bucket.html", {
            "title": f"Group {number:,}",
            **self._about(attribute),
            "bucket": view,
            "whose": found,
            "columns": [each for each in view.columns if not all(each.sensitive)],
            "told": told,
        }

    def known(self, address: Address) -> tuple[str, dict[str, Any]]:
        """What is told of somebody of whom some values are known."""
        attribute = self.opened.sensitive(address.get("attribute"))
        given = {
            name.removeprefix(KNOWN): value.strip()
            for name, value in address.query
            if name.startswith(KNOWN) and value.strip()
        }
        return "inspector_values.html", {
            "title": "What if somebody knows a few values?",
            **self._about(attribute),
            "fields": [self._field(domain) for domain in self.opened.buckets.domains if not domain.sensitive],
            "given": given,
            "prefix": KNOWN,
            "knowing": knowing_values(self.opened, attribute, given) if given else None,
        }

    def people(self, address: Address) -> tuple[str, dict[str, Any]]:
        """There is no list of people: the key of a table does not hold what they are known by."""
        del address
        message = "a table has no list of people; open a group and show the truth there"
        raise NotThereError(message)

    def _about(self, attribute: str) -> dict[str, Any]:
        return {
            "release": self.release,
            "attribute": attribute,
            "attributes": list(self.opened.shares),
            "groups": len(self.opened.buckets),
            "attack": "the rows that fit",
        }

    @staticmethod
    def _field(domain: CellDomain) -> dict[str, Any]:
        listed = domain.values if len(domain.values) <= CHOICES and domain.numbers is None else ()
        return {"name": domain.name, "values": listed, "number": domain.numbers is not None}
