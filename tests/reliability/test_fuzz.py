"""A short campaign of changed files, the same each time; the campaign runs longer ones."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from cloven.errors import InputError
from reliability import fuzz
from reliability.campaign import Asked, table
from reliability.fuzz import Tally, attempt, fault_of, tried
from reliability.readers import readers

# Named here, as making the seeds of all of them compiles much, and every worker collects the tests.
NAMES = (
    "sets baskets.csv", "sets lenient baskets.csv", "sets baskets.dat", "sets lenient baskets.dat",
    "sets baskets.spmf", "sets lenient baskets.spmf", "sets long.csv", "sets lenient long.csv",
    "sets baskets.json", "sets lenient baskets.json", "sets baskets.jsonl", "sets lenient baskets.jsonl",
    "sets baskets.parquet", "sets lenient baskets.parquet", "sets wide.csv", "sets lenient wide.csv",
    "sets wide.tsv", "sets lenient wide.tsv", "packed baskets.csv.gz", "packed baskets.csv.zst",
    "packed baskets.zip", "table people.csv", "table people.parquet", "schema", "table people.xlsx",
    "table people.db", "table dated.csv", "proposal", "documents notes.tar", "documents notes.tgz",
    "documents notes.zip", "documents notes.csv", "documents notes.jsonl", "release disassociated",
    "key disassociated", "release generalised", "key generalised", "release apriori", "key apriori",
    "release mondrian", "key mondrian", "release sliced", "key sliced", "release ul", "key ul",
    "release json", "parts", "guesses", "eliminations", "hierarchy", "policy policy.json",
    "policy clinic.policy", "knowledge known.txt", "knowledge known.json", "vectors text", "vectors cache", "corpus",
    "counts", "benchmark", "ledger", "receipt", "checkpoint", "study", "workspace", "drawer",
    "command verify", "command breach",
    "command reconstruct",
)  # fmt: skip
FEW, MANY = 5, 40
# What is damaged is passed over, or is the verdict.
PATIENT = ("ledger", "checkpoint", "study", "drawer", "command verify")
DEAR = ("release", "key", "parts", "command", "checkpoint", "study")


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    return {reader.name: reader for reader in readers(tmp_path_factory.mktemp("seeds"))}


@pytest.fixture(autouse=True)
def guarded():
    fuzz._guard()


def test_no_reader_is_left_out(every):
    assert tuple(every) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_seeds_are_read(every, name, tmp_path):
    """A reader that refuses its seed would refuse every change of it too, and show nothing."""
    for file, content in every[name].files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / file).write_bytes(content)
    every[name].read(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_changed_files_are_read_or_refused(every, name, tmp_path):
    tally = Tally()
    for number in range(FEW if name.startswith(DEAR) else MANY):
        attempt(every[name], 5, number, tally, tmp_path)
    assert tally.findings == {}
    assert tally.refused > 0 or name in PATIENT


def test_an_input_is_a_function_of_seed_reader_and_number(every, tmp_path):
    reader = every["release disassociated"]
    from random import Random

    for place in ("one", "two"):
        fuzz.lay_out(reader, tmp_path / place, Random("5/x/7"))
    for file in (tmp_path / "one").rglob("*"):
        if file.is_file():
            assert file.read_bytes() == (tmp_path / "two" / file.relative_to(tmp_path / "one")).read_bytes()


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (lambda _folder: 1 / 0, "ZeroDivisionError"),
        (lambda _folder: (_ for _ in ()).throw(InputError("")), "not one line"),
        (lambda _folder: os.kill(os.getpid(), fuzz.signal.SIGALRM), "too long"),
    ],
)
def test_what_breaks_is_found(every, broken, found, tmp_path, capsys):
    tally = Tally()
    attempt(replace(every["hierarchy"], read=broken), 5, 0, tally, tmp_path)
    assert found in str(tally.findings)
    assert "--number 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("message", "wrong"), [("a\nb", True), ("", True), ("a\x1b[2J", True), ("fine", False)]
)
def test_messages_are_looked_at(message, wrong):
    assert bool(fault_of(message)) == wrong


def test_a_campaign_ends_with_a_table(capsys):
    total = tried(Asked(seconds=0, processes=1, only="hierarchy"))
    many = total["hierarchy"].inputs
    assert many > 0
    told = table(fuzz._rows(total)).splitlines()
    assert told[0].split() == ["reader", "inputs", "read", "refused", "findings", "slowest"]
    assert [line.split()[:2] for line in told[1:]] == [["hierarchy", f"{many:,}"], ["all", f"{many:,}"]]


def test_a_process_that_dies_is_named(monkeypatch, capfd):
    monkeypatch.setattr(fuzz, "_pool", lambda place: _Dying(place / "now"))
    total = tried(Asked(seconds=0, processes=1, only="hierarchy"))
    assert total["hierarchy"].findings == {"the process died": 1}
    assert "--number 7:" in capfd.readouterr().err


class _Dying:
    def __init__(self, note):
        self.note = note

    def submit(self, *_given):
        from concurrent.futures import Future
        from concurrent.futures.process import BrokenProcessPool

        self.note.write_bytes(b"7".ljust(fuzz.NOTE_BYTES, b"\0"))
        dead = Future()
        dead.set_exception(BrokenProcessPool())
        return dead

    def shutdown(self):
        pass
