"""Every attacker of a release in parts.

Who knows a person, or a few items of one, asks the whole release. Who puts records together is tried on clusters that
are drawn at random from it; what goes together is learned from more of them, as many as there is room for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.kinds.disassociated.parts.drawn import clusters_of, with_key
from cloven.kinds.disassociated.parts.known_items import tried
from cloven.kinds.disassociated.reconstruction import documents_of_release
from cloven.kinds.disassociated.threats import release_alone, the_method

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from cloven.compiled import Longs
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

    def risks(self, threats: Sequence[Threat], progress: Progress) -> tuple[dict[str, Risk], int]:
        """What each of these attackers reaches, by name, and how many clusters were drawn.

        Who wants to know whether a person is in the release is left out: that takes other releases.
        """
        folder, rng = self.person.large.parts(self.release), np.random.default_rng([self.seed, 3])
        known = self.person.risk(self.release)
        progress("look up known items", 0.0)
        found = {each.threat: each for each in tried(self.person.large, folder, self.effort.known_sets, rng)}
        found[known.threat] = known
        progress("draw clusters", 0.0)
        order = rng.permutation(folder.manifest["counts"]["clusters"])
        result, more = self._drawn(folder, order)
        others = [release_alone(more), the_method(covered=self.covered)]
        instead = {each.name: each for each in others}
        for threat in threats:
            if threat.name not in found and threat.linkage != "table":
                progress(threat.name, 0.0)
                attacker = instead.get(threat.name, threat)
                found[threat.name] = attacker.try_on(None, result, rng, self.effort)
        return {threat.name: found[threat.name] for threat in threats if threat.name in found}, (
            result.release.clusters
        )

    def _drawn(self, folder: PartsFolder, order: Longs) -> tuple[Anonymised, Disassociated]:
        """Clusters to attack with their key, and clusters to learn from; these are among them, if there are more."""
        each = max(1.0, folder.totals.records / len(order))
        numbers = np.sort(order[: max(1, int(self.records / each))])
        attacked = clusters_of(folder, numbers)
        shown = documents_of_release(attacked, clusters=True).lengths.astype(np.float64)
        most = int(len(numbers) * self.effort.most_pairs / max(1.0, float((shown**2).sum())))
        several = np.sort(order[: max(len(numbers), most)])
        more = attacked if len(several) == len(numbers) else clusters_of(folder, several)
        return with_key(folder, self.private, numbers, attacked), more
