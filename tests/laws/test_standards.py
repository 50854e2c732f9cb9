"""A standard never makes a verdict better, and what is above its threshold is never published."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cloven.audit.decision import Limits, decide
from cloven.disclosure.outcome import Measured, Outcome, Utility
from cloven.disclosure.risk import Estimate, Risk
from cloven.standards.claim import Claim
from cloven.standards.context import Context
from cloven.standards.identification import identification, least_k
from cloven.standards.standard import NAMES, standard

UTILITY = Utility("kept", (Measured("kept", 1.0, None, None, 1.0, 0.0, "all"),))
SHARES = st.floats(0, 1) | st.floats(0, 0.12)


@st.composite
def risks(draw):
    low, value, high = sorted(draw(st.tuples(SHARES, SHARES, SHARES)))
    linkage = draw(st.sampled_from(["record", "attribute", "table"]))
    return Risk(
        "x", "y", linkage, "z",
        attacker=draw(st.sampled_from([Estimate(value, low, high), Estimate(value), None])),
        counts=draw(st.booleans()),
        promised=linkage == "record",
        broken=draw(st.sampled_from([0, 0, 0, 1])),
        single=draw(st.none() | SHARES) if linkage == "record" else None,
        gain=draw(st.sampled_from([None, Estimate(0.0, -0.1, 0.01)])),
    )  # fmt: skip


@st.composite
def claims(draw):
    release = draw(st.sampled_from(["public", "agreement", "enclave"]))
    asked = standard(draw(st.sampled_from(NAMES)))
    threshold = draw(st.none() | st.floats(0.001, asked.threshold or 1.0))
    free = release != "public" and asked.judged is None
    risk = draw(st.sampled_from([None, "maximum", *(["average"] if free else [])]))
    return Claim(asked, Context("a", "b", release, "c", threshold=threshold, risk=risk))


def outcome(found):
    return Outcome("x", "y", {}, tuple(found), UTILITY, groups=1)


@given(st.lists(risks(), max_size=5), st.integers(1, 40))
def test_the_maximum_is_never_below_the_average_nor_the_promise(found, k):
    reached = identification(found, k)
    assert reached.maximum >= reached.mean
    assert reached.maximum >= 1 / k
    for risk in found:
        if risk.counts and risk.linkage == "record" and risk.attacker is not None:
            assert reached.mean >= risk.attacker.value
            assert reached.maximum >= (risk.single or 0.0)


@given(st.lists(risks(), max_size=5), claims(), st.integers(1, 40))
def test_a_threshold_that_is_not_met_never_gives_publish(found, claim, k):
    decision = decide(outcome(found), Limits(claim=claim), k)
    reached = identification(found, k)
    if decision.verdict != "publish":
        return
    assert not claim.faults(found, k)
    if claim.threshold is not None:
        assert claim.reached(reached) <= claim.threshold + 1e-9
        if claim.judged == "maximum":
            assert k >= least_k(claim.threshold)
    else:
        assert not claim.standard.needs_threshold
    tried = {name for risk in found if risk.counts and risk.attacker is not None for name in risk.criteria}
    assert set(claim.standard.criteria) <= tried


@given(st.lists(risks(), max_size=5), claims(), st.integers(1, 40), st.floats(0.01, 1))
def test_a_standard_never_makes_a_verdict_better(found, claim, k, accepted):
    held = decide(outcome(found), Limits(accepted, claim=claim), k)
    free = decide(outcome(found), Limits(accepted), k)
    if held.verdict == "publish":
        assert free.verdict == "publish"
    assert len(held.reasons) >= len(free.reasons)


@given(st.lists(risks(), max_size=4), claims(), st.integers(2, 40), st.integers(2, 40))
def test_another_setting_is_held_to_its_own_promise(found, claim, k, other_k):
    """What is audited may promise more than what is proposed instead of it."""
    broken = outcome([*found, Risk("x", "y", "record", "z", attacker=Estimate(1.0), broken=1)])
    decision = decide(broken, Limits(claim=claim), k, {"--other": (outcome(found), other_k)})
    if decision.verdict == "change settings":
        assert not claim.faults(found, other_k)


@given(st.floats(0.001, 1))
def test_the_least_k_is_the_least(threshold):
    k = least_k(threshold)
    assert 1 / k <= threshold + 1e-9
    assert k == 1 or 1 / (k - 1) > threshold
