"""PCTA: more merges looked at than by COAT, less utility lost."""

from __future__ import annotations

from functools import partial

import pytest

from cloven.data.transactions import Transactions
from cloven.datasets import sample
from cloven.datasets.baskets import sparse
from cloven.errors import ParameterError
from cloven.kinds.generalised.methods.by_policy import Coat, Pcta
from cloven.kinds.generalised.policy import Policy
from cloven.kinds.generalised.utility import log2_utility_loss
from cloven.verification import verify


def blocks(release):
    return [release.block(number) for number in range(release.blocks)]


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(partial(sample, "clinic"), id="clinic"),
        pytest.param(partial(sparse, 5_000, 300, 4.0, 20), id="many"),
        pytest.param(partial(sparse, 2_000, 120, 6.0, 30, seed=3), id="few"),
    ],
)
def test_loses_less_utility_than_coat_where_all_pairs_are_protected(made):
    data, loss = made(), {}
    for method in (Coat, Pcta):
        result = method(k=5, policy=Policy(all_up_to=2)).anonymise(data)
        verdict = verify(result.release, original=data, key=result.key, policy=Policy(all_up_to=2))
        assert verdict.ok, str(verdict)
        loss[method] = log2_utility_loss(result.release, data)
    assert loss[Pcta] < loss[Coat] - 1


def test_with_groups_it_is_upcta_and_may_suppress():
    policy = Policy(protected=(("a",), ("b",)), groups=(("g", ("b", "c")),))
    data = Transactions.from_records([["a"], ["b"], ["c"], ["c"]])
    assert Pcta(policy=policy).parameters["variant"] == "upcta"
    assert Pcta().parameters["variant"] == "pcta"
    result = Pcta(k=2, policy=policy, max_suppressed=0.4).anonymise(data)
    assert blocks(result.release) == [("b", "c")]
    assert verify(result.release, original=data, key=result.key, policy=policy).ok
    with pytest.raises(
        ParameterError, match=r"^'a' has support 1, k is 2: .* set max_suppressed to at least 0.333"
    ):
        Pcta(k=2, policy=policy).anonymise(data)


@pytest.mark.slow
@pytest.mark.data
def test_click_stream(data_dir):
    from experiments.harness.data import PUBLIC_DATA

    data = PUBLIC_DATA["BMS-WebView-2"].load(data_dir)
    policy = Policy(all_up_to=2)
    coat, pcta = (method(k=5, policy=policy).anonymise(data) for method in (Coat, Pcta))
    assert verify(pcta.release, original=data, key=pcta.key, policy=policy).ok
    assert log2_utility_loss(pcta.release, data) < log2_utility_loss(coat.release, data) - 60
