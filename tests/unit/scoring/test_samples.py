"""Scoring a sample of the targets: only what was asked counts, and nothing that needs all of them is claimed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import cloven as cv
from cloven.kinds.disassociated.attack.questions import questions
from cloven.kinds.disassociated.guesses import Guesses
from cloven.kinds.disassociated.score.definitions import MEASURES
from cloven.kinds.disassociated.score.score import score
from cloven.kinds.disassociated.score.trial import tried
from cloven.kinds.transactions import control_of


def rng(seed=1):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def made():
    return cv.Disassociation(k=5, m=2, rare_items="cluster", refine=True).anonymise(cv.sample("clinic"))


@pytest.fixture(scope="module")
def asked(made):
    return questions(made.release, most_targets=300, rng=rng(5))


@pytest.fixture(scope="module")
def guesses(made, asked):
    return cv.attacks.Semantic(cv.relatedness.Vectors.sample()).guess(made.release, asked=asked)


@dataclass
class Watched:
    """An attack that remembers what it was asked, and may answer something else."""

    attack: object = field(default_factory=lambda: cv.attacks.Semantic(cv.relatedness.Vectors.sample()))
    change: object = None
    asked: list = field(default_factory=list)

    @property
    def parameters(self):
        return self.attack.parameters

    def guess(self, release, rng=None, progress=None, *, asked=None):
        self.asked.append(asked)
        found = self.attack.guess(release, rng, progress, asked=asked)
        return self.change(found) if self.change else found


def easy(guesses):
    """The targets that an attack is surest of, as a sample that says so."""
    asked = guesses.questions
    sure = np.maximum.reduceat(guesses.confidence, asked.offsets[:-1])
    return guesses.only(np.sort(np.argsort(-sure)[:50]))


def undeclared(guesses):
    """The same, but said to be all."""
    some = easy(guesses)
    return replace(some, questions=replace(some.questions, targets_in_all=None, candidates_in_all=None))


def test_a_sample_is_scored_by_ranking_alone_and_says_so(made, asked, guesses):
    found = score(guesses, made.release, made.key, rng=rng(), draws=50)
    assert {finding.measure for finding in found} == {"hit", "top_1", "auc", "brier"}
    full = questions(made.release)
    assert found.notes["sample"] == {
        "targets": 300,
        "targets_in_all": len(full),
        "candidates": len(asked.slots),
        "candidates_in_all": len(full.slots),
        "left_out": ["precision"],
    }
    assert found.count().targets == 300
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()


def test_a_sample_counts_what_all_would_count_of_it(made, asked, guesses):
    """Values of each sampled target are those of the full attack: checked by hand on hits and best guesses."""
    full = cv.attacks.Semantic(cv.relatedness.Vectors.sample()).guess(made.release)
    names = list(zip(full.questions.target_row, full.questions.target_item, strict=True))
    at = [names.index(pair) for pair in zip(asked.target_row, asked.target_item, strict=True)]
    again = full.only(np.array(at))
    first, second = (score(each, made.release, made.key, rng=rng(), draws=50) for each in (guesses, again))
    assert first == second


def test_nothing_is_said_about_a_sample_when_all_were_asked(made):
    found = cv.attacks.trial(
        cv.attacks.Guesswork(), made.release, made.key, rng=rng(), measures=["ranking"], most_candidates=10**8
    )
    assert "sample" not in found.notes


@pytest.mark.parametrize("change", [easy, undeclared])
def test_an_attack_cannot_choose_what_it_answers(made, change):
    attack = Watched(change=change)
    for options in ({}, {"most_targets": 400}):
        with pytest.raises(
            cv.ReleaseError, match=r"answers other questions than it was asked: Questions\(50 "
        ):
            cv.attacks.trial(attack, made.release, made.key, rng=rng(), measures=["ranking"], **options)


def test_a_sample_that_is_not_declared_is_refused(made, guesses):
    with pytest.raises(cv.ReleaseError, match="a part of a record is no target"):
        score(undeclared(guesses), made.release, made.key, rng=rng())


def test_what_was_asked_can_be_demanded(made, asked, guesses):
    score(guesses, made.release, made.key, rng=rng(), asked=asked, draws=50)
    with pytest.raises(cv.ReleaseError, match=r"Questions\(50 of .* instead of Questions\(300 of"):
        score(easy(guesses), made.release, made.key, rng=rng(), asked=asked)


def shortened(guesses):
    """Without the last candidate."""
    asked = guesses.questions
    offsets = asked.offsets.copy()
    offsets[-1] -= 1
    cut = replace(asked, offsets=offsets, slots=asked.slots[:-1])
    ends = {name: getattr(guesses, name)[:-1] for name in ("score", "confidence", "chosen")}
    return replace(guesses, questions=cut, **ends)


def doubled(guesses):
    """With the last target twice."""
    asked, last = guesses.questions, len(guesses.questions) - 1
    pairs = asked.pairs_of(np.array([last]))
    arrays = {name: np.append(getattr(asked, name), getattr(asked, name)[last]) for name in asked.ARRAYS[2:7]}
    twice = replace(
        asked,
        **arrays,
        offsets=np.append(asked.offsets, asked.offsets[-1] + len(pairs)),
        slots=np.append(asked.slots, asked.slots[pairs]),
    )
    more = {
        name: np.append(getattr(guesses, name), getattr(guesses, name)[pairs])
        for name in ("score", "confidence", "chosen")
    }
    return Guesses(twice, **more, answer=np.append(guesses.answer, 0), attack={}, notes={})


def misled(guesses):
    return replace(guesses, questions=replace(guesses.questions, targets_in_all=301))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (shortened, "the sample leaves out candidates of its targets"),
        (doubled, "has a target that the release does not have, or has one twice"),
        (misled, "said to be a sample of 301 targets"),
    ],
)
def test_broken_samples_are_refused(made, guesses, change, match):
    with pytest.raises(cv.ReleaseError, match=match):
        score(change(guesses), made.release, made.key, rng=rng())
    with pytest.raises(cv.ReleaseError, match=match):
        cv.attacks.trial(
            cv.attacks.Guesswork(), made.release, made.key, rng=rng(), asked=change(guesses).questions
        )


def test_measures_that_need_all_targets_are_refused_or_left_out(made, guesses):
    with pytest.raises(
        cv.ParameterError, match="precision needs all targets, but the guesses answer a sample"
    ):
        score(guesses, made.release, made.key, rng=rng(), measures=["precision"])
    found = score(guesses, made.release, made.key, rng=rng(), draws=50)
    assert found.notes["sample"]["left_out"] == ["precision"]
    assert all(MEASURES[finding.measure].group == "ranking" for finding in found)


def test_attack_control_and_chance_are_asked_the_same_once(made):
    attack = Watched()
    control = Watched(control_of(attack.attack))
    found = tried(attack, made.release, made.key, rng=rng(), control=control, most_targets=200, worst=0)
    (mine,), (other,) = attack.asked, control.asked
    assert len(mine) == 200
    assert other is mine
    assert found.findings.get("hit").control is not None
    assert found.findings.get("hit").chance is not None
    assert found.worst == []


def test_clusters_to_show_are_asked_about_but_not_counted(made):
    attack = Watched()
    found = tried(attack, made.release, made.key, rng=rng(), most_targets=200, worst=2)
    assert len(attack.asked) == 1
    assert found.findings.count().targets == found.findings.notes["sample"]["targets"] == 200
    assert len(attack.asked[0]) > 200
    assert 0 < found.clusters <= made.release.clusters
    assert len(found.worst) == 2
    own = questions(made.release)
    for shown in found.worst:
        many = int((own.target_cluster == shown["cluster"]).sum())
        assert shown["targets_in_all"] == many


def test_progress_moves_to_the_end(made, guesses):
    steps = []
    score(guesses, made.release, made.key, rng=rng(), draws=50, progress=lambda *step: steps.append(step))
    assert {name for name, _ in steps} == {"measure"}
    shares = [share for _, share in steps]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(shares) > 3


def test_samples_are_neither_written_nor_read(made, asked, guesses, tmp_path):
    with pytest.raises(cv.ParameterError, match="guesses on disk answer all targets, these 300 of"):
        cv.attacks.write_guesses(guesses, made.release, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    full = cv.attacks.Guesswork().guess(made.release, rng())
    cv.attacks.write_guesses(full, made.release, tmp_path / "out")
    with pytest.raises(cv.ParameterError, match="by `trial`, and not read"):
        cv.attacks.read_guesses(tmp_path / "out", made.release, asked)
