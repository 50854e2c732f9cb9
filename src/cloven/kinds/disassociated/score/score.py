"""Score an attack: guesses meet the key.

Every value stands beside chance (guessing, exact where a formula exists, else the mean over runs of the random
attack) and control (the same attack with shuffled relatedness), with intervals over clusters. An attack that does
not beat both has not used what words mean.

Guesses may answer a random sample of the targets. The measures of ranking are means over targets, so their values on
a sample are estimates of the values on all. Precision counts an item that several links put on a record once, for
which it needs every part, so it is left out there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.disassociated.guesses import Answer, Guesses
from cloven.kinds.disassociated.key import Key
from cloven.kinds.disassociated.release import Disassociated
from cloven.kinds.disassociated.score.definitions import GROUPS, SCOPES, units
from cloven.kinds.disassociated.score.precision import precisions
from cloven.kinds.disassociated.score.truth import (
    Truth,
    calibrations,
    check_asked,
    check_guesses,
    check_same,
    check_sample,
    truth,
)
from cloven.statistics.findings import Counts, Findings, rank_targets
from cloven.statistics.tally import Tallies, Tally, summarised

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags
    from cloven.kinds.disassociated.guesses import Questions
    from cloven.kinds.disassociated.score.definitions import Units


def score(
    guesses: Guesses,
    release: Disassociated,
    key: Key | Truth,
    *,
    chance: Iterable[Guesses] = (),
    control: Guesses | None = None,
    rng: np.random.Generator,
    measures: Sequence[str] | None = None,
    draws: int = 1000,
    asked: Questions | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Findings:
    """Measure guesses against the key.

    Args:
        guesses: what the attack answered: all targets, or a sample of them that says so.
        release: what it attacked.
        key: the owner's key to that release, or the truth that was read from it about the same questions.
        chance: runs of the random attack on the same release, taken one after the other; the more, the steadier the
            mean.
        control: the same attack with shuffled relatedness.
        rng: random numbers for the bootstrap.
        measures: groups to compute, of "ranking" and "precision"; by default all that can be. On a sample of the
            targets only "ranking" can be; the notes name what was left out.
        draws: bootstrap samples.
        asked: what the attack was asked; if it is given, other answers are refused. Whoever draws the sample should
            give it: a sample that an attack has drawn for itself may be what it finds easy.
        progress: called with "measure" and the share done.

    Raises:
        ReleaseError: guesses, release and key do not belong together, or the attack left out targets.
        ParameterError: something is of the wrong type, or a group of measures cannot be computed.

    >>> import cloven as cv, numpy as np
    >>> made = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic"))
    >>> guesses = cv.attacks.Semantic(cv.relatedness.Vectors.sample()).guess(made.release)
    >>> found = score(guesses, made.release, made.key, rng=np.random.default_rng(1), measures=["ranking"])
    >>> found.get("hit").value > found.get("hit").chance
    True
    """
    _check_types(guesses, release, key)
    groups, left_out = _chosen(measures, sample=guesses.questions.is_sample)
    check_guesses(guesses)
    if asked is not None:
        check_asked(guesses.questions, asked)
    elif guesses.questions.is_sample:
        check_sample(guesses.questions, release)
    runs = _Checked(guesses, "every run of chance", chance)
    report = progress or (lambda _step, _share: None)
    report("measure", 0.0)
    answers = _answers(key, guesses, release)
    bench = Bench.of(guesses, release, answers, groups)
    measured, by_chance, by_control = _measured(bench, guesses, runs, control, report)
    notes = {"draws": draws, "chance_runs": runs.taken, "bootstrap_units": bench.units.total}
    found = Findings(
        findings=summarised(measured, by_chance, by_control, rng, draws),
        counts=counts(guesses, answers, bench.asked),
        calibration=calibrations(guesses, answers, bench.asked) if "ranking" in groups else {},
        attack=guesses.attack,
        notes=notes | _sample(guesses.questions, left_out),
    )
    report("measure", 1.0)
    return found


def _measured(
    bench: Bench,
    guesses: Guesses,
    runs: _Checked,
    control: Guesses | None,
    report: Callable[[str, float], None],
) -> tuple[Tallies, Tallies, Tallies]:
    """The attack, chance and control on the same bench."""
    report("measure", 0.2)
    measured = bench.measured(guesses)
    report("measure", 0.4)
    by_chance = bench.chance(runs)
    report("measure", 0.6)
    controls = _Checked(guesses, "control", () if control is None else (control,))
    by_control: Tallies = next((bench.measured(other) for other in controls), {})
    report("measure", 0.8)
    return measured, by_chance, by_control


def _answers(key: Key | Truth, guesses: Guesses, release: Disassociated) -> Truth:
    if isinstance(key, Key):
        return truth(guesses.questions, release, key)
    check_asked(guesses.questions, key.questions)
    return key


def _sample(questions: Questions, left_out: Sequence[str]) -> dict[str, Any]:
    """What to say about a sample; nothing if all targets were asked about."""
    if not questions.is_sample:
        return {}
    told = {
        "targets": len(questions),
        "targets_in_all": questions.targets_in_all,
        "candidates": len(questions.slots),
        "candidates_in_all": questions.candidates_in_all,
        "left_out": list(left_out),
    }
    return {"sample": told}


def _chosen(measures: Sequence[str] | None, *, sample: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Groups of measures in their usual order, and those that a sample of the targets does not allow."""
    if measures is not None and (not measures or not set(measures) <= set(GROUPS)):
        message = (
            f"measures must be some of {', '.join(GROUPS)} (got {', '.join(map(str, measures)) or 'none'})"
        )
        raise ParameterError(message)
    wanted = tuple(group for group in GROUPS if measures is None or group in measures)
    if not sample:
        return wanted, ()
    if "ranking" not in wanted:
        message = "precision needs all targets, but the guesses answer a sample of them; measure 'ranking'"
        raise ParameterError(message)
    return ("ranking",), wanted[1:]


def _check_types(guesses: object, release: object, key: object) -> None:
    for name, value, kind in (
        ("guesses", guesses, Guesses),
        ("release", release, Disassociated),
    ):
        _check_type(name, value, kind)
    if not isinstance(key, Truth):
        _check_type("key", key, Key)


def _check_type(name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        message = f"{name} must be of type {kind.__name__} (got {type(value).__name__})"
        raise ParameterError(message)


class _Checked:
    """Other guesses about the same questions, checked as they come; ``taken`` counts them."""

    def __init__(self, guesses: Guesses, name: str, others: Iterable[Guesses]) -> None:
        self._guesses, self._name, self._others = guesses, name, others
        self.taken = 0

    def __iter__(self) -> Iterator[Guesses]:
        if isinstance(self._others, Guesses):
            message = f"{self._name} must stand in a list, even if there is one"
            raise ParameterError(message)
        for other in self._others:
            _check_type(self._name, other, Guesses)
            check_guesses(other)
            check_same(self._guesses.questions, other.questions)
            self.taken += 1
            yield other


# How much there was to answer, and how much of it no attack could answer.


def counts(guesses: Guesses, truth: Truth, asked: Flags) -> tuple[Counts, ...]:
    """Count targets and links for each kind of chunk; ``asked`` are targets with an anchor."""
    questions, copies = truth.questions, truth.copies
    bare = questions.slot_anchor[questions.slots[truth.holds]] < 0
    link_kind = questions.target_kind[truth.link_target]
    found = []
    for scope, kinds in SCOPES.items():
        here = np.isin(questions.target_kind, kinds)
        found.append(
            Counts(
                scope=scope,
                targets=int(here.sum()),
                true_links=int(copies[here].sum()),
                targets_without_anchor=int((here & ~asked).sum()),
                targets_without_score=int((here & asked & (guesses.answer == Answer.NO_SCORE)).sum()),
                targets_on_all_candidates=int((here & (copies == np.diff(questions.offsets))).sum()),
                links_without_anchor=int((bare & np.isin(link_kind, kinds)).sum()),
            )
        )
    return tuple(found)


# What all guesses about one release are measured with: computed once for the attack, chance and control.


@dataclass(frozen=True, eq=False)
class Bench:
    """Truth and release arranged for measuring.

    Attributes:
        release: what is attacked.
        truth: what the key says.
        units: what counts as one observation.
        asked: targets that an attack can answer; chance and control are asked the same ones.
        groups: groups of measures to compute.
    """

    release: Disassociated
    truth: Truth
    units: Units
    asked: Flags
    groups: Collection[str]

    @classmethod
    def of(
        cls, guesses: Guesses, release: Disassociated, truth: Truth, groups: Collection[str] = GROUPS
    ) -> Bench:
        """Arrange a release for one attack."""
        return cls(release, truth, units(truth.questions, release), answerable(guesses.questions), groups)

    def measured(self, guesses: Guesses) -> Tallies:
        """All measures of some guesses."""
        tallies: Tallies = {}
        if "ranking" in self.groups:
            tallies |= rankings(guesses, self.truth, self.units, self.asked)
        if "precision" in self.groups:
            tallies |= precisions(guesses, self.truth, self.release, self.units)
        return tallies

    def chance(self, runs: Iterable[Guesses]) -> Tallies:
        """Chance: the mean over runs of the random attack, and the exact expectation where there is a formula."""
        without = replace(self, groups=[group for group in self.groups if group != "ranking"])
        every = [without.measured(run) for run in runs]
        tallies = {name: Tally.mean([each[name] for each in every]) for name in (every[0] if every else ())}
        if "ranking" in self.groups:
            tallies |= chance_rankings(self.truth, self.units, self.asked)
        return tallies


# How well an attack ranks the slots: link AUC, hit rate, best guess. None of them depends on what it chose.
#
# Targets of which no candidate shows an anchor are left out: nothing could be said about them. Targets without a
# score stay in, as ties: not knowing a word is a weakness of the attack.


def answerable(questions: Questions) -> Flags:
    """Targets of which a candidate shows an anchor; read off the questions, so that no attack can leave others out."""
    found, some = np.zeros(len(questions), bool), np.diff(questions.offsets) > 0
    shows = questions.slot_anchor[questions.slots] >= 0
    found[some] = np.logical_or.reduceat(shows, questions.offsets[:-1][some]) if some.any() else False
    return found


def rankings(guesses: Guesses, truth: Truth, units: Units, asked: Flags) -> Tallies:
    """Link AUC, hit rate, best guess and Brier score over the asked targets, for each kind of chunk."""
    questions = truth.questions
    table = rank_targets(questions.offsets, guesses.score, guesses.confidence, truth.holds, asked)
    links, rivalled, outranked, hits, top, squared = table.T
    candidates = np.diff(questions.offsets).astype(float)
    ratios = {
        "hit": (hits, links),
        "top_1": (top, asked.astype(float)),
        "auc": (outranked, rivalled),
        "brier": (squared, candidates),
    }
    return _by_scope(ratios, truth, units, asked)


def chance_rankings(truth: Truth, units: Units, asked: Flags) -> Tallies:
    """The same for equal scores everywhere and the true share as confidence: the exact expectation of guessing.

    A guess that knows no more than how many of the candidates hold the target is right as often as that share.
    """
    questions = truth.questions
    copies, candidates = truth.copies.astype(float), np.diff(questions.offsets).astype(float)
    share = np.divide(copies, candidates, out=np.zeros_like(copies), where=candidates > 0)
    rivalled = np.where(copies < candidates, copies, 0.0)
    ratios = {
        "hit": (copies * share, copies),
        "top_1": (share, np.ones_like(copies)),
        "auc": (rivalled / 2, rivalled),
        "brier": (copies * (1 - share), candidates),
    }
    return _by_scope(ratios, truth, units, asked)


def _by_scope(
    ratios: Mapping[str, tuple[NDArray[Any], NDArray[Any]]], truth: Truth, units: Units, asked: Flags
) -> Tallies:
    tallies: Tallies = {}
    for scope, kinds in SCOPES.items():
        chosen = np.flatnonzero(asked & np.isin(truth.questions.target_kind, kinds))
        for name, (top, bottom) in ratios.items():
            unit = units.of_target[chosen]
            tallies[name, scope] = Tally.of(unit, top[chosen], bottom[chosen], units.total)
    return tallies
