"""``cloven audit``: what it writes, goes on with, compares and refuses."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
import time

import pytest

import cloven as cv
from cloven.storage.checkpoint import JOURNAL

QUICK = ("--quick", "--no-advise", "--seed", 1)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Names that a page, a terminal or a spreadsheet could take for something else, and a secret held by few."""
    path = tmp_path_factory.mktemp("hostile") / "names.csv"
    rows = [
        "<script>alert(1)</script>,flu,fever",
        "flu,cough,=1+1",
        "fever,cough,rash",
        "flu,fever,rash,cough",
    ] * 12
    rows += ["flu,fever,topsecretdisease"] * 2
    path.write_text("\n".join(rows) + "\n")
    return path


def test_pages_and_figures_are_where_they_belong(cloven, hostile, tmp_path):
    ended = cloven("audit", hostile, "-o", tmp_path / "out", *QUICK)
    assert ended.code == 1  # fifty people are too few to show that being in it adds less than 1 %
    public, owner = (tmp_path / place / "report.html" for place in ("out", "out.private"))
    searched = "all pairs of 50 people"  # among which the worst was looked for
    for told in (ended.out, owner.read_text(), (tmp_path / "out.private" / "audit.json").read_text()):
        assert searched in told
    assert "topsecretdisease" not in public.read_text()
    assert "topsecretdisease" in owner.read_text()
    for page in (public, owner):
        assert "<script" not in page.read_text().lower()
    assert stat.S_IMODE(owner.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "out.private").stat().st_mode) == 0o700


@pytest.mark.slow
def test_a_limit_of_utility_decides(cloven, clinic, tmp_path):
    found = cloven("audit", clinic, "--min-utility", 0.99, "-o", tmp_path / "out", *QUICK, "--json").json
    assert any("less than the 99.0 % that are wanted" in reason for reason in found["decision"]["reasons"])


@pytest.mark.slow
def test_large_file_is_sampled_and_nothing_is_published(cloven, clinic, tmp_path, monkeypatch):
    monkeypatch.setattr(cv.Transactions, "at_a_glance", 3000)
    ended = cloven("audit", clinic, "-o", tmp_path / "out", *QUICK)
    assert ended.code == 1
    assert "a sample of 1,000 records" in ended.out
    assert "nothing is published yet" in ended.out
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["report.html"]
    assert sorted(path.name for path in (tmp_path / "out.private").iterdir()) == ["audit.json", "report.html"]
    assert json.loads((tmp_path / "out.private" / "audit.json").read_text())["sample"]["of"] == 1000


def finished_steps(unfinished):
    """Lines of the journal, but for the first, which says what is audited."""
    journal = unfinished / JOURNAL
    return journal.read_bytes().count(b"\n") - 1 if journal.exists() else 0


@pytest.mark.slow
def test_interrupted_audit_goes_on(program, cloven, clinic, tmp_path):
    unfinished = tmp_path / "out.private.unfinished"
    process = subprocess.Popen(
        program("audit", clinic, "-o", tmp_path / "out", "--seed", 1), stderr=subprocess.PIPE
    )
    end = time.monotonic() + 100
    while finished_steps(unfinished) < 2 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=100)
    assert process.returncode == 130
    assert f"{unfinished} keeps what was finished, the key too" in said.decode()
    assert not (tmp_path / "out").exists()
    other = tmp_path / "other.csv"
    other.write_text("a,b\n" * 20)
    cloven("audit", other, "-o", tmp_path / "out", *QUICK).refused(
        4, "unfinished audit of another data set", "-o"
    )
    assert finished_steps(unfinished) >= 2
    ended = cloven("audit", clinic, "-o", tmp_path / "out", "--seed", 1, "--no-advise")
    assert ended.code == 1
    assert "verdict: Do not publish this because of an attacker (a known person)" in ended.out
    assert not unfinished.exists()


def test_refused_audit_leaves_nothing(cloven, tmp_path):
    file = tmp_path / "few.csv"
    file.write_text("a,b\na,b\n")
    cloven("audit", file, "-o", tmp_path / "out").refused(2, "k = 5 needs at least 5 records")
    assert [path.name for path in tmp_path.iterdir()] == ["few.csv"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--methods", "magic"), "unknown method 'magic'"),
        (("--max-risk", "20"), "'--max-risk': must be a number of at least 0 and of at most 1, got '20'"),
        (
            ("--utility-measure", "beauty"),
            "no measure of utility 'beauty'; there are frequent combinations kept",
        ),
        (("--other-release", "nowhere"), "nowhere"),
        (("--no-attack", "--other-release", "nowhere"), "leave out --no-attack"),
        (("--no-attack", "--relatedness", "sample"), "--no-attack"),
        (("--relatedness", "vectors:no.txt"), "no.txt"),
    ],
)
def test_wrong_wishes_are_refused(cloven, clinic, tmp_path, options, words):
    ended = cloven("audit", clinic, "-o", tmp_path / "out", *QUICK, *options)
    assert ended.code in (2, 3)
    assert words in ended.err
    assert not (tmp_path / "out").exists()
