"""Pages of a disassociated release: its clusters, one cluster, somebody who is known, and the people in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.known_person_kernel import MOST_KNOWN
from cloven.studio.inspection import truth
from cloven.studio.inspection.cluster import SHOWN, cluster_view
from cloven.studio.inspection.knowing import knowing
from cloven.studio.inspection.opened import Opened
from cloven.studio.inspection.placing import placement, rebuilt
from cloven.studio.inspection.ranking import ORDERS, Ranking
from cloven.studio.inspector_address import whole

if TYPE_CHECKING:
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.protocols import Relatedness
    from cloven.studio.inspection.cluster import ClusterView
    from cloven.studio.inspection.drawer import Drawer
    from cloven.studio.inspector_address import Address

CHOICES = 60
"""Items of a cluster that can be ticked; others are typed."""
NAMES = 1_000
"""Items that are proposed to whoever types one."""
BY_HITS = {"hits": "most put back rightly by the attack"}


@dataclass(frozen=True, eq=False)
class SetPages:
    """The pages of one release.

    Attributes:
        opened: the release, arranged.
        owned: the same with its key; None if that is not there.
    """

    opened: Opened
    owned: truth.Owned | None

    @classmethod
    def of(
        cls, release: Disassociated, key: Key | None, relatedness: Relatedness | None, drawer: Drawer
    ) -> SetPages:
        """Pages of a release; nothing is arranged before it is asked for."""
        opened = Opened(release, relatedness, drawer)
        return cls(opened, None if key is None else truth.Owned(opened, key))

    @property
    def release(self) -> Disassociated:
        """What is looked at."""
        return self.opened.release

    @property
    def key(self) -> Key | None:
        """The owner's key to it."""
        return None if self.owned is None else self.owned.key

    @property
    def meaningful(self) -> tuple[str, ...]:
        """All items: parts are put back by what they mean, too."""
        return self.release.vocabulary

    @cached_property
    def ranking(self) -> Ranking:
        """Its clusters, ready to be put in order."""
        return Ranking(self.opened)

    def overview(self, address: Address) -> tuple[str, dict[str, Any]]:
        """All clusters, the worst first."""
        by, page = address.get("by", "told"), address.number("page", 1)
        owned = self._owned(address)
        if by in BY_HITS:
            if owned is None:
                message = "what an attack gets right is the owner's to know; switch the truth on first"
                raise ParameterError(message)
            lines, pages = truth.page_by_hits(owned, self.ranking, page)
        else:
            lines, pages = self.ranking.page(by, page)
            lines = lines if owned is None else truth.lines_with_hits(owned, lines)
        orders = ORDERS | (BY_HITS if owned is not None else {})
        return "inspector_clusters.html", {
            "title": "Clusters, the worst first",
            "release": self.release,
            "lines": lines,
            "orders": orders,
            "by": by,
            "page": page,
            "pages": pages,
            "covers": len(self.opened.covers.leaks[0]),
            "undecided": self.opened.covers.undecided,
            "sample": owned is not None and owned.hits.is_sample,
        }

    def group(self, address: Address, number: int) -> tuple[str, dict[str, Any]]:
        """One cluster."""
        view = cluster_view(self.opened, number, None if address.get("all") == "1" else SHOWN)
        attack = address.get("attack", "release")
        self.opened.attacks.get(attack) or self.opened.attack(attack)
        return "inspector_cluster.html", {
            "title": f"Cluster {number:,}",
            "release": self.release,
            "cluster": view,
            "covered": [_covered(view, chunk.number) for chunk in view.chunks],
            "attack": attack,
            "attacks": self.opened.attacks,
            **self._placed(address, number, attack),
            **self._rebuilt(address, number, attack),
            **self._knowing(address, number, self._choices(view)),
        }

    def known(self, address: Address) -> tuple[str, dict[str, Any]]:
        """What is told of somebody of whom items are known, in the whole release."""
        return "inspector_somebody.html", {
            "title": "What if somebody knows a few items?",
            "release": self.release,
            **self._knowing(address, None, []),
        }

    def people(self, address: Address) -> tuple[str, dict[str, Any]]:
        """The people of whom most is told; the owner's alone."""
        owned, page = self._owned(address), address.number("page", 1)
        found, pages = ((), 1) if owned is None else truth.people_page(owned, page)
        return "inspector_people.html", {
            "title": "People, the worst first",
            "release": self.release,
            "people": found,
            "page": page,
            "pages": pages,
            "count": 0 if owned is None else len(owned.people),
            "asked": 0 if owned is None else min(truth.MOST_PEOPLE, len(owned.data)),
        }

    def _owned(self, address: Address) -> truth.Owned | None:
        return self.owned if address.truth else None

    def _placed(self, address: Address, number: int, attack: str) -> dict[str, Any]:
        """Where the chosen part may belong, if one is chosen."""
        if not address.get("part"):
            return {"part": None, "judged": None}
        row, _, item = address.get("part").partition(".")
        made = placement(self.opened, number, attack, whole(row, "part"), whole(item, "part") if item else -1)
        owned = self._owned(address)
        return {"part": made, "judged": None if owned is None else truth.judged(owned, number, made)}

    def _rebuilt(self, address: Address, number: int, attack: str) -> dict[str, Any]:
        """The cluster as the attack puts it together, if that is asked for."""
        if address.get("rebuild") != "1":
            return {"places": None, "checked": None}
        places = rebuilt(self.opened, number, attack)
        owned = self._owned(address)
        return {"places": places, "checked": None if owned is None else truth.checked(owned, number, places)}

    def _knowing(self, address: Address, number: int | None, choices: list[str]) -> dict[str, Any]:
        known = [self._published(item) for item in address.all("know")]
        shown = {
            "m": self.release.m,
            "known": known,
            "choices": list(dict.fromkeys((*known, *choices))),
            "names": self.release.vocabulary[:NAMES],
            "most_known": MOST_KNOWN,
            "knowing": None,
            "holders": None,
        }
        if not known:
            return shown
        found, owned = knowing(self.opened, known, number), self._owned(address)
        return shown | {
            "knowing": found,
            "holders": None if owned is None else truth.holders(owned, found, number),
        }

    def _published(self, item: str) -> str:
        """An item as it was typed; blanks around it do not count unless it has them."""
        return item if item in self.opened.code_of else item.strip()

    def _choices(self, view: ClusterView) -> list[str]:
        """Items of a cluster that somebody may know: those of most rows first."""
        counts: dict[str, int] = {}
        for chunk in (*view.chunks, *([view.terms] if view.terms else [])):
            for line in chunk.lines:
                for item in line.items:
                    counts[item] = counts.get(item, 0) + line.copies
        return sorted(counts, key=lambda item: (-counts[item], item))[:CHOICES]


def _covered(view: ClusterView, chunk: int) -> frozenset[str]:
    """Items of a chunk that a cover problem tells something of."""
    later = {note.item for note in view.covers if note.chunk == chunk}
    return frozenset(later.union(*(note.covered for note in view.covers if note.earlier == chunk)))
