"""Work on several cores: everything is done once, in order, and nothing depends on how many there are."""

from __future__ import annotations

import gc
import threading
import weakref
from dataclasses import fields
from functools import partial
from threading import Barrier, Event, Lock, get_ident
from time import monotonic, sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloven as cv
from cloven import cores as subject
from cloven.data.known_sets import LEAST_BEST, Known
from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.known_person import readers
from cloven.kinds.disassociated.methods import refinement


@pytest.fixture
def eager(monkeypatch):
    """Several threads, however little there is to do."""
    monkeypatch.setattr(subject, "WORTH_IT", 1)
    return lambda many: monkeypatch.setenv("CLOVEN_CORES", str(many))


@given(st.lists(st.integers(0, 3 * subject.WORTH_IT), max_size=12), st.integers(1, 5))
def test_ranges_cover_everything_once(work, many):
    steps = np.concatenate(([0], np.cumsum(work))).astype(np.int64)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CLOVEN_CORES", str(many))
        ranges = subject.at_once(lambda first, last: (first, last), steps)
    assert [number for first, last in ranges for number in range(first, last)] == list(range(len(work)))
    assert len(ranges) <= max(1, many * subject.TURNS)


def test_no_more_ranges_are_worked_on_than_there_are_cores(eager):
    eager(2)
    together, most, lock = 0, 0, Lock()

    def work(first, last):
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
        for _ in range(1_000):
            pass
        with lock:
            together -= 1
        return last - first

    assert subject.at_once(work, np.arange(101)) == [12, 13, 12, 13, 12, 13, 12, 13]
    assert most <= 2


def test_whoever_calls_takes_part(eager):
    eager(3)
    met, doing = Barrier(3, timeout=60), set()

    def work():
        met.wait()  # all three are at work, or nobody goes on
        doing.add(get_ident())

    subject.side_by_side([work] * 3)
    assert len(doing) == 3
    assert get_ident() in doing


@pytest.mark.parametrize("fault", [IndexError, KeyboardInterrupt])
@pytest.mark.parametrize("many", [1, 2, 3])
def test_the_first_work_that_fails_is_told_of_and_no_more_are_begun(many, fault, eager):
    eager(many)
    begun = []

    def work(number):
        begun.append(number)
        if number >= 3:
            raise fault(number)

    with pytest.raises(fault, match="3"):
        subject.side_by_side([partial(work, number) for number in range(50)])
    assert sorted(begun) == list(range(len(begun)))
    assert 3 < len(begun) <= 3 + many  # nobody goes on who failed


def test_where_no_thread_can_start_whoever_calls_does_all(eager, monkeypatch):
    eager(3)

    def refused(_):
        raise RuntimeError("can't start new thread")  # noqa: EM101

    monkeypatch.setattr(subject.Thread, "start", refused)
    assert subject.side_by_side([partial(pow, 2, power) for power in range(5)]) == [1, 2, 4, 8, 16]


def trees():
    return st.recursive(st.integers(-9, 9), lambda inner: st.lists(inner, max_size=4), max_leaves=20)


def walked(tree, share_out):
    """The sum of a tree whose branches are shared out; a negative leaf fails."""
    if isinstance(tree, list):
        return sum(share_out([partial(walked, branch, share_out) for branch in tree]))
    if tree < 0:
        raise ArithmeticError(tree)
    return tree


def told(work):
    try:
        return work()
    except ArithmeticError as fault:
        return fault.args


@given(trees(), st.integers(2, 4))
def test_works_that_share_out_works_do_what_one_thread_does(tree, many):
    alone = told(lambda: walked(tree, lambda works: [work() for work in works]))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CLOVEN_CORES", str(many))
        assert told(lambda: walked(tree, subject.side_by_side)) == alone
        assert subject.side_by_side([]) == []


def test_whoever_is_idle_takes_part_in_what_another_shares_out(eager):
    eager(2)
    met, doing = Barrier(2, timeout=60), set()

    def inner():
        met.wait()  # two threads do parts of a part, or nobody goes on
        doing.add(get_ident())

    def outer(number):
        doing.add(get_ident())
        if number == 0:
            subject.side_by_side([inner] * 4)

    subject.side_by_side([partial(outer, number) for number in range(3)])
    assert len(doing) == 2  # and not two for each


def test_whoever_waits_takes_up_nothing_that_may_want_their_locks(eager):
    eager(3)
    held, begun, shared = Lock(), Event(), Event()

    def slow():
        begun.set()
        assert shared.wait(60)
        sleep(0.05)  # whoever waits for this could do something else meanwhile

    def holding():
        with held:
            subject.side_by_side([slow, lambda: None])

    def wants():
        assert held.acquire(timeout=60)
        held.release()

    def wanting():
        assert begun.wait(60)
        shared.set()
        subject.side_by_side([wants, wants])

    subject.side_by_side([holding, wanting])


def test_a_crew_that_is_kept_holds_on_to_nothing_that_is_done(eager):
    eager(2)
    with subject.one_crew():
        large = np.zeros(1_000)
        gone = weakref.ref(large)
        subject.side_by_side([partial(len, large)] * 8)
        del large
        until = monotonic() + 60
        while gone() is not None and monotonic() < until:
            gc.collect()
            sleep(0.001)
        assert gone() is None


def test_a_crew_is_kept_for_as_long_as_it_lasts(eager):
    eager(2)
    before = threading.active_count()
    with subject.one_crew() as crew:
        assert subject.side_by_side([partial(pow, 2, power) for power in range(5)]) == [1, 2, 4, 8, 16]
        helped = threading.active_count()
        with subject.one_crew() as same:
            assert same is crew
        assert subject.side_by_side([partial(pow, 3, power) for power in range(3)]) == [1, 3, 9]
        assert threading.active_count() == helped == before + 1
    assert threading.active_count() == before


def ended(many):
    """Whether there are only so many threads soon."""
    until = monotonic() + 60
    while threading.active_count() > many and monotonic() < until:
        sleep(0.001)
    return threading.active_count() == many


def test_whoever_has_nothing_to_do_for_long_goes_and_others_come_when_there_is(eager, monkeypatch):
    monkeypatch.setattr(subject, "_PATIENCE", 0.01)
    eager(2)
    before, met = threading.active_count(), Barrier(2, timeout=60)
    with subject.one_crew():
        for _ in range(3):
            subject.side_by_side([met.wait, met.wait])
            assert ended(before)


def test_helpers_end_where_an_interruption_keeps_them_from_being_told(eager, monkeypatch):
    monkeypatch.setattr(subject, "_PATIENCE", 0.01)
    eager(2)
    before, met = threading.active_count(), Barrier(2, timeout=60)

    def cut_short(crew):
        raise KeyboardInterrupt

    monkeypatch.setattr(subject.Crew, "part", cut_short)
    with pytest.raises(KeyboardInterrupt):
        subject.side_by_side([met.wait, met.wait])
    assert ended(before)
    monkeypatch.undo()
    assert subject.side_by_side([partial(pow, 2, power) for power in range(3)]) == [1, 2, 4]


def test_nobody_waits_for_a_helper_who_died_between_two_works(eager, monkeypatch):
    eager(2)
    met, do = Barrier(2, timeout=60), subject.Job.do

    def dying(job, number):
        met.wait()
        if threading.current_thread() is not threading.main_thread():
            raise MemoryError
        do(job, number)

    monkeypatch.setattr(subject.Job, "do", dying)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    with pytest.raises(MemoryError):
        subject.side_by_side([lambda: 1, lambda: 2])


def test_a_crew_goes_on_after_an_interruption_that_somebody_handled(eager, monkeypatch):
    eager(2)
    do = subject.Job.do

    def interrupted(job, number):
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        do(job, number)

    with subject.one_crew():
        monkeypatch.setattr(subject.Job, "do", interrupted)
        with pytest.raises(KeyboardInterrupt):
            subject.side_by_side([partial(sleep, 0.001)] * 200)
        monkeypatch.setattr(subject.Job, "do", do)
        assert subject.side_by_side([partial(pow, 2, power) for power in range(3)]) == [1, 2, 4]


def test_no_more_helpers_than_cores(eager):
    eager(3)
    most, before = 0, threading.active_count()

    def inner():
        nonlocal most
        most = max(most, threading.active_count() - before)

    def outer():
        subject.side_by_side([inner] * 5)

    for _ in range(50):
        subject.side_by_side([outer] * 5)
    assert most <= 2


def test_an_interruption_while_waiting_ends_all(eager, monkeypatch):
    eager(2)
    before, begun = threading.active_count(), Barrier(2, timeout=60)

    class Interrupted(threading.Condition):
        def wait(self, timeout=None):
            if threading.current_thread() is threading.main_thread():
                raise KeyboardInterrupt
            return super().wait(timeout)

    def work():
        begun.wait()
        if threading.current_thread() is not threading.main_thread():
            sleep(0.05)

    monkeypatch.setattr(subject, "Condition", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        subject.side_by_side([work, work])
    assert threading.active_count() == before


def test_an_interruption_between_two_works_leaves_nobody_waiting(eager, monkeypatch):
    """Somebody has begun a part of what another shared out, and is interrupted before doing it."""
    eager(2)
    before, do = threading.active_count(), subject.Job.do
    begun, inner = Barrier(2, timeout=60), Barrier(2, timeout=60)

    def interrupted(job, number):
        if job.outer is None:
            return do(job, number)
        inner.wait()  # both have begun a part of the same
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        return do(job, number)

    def outer():
        begun.wait()
        if threading.current_thread() is not threading.main_thread():
            subject.side_by_side([lambda: 1, lambda: 2])

    monkeypatch.setattr(subject.Job, "do", interrupted)
    with pytest.raises(KeyboardInterrupt):
        subject.side_by_side([outer, outer])
    assert threading.active_count() == before


@pytest.mark.parametrize("wanted", ["0", "-1", "two", "1.5", "²"])
def test_a_number_of_cores_that_is_none_is_refused(wanted, monkeypatch):
    monkeypatch.setenv("CLOVEN_CORES", wanted)
    with pytest.raises(ParameterError, match="CLOVEN_CORES must be a whole number of at least 1"):
        subject.cores()


def test_what_is_done_meanwhile_is_done_by_who_is_idle(eager):
    eager(2)
    done = Event()

    def work(first, last):
        done.set()
        return (first, last)

    with subject.one_crew():
        rest = subject.meanwhile(work, np.arange(4))
        assert done.wait(60)  # by somebody else: whoever called does something else here
        assert subject.side_by_side([partial(pow, 2, power) for power in range(3)]) == [1, 2, 4]
        assert rest.results() == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize("many", [1, 2, 3])
def test_what_goes_wrong_meanwhile_is_raised_when_it_is_asked_for(many, eager):
    eager(many)
    with subject.one_crew():
        rest = subject.meanwhile(lambda _first, last: 1 // (last - last), np.arange(6))
        assert subject.at_once(lambda first, last: last - first, np.arange(1)) == [0]
        with pytest.raises(ZeroDivisionError):
            rest.results()
        assert subject.side_by_side([partial(pow, 2, power) for power in range(3)]) == [1, 2, 4]


def test_without_a_crew_whoever_asks_does_all(eager):
    eager(2)
    doing = set()
    rest = subject.meanwhile(lambda _first, _last: doing.add(get_ident()), np.arange(5))
    assert not doing
    rest.results()
    assert doing == {get_ident()}


def test_what_nobody_asks_for_ends_with_the_crew(eager):
    eager(2)
    before, begun, go_on = threading.active_count(), [], Event()

    def work(first, _last):
        begun.append(first)
        go_on.wait(60)

    with subject.one_crew() as crew:
        subject.meanwhile(work, np.arange(50))
        while not begun:
            sleep(0.001)
        ended = threading.Thread(target=crew.part)
        ended.start()
        while not crew._over:
            sleep(0.001)
        go_on.set()
        ended.join(60)
    assert len(begun) == 1
    assert threading.active_count() == before


@pytest.mark.parametrize("refine", [False, True])
@pytest.mark.parametrize("m", [2, 3])
def test_a_release_does_not_depend_on_the_cores(m, refine, eager, monkeypatch):
    monkeypatch.setattr(refinement, "_SOME", 1)  # chunks are built meanwhile, of however little
    data, made = cv.sample("clinic"), []
    for many in (1, 2, 3):
        eager(many)
        made.append(cv.Disassociation(m=m, refine=refine).anonymise(data))
    assert made[0] == made[1] == made[2]


def test_what_is_told_of_a_person_does_not_depend_on_the_cores(eager):
    data = cv.sample("clinic")
    release = cv.Disassociation().anonymise(data).release
    rng = np.random.default_rng(3)
    sets = [rng.choice(len(release.vocabulary), 2, replace=False).tolist() for _ in range(60)]
    known = Known.from_sets([*sets, sets[0]])
    for name in ("everywhere", "shown", "method"):
        told = []
        for many in (1, 3):
            eager(many)
            reader = readers(release)(known, LEAST_BEST)[name]
            told.append((reader.claims(known), reader.certain(known)))
        for one, other in zip(*told, strict=True):
            for field in fields(one):
                np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name))
        assert len(told[0][0].items) > 0


@pytest.mark.parametrize("many", ["1", "2", "3"])
def test_things_are_worked_on_as_they_come_and_few_wait(many, monkeypatch):
    monkeypatch.setenv("CLOVEN_CORES", many)
    made, done = [], []

    def things():
        for number in range(20):
            made.append(number)
            yield number

    def work(number):
        assert len(made) - len(done) <= int(many) + 1
        done.append(number)
        return -number

    assert subject.as_they_come(work, things()) == [-number for number in range(20)]
    with pytest.raises(ZeroDivisionError):
        subject.as_they_come(lambda number: 1 // number, [1, 0, 1])
