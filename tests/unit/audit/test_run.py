"""Steps that are done at the same time: the same results, told in turn, and none left running when one fails."""

from __future__ import annotations

import threading
import time
from functools import partial

import pytest

import cloven as cv
from cloven.audit import loop
from cloven.audit.run import Forgetful, Run
from cloven.statistics.outsiders import Outsiders

PATIENCE = 60


class Watchful(list):
    """Remembers what was told, and by how many threads at once."""

    def __init__(self):
        super().__init__()
        self.inside = 0

    def __call__(self, step, share):
        self.inside += 1
        assert self.inside == 1, "two threads tell something at the same time"
        self.append((step, share))
        self.inside -= 1


def test_progress_counts_all_steps_under_way_and_never_goes_back():
    told = Watchful()
    met = threading.Barrier(2, timeout=PATIENCE)
    run = Run(progress=told)
    run.plan({"a": 1, "b": 3})

    def half(report):
        met.wait()
        report("half", 0.5)
        met.wait()

    run.beside({name: partial(run.step, name, half) for name in "ab"}, 2)
    run.step("c", lambda _: None)
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert {"a: half", "b: half"} <= {step for step, _ in told}
    assert 0.5 in shares, "half of both"
    assert shares[-1] == pytest.approx(4 / 5)


def test_when_one_fails_the_other_ends_and_the_run_goes_on():
    begun, failed, ended = threading.Event(), threading.Event(), []

    def endless(report):
        begun.set()
        failed.wait(PATIENCE)
        try:
            while True:
                report("on and on", 0.5)
        finally:
            ended.append(True)

    def failing(_):
        begun.wait(PATIENCE)
        failed.set()
        raise ValueError

    run = Run()
    works = {"on": partial(run.step, "on", endless), "off": partial(run.step, "off", failing)}
    with pytest.raises(ValueError, match=r"^$"):
        run.beside(works, 2)
    assert ended, "it was left running"
    assert run.step("next", lambda report: report("said", 1.0)) is None, "what failed is over"


def test_an_audit_finds_the_same_beside_each_other(monkeypatch):
    def told(at_once):
        monkeypatch.setattr(loop, "WORTH_IT", 0 if at_once else 10**9)
        monkeypatch.setattr(loop, "cores", lambda: 3)
        audit = cv.Audit(cv.Disassociation(k=3), effort=cv.Effort().quick(), seed=1, advise=False)
        outcome = audit.run(cv.sample("clinic")).outcome.to_dict()
        return outcome | {"seconds": 0}

    assert told(at_once=True) == told(at_once=False)


class Remembering(Forgetful):
    """Keeps the names of steps."""

    def __init__(self):
        self.kept = []

    def keep(self, step, plain):
        self.kept.append((step, plain))


def test_what_is_cut_short_is_not_kept():
    """An attack that takes any exception for "could not be tried" must not be remembered so."""
    begun, failed = threading.Event(), threading.Event()

    def tolerant(report):
        begun.set()
        failed.wait(PATIENCE)
        try:
            while True:
                report("on and on", 0.5)
        except Exception:  # noqa: BLE001 - this is what it is about
            return "not tried"

    def failing(_):
        begun.wait(PATIENCE)
        failed.set()
        raise ValueError

    memory = Remembering()
    run = Run(memory=memory)
    works = {"on": partial(run.step, "on", tolerant, str), "off": partial(run.step, "off", failing, str)}
    with pytest.raises(ValueError, match=r"^$"):
        run.beside(works, 2)
    assert memory.kept == []
    run.step("next", lambda _: "done", str)
    assert memory.kept == [("next", "done")]


class Slow:
    """A method that counts how often it is asked, and takes its time."""

    def __init__(self):
        self.asked = []

    def anonymise(self, data):
        self.asked.append(len(data))
        time.sleep(0.05)
        return len(data)


def test_attacks_at_the_same_time_share_the_releases_without_some_people():
    method = Slow()
    outsiders = Outsiders(cv.sample("clinic"), method, 3)
    run = Run()
    found = run.beside({name: lambda: outsiders.splits for name in "abc"}, 3)
    assert len(method.asked) == 3, "each division is made once"
    assert found["a"] is found["b"] is found["c"]
