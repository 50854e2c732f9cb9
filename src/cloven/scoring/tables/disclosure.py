"""Score guessed values: disclosure risk ratio, strict and soft, over individuals and over matches, beside chance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.sliced.answers import Found
from cloven.errors import ParameterError
from cloven.measure.intervals import wilson
from cloven.model.buckets import places_of, positions_of
from cloven.scoring.summary import summarised
from cloven.scoring.tables.table_findings import TableFindings
from cloven.scoring.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.attack.sliced.answers import ValueGuesses
    from cloven.model.table import Table
    from cloven.scoring.findings import Finding

_COUNTED = {"drr_strict", "drr_strict_matches", "left"}  # every summand is 0 or 1


def true_values(table: Table, attribute: str, rows: NDArray[np.int64] | None = None) -> tuple[str, ...]:
    """The owner's knowledge: an attribute of some rows of a table, as text."""
    names = [each.name for each in table.attributes]
    if attribute not in names:
        message = f"the table has no attribute {attribute!r}; it has {', '.join(names)}"
        raise ParameterError(message)
    place = names.index(attribute)
    codes = table.codes[:, place] if rows is None else table.codes[rows, place]
    return tuple(table.attributes[place].values[code] for code in codes.tolist())


def score_values(
    guesses: ValueGuesses,
    truth: Sequence[str],
    *,
    rng: np.random.Generator,
    control: ValueGuesses | None = None,
    draws: int = 1000,
) -> TableFindings:
    """Score guessed values against the truth.

    Args:
        guesses: what an attack answered.
        truth: the value of each person.
        rng: random numbers for bootstrap intervals (over persons).
        control: what the same attack answers about the same persons if it knows the wrong quasi-identifiers.
        draws: bootstrap samples.

    Counted shares get Wilson's interval, others that of the bootstrap. Both take persons as independent; persons of one
    class are not quite.
    """
    for each in (guesses, control):
        if each is not None and len(each) != len(truth):
            message = f"{len(each):,} persons were guessed about, but {len(truth):,} true values are given"
            raise ParameterError(message)
    tallies = _tallies(guesses, truth)
    shuffled = {} if control is None else _tallies(control, truth)
    found = summarised(tallies, _chance(guesses, truth), shuffled, rng, draws)
    return TableFindings(
        tuple(_with_wilson(finding) for finding in found),
        _counts(guesses),
        guesses.attack,
        {
            **guesses.notes,
            "bootstrap_draws": draws,
            "values": len(guesses.values),
            "most_common": _most_common(guesses, truth),
        },
    )


def value_places(truth: Sequence[str], guesses: ValueGuesses) -> NDArray[np.int64]:
    """Where each true value stands among the guessed ones; a number is found however it is written."""
    at = positions_of(tuple(truth), guesses.values)
    lost = at < 0
    if not lost.any() or not all(map(_is_plain_number, {*truth, *guesses.values})):
        return at
    return places_of(tuple(truth), guesses.values, numbers=True)


def _is_plain_number(text: str) -> bool:
    """No code such as 01234, which would be another one as a number."""
    try:
        return not (len(text) > 1 and text[0] == "0" and text[1].isdigit()) and float(text) is not None
    except ValueError:
        return False


def _tallies(guesses: ValueGuesses, truth: Sequence[str]) -> dict[tuple[str, str], Tally]:
    at = value_places(truth, guesses)
    person, there = np.arange(len(at)), at >= 0
    many = guesses.candidate.sum(axis=1)
    left = there & guesses.candidate[person, np.maximum(at, 0)]
    single, one = many == 1, np.ones(len(at))
    sure = np.where(there, guesses.confidence[person, np.maximum(at, 0)], 0.0)
    best = guesses.confidence.max(axis=1)
    ties = (guesses.confidence >= best[:, None] - 1e-12).sum(axis=1)
    likeliest = np.where(there & (sure >= best - 1e-12), 1.0 / ties, 0.0)
    columns = {
        "drr_strict": (left & single, one),
        "drr_soft": (left / np.maximum(1, many), one),
        "drr_strict_matches": (left & single, single),
        "drr_soft_matches": (left, many),
        "likeliest": (likeliest, one),
        "confidence": (sure, one),
        "left": (left, one),
    }
    return {
        (name, "all"): Tally(above.astype(float), below.astype(float))
        for name, (above, below) in columns.items()
    }


def _chance(guesses: ValueGuesses, truth: Sequence[str]) -> dict[tuple[str, str], Tally]:
    """What guessing reaches that knows the published distribution and nothing of the person.

    As many statements as the attack makes. For each measure the better of two ways: values drawn by lot from the
    distribution, or the commonest ones named of everybody.
    """
    lots, named = _by_lots(guesses, truth), _by_naming(guesses, truth)
    return {
        name: named[name] if (named[name].value or 0.0) > (lots[name].value or 0.0) else lots[name]
        for name in lots
    }


def _by_lots(guesses: ValueGuesses, truth: Sequence[str]) -> dict[tuple[str, str], Tally]:
    """Each statement drawn from the published distribution; for ``left`` so many values of all."""
    at = value_places(truth, guesses)
    right = np.where(at >= 0, guesses.prior[np.maximum(at, 0)], 0.0)
    many = guesses.candidate.sum(axis=1)
    return _guessed(many, right, many * right, many / len(guesses.values))


def _by_naming(guesses: ValueGuesses, truth: Sequence[str]) -> dict[tuple[str, str], Tally]:
    """The commonest published value of everybody; as many of the commonest where several are named."""
    at = value_places(truth, guesses)
    rank = np.empty(len(guesses.values), np.int64)
    rank[np.argsort(-guesses.prior, kind="stable")] = np.arange(len(rank))
    place = np.where(at >= 0, rank[np.maximum(at, 0)], len(rank))
    many = guesses.candidate.sum(axis=1)
    among = (place < many).astype(float)
    return _guessed(many, (place == 0).astype(float), among, among)


def _guessed(
    many: NDArray[np.int64],
    right: NDArray[np.float64],
    all_right: NDArray[np.float64],
    left: NDArray[np.float64],
) -> dict[tuple[str, str], Tally]:
    """Tallies of a guesser who is right with one statement, with ``many``, and has the value among those left."""
    single, one = (many == 1).astype(float), np.ones(len(many))
    columns = {
        "drr_strict": (single * right, one),
        "drr_soft": (right * (many > 0), one),
        "drr_strict_matches": (single * right, single),
        "drr_soft_matches": (all_right, many.astype(float)),
        "likeliest": (right, one),
        "confidence": (right, one),
        "left": (left, one),
    }
    return {(name, "all"): Tally(above, below) for name, (above, below) in columns.items()}


def _with_wilson(finding: Finding) -> Finding:
    if finding.measure not in _COUNTED or finding.value is None:
        return finding
    low, high = wilson(round(finding.value * finding.count), int(finding.count))
    return replace(finding, low=low, high=high)


def _counts(guesses: ValueGuesses) -> dict[str, int]:
    many = guesses.candidate.sum(axis=1)
    return {
        "persons": len(guesses),
        **{
            name: int((guesses.found == kind).sum())
            for name, kind in (
                ("found_everywhere", Found.EVERYWHERE),
                ("found_somewhere", Found.SOMEWHERE),
                ("found_nowhere", Found.NOWHERE),
                ("contradicted", Found.CONTRADICTED),
            )
        },
        "with_one_value_left": int((many == 1).sum()),
        "matches": int(many.sum()),
    }


def _most_common(guesses: ValueGuesses, truth: Sequence[str]) -> float | None:
    """Share of persons who have the most common published value: what guessing it for everybody reaches."""
    mode = guesses.values[int(guesses.prior.argmax())]
    return sum(value == mode for value in truth) / len(truth) if truth else None
