"""Every attacker of a release in parts.

Who knows a person, or a few items of one, asks the whole release. Who puts records together is tried on clusters that
are drawn at random from those that split something off; what goes together is learned from more clusters, as many as
there is room for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.figures import many
from cloven.kinds.disassociated.parts.drawn import clusters_of, splitting, with_key
from cloven.kinds.disassociated.parts.folder import below_root
from cloven.kinds.disassociated.parts.known_items import tried
from cloven.kinds.disassociated.reconstruction import documents_of_release
from cloven.kinds.disassociated.threats import release_alone, the_method

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from cloven.disclosure.risk import Risk
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.kinds.disassociated.parts.folder import PartsFolder
    from cloven.kinds.disassociated.parts.people import KnownPersonTrial
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.threats import Effort, Progress, Threat


@dataclass(frozen=True, eq=False)
class PartsTrial:
    """A release in parts on trial.

    Attributes:
        person: asks about known persons.
        release: folder of the release.
        private: the owner's folder.
        covered: covers of the release (``covers``).
        effort: how thoroughly to try.
        records: records whose clusters are drawn, about.
        seed: draws them.
    """

    person: KnownPersonTrial
    release: Path
    private: Path
    covered: Mapping[str, int]
    effort: Effort
    records: int
    seed: int

    def risks(self, threats: Sequence[Threat], progress: Progress) -> tuple[dict[str, Risk], tuple[int, int]]:
        """What each of these attackers reaches, by name; how many clusters were drawn, and from how many.

        Who wants to know whether a person is in the release is left out: that takes other releases.
        """
        folder, rng = self.person.large.parts(self.release), np.random.default_rng([self.seed, 3])
        known = self.person.risk(self.release)
        progress("look up known items", 0.0)
        found = {each.threat: each for each in tried(self.person.large, folder, self.effort.known_sets, rng)}
        found[known.threat] = known
        progress("draw clusters", 0.0)
        result, more, drawn = self._drawn(folder, rng)
        others = [release_alone(more), the_method(covered=self.covered)]
        instead = {each.name: each for each in others}
        for threat in threats:
            if threat.name not in found and threat.linkage != "table":
                progress(threat.name, 0.0)
                attacker = instead.get(threat.name, threat)
                found[threat.name] = _of_drawn(attacker.try_on(None, result, rng, self.effort), *drawn)
        return {threat.name: found[threat.name] for threat in threats if threat.name in found}, drawn

    def _drawn(
        self, folder: PartsFolder, rng: np.random.Generator
    ) -> tuple[Anonymised, Disassociated, tuple[int, int]]:
        """Clusters to attack with their key, and clusters to learn from, with their share of the root.

        And how many are attacked, of how many that split something off. If none does, any will do to say so.
        """
        in_all = folder.manifest["counts"]["clusters"]
        each = max(1.0, folder.totals.records / in_all)
        by_lot, of = splitting(folder, max(1, int(self.records / each)), int(rng.integers(2**32)))
        numbers = np.sort(by_lot) if of else np.zeros(1, np.int64)
        attacked = clusters_of(folder, numbers)
        if attacked.records > self.records and of:  # they are larger than others
            fitting = max(1, int(len(by_lot) * self.records / attacked.records))
            numbers = np.sort(by_lot[:fitting])
            attacked = clusters_of(folder, numbers)
        drawn = len(numbers) if of else 0, of
        shown = documents_of_release(attacked, clusters=True).lengths.astype(np.float64)
        most = int(len(numbers) * self.effort.most_pairs / max(1.0, float((shown**2).sum())))
        others = rng.choice(in_all, max(0, min(in_all, most) - len(numbers)), replace=False, shuffle=False)
        more = clusters_of(folder, np.union1d(numbers, others)) if len(others) else attacked
        rooted = np.round(folder.totals.copies * (more.clusters / in_all)).astype(np.int64)
        more = below_root(more, rooted)
        return with_key(folder, self.private, numbers, attacked), more, drawn


def _of_drawn(risk: Risk, drawn: int, of: int) -> Risk:
    """What clusters that were drawn do not show, others may: then this attacker is missing."""
    if risk.counts or not risk.not_tried or drawn == of:
        return risk
    why = f"nothing could be put back in {many(drawn, 'cluster')}, drawn from {of:,}; draw more of them (sample)"
    return replace(risk, counts=True, not_tried=why)
