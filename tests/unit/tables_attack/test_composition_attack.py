"""The composition attack and single releases on cases that can be checked by hand."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from small_tables import people, table

from cloven.errors import ParameterError
from cloven.kinds.tables.attack.values import AttributeDisclosure, Composition, Membership
from cloven.kinds.tables.guesses import Found, Known
from cloven.kinds.tables.methods.assembly import generalised, sliced
from cloven.kinds.tables.score.score import score_values


def clinic(ages, illnesses):
    return table({"age": ages, "illness": illnesses}, sensitive=("illness",), numbers=("age",))


def published(data, classes):
    return generalised(data, np.array(classes), k=1, parameters={}).release


def printed_slices():
    """Table 1 of BinJubier et al. (2022): (age, sex) beside (zip, disease); the first four rows are a bucket."""
    data = table(
        {
            "age": [30, 23, 28, 53, 39, 60],
            "sex": ["F", "M", "F", "F", "F", "M"],
            "zip": ["130350", "130350", "130352", "130350", "130352", "130351"],
            "disease": ["ovarian cancer", "heart", "Flu", "heart", "Flu", "heart"],
        },
        sensitive=("disease",),
        numbers=("age",),
    )
    buckets = np.array([0, 0, 0, 0, 1, 1])
    return data, sliced(data, buckets, ((0, 1), (2, 3)), k=2, parameters={}).release


def test_the_printed_example_is_not_two_diverse():
    """The paper says 1/2; by its own formula it is 1/3 and 2/3, and zip 130352 has Flu with certainty."""
    data, release = printed_slices()
    guesses = AttributeDisclosure().guess(release, Known.of(data))
    assert guesses.candidates(1) == pytest.approx({"heart": 2 / 3, "ovarian cancer": 1 / 3})
    assert guesses.candidates(2) == pytest.approx({"Flu": 1.0})


def test_somebody_who_is_nowhere_is_believed_to_be_like_all():
    data = clinic([20, 21, 50, 51], ["flu", "gout", "cold", "cold"])
    known = Known(("age",), (("35",),), np.zeros((1, 1), np.int32))
    release = published(data, [0, 0, 1, 1])
    guesses = Composition().guess([release, published(data, [0, 1, 2, 2])], known)
    assert guesses.found.tolist() == [Found.NOWHERE]
    assert guesses.candidates(0) == {}
    assert guesses.confidence[0] == pytest.approx(guesses.prior)


def test_a_release_without_the_person_is_left_out_and_a_contradiction_is_told():
    first = clinic([20, 21], ["flu", "gout"])
    elsewhere = clinic([20, 70, 71], ["cold", "cold", "flu"])
    target = Known.of(first, np.array([1]))
    guesses = Composition().guess([published(first, [0, 0]), published(elsewhere, [0, 1, 1])], target)
    assert guesses.found.tolist() == [Found.SOMEWHERE]
    assert set(guesses.candidates(0)) == {"flu", "gout"}
    other = clinic([21, 70], ["cold", "cold"])
    guesses = Composition().guess([published(first, [0, 0]), published(other, [0, 1])], target)
    assert guesses.found.tolist() == [Found.CONTRADICTED]
    assert not guesses.candidate.any()
    assert guesses.confidence.sum() == pytest.approx(1)


def test_what_one_release_hides_another_may_show_as_quasi_identifier():
    first = table({"age": [20, 21], "job": ["cook", "judge"]}, sensitive=("job",), numbers=("age",))
    second = table(
        {"age": [20, 70], "job": ["cook", "judge"], "ill": ["flu", "cold"]},
        sensitive=("ill",),
        numbers=("age",),
    )
    known = Known.of(first, np.array([0]))
    with pytest.raises(
        ParameterError, match=r"no sensitive attribute \(number 1 shows job; number 2 shows ill\)"
    ):
        Composition().guess([published(first, [0, 0]), published(second, [0, 1])], known)
    both = table(
        {"age": [20, 21], "job": ["a", "b"], "ill": ["c", "d"]}, sensitive=("job", "ill"), numbers=("age",)
    )
    with pytest.raises(
        ParameterError, match=r"share 2 sensitive attributes \(ill, job\); .* attribute='ill'"
    ):
        Composition().guess([published(both, [0, 0])] * 2, known)
    guesses = Composition("job").guess([published(first, [0, 0]), published(second, [0, 1])], known)
    assert guesses.candidates(0) == pytest.approx({"cook": 1.0})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d, r: Composition().guess([r], Known.of(d)), "at least two releases"),
        (lambda d, r: Composition("height").guess([r, r], Known.of(d)), "shows no attribute 'height'"),
        (lambda d, r: Composition("job").guess([r, r], Known.of(d)), "cannot be known"),
        (lambda d, r: Composition(weight="size"), "share, rows"),
        (lambda d, r: Known.of(d, names=["illness"]), "'illness' is no quasi-identifier"),
        (lambda d, r: AttributeDisclosure(weight=""), "share, rows"),
    ],
)
def test_bad_input_is_told(call, message):
    data = people(20)
    release = published(data, np.arange(20) % 2)
    with pytest.raises(ParameterError, match=message):
        call(data, release)


def test_attacks_load_without_the_key():
    code = """
import sys
from dataclasses import replace
sys.modules["cloven.kinds.tables.key"] = None
import cloven.kinds.tables.attack.values, cloven.kinds.tables.attack.semantic, cloven.kinds.tables.attack.values
import cloven.kinds.tables.utility
print("ok")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "ok", done.stderr


def test_a_large_class_counts_for_more_than_a_small_one():
    data = clinic([30, 31] + [30] * 97 + [29], ["flu", "gout"] + ["cough"] * 98)
    release = published(data, [0, 0] + [1] * 98)
    target = Known.of(data, np.array([5]))
    told = AttributeDisclosure().guess(release, target).candidates(0)
    assert told["cough"] > 0.9
    assert AttributeDisclosure(weight="share").guess(release, target).candidates(0)["cough"] == pytest.approx(
        0.5
    )
    assert Composition().parameters["weight"] == AttributeDisclosure().parameters["weight"] == "rows"


def test_a_number_is_one_value_however_it_is_written():
    def doses(texts):
        data = table({"age": [20, 21], "dose": [5, 7]}, sensitive=("dose",), numbers=("age", "dose"))
        age, dose = data.attributes
        return replace(data, attributes=(age, replace(dose, values=texts)))

    short, long = doses(("5", "7")), doses(("5.0", "7.0"))
    known = Known.of(short)
    guesses = Composition().guess([published(short, [0, 1]), published(long, [0, 1])], known)
    assert guesses.values == ("5", "7")
    assert (guesses.found == Found.EVERYWHERE).all()
    truth = ("5.0", "7.0")
    scored = score_values(guesses, truth, rng=np.random.default_rng(0), draws=2)
    assert scored.get("drr_strict").value == 1


def test_membership_without_anything_sensitive():
    inside = table({"age": list(range(0, 40, 2))}, sensitive=(), numbers=("age",))
    both = table({"age": [*range(0, 40, 2), *range(100, 120)]}, sensitive=(), numbers=("age",))
    release = published(inside, np.arange(20) // 2)
    guesses = Membership().guess(release, Known.of(both))
    assert (guesses.matched[:20] > 0).all()
    assert (guesses.matched[20:] == 0).all()
    assert guesses.confidence[:20].min() > guesses.confidence[20:].max()
