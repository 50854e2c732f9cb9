"""What an audit answers on a terminal: the verdict first, in few lines, and commands that can be pasted."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command

import cloven as cv
from cloven.audit.decision import Limits, decide
from cloven.cli.answer import MOST_LINES, Answer, Figure, Step
from cloven.cli.app import app
from cloven.cli.next_steps import _typed
from cloven.cli.risk_lines import figures
from cloven.cli.typed import Typed
from cloven.disclosure.outcome import Measured, Outcome, Utility
from cloven.disclosure.risk import Estimate, Risk, Tail
from cloven.figures import percent
from cloven.settings import parse_setting, setting

STEP = re.compile(r"^  \d\. .+?:   (cloven .+)$", re.MULTILINE)


def commands(text):
    """The commands of an answer, each read by its parser, as it would be if it were pasted."""
    found = STEP.findall(text)
    group = get_command(app)
    for line in found:
        _, name, *words = shlex.split(line)
        with group.make_context("cloven", [name], resilient_parsing=True) as context:
            group.get_command(context, name).make_context(name, words, parent=context)
    return found


@pytest.fixture
def baskets(tmp_path):
    """Baskets of common things, so that little is learned of anybody."""
    lots = np.random.default_rng(1)
    path = tmp_path / "my baskets.csv"
    names = [f"thing{number:02}" for number in range(12)]
    rows = [",".join(sorted(lots.choice(names, lots.integers(2, 5), replace=False))) for _ in range(3000)]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_no_says_why_first_and_what_to_do_last(cloven, tmp_path):
    ended = cloven("audit", "-o", tmp_path / "out", "--no-advise")
    lines = ended.out.splitlines()
    assert (ended.code, ended.err) == (1, "")
    assert re.fullmatch(
        r"DO NOT PUBLISH   sample clinic · 1,000 records · disassociation k=5, m=2 · \d+ s", lines[0]
    )
    assert len(lines) <= MOST_LINES
    heads = [line for line in lines if line in ("Why", "Passed", "What to do next")]
    assert heads == ["Why", "Passed", "What to do next"]
    why = ended.out.partition("Passed")[0]
    assert re.search(r"near-certain .+ upper bound [\d.]+ points exceeds the limit of 1 point\b", why)
    assert re.search(r"Guarantee violations .+ limit 0\n", why)
    assert commands(ended.out)[-1] == "cloven tune --max-tail 0.01"
    assert lines[-2:] == [
        f"Internal report (do not share)  {tmp_path}/out.private/report.html",
        f"Release (not for publication)   {tmp_path}/out/published    exit code 1",
    ]  # fewer than 100 clusters: the shareable summary is empty


def test_a_setting_that_was_tried_is_a_command_to_paste(cloven, clinic, tmp_path):
    ended = cloven("audit", clinic, "--quick", "-k5", "--seed=1", "-o", tmp_path / "out")
    found = commands(ended.out)
    assert ended.code == 1
    for line in found:
        assert shlex.quote(str(clinic)) in line
        assert "--quick" not in line
        assert str(tmp_path / "out") not in line
    assert any("--safe cover" in line for line in found)
    assert found[-1].startswith(f"cloven tune {clinic} -k5 --seed=1 --max-tail 0.01")


def test_a_yes_says_what_to_send(cloven, baskets, tmp_path):
    ended = cloven("audit", baskets, "--verbose", "-o", tmp_path / "out")
    answer = ended.out.partition("\n\ncloven ")[0].splitlines()
    assert ended.code == 0, ended.out
    assert answer[0].startswith("PUBLISH   my baskets.csv · 3,000 records · disassociation k=5, m=2")
    assert len(answer) <= MOST_LINES
    assert "Why" not in answer
    assert not [line for line in answer if line.startswith("  x ")]
    assert len(commands(ended.out)) == 2
    assert "exit code 0" in answer[-1]
    assert "told of" in ended.out, "all figures follow"


def test_a_table_is_answered_so_too(cloven, people, schema, tmp_path):
    ended = cloven("audit", people, "--schema", schema, "--quick", "-o", tmp_path / "out")
    assert len(ended.out.splitlines()) <= MOST_LINES
    found = commands(ended.out)
    assert found
    assert all(str(schema) in line for line in found if "audit" in line or "tune" in line)


def test_what_others_made_can_be_made_here(cloven, people, schema, tmp_path):
    given = ("audit", "--release", people, "--original", people)
    with_roles = cloven(*given, "--schema", schema, "-o", tmp_path / "one")
    without = cloven(*given, "-o", tmp_path / "two")
    assert (with_roles.code, without.code) == (1, 1)
    assert commands(with_roles.out) == [f"cloven audit {people} --schema {schema}"]
    assert commands(without.out) == [
        f"cloven schema {people} -o schema.toml",
        f"cloven audit --release {people} --original {people} --schema schema.toml",
    ]


def test_a_method_that_was_compared_and_holds_is_a_command_to_paste(cloven, tmp_path):
    """Slicing shows nearly everybody's quasi-identifiers, which tells who is in the table; classes do not."""
    lots = np.random.default_rng(1)
    rows = [[*lots.integers(0, 60, 3), lots.choice(list("stuvwxyz"))] for _ in range(400)]
    lines = ["age,town,work,illness", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "p.toml").write_text(
        "[columns]\n" + "".join(f'{name} = "quasi-identifier"\n' for name in ("age", "town", "work"))
        + 'illness = "sensitive"\n'
    )  # fmt: skip
    given = (
        "audit",
        tmp_path / "p.csv",
        "--schema",
        tmp_path / "p.toml",
        "--max-risk",
        0.9,
        "--max-tail",
        0.9,
    )
    ended = cloven(
        *given, "--partition", "adaptive", "--methods", "slicing:l=2 mondrian:k=5,l=2", "-o", tmp_path / "o"
    )
    assert ended.code == 1
    first, *_ = commands(ended.out)
    assert first.endswith("--methods mondrian:k=5,l=2")
    assert cloven(*shlex.split(first)[1:], "-o", tmp_path / "again").code == 0


def test_names_that_look_like_options_can_be_pasted(cloven, baskets, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    baskets.rename("-b.csv")
    ended = cloven("audit", "--quick", "-o", "-out", "--ledger", "kept", "--", "-b.csv")
    publish, verify = commands(ended.out)
    assert (publish, verify) == ("cloven publish ./-out --ledger kept", "cloven verify ./-out/published")
    assert cloven(*shlex.split(publish)[1:]).code == 0
    assert cloven(*shlex.split(verify)[1:]).code == 0
    ended = cloven("audit", "--no-attack", "-o", "again", "--", "-b.csv")
    assert commands(ended.out) == ["cloven audit ./-b.csv"]


def test_a_name_that_cannot_be_shown_stands_in_no_command(cloven, baskets, tmp_path):
    odd = baskets.rename(tmp_path / "new\nline.csv")
    ended = cloven("audit", odd, "--no-attack", "-o", tmp_path / "out")
    assert len(ended.out.splitlines()) <= MOST_LINES
    assert commands(ended.out) == []
    assert "  1. Attack it\n" in ended.out


def test_where_no_attack_is_the_reason_no_setting_is_searched(cloven, baskets, tmp_path):
    ended = cloven("audit", baskets, "-k", 2, "--quick", "--no-advise", "-o", tmp_path / "out")
    assert ended.code == 1
    assert [line for line in ended.out.splitlines() if line.startswith("  x ")] == [
        "  x k = 2 is little: publish nothing with k below 3."
    ]
    assert commands(ended.out) == [f"cloven describe {shlex.quote(str(baskets))} -k 2"]


def test_one_sensitive_value_is_audited_and_refused(cloven, tmp_path):
    (tmp_path / "one.csv").write_text("age,ill\n" + "".join(f"{20 + n % 30},flu\n" for n in range(90)))
    (tmp_path / "one.toml").write_text('[columns]\nage = "quasi-identifier"\nill = "sensitive"\n')
    ended = cloven("audit", tmp_path / "one.csv", "--schema", tmp_path / "one.toml", "-o", tmp_path / "out")
    assert (ended.code, ended.err) == (1, "")
    assert "ill is certain" in ended.out


@pytest.mark.parametrize(
    "method", [cv.Disassociation(k=7, m=3, safe="cover", refine=True, max_cluster_size=60), cv.Coat(k=4, m=2)]
)
def test_a_setting_is_written_as_options(method):
    """What is printed for a setting is read back as that very setting."""
    options = {("-k",): True, ("--safe",): True, ("--methods",): True}
    typed = Typed("audit", ("a b.csv", "-k", "5", "--methods", "coat"), options)
    (line,) = commands(f"  1. x:   {_typed(typed, setting(method), setting(method))}\n")
    words = shlex.split(line)[2:]
    context = get_command(app).get_command(None, "audit").make_context("audit", words)
    given = {
        name: context.params[name] for name in ("k", "m", "safe", "refine", "max_cluster_size", "methods")
    }
    if given["methods"] is not None:
        assert parse_setting(given["methods"]) == method
    else:
        assert all(str(given[name]) == str(getattr(method, name)) for name in given if name != "methods")


def test_there_are_few_lines_whatever_was_found():
    many = [Figure(mark, f"Attack {number}", "text") for mark in "xv." for number in range(30)]
    steps = [Step("Do it", "cloven audit")] * 4
    for publish in (True, False):
        shown = [each for each in many if each.mark != "x" or not publish]
        places = [("Release", "out")] * 4
        notes = ["note"] * 9
        answer = Answer(publish, ("a", "b"), shown, "good", "Not covered.", notes, steps, places)
        lines = answer.lines()
        assert len(lines) <= MOST_LINES
        assert any("see --verbose" in line for line in lines)


shares = st.floats(0, 1)


@st.composite
def estimates(draw, low=0.0):
    value = draw(st.floats(low, 1))
    return Estimate(
        value,
        *draw(st.none() | st.just(())) or draw(st.sampled_from([(None, None), (low, 1.0), (value, value)])),
    )


@st.composite
def risks(draw):
    """Any figures that an attack could reach."""
    tails = draw(
        st.lists(st.builds(Tail, st.just("certain"), estimates(), estimates(), estimates(-1)), max_size=2)
    )
    attacker = draw(st.none() | estimates())
    return Risk(
        draw(st.sampled_from(["method", "a known person", "2 items of a person"])),
        "",
        draw(st.sampled_from(["record", "attribute", "table"])),
        "",
        attacker=attacker,
        guessing=draw(st.none() | estimates()),
        outsiders=draw(st.none() | estimates()),
        excess=None if attacker is None else draw(st.none() | estimates(-1)),
        gain=draw(st.none() | estimates(-1)),
        tails=tuple(tails),
        counts=draw(st.booleans()),
        outside=draw(st.booleans()),
        promised=draw(st.booleans()),
        broken=draw(st.integers(0, 2)),
        broken_what="pairs that have few candidates",
        not_tried="" if attacker is not None else draw(st.sampled_from(["", "nothing to try"])),
        doubt=draw(st.sampled_from(["", "It is in doubt."])),
    )


@given(st.lists(risks(), max_size=4), shares, shares)
def test_what_is_marked_is_what_the_verdict_rests_on(found, max_risk, max_tail):
    """An answer has a reason exactly where its verdict is no, and names every attack that is one."""
    limits = Limits(max_risk, max_tail=max_tail)
    utility = Utility("kept", (Measured("kept", 1.0, None, None, 1.0, 0.0, ""),))
    outcome = Outcome("a:k=5", "sets", {}, tuple(found), utility, groups=3)
    decision = decide(outcome, limits, 5)
    shown = figures(outcome, decision, limits, 5)
    marked = [each for each in shown if each.mark == "x"]
    assert bool(marked) == (decision.verdict != "publish")
    assert len(marked) == len(decision.reasons)
    for each in marked:
        assert "exceeds" not in each.text or each.times > 1
    for risk in found:
        if risk.judged is not None and (risk.counts or not risk.doubt):
            assert any(percent(risk.judged.value) in each.text or risk.excess for each in shown)


WORDS = (
    ("-k", "5"),
    ("-k7",),
    ("--out", "b"),
    ("--out=a",),
    ("--quick",),
    ("x y.csv",),
    ("-o", "c"),
    ("--safe", "no"),
)


@given(st.lists(st.sampled_from(WORDS)))
def test_options_that_are_taken_out_are_gone(parts):
    options = {("-k",): True, ("--out", "-o"): True, ("--quick",): False, ("--safe",): True}
    words = tuple(word for part in parts for word in part)
    left = Typed("audit", words, options).without("--out", "--quick")
    gone = ("--out", "--out=a", "-o", "--quick")
    assert shlex.split(str(left))[2:] == [word for part in parts if part[0] not in gone for word in part]
    assert left.without("--out", "--quick") == left
    assert left.with_words("--safe cover").value("--safe") == "cover"
