"""``cloven warm`` runs every rehearsal, so many at once, and leaves none behind."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cloven.cli import warm


@pytest.fixture
def begun(monkeypatch):
    """Rehearsals that only say how they end, in the order in which they begin."""
    processes = {}

    def rehearse(family):
        code = (
            "import time; time.sleep(60)"
            if family == "endless"
            else f"raise SystemExit({family == 'broken'})"
        )
        processes[family] = subprocess.Popen([sys.executable, "-c", code])
        return processes[family]

    monkeypatch.setattr(warm, "_rehearsal", rehearse)
    return processes


@pytest.mark.parametrize("jobs", [1, 2, 9])
def test_everything_is_compiled(cloven, monkeypatch, begun, jobs):
    monkeypatch.setattr(warm, "FAMILIES", ("sets", "tables", "more"))
    ended = cloven("warm", "--jobs", jobs)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("compiled for sets, tables, more in ")
    assert list(begun) == ["sets", "tables", "more"]


def test_a_rehearsal_that_fails_is_told_and_others_are_ended(cloven, monkeypatch, begun):
    monkeypatch.setattr(warm, "FAMILIES", ("broken", "endless"))
    ended = cloven("warm", "-j", 2)
    assert ended.code == 1
    assert "broken: the rehearsal ended with code 1" in ended.err
    assert begun["endless"].wait(timeout=30) != 0


def test_jobs_are_one_at_least(cloven):
    assert cloven("warm", "-j", 0).code == 2
