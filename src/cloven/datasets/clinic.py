"""The clinic sample: patients who do not exist, written from condition profiles.

Only ``Generator.random`` and integer weights are used, and no logarithm or power, so the same seed gives the
same records on every platform and with every NumPy from 2.0.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from cloven.data.transactions import Transactions
from cloven.datasets.profile import PLACES, Profile, profiles
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


Thing = TypeVar("Thing")

# Weights of how many words (from 2 on) a record takes from the profile of its main condition.
MAIN_WORDS = (5, 13, 16, 15, 12, 8, 6, 5, 4, 3, 3, 2, 2, 2, 1, 1, 1)
# Weights of how many further conditions (from 0 on) a patient has.
COMORBIDITIES = (57, 31, 12)
# Weights of how many words (from 0 on) such a condition adds to its head words.
COMORBID_WORDS = (50, 33, 12, 5)
# Per cent of records with one word of the patient's age, of any visit, of an unrelated complaint.
CIRCUMSTANCE, ANY_VISIT, UNRELATED = 30, 16, 5


def clinic(records: int = 1000, *, seed: int = 2024) -> Transactions:
    """Make the clinic sample; the first records are the same however many are asked for.

    Args:
        records: number of patients.
        seed: for repeatable experiments; the data are fictional.

    >>> sorted(clinic(9)[8])
    ['midwife', 'nausea', 'pregnancy', 'vomiting']
    """
    if records < 1:
        message = f"records must be at least 1, got {records}"
        raise ParameterError(message)
    rng = np.random.default_rng(seed)
    return Transactions.from_records([_patient(rng) for _ in range(records)])


def _patient(rng: np.random.Generator) -> set[str]:
    main = _pick(rng, profiles(), [profile.weight for profile in profiles()])
    age = _pick(rng, AGES, main.ages)
    sex = main.sex if main.sex != "any" else _pick(rng, ("female", "male"), (1, 1))
    never = frozenset(f"{NEVER[age]} {NEVER[sex]}".split())
    record = set(main.heads.split())
    record |= _some(rng, main.weighted(), 2 + _count(rng, MAIN_WORDS), record | never)
    for profile in _comorbid(rng, main, age, sex):
        record |= frozenset(profile.heads.split()) - never
        record |= _some(rng, profile.weighted(), _count(rng, COMORBID_WORDS), record | never)
    for words, percent in ((CIRCUMSTANCES[age], CIRCUMSTANCE), (VISIT, ANY_VISIT), (COMPLAINTS, UNRELATED)):
        if rng.random() * 100 < percent:
            record |= _some(rng, _ranked(words), 1, record | never)
    return record


def _comorbid(rng: np.random.Generator, main: Profile, age: str, sex: str) -> list[Profile]:
    """Draw up to two further conditions that a patient of this age and sex can have."""
    by_name = {profile.name: profile for profile in profiles()}
    possible = [
        (by_name[name], weight)
        for name, weight in _ranked(COMORBIDITY.get(main.name, ""))
        if by_name[name].ages[AGES.index(age)] and by_name[name].sex in ("any", sex)
    ]
    count = min(_count(rng, COMORBIDITIES), len(possible))
    return _without_replacement(rng, possible, count)


def _ranked(words: str) -> list[tuple[str, int]]:
    """Weigh words by their place in the list."""
    return list(zip(words.split(), PLACES, strict=False))


def _some(
    rng: np.random.Generator, weighted: Iterable[tuple[str, int]], count: int, without: Iterable[str]
) -> set[str]:
    """Draw ``count`` different words by weight, or all if there are fewer."""
    left = [(word, weight) for word, weight in weighted if word not in set(without)]
    return set(_without_replacement(rng, left, min(count, len(left))))


def _without_replacement(
    rng: np.random.Generator, weighted: Sequence[tuple[Thing, int]], count: int
) -> list[Thing]:
    left = list(weighted)
    taken = []
    for _ in range(count):
        place = _pick(rng, range(len(left)), [weight for _, weight in left])
        taken.append(left.pop(place)[0])
    return taken


def _count(rng: np.random.Generator, weights: Sequence[int]) -> int:
    """Draw a number from 0 on by weight."""
    return _pick(rng, range(len(weights)), weights)


def _pick(rng: np.random.Generator, things: Sequence[Thing], weights: Sequence[int]) -> Thing:
    """Draw one thing by integer weights."""
    sums = list(accumulate(weights))
    return things[bisect_right(sums, rng.random() * sums[-1], hi=len(sums) - 1)]


# Which conditions come along with which, most usual first; every name is the name of a profile.


COMORBIDITY = MappingProxyType(
    {
        "addiction": "hepatitis hiv depression",
        "alcoholism": "depression cirrhosis anxiety",
        "allergy": "asthma eczema",
        "anaemia": "ulcer kidney_failure pregnancy",
        "angina": "hypertension diabetes obesity",
        "anxiety": "depression migraine reflux",
        "appendicitis": "asthma",
        "arrhythmia": "hypertension heart_failure",
        "arthritis": "hypertension osteoporosis obesity",
        "asthma": "allergy eczema reflux",
        "backache": "depression arthritis obesity",
        "bowel_cancer": "anaemia diabetes hypertension",
        "breast_cancer": "depression hypothyroidism anxiety",
        "bronchitis": "asthma emphysema hypertension",
        "cataract": "diabetes hypertension",
        "cirrhosis": "alcoholism hepatitis diabetes",
        "concussion": "migraine fracture",
        "cystitis": "diabetes menopause",
        "dementia": "hypertension depression diabetes",
        "depression": "anxiety alcoholism backache",
        "diabetes": "hypertension obesity kidney_failure",
        "eczema": "allergy asthma",
        "emphysema": "bronchitis hypertension heart_failure",
        "fracture": "osteoporosis concussion hypertension",
        "gallstones": "obesity reflux",
        "gastroenteritis": "anaemia asthma",
        "gout": "hypertension obesity kidney_stones",
        "heart_failure": "hypertension diabetes arrhythmia",
        "hepatitis": "addiction cirrhosis hiv",
        "hiv": "hepatitis depression",
        "hypertension": "diabetes obesity gout",
        "hypothyroidism": "depression obesity anaemia",
        "infarction": "hypertension diabetes heart_failure",
        "influenza": "asthma diabetes",
        "kidney_failure": "hypertension diabetes anaemia",
        "kidney_stones": "gout hypertension",
        "leukaemia": "anaemia pneumonia",
        "lung_cancer": "emphysema bronchitis hypertension",
        "malaria": "anaemia gastroenteritis",
        "melanoma": "hypertension anxiety",
        "menopause": "osteoporosis depression hypertension",
        "migraine": "anxiety depression",
        "obesity": "diabetes hypertension",
        "osteoporosis": "fracture arthritis backache",
        "pneumonia": "emphysema asthma heart_failure",
        "pregnancy": "anaemia diabetes hypertension",
        "prostate_cancer": "hypertension diabetes",
        "psoriasis": "arthritis depression obesity",
        "reflux": "obesity asthma",
        "schizophrenia": "addiction obesity depression",
        "sprain": "asthma backache",
        "stroke": "hypertension diabetes arrhythmia",
        "thrombosis": "obesity hypertension",
        "ulcer": "reflux anaemia arthritis",
    }
)


# What is written down of patients whatever they come for, and what cannot be said of whom.


AGES = ("child", "adult", "elderly")

# Circumstances of an age, most usual first.
CIRCUMSTANCES = MappingProxyType(
    {
        "child": "child mother school vaccine growth",
        "adult": "work stress smoking insurance sport",
        "elderly": "elderly retired widow nurse falls",
    }
)

# Words of any visit, most usual first.
VISIT = "doctor hospital medication referral appointment nurse"

# Complaints that have nothing to do with why the patient came, most usual first.
COMPLAINTS = "headache cold insomnia fatigue toothache cramps dizziness itching"

# Words that would be absurd of a patient of this age or sex, whatever profile they come from.
NEVER = MappingProxyType(
    {
        "child": (
            "addiction ageing alcohol alcoholism amputation cigarette cirrhosis condom daughter divorce"
            " drinking elderly emphysema husband insurance menopause overdose partner pregnancy prison"
            " retinopathy retired sedentary smoking statins suicide unemployment warfarin widow work"
        ),
        "adult": "ageing child elderly growth nursing retired school widow",
        "elderly": "birth child football growth mother pregnancy running school sport unemployment work",
        "female": "prostate",
        "male": "husband menopause pregnancy sister widow",
    }
)
