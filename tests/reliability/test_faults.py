"""A few faults of every class; `make faults` strikes hundreds of times."""

from __future__ import annotations

import sys

import pytest

from reliability import faults
from reliability.faults import COMMANDS, FAULTS, Sound


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    place = tmp_path_factory.mktemp("faults")
    faults._data(place / "in")
    return place


@pytest.fixture(scope="module")
def reference(home):
    return faults._reference(COMMANDS[0], home)


@pytest.fixture(scope="module", params=COMMANDS[1:], ids=lambda command: command.name)
def longer(request, home):
    """A command that takes longer, with its figures and its time."""
    return request.param, *faults._reference(request.param, home)


QUICK = ("kill -9",)


@pytest.mark.parametrize(
    "fault", [pytest.param(each, marks=() if each in QUICK else pytest.mark.slow) for each in FAULTS]
)
def test_anonymise_goes_on_after(fault, home, reference):
    if sys.platform != "linux" and fault in ("full disk", "read-only folder"):
        pytest.skip("needs Linux")
    wanted, seconds = reference
    row = faults._repeat(COMMANDS[0], fault, home, wanted, seconds, times=2, seed=5, processes=1)
    assert row.bad == []
    assert row.times >= 2


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_longer_commands_go_on_after(longer, fault, home):
    command, wanted, seconds = longer
    row = faults._repeat(command, fault, home, wanted, seconds, times=3, seed=5, processes=1)
    assert row.bad == []


@pytest.mark.slow
def test_other_figures_and_litter_are_found(home, reference, tmp_path):
    """The judge itself: what it must not pass."""
    wanted, _ = reference
    faults._run(COMMANDS[0], home, tmp_path)
    faults._go_on(COMMANDS[0], home, tmp_path, wanted)
    with pytest.raises(Sound, match=r"made other .*chunks\.parquet"):
        faults._go_on(COMMANDS[0], home, tmp_path, {**wanted, "out/chunks.parquet": "another"})
    (tmp_path / ".cloven-1.partial").mkdir()
    with pytest.raises(Sound, match=r"left \.cloven-1\.partial"):
        faults._go_on(COMMANDS[0], home, tmp_path, wanted)
    (tmp_path / "out" / "chunks.parquet").write_bytes(b"spoilt")
    with pytest.raises(Sound, match="does not verify"):
        faults._look(tmp_path, wanted)
