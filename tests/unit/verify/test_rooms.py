"""``verify`` and links find the room of a release, and refuse what does not belong there."""

from __future__ import annotations

import pyarrow as pa
import pytest

import cloven as cv
from cloven.kinds.disassociated.attack import link as disassociated
from cloven.kinds.generalised.attack import link as generalised
from cloven.registry import part

DATA = cv.Transactions.from_records([["ale", "rye"], ["ale"], ["ale", "bun"], ["ale", "rye", "bun"]])
PEOPLE = {
    "age": list(range(20, 40)),
    "sex": ["f", "m"] * 10,
    "illness": ["flu", "gout", "mumps", "zoster"] * 5,
}


@pytest.fixture(scope="module")
def table():
    return cv.read_table(pa.table(PEOPLE), cv.Schema.of(["age", "sex"], ["illness"]))


@pytest.fixture(scope="module")
def releases(table):
    return {
        "disassociated": cv.Disassociation(k=2, m=1).anonymise(DATA).release,
        "set-generalised": cv.Coat(k=2, m=1).anonymise(DATA).release,
        "a published table": cv.Mondrian(k=5, l=2).anonymise(table).release,
    }


@pytest.mark.parametrize("kind", ["disassociated", "a published table"])
def test_a_policy_is_refused_where_none_is_heeded(releases, kind):
    with pytest.raises(cv.ParameterError, match=f"this one is {kind}; leave it out"):
        cv.verify(releases[kind], policy=cv.Policy(all_up_to=1))
    assert cv.verify(releases["set-generalised"], policy=cv.Policy(all_up_to=1)).ok


@pytest.mark.parametrize("kind", ["disassociated", "set-generalised"])
def test_the_original_is_of_the_kind_that_the_release_is_made_from(releases, table, kind):
    with pytest.raises(cv.ParameterError, match=r"the original must be Transactions .*, got Table"):
        cv.verify(releases[kind], original=table)
    with pytest.raises(cv.ParameterError, match=r"the original must be Table .*, got Transactions"):
        cv.verify(releases["a published table"], original=DATA)


def test_what_is_no_release_has_no_room():
    with pytest.raises(cv.ParameterError, match="no release but Transactions"):
        part(DATA, "files")


def test_the_likeliest_of_equal_candidates_is_right_once_in_so_many(releases):
    look = generalised.looker(releases["set-generalised"])
    code = releases["set-generalised"].vocabulary.index("ale")
    assert look([code]) == (4, 0.25)
    found, picked = disassociated.looker(releases["disassociated"])(
        [releases["disassociated"].vocabulary.index("ale")]
    )
    assert found == 4
    assert picked == pytest.approx(0.25)
