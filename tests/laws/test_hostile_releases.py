"""Whatever a stranger does to the files of a release, every command answers, or refuses it in words.

Compiled code trusts the order and the numbers of a release, so both are looked at before. Commands run in a process of
their own: what would end it by a signal is seen here.
"""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from random import Random

import pyarrow.parquet as pq
import pytest

from tests.effort import THOROUGH, tries

from .hostile_releases import KINDS, answers, files_of, make, spoil, spoil_manifest

EXAMPLES = 80
JUDGES = ("verify", "verify with key", "beside", "audit")
"""Commands whose 1 is an answer."""
ASKED = ("count", "utility", "attack", "beside", "audit")
"""Commands that ask for columns of a table by name, and end with 2 where it has no such column."""


class Child:
    """A process that runs commands; another one takes its place when it dies."""

    def __init__(self):
        self.pool = None

    def answers(self, place, name, folder="out", *, long=THOROUGH):
        self.pool = self.pool or ProcessPoolExecutor(1, get_context("spawn"))
        try:
            return self.pool.submit(answers, str(place), name, folder, long=long).result(timeout=600)
        except BrokenProcessPool:
            self.pool = None
            pytest.fail("the process died")

    def end(self):
        if self.pool:
            self.pool.shutdown()


@pytest.fixture(scope="module")
def child():
    found = Child()
    yield found
    found.end()


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    """A folder for each kind, made when it is asked for."""
    top, made = tmp_path_factory.mktemp("seeds"), {}

    def seed(name):
        if name not in made:
            make(name, top / name)
            made[name] = top / name
        return made[name]

    return seed


def sound(name, found, said):
    """What holds of every release, however strange."""
    for what, (code, out, err) in found.items():
        told = f"{what} after {said}: {code}\n{out[-2000:]}\n{err[-2000:]}"
        fitting = (
            {0, 3}
            | ({1} if what in JUDGES else set())
            | ({2} if what in ASKED and not KINDS[name].of_sets else set())
        )
        assert code in fitting, told
        assert "Traceback" not in err, told
        if code == 3:
            complaints = [line for line in err.splitlines() if not line.startswith("warning: ")]
            assert len(complaints) == 1, told
            assert complaints[0].startswith("cloven: "), told
        if what.startswith("verify") and code == 1:
            assert "FAIL" in out, told
        if what == "count" and code == 0:
            figures = json.loads(out)
            assert 0 <= figures["certain"] <= figures["likely"] <= figures["at_most"], told
            assert figures["low"] <= figures["likely"] <= figures["high"], told


@pytest.mark.parametrize("name", KINDS)
def test_a_release_as_it_was_made_is_answered(name, seeds, child):
    found = child.answers(seeds(name), name, long=True)
    sound(name, found, "nothing")
    assert all(code == 0 for what, (code, _, _) in found.items() if what not in ("beside", "audit")), found


@pytest.mark.parametrize("name", KINDS)
def test_changed_files_are_answered_or_refused(name, seeds, child, tmp_path):
    change(name, seeds, child, tmp_path, range(tries(EXAMPLES)))


def change(name, seeds, child, tmp_path, numbers):
    """Spoil a release in one way after another, and run everything on it."""
    for number in numbers:
        rng, place = Random(f"{name}/{number}"), tmp_path / "spoilt"
        shutil.copytree(seeds(name), place)
        file = rng.choice([*files_of(place), "out/manifest.json"])
        done = spoil_manifest(place, rng) if file.endswith(".json") else spoil(place, file, rng)
        said = f"change {number}: {done} of {file}"
        found = child.answers(place, name, file.split("/")[0])
        sound(name, found, said)
        if (
            "verify" in found and found["verify"][0] == 0
        ):  # still a release: nothing that reads it alone refuses it
            refused = {what: told for what, told in found.items() if told[0] == 3}
            assert not set(refused) & {"count", "reconstruct", "breach"}, (said, refused)
        shutil.rmtree(place)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_no_index_leaves_its_array(name, seeds, tmp_path, monkeypatch):
    """The same with compiled code that looks at every index, which users' code does not."""
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    watched = Child()
    change(name, seeds, watched, tmp_path, range(1000, 1000 + EXAMPLES))
    watched.end()


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("change", ["order", "numbers"])
def test_every_column_of_every_file(name, change, seeds, child, tmp_path):
    """Each once in the wrong order, and with one number that nothing has."""
    for file in files_of(seeds(name)):
        for column in pq.read_table(seeds(name) / file).column_names:
            rng, place = Random(f"{name}/{file}/{column}"), tmp_path / "spoilt"
            shutil.copytree(seeds(name), place)
            said = f"{spoil(place, file, rng, column, change)} of {file}"
            sound(name, child.answers(place, name, file.split("/")[0]), said)
            shutil.rmtree(place)
