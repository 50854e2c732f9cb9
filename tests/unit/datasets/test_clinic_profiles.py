"""The hand-written words behind the clinic sample."""

from __future__ import annotations

import pytest

from cloven.datasets.clinic import AGES, CIRCUMSTANCES, COMPLAINTS, NEVER, PROFILES, VISIT, Profile

BY_NAME = {profile.name: profile for profile in PROFILES}
COMORBIDITY = {profile.name: profile.comorbid for profile in PROFILES}
OUTSIDE = " ".join([*CIRCUMSTANCES.values(), VISIT, COMPLAINTS]).split()
EVERY_WORD = frozenset(OUTSIDE).union(*(profile.words() for profile in PROFILES))


def test_every_word_is_a_single_lower_case_word() -> None:
    assert [word for word in EVERY_WORD if not (word.isascii() and word.isalpha() and word.islower())] == []
    assert 400 <= len(EVERY_WORD) <= 450


def test_names_are_different() -> None:
    assert len(BY_NAME) == len(PROFILES)
    assert 40 <= len(PROFILES) <= 60


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_profile_can_make_a_patient(profile: Profile) -> None:
    assert profile.weight > 0
    assert sum(profile.ages) > 0
    assert min(profile.ages) >= 0
    assert 1 <= len(profile.heads.split()) <= 2
    assert profile.sex in ("any", "female", "male")
    assert len(profile.words()) >= 12
    for kind in ("symptoms", "organs", "tests", "treatments", "complications", "background"):
        words = getattr(profile, kind).split()
        assert len(words) == len(set(words)), f"{kind} repeats a word"
        assert not set(words) & set(profile.heads.split()), f"{kind} repeats a head word"


def test_a_word_in_two_lists_gets_both_weights() -> None:
    both = Profile(name="x", weight=1, ages=(1, 1, 1), heads="x", symptoms="pain ache", organs="ache")
    assert dict(both.weighted()) == {"pain": 5 * 64, "ache": 5 * 28 + 3 * 64}


def test_comorbidity_refers_to_existing_profiles() -> None:
    for name, others in COMORBIDITY.items():
        assert others.split(), name
        assert set(others.split()) <= set(BY_NAME), name
        assert name not in others.split()


def test_comorbidity_fits_the_patients_of_the_main_condition() -> None:
    """Every pair must be possible for at least one age and one sex, or it is dead text."""
    for name, others in COMORBIDITY.items():
        for other in map(BY_NAME.get, others.split()):
            main = BY_NAME[name]
            assert other is not None
            assert any(mine and its for mine, its in zip(main.ages, other.ages, strict=True)), (
                name,
                other.name,
            )
            assert "any" in (main.sex, other.sex) or main.sex == other.sex, (name, other.name)


def test_what_is_never_said_of_somebody_is_said_of_others() -> None:
    assert set(CIRCUMSTANCES) == set(AGES)
    assert set(NEVER) == {*AGES, "female", "male"}
    for whom, words in NEVER.items():
        assert set(words.split()) <= EVERY_WORD, whom


def test_heads_are_never_forbidden_to_the_patients_of_their_own_profile() -> None:
    for profile in PROFILES:
        ages = [age for age, weight in zip(AGES, profile.ages, strict=True) if weight]
        sexes = ["female", "male"] if profile.sex == "any" else [profile.sex]
        for whom in ages + sexes:
            assert not set(profile.heads.split()) & set(NEVER[whom].split()), (profile.name, whom)
