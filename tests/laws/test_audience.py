"""The public document is closed: every key is declared, and no text gets there that was not said to the public."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any, get_args, get_type_hints, is_typeddict

import numpy as np
import pytest

import cloven as cv
from cloven import report as package
from cloven.audit import public_document as public_keys
from cloven.audit.decision import decide
from cloven.audit.loop import Audit
from cloven.audit.public_document import FEWEST
from cloven.disclosure.audience import Said, Wording
from cloven.disclosure.outcome import Measured, Outcome, Utility
from cloven.disclosure.risk import Estimate, Risk
from cloven.report.page import page
from cloven.threats import Effort, Threat

CANARY = "qzxjv"
NAMESPACE = {**vars(public_keys), "Linkage": str}
FREE = ("parameters", "published", "environment")
"""Keys of the release itself: parameters and counts of the manifest, and versions."""


@pytest.fixture(scope="module")
def report():
    """An audit of small clusters, more than a hundred, against one other setting."""
    method = cv.Disassociation(k=2, max_cluster_size=3, refine=False)
    return Audit(
        method,
        effort=Effort().quick(),
        rivals=(replace(method, max_cluster_size=4),),
        threats=(cv.release_alone(),),
        advise=False,
        seed=1,
    ).run(cv.sample("clinic").take(np.arange(320)))


def strange(plain: Any, declared: Any, place: str = "") -> list[str]:
    """Keys that nobody declared, and those declared that are missing."""
    kinds = [declared, *get_args(declared)]
    shape = next((kind for kind in kinds if is_typeddict(kind)), None)
    if isinstance(plain, list):
        return [fault for each in plain for fault in strange(each, shape or get_args(declared)[0], place)]
    if not isinstance(plain, dict) or place.rpartition(".")[2] in FREE:
        return []
    if shape is None:
        return [f"{place}: not declared"]
    keys = get_type_hints(shape, localns=NAMESPACE)
    missing = shape.__required_keys__ - set(plain)
    return [
        *(f"{place}.{key}" for key in sorted((set(plain) - set(keys)) | missing)),
        *(
            fault
            for key in set(plain) & set(keys)
            for fault in strange(plain[key], keys[key], f"{place}.{key}")
        ),
    ]


def test_every_key_of_the_public_document_is_declared(report):
    assert report.outcome.groups >= FEWEST
    few = replace(report, outcome=replace(report.outcome, groups=1))
    for each in (report, few):
        assert strange(each.to_dict("public"), public_keys.Public) == []
    assert strange({**report.to_dict("public"), "title": ""}, public_keys.Public) == [".title"]
    risk = {**report.to_dict("public")["risks"][0], "worst": []}
    assert strange({**report.to_dict("public"), "risks": [risk]}, public_keys.Public) == [".risks.worst"]


def test_the_schema_declares_the_same_keys():
    schema = package.schema()["$defs"]
    for name, declared in (
        ("public", public_keys.Public),
        ("facts", public_keys.Facts),
        ("public_risk", public_keys.ShownRisk),
        ("public_outcome", public_keys.ShownOutcome),
        ("public_measure", public_keys.ShownMeasure),
        ("decision", public_keys.ShownDecision),
        ("public_standard", public_keys.ShownStandard),
    ):
        declares = schema[name].get("anyOf", [schema[name]])[0]
        assert set(declares["properties"]) == set(get_type_hints(declared, localns=NAMESPACE)), name


def whispering(kind, **given):
    """One with the canary in every free text that it has."""
    texts = {field.name: f"{CANARY} {field.name}" for field in fields(kind) if field.type == "str"}
    return kind(**{**texts, **given})


def talking(**words):
    """A risk that says the canary wherever a text is."""
    figures = {"attacker": Estimate(0.9, 0.8, 0.95), "guessing": Estimate(0.1), "count": 5000, "broken": 3}
    details = {"by_kind": [{"kind": CANARY, "groups": 500}], CANARY: CANARY}
    return whispering(Risk, linkage="attribute", details=details, **{"not_tried": "", **figures, **words})


def spoken(report, risks, *, name=CANARY, published_name="", groups=500):
    """The same audit with the canary in every text of outcome, decision, measures, cautions and failures."""
    quiet = whispering(Measured, value=0.1, low=None, high=None, best=1.0, worst=0.0, audience="owner")
    utility = Utility(report.outcome.utility.headline, (*report.outcome.utility.measures, quiet))
    main = replace(report.outcome, name=CANARY, risks=(*report.risks, *risks), utility=utility)
    other = Outcome(
        name, report.family.name, {CANARY: CANARY}, report.risks, utility, 0.0, groups, published_name
    )
    limits = cv.Limits(max_risk=0.5, min_utility=0.9, measure=quiet.name)
    decision = decide(main, limits, 2, {f"--{CANARY}": (other, 2)})
    return replace(
        report,
        audit=replace(report.audit, limits=limits, title=CANARY),
        outcome=main,
        others=(other,),
        failed={CANARY: CANARY},
        decision=replace(decision, sentence=CANARY, better=(CANARY,), words=f"--{CANARY}"),
        cautions=(Said(CANARY),),
        seconds={CANARY: 1.0},
    )


def texts_of(report):
    public = report.to_dict("public")
    return json.dumps(public, ensure_ascii=False), page(public)


@pytest.mark.parametrize("groups", [1, 500])
@pytest.mark.parametrize("not_tried", ["", CANARY])
def test_a_text_that_nobody_declared_public_is_nowhere(report, groups, not_tried):
    found = spoken(report, (talking(not_tried=not_tried),))
    found = replace(found, outcome=replace(found.outcome, groups=groups))
    assert found.to_json().count(CANARY) > 15, "the owner reads all of it"
    for text in texts_of(found):
        assert CANARY not in text


def test_a_public_attacker_says_its_public_words_and_no_others(report):
    """Texts of the risk stay with the owner even where the attacker is public."""
    risk = talking(public=Wording("a clerk", "the files", "share of right guesses"))
    found = spoken(report, (risk,))
    for text in texts_of(found):
        assert CANARY not in text
        assert "a clerk" in text
    shown = found.to_dict("public")["risks"][-1]
    assert (shown["attacker"]["value"], shown["sentence"]) == (0.9, "Share of right guesses.")
    assert (shown["broken_what"], shown["meaning"], shown["details"]) == ("", "", {})
    assert "An attacker (a clerk) gets past the limit." in found.to_dict("public")["decision"]["reasons"]


def test_a_threat_is_the_owners_unless_it_is_said_to_be_public():
    threat = Threat("a clerk", "the files", "record", "share", lambda threat, *_: threat.risk())
    assert (threat.audience, threat.risk().audience) == ("owner", "owner")
    assert threat.risk().saying(sentence="All of it.").public is None
    public = threat.publicly(knows="some files")
    assert (public.audience, public.risk().audience, public.risk().public.knows) == (
        "public",
        "public",
        "some files",
    )
    assert Risk.from_dict(public.risk().saying(meaning="much").to_dict()) == public.risk().saying(
        meaning="much"
    )


def test_a_caution_for_everybody_is_told_to_everybody(report):
    found = replace(
        report, cautions=(Said(f"{CANARY} of 12 persons", "Rare items are left out."), Said(CANARY))
    )
    for text in texts_of(found):
        assert "Rare items are left out." in text
        assert CANARY not in text


def test_a_setting_is_named_by_what_is_published_of_it(report):
    found = spoken(report, (), published_name="other:k=3")
    for text in texts_of(found):
        assert CANARY not in text
        assert "other:k=3" not in text, "its name is not the whole setting, so it cannot be recommended"
