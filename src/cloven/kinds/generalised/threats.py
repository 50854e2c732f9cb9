"""Attackers of set-generalised releases, each with the attack that uses what it knows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import take_rows
from cloven.kinds.generalised.attack.elimination import RandomElimination
from cloven.kinds.generalised.words import BY_FREQUENCY
from cloven.kinds.known_items import MEASURE as LINKAGE
from cloven.kinds.known_items import judged
from cloven.kinds.transactions import about_release, risk_of
from cloven.threats import Case, Threat

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.compiled import Longs
    from cloven.data.transactions import Transactions
    from cloven.disclosure.risk import Risk
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.attack.elimination import Elimination
    from cloven.kinds.generalised.key import Generalised
    from cloven.kinds.generalised.policy import Policy
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.protocols import Relatedness
    from cloven.statistics.findings import Findings
    from cloven.threats import Effort


MEASURE = (
    "share of the hidden links (which items of a generalised item a record really has) that are among as many best"
    " guesses"
)
LOOKS = 10
"""An elimination looks at a cell again and again, so it goes through fewer of them: 2 million in about a minute."""
BEST_GUESS = "guessing by frequency at best"
"""At best, because the frequencies are those of the very rows that are guessed at."""
PUTS = "of the merged items back on the records that have them"


@dataclass(frozen=True)
class _Guessing:
    """An attack that guesses which items were there; ``prepare`` makes it, given the effort."""

    prepare: Callable[[Effort], Elimination | RandomElimination]

    def __call__(self, threat: Threat, case: Case) -> Risk:
        from cloven.kinds.generalised.score.score import trial_eliminations
        from cloven.kinds.transactions import control_of

        result: Generalised = case.result
        attack = self.prepare(case.effort)
        part = sampled(result, case.effort.most_candidates // LOOKS, case.rng)
        found = trial_eliminations(
            attack, part.release, part.key, rng=case.rng, control=control_of(attack), progress=case.progress
        )
        found = _of_rows(found, part, result)
        if isinstance(attack, RandomElimination):  # lots are compared with lots
            return risk_of(threat, found, _details(found), PUTS)
        return risk_of(threat, found, _details(found), PUTS, BY_FREQUENCY, BEST_GUESS)


def guesses_by_frequency() -> Threat:
    """Somebody who knows how common items are elsewhere, and names the commonest ones of each generalised item.

    Frequencies are learned from people whose rows are then left alone, so that nothing of those who are guessed at is
    known but what they have in common with others.

    >>> guesses_by_frequency().knows
    'the release, and how common each item is among other people'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        from cloven.kinds.generalised.attack.frequency import Frequencies, FrequencyElimination
        from cloven.kinds.generalised.score.score import trial_eliminations

        result: Generalised = case.result
        asked, rest = _others(case)
        part = sampled(rest, case.effort.most_candidates // LOOKS, case.rng)
        attack = FrequencyElimination(Frequencies.of(asked))
        found = trial_eliminations(attack, part.release, part.key, rng=case.rng, progress=case.progress)
        return risk_of(threat, _of_rows(found, part, result), _details(found), PUTS, guess="drawing lots")

    about = "the release, and how common each item is among other people"
    return Threat("guesses by frequency", about, "attribute", MEASURE, attempt).publicly()


def known_person(m: int) -> Threat:
    """Somebody who knows items of a person, with and without knowing how common items are.

    Frequencies are those of all the data, as a public statistic would tell them: they are the same whether a person is
    in the release or left out, so that what being in it adds does not come from them.

    >>> known_person(2).name
    'a known person'
    """
    from cloven.kinds.known_person import known_person as of_any_family

    def attempt(threat: Threat, case: Case) -> Risk:
        from cloven.kinds.generalised.attack.frequency import Frequencies
        from cloven.kinds.generalised.attack.known_person import KnownPersonGeneralised

        common = Frequencies.of(case.data)

        def readers(release: SetGeneralised) -> Callable[[Any, float], dict[str, Any]]:
            found = {
                "rows": KnownPersonGeneralised.of(release),
                "rows by frequency": KnownPersonGeneralised.of(release, common),
            }
            return lambda _known, _floor: found

        return of_any_family(m, readers).attempt(threat, case)

    return replace(of_any_family(m, lambda _: lambda _known, _floor: {}), attempt=attempt)


def _others(case: Case) -> tuple[Transactions, Generalised]:
    """Records of some people, half of all at most; and the release with the rows of everybody else."""
    data: Transactions = case.data
    known = np.zeros(len(data), bool)
    for split in case.splits:
        more = known.copy()
        more[split.outsiders] = True
        if known.any() and more.sum() > len(data) / 2:
            break
        known = more
    rows = np.flatnonzero(~np.isin(case.result.key.records, data.source_rows[known]))
    return data.take(known), with_rows(case.result, rows)


def _of_rows(found: Findings, part: Generalised, whole: Generalised) -> Findings:
    """The same with a note if not all rows were attacked."""
    if part.release.records == whole.release.records:
        return found
    return replace(found, notes={**found.notes, "rows_attacked": part.release.records})


def word_meanings(relatedness: Relatedness, method: str = "rba") -> Threat:
    """Somebody who knows how related words are.

    >>> import cloven as cv
    >>> word_meanings(cv.relatedness.Vectors.sample()).knows
    'the release, and how related words are (vectors)'
    """
    about = f"the release, and how related words are ({relatedness.name})"
    guessing = _Guessing(_by(lambda _: relatedness, method))
    return Threat("word meanings", about, "attribute", MEASURE, guessing, outside=True).publicly(
        knows="the release, and how related words are"
    )


def another_release(other: Disassociated | SetGeneralised, name: str = "another release") -> Threat:
    """Somebody who has another release about the same people, and expects here what goes together there.

    That there is one is the owner's to tell, so this attacker is not public.

    >>> import cloven as cv
    >>> data = cv.sample("clinic")
    >>> another_release(cv.Disassociation(k=3, m=2).anonymise(data).release).knows
    'the release, and another one about the same people (1,000 records, k=3, m=2)'
    """
    from cloven.relatedness.learned import Learned

    def learned(effort: Effort) -> Relatedness:
        return Learned.of_release(other, most_pairs=effort.most_pairs)

    about = f"the release, and another one about the same people ({about_release(other)})"
    guessing = _Guessing(_by(learned))
    return Threat(
        name, about, "attribute", MEASURE, guessing, outside=True, criteria=("linkability", "inference")
    )


def release_alone() -> Threat:
    """Somebody without any other knowledge, who can only guess: the items of a generalised item are all alike.

    They stand in the same rows, so nothing that the release shows tells one from the other. Who knows how common items
    are does better: see ``guesses_by_frequency``.

    >>> release_alone().name
    'release alone'
    """
    guessing = _Guessing(lambda _effort: RandomElimination(0.0))

    def attempt(threat: Threat, case: Case) -> Risk:
        risk = guessing(threat, case)
        if risk.not_tried:
            return risk
        why = "Merged items stand in the same rows, so the release alone does not tell them apart."
        meaning = risk.meaning.replace("not shown to beat guessing", "merged items are all alike")
        sentence = f"{risk.sentence} {why}"
        return replace(risk, beats=False, sentence=sentence, meaning=meaning).saying(
            sentence=sentence, meaning=meaning
        )

    about = "the release alone: the items of a generalised item stand in the same rows"
    return Threat("release alone", about, "attribute", MEASURE, attempt).publicly()


def protected_itemsets(policy: Policy) -> Threat:
    """Somebody who knows a protected itemset of one person.

    >>> from cloven.kinds.generalised.policy import Policy
    >>> protected_itemsets(Policy((("flu", "gout"),))).name
    'protected itemset of a person'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        from cloven.statistics.mining import supports

        data: Transactions = case.data
        there, shown = set(data.vocabulary), set(case.result.release.vocabulary)
        known = [items for items in policy.protected if there.issuperset(items) and shown.intersection(items)]
        held = [items for items, many in zip(known, supports(data, known), strict=True) if many]
        if not held:
            return threat.risk(counts=False, not_tried="nobody has a protected itemset")
        chosen = [held[at] for at in case.rng.permutation(len(held))[: case.effort.known_sets].tolist()]
        about = "a protected itemset"
        return judged(threat, case, chosen, [], about, promised=True)

    about = f"the release, and one of {len(policy.protected):,} protected itemsets of one person"
    return Threat("protected itemset of a person", about, "record", LINKAGE, attempt).publicly(
        knows="the release, and a protected itemset of one person"
    )


def _by(knowledge: Callable[[Effort], Relatedness], method: str = "rba") -> Callable[[Effort], Elimination]:
    """An elimination; rows that show nothing for certain are judged by their other generalised items."""
    from cloven.kinds.generalised.attack.elimination import Elimination

    return lambda effort: Elimination(knowledge(effort), method, without_context="generalised")


def _details(found: Findings) -> dict[str, Any]:
    """What the owner's page shows beyond the headline."""
    return {"calibration": found.calibration["all"].to_dict(), "findings": found.to_dict()}


# Part of a set-generalised release, to try an attack on where all of it would take too long.


def sampled(result: Generalised, most: int, rng: np.random.Generator) -> Generalised:
    """Release and key with a random part of the rows, all of them if that is not too much; blocks stay as they are.

    ``most`` cells, which are a row and an item of one of its generalised items, are to be gone through.
    """
    release = result.release
    sizes = release.block_sizes[release.row_blocks]
    cells = np.bincount(release.row_of_entry, np.where(sizes > 1, sizes, 0), release.records)
    if cells.sum() <= most:
        return result
    order = rng.permutation(release.records)
    fits = int(np.searchsorted(np.cumsum(cells[order]), most, "right"))
    return with_rows(result, np.sort(order[: max(1, fits)]))


def with_rows(result: Generalised, rows: Longs) -> Generalised:
    """Release and key with some of the rows, ascending; blocks stay as they are."""
    release = result.release
    row_offsets, row_blocks = take_rows(release.row_offsets, release.row_blocks, rows)
    offsets, items = take_rows(result.key.offsets, result.key.items, rows)
    return replace(
        result,
        release=replace(release, row_offsets=row_offsets, row_blocks=row_blocks),
        key=replace(result.key, records=result.key.records[rows], offsets=offsets, items=items, persons=None),
    )
