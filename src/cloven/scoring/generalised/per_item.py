"""What an attack found out about each generalised item."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cloven.scoring.generalised.truth import truth
from cloven.scoring.tally import Estimate, Tally, estimate, resampled

if TYPE_CHECKING:
    import numpy as np

    from cloven.model.added import Eliminations
    from cloven.model.key_generalised import GeneralisedKey
    from cloven.model.set_generalised import SetGeneralised


@dataclass(frozen=True)
class ItemFinding:
    """One generalised item; the intervals are over the records that show it.

    Attributes:
        items: what it stands for.
        rows: records that show it.
        added: items added to them, in all.
        eliminated: how many the attack eliminated.
        correct: how many of these were added.
        base_rate: share of added items: what random elimination would have as precision.
        recall: share of the added items that are eliminated.
        precision: share of the eliminated items that were added.
        f: their harmonic mean.
    """

    items: tuple[str, ...]
    rows: int
    added: int
    eliminated: int
    correct: int
    base_rate: float
    recall: Estimate
    precision: Estimate
    f: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        plain = asdict(self) | {"items": list(self.items)}
        return plain | {name: getattr(self, name)._asdict() for name in ("recall", "precision", "f")}


def per_item(
    eliminations: Eliminations,
    release: SetGeneralised,
    key: GeneralisedKey,
    *,
    rng: np.random.Generator,
    draws: int = 1000,
) -> tuple[ItemFinding, ...]:
    """Findings about each generalised item, in the order of the tables."""
    tables, answers = eliminations.tables, truth(eliminations.tables, release, key)
    given = eliminations.eliminated
    sums = [answers.cells.by_line(marks) for marks in (answers.added, given, given & answers.added)]
    found = []
    for table in range(len(tables)):
        here = slice(tables.row_offsets[table], tables.row_offsets[table + 1])
        columns = tables.columns[tables.column_offsets[table] : tables.column_offsets[table + 1]]
        added, eliminated, correct = (each[here] for each in sums)
        tallies = [Tally(correct, bottom) for bottom in (added, eliminated, (added + eliminated) / 2)]
        samples = resampled(tallies, rng, draws).T
        recall, precision, f = (estimate(*each) for each in zip(tallies, samples, strict=True))
        found.append(
            ItemFinding(
                items=tuple(release.vocabulary[item] for item in columns.tolist()),
                rows=len(added),
                added=int(added.sum()),
                eliminated=int(eliminated.sum()),
                correct=int(correct.sum()),
                base_rate=float(added.sum()) / (len(added) * len(columns)),
                recall=recall,
                precision=precision,
                f=f,
            )
        )
    return tuple(found)
