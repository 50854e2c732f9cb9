"""What is searched."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.errors import ParameterError
from cloven.kinds.disassociated.methods import Disassociation
from cloven.protocols import Choice, Whole
from cloven.tuning.search import varied


def test_every_method_that_declares_a_space_is_searched(data):
    assert {one.name for one in varied(data)} >= {"disassociation", "toy", "other"}


def test_who_names_parameters_means_the_methods_that_have_them(data):
    assert [one.name for one in varied(data, vary=["size"])] == ["toy", "other"]
    assert [one.name for one in varied(data, methods=["toy", "disassociation"], vary=["size"])] == [
        "toy",
        "disassociation",
    ]


def test_what_disassociation_declares(data):
    (one,) = varied(data, methods=["disassociation"])
    assert set(one.dimensions) == {
        "k", "m", "max_cluster_size", "small_clusters", "refine", "root_chunks", "safe",
    }  # fmt: skip
    assert one.dimensions["k"] == Whole(5, 20)
    assert one.dimensions["m"] == Choice((2, 3))
    assert one.values_of(Disassociation()) == {
        "k": 5, "m": 2, "max_cluster_size": 120, "small_clusters": "add", "refine": False, "root_chunks": "single",
        "safe": "no",
    }  # fmt: skip


def test_tiny_data_still_hold_the_default(data):
    (one,) = varied(data.take(np.arange(30)), methods=["disassociation"])
    assert one.dimensions["k"] == Whole(5, 5)
    assert one.values_of(one.method()) is not None


@pytest.mark.parametrize(("m", "values"), [(1, (1, 2, 3)), (2, (2, 3)), (3, (3,)), (4, (4,))])
def test_m_is_at_least_what_is_promised(data, m, values):
    assert varied(data, methods=["toy"], m=m)[0].dimensions["m"] == Choice(values)


def test_fixed_and_varied(data):
    (one,) = varied(data, methods=["toy"], fix={"k": 9, "size": 77}, vary=["care"])
    assert list(one.dimensions) == ["care"]
    assert (one.method({"care": True}).k, one.method().size) == (9, 77)
    assert one.words() == "care yes or no"


def test_a_method_outside_has_no_values(data):
    (one,) = varied(data, methods=["toy"], fix={"size": 77})
    assert one.values_of(one.method({"k": 6})) == {"k": 6, "m": 2, "care": False, "share": 0.5}
    assert one.values_of(type(one.method())(size=50)) is None
    assert one.values_of(one.method({"k": 30})) is None
    assert one.values_of(Disassociation()) is None


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            {"methods": ["magic"]},
            "method 'magic' cannot be searched; those that can are .*disassociation, .*toy",
        ),
        ({"fix": {"colour": 1}, "methods": ["toy"]}, "cannot fix 'colour': no parameter of what is searched"),
        (
            {"vary": ["colour"], "methods": ["toy"]},
            "cannot vary 'colour'.* there are care, k, m, share, size",
        ),
        ({"vary": ["k"], "fix": {"k": 3}}, "'k' cannot be fixed and varied at once"),
    ],
)
def test_bad_wishes(data, asked, words):
    with pytest.raises(ParameterError, match=words):
        varied(data, **asked)
