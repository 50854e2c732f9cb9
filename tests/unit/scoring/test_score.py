"""The whole way: guesses, release and key in, findings out."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from cloven.errors import InputError, ParameterError, ReleaseError
from cloven.kinds.disassociated.attack.named import guesswork_of
from cloven.kinds.disassociated.guesses import Answer
from cloven.kinds.disassociated.score.definitions import GROUPS, MEASURES, SCOPES
from cloven.kinds.disassociated.score.score import score
from cloven.statistics.findings import Findings
from tests.effort import tries

from .plain import attacked, guesses, world

PLACES = (0, 0, 1, 1, "term", "term")


def rng(seed=1):
    return np.random.default_rng(seed)


def random_world(clusters=30, size=6, seed=3):
    """Every cluster has six items of its own choice, so that some pairs are rare in all data."""
    draw = rng(seed)
    records, places = [], []
    for _ in range(clusters):
        items = draw.permutation(list("abcdefghijklmnop"))[:6]
        places.append(dict(zip(items, PLACES, strict=True)))
        records.append([frozenset(draw.permutation(items)[: draw.integers(2, 5)]) for _ in range(size)])
    return world(records, places)


def noisy(made, strength, seed):
    """Scores that know the truth with a given strength; the best slots are chosen."""
    draw = rng(seed)
    scores, chosen = [], []
    for t, (_, _, slots) in enumerate(made.targets):
        here = [strength * made.holds(t, slot) + draw.normal() for slot in slots]
        scores += here
        copies = max(1, int(made.questions.target_copies[t]))
        chosen += [(t, slots[i]) for i in np.argsort(here)[::-1][:copies]]
    return guesses(made, scores, chosen=chosen)


@pytest.fixture(scope="module")
def found():
    made = random_world()
    runs = [noisy(made, 0, 100 + i) for i in range(5)]
    options = {"chance": runs, "control": noisy(made, 0, 50)}
    return made, score(noisy(made, 2, 9), made.release, made.key, rng=rng(), draws=300, **options)


def test_every_measure_is_there_in_every_scope_with_chance_and_control(found):
    _, findings = found
    names = {(finding.measure, finding.scope) for finding in findings}
    assert names == {(measure, scope) for measure in MEASURES for scope in SCOPES}
    for finding in findings:
        if finding.scope == "shared":
            continue  # nothing is shared here
        assert None not in (finding.value, finding.chance, finding.control, finding.over_chance_z), finding
        assert finding.low <= finding.value <= finding.high
        assert finding.chance_low <= finding.chance <= finding.chance_high
        assert finding.over_chance == pytest.approx(finding.value - finding.chance)
        assert finding.over_control == pytest.approx(finding.value - finding.control)
        assert finding.lift == (pytest.approx(finding.value / finding.chance) if finding.chance else None)


def test_what_knows_beats_chance_and_what_does_not_does_not(found):
    made, findings = found
    for measure in ("auc", "hit", "top_1", "precision"):
        finding = findings.get(measure)
        assert finding.over_chance_low > 0, measure
        assert finding.over_control_z > 3, measure
    blind = score(noisy(made, 0, 77), made.release, made.key, rng=rng(), measures=["ranking"], draws=300)
    for measure in ("auc", "hit", "top_1"):
        assert abs(blind.get(measure).over_chance_z) < 4
        assert blind.get(measure).over_chance_low < 0 < blind.get(measure).over_chance_high


def test_random_guessing_reaches_the_exact_chance(found):
    """Over many runs of the blind attack, hit and best guess come to the formula."""
    made, findings = found
    values = [
        score(noisy(made, 0, seed), made.release, made.key, rng=rng(), measures=["ranking"], draws=2)
        for seed in range(40)
    ]
    for measure in ("auc", "hit", "top_1"):
        mean = np.mean([each.get(measure).value for each in values])
        assert mean == pytest.approx(findings.get(measure).chance, abs=0.012), measure


def test_findings_survive_json(found):
    _, findings = found
    again = Findings.from_dict(json.loads(json.dumps(findings.to_dict())))
    assert again == findings
    assert again.to_rows()[0]["measure"] == "hit"


def test_same_generator_same_findings(found):
    made, _ = found
    attack = noisy(made, 1, 5)
    first, second = (score(attack, made.release, made.key, rng=rng(4), draws=50) for _ in range(2))
    assert first == second


@settings(max_examples=tries(30))
@given(attacked())
def test_counts_are_those_of_the_targets(case):
    made, guess, _ = case
    findings = score(guess, made.release, made.key, rng=rng(), draws=5)
    for scope, kinds in (("all", ("record", "shared", "term")), ("shared", ("shared",)), ("term", ("term",))):
        here = [t for t, (chunk, _, _) in enumerate(made.targets) if chunk[0] in kinds]
        links = [(t, slot) for t in here for slot in made.targets[t][2] if made.holds(t, slot)]
        counts = findings.count(scope)
        assert counts.targets == len(here)
        assert counts.true_links == len(links)
        bare = [t for t in here if all(made.slots[slot][1] is None for slot in made.targets[t][2])]
        assert counts.targets_without_anchor == len(bare)
        unknown = [t for t in here if t not in bare and guess.answer[t] == Answer.NO_SCORE]
        assert counts.targets_without_score == len(unknown)
        full = [t for t in here if all(made.holds(t, slot) for slot in made.targets[t][2])]
        assert counts.targets_on_all_candidates == len(full)
        assert counts.links_without_anchor == sum(made.slots[slot][1] is None for _, slot in links)


def test_targets_without_anchor_are_not_ranked():
    """The second cluster has no record chunk; what is said about it, right or wrong, does not count."""
    made = world([["ab", "a"], ["d", "de", "e"]], [{"a": 0, "b": 1}, {"d": "term", "e": "term"}])
    right = [made.holds(t, slot) for t, (_, _, slots) in enumerate(made.targets) for slot in slots]
    wrong_there = [mark if at < 2 else not mark for at, mark in enumerate(right)]
    findings = score(guesses(made, wrong_there), made.release, made.key, rng=rng())
    assert (findings.get("auc").value, findings.get("auc").count) == (1.0, 1)
    assert findings.count().targets_without_anchor == 2


def test_an_attack_cannot_leave_out_what_it_finds_hard():
    made = random_world(12)
    guess = noisy(made, 1, 2)
    hidden = replace(guess, answer=np.full_like(guess.answer, Answer.NO_ANCHOR))
    open_, hiding = (score(each, made.release, made.key, rng=rng()) for each in (guess, hidden))
    assert open_.get("auc").count == hiding.get("auc").count > 0
    assert hiding.count().targets_without_anchor == 0


def test_without_chance_only_formulas_remain():
    made = random_world(3)
    findings = score(noisy(made, 1, 2), made.release, made.key, rng=rng())
    assert findings.get("hit").chance is not None
    assert (findings.get("precision").chance, findings.get("precision").lift) == (None, None)
    assert {finding.measure for finding in findings} == set(MEASURES)


def test_strangers_are_refused():
    made, other = random_world(3), random_world(4)
    attack = noisy(made, 1, 2)
    with pytest.raises(ParameterError, match=r"key must be of type Key \(got Disassociated\)"):
        score(attack, made.release, made.release, rng=rng())
    with pytest.raises(ParameterError, match=r"release must be of type Disassociated \(got Key\)"):
        score(attack, made.key, made.key, rng=rng())
    with pytest.raises(ParameterError, match=r"guesses must be of type Guesses \(got Questions\)"):
        score(made.questions, made.release, made.key, rng=rng())
    with pytest.raises(ParameterError, match=r"every run of chance must be of type Guesses \(got str\)"):
        score(attack, made.release, made.key, chance="random", rng=rng())
    with pytest.raises(ReleaseError, match="answers other questions than the attack"):
        score(attack, made.release, made.key, control=noisy(other, 1, 2), rng=rng())
    with pytest.raises(ReleaseError, match="the key does not fit the release"):
        score(attack, made.release, other.key, rng=rng())


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"score": np.zeros(1)}, "guesses need a score, a confidence and a choice for each of"),
        ({"answer": np.zeros(1, np.int8)}, "an answer for each of"),
        ({"score": np.nan}, "a score is not a number"),
        ({"confidence": 1.5}, r"confidence must lie in 0..1 \(got 1.5 to 1.5\)"),
    ],
)
def test_unusable_guesses_are_refused(change, match):
    made = random_world(2)
    full = {
        name: np.full(len(made.questions.slots), value, np.float32) if np.isscalar(value) else value
        for name, value in change.items()
    }
    with pytest.raises(ParameterError, match=match):
        score(replace(guesses(made), **full), made.release, made.key, rng=rng())


@pytest.mark.parametrize(
    ("measures", "match"),
    [
        (["auc"], r"some of ranking, precision \(got auc\)"),
        ([], r"got none"),
    ],
)
def test_measures_that_cannot_be_computed_are_refused(measures, match):
    made = random_world(2)
    with pytest.raises(ParameterError, match=match):
        score(guesses(made), made.release, made.key, rng=rng(), measures=measures)


def test_missing_findings_are_named():
    made = random_world(2)
    findings = score(guesses(made), made.release, made.key, rng=rng(), measures=["ranking"])
    with pytest.raises(
        ParameterError, match="no finding 'precision' in scope 'all'; measured were hit, top_1, auc"
    ):
        findings.get("precision")
    with pytest.raises(ParameterError, match="no counts of scope 'everything'; scopes are all, record"):
        findings.count("everything")
    with pytest.raises(InputError, match="findings have the fields"):
        Findings.from_dict({"findings": []})
    with pytest.raises(InputError, match="findings cannot be read"):
        Findings.from_dict(findings.to_dict() | {"findings": [{"measure": "auc"}]})


def test_every_measure_is_defined_once_and_in_a_group():
    assert {definition.group for definition in MEASURES.values()} == set(GROUPS)
    assert len({definition.sentence for definition in MEASURES.values()}) == len(MEASURES)


@pytest.mark.parametrize(
    ("attack", "selection"),
    [
        ({"name": "semantic", "selection": "optimal"}, "optimal"),
        ({"name": "vpa"}, "one-per-row"),
        ({"name": "paired", "record": {"selection": "optimal"}, "term": {"selection": "best"}}, "optimal"),
        (
            {"name": "paired", "record": {"name": "theirs"}, "term": {"selection": "one-per-row"}},
            "one-per-row",
        ),
        ({"name": "theirs", "selection": "zebra"}, "best"),
        ({"name": "theirs", "selection": [1], "record": 3}, "best"),
    ],
)
def test_guesswork_chooses_like_the_attack(attack, selection):
    assert guesswork_of(attack).selection == selection
