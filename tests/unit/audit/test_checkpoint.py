"""StruckError audits go on where they stopped."""

from __future__ import annotations

import errno
import json
import os
import stat

import numpy as np
import pytest

import cloven as cv
from cloven.audit.loop import Audit
from cloven.errors import OutputError
from cloven.storage import journal
from cloven.storage.checkpoint import Checkpoint, stamp
from cloven.storage.fingerprint import fingerprint
from cloven.threats import Effort

DATA = cv.sample("clinic").take(np.arange(200))
PLAN = Audit(cv.Disassociation(k=3, safe="cover"), effort=Effort().quick(), seed=1, advise=False)


class StruckError(Exception):
    """Stands for Ctrl-C in the middle of a step."""


def stopping_at(step):
    def progress(name, _share):
        if name.startswith(step):
            raise StruckError

    return progress


def opened(folder, settings="same"):
    return Checkpoint.open(folder, fingerprint(DATA), settings)


def test_finished_steps_are_not_done_again(tmp_path):
    folder = tmp_path / "unfinished"
    with pytest.raises(StruckError):
        PLAN.run(DATA, stopping_at("attack (method)"), opened(folder))
    finished = opened(folder).steps
    assert any("release alone" in step for step in finished)
    begun = []
    again = PLAN.run(DATA, lambda step, _share: begun.append(step.split(":")[0]), opened(folder))
    assert not {"anonymise", "attack (release alone)"} & set(begun)
    assert "attack (method)" in begun
    # Lots are drawn anew by repairing, so only the kept release makes the figures belong together.
    kept = json.loads(next(folder.glob("step-*/published/manifest.json")).read_text())
    assert kept["counts"]["rows"] == again.result.release.rows


def test_resumed_audit_equals_one_that_ran_through(tmp_path):
    plan = Audit(cv.Disassociation(k=3), effort=Effort().quick(), seed=1, advise=False)
    with pytest.raises(StruckError):
        plan.run(DATA, stopping_at("measure"), opened(tmp_path / "unfinished"))
    resumed = plan.run(DATA, None, opened(tmp_path / "unfinished")).to_dict()
    through = plan.run(DATA).to_dict()
    assert {**resumed, "seconds": 0, "outcomes": 0} == {**through, "seconds": 0, "outcomes": 0}


def test_other_data_is_refused_by_fingerprint(tmp_path):
    opened(tmp_path / "unfinished")
    with pytest.raises(OutputError, match=r"unfinished audit of another data set .fingerprint .*-o"):
        Checkpoint.open(tmp_path / "unfinished", "ab" * 32, "same")


def test_other_settings_begin_anew(tmp_path):
    folder = tmp_path / "unfinished"
    opened(folder).keep("step", {"a": 1})
    assert opened(folder).recall("step", dict) == {"a": 1}
    assert opened(folder, "others").recall("step", dict) is None


def test_strange_folder_is_left_alone(tmp_path):
    folder = tmp_path / "unfinished"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="is no unfinished audit"):
        opened(folder)
    assert (folder / "thesis.txt").exists()


def test_torn_step_is_as_good_as_none(tmp_path):
    memory = opened(tmp_path / "unfinished")
    memory.keep("first", [1])
    memory.keep("step", [1, 2])
    path = tmp_path / "unfinished" / "journal.log"
    path.write_bytes(path.read_bytes()[:-4])
    again = opened(tmp_path / "unfinished")
    assert again.steps == ["first"]
    assert again.doubts == ()


def test_a_damaged_step_takes_what_rests_on_it_along(tmp_path):
    memory = opened(tmp_path / "unfinished")
    for step in ("first", "second", "third"):
        memory.keep(step, [step])
    path = tmp_path / "unfinished" / "journal.log"
    path.write_bytes(path.read_bytes().replace(b'["second"]', b'["Second"]'))
    again = opened(tmp_path / "unfinished")
    assert again.steps == ["first"]
    assert again.doubts == (
        f"{path}: 2 lines damaged, set aside in journal.log.damaged; what they told is done again",
    )
    assert b"third" in path.with_name("journal.log.damaged").read_bytes()
    assert opened(tmp_path / "unfinished").steps == ["first"]


def test_a_damaged_release_is_made_anew_and_so_is_what_was_found_on_it(tmp_path):
    """Repairing draws lots: figures of one release must never stand beside another."""
    folder = tmp_path / "unfinished"
    with pytest.raises(StruckError):
        PLAN.run(DATA, stopping_at("attack (method)"), opened(folder))
    chunks = next(folder.glob("step-*/published/chunks.parquet"))
    spoilt = bytearray(chunks.read_bytes())
    spoilt[len(spoilt) // 2] ^= 1
    chunks.write_bytes(spoilt)
    begun = []
    memory = opened(folder)
    assert memory.doubts
    PLAN.run(DATA, lambda step, _share: begun.append(step.split(":")[0]), memory)
    assert {"anonymise", "attack (release alone)"} <= set(begun)


def test_an_audit_whose_first_line_is_damaged_begins_anew(tmp_path):
    folder = tmp_path / "unfinished"
    opened(folder).keep("step", [1])
    path = folder / "journal.log"
    path.write_bytes(b"0" + path.read_bytes())
    assert Checkpoint.belongs(folder, fingerprint(DATA))
    again = opened(folder)
    assert again.steps == []
    assert "set aside" in again.doubts[0]
    again.keep("step", [2])
    assert opened(folder).recall("step", list) == [2]


def test_only_the_owner_can_read_it(tmp_path):
    memory = opened(tmp_path / "unfinished")
    memory.keep("step", 1)
    assert stat.S_IMODE(memory.folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in memory.folder.iterdir())


def test_stamp_changes_with_what_lies_there(tmp_path):
    """The same path with other content must not pass for the same knowledge."""
    release = tmp_path / "release"
    release.mkdir()
    (release / "manifest.json").write_text("{}")
    before = stamp(release)
    assert stamp(release) == before
    (release / "manifest.json").write_text("[1]")
    assert stamp(release) != before
    assert stamp(release / "manifest.json") != stamp(tmp_path / "nothing")


def test_running_audit_is_left_alone(tmp_path):
    folder = tmp_path / "unfinished"
    with opened(folder).kept() as memory:
        memory.keep("step", {"a": 1})
        for settings in ("same", "others"):
            with pytest.raises(OutputError, match="another run works on this audit"):
                opened(folder, settings)
        assert not Checkpoint.belongs(folder, fingerprint(DATA))
        assert memory.recall("step", dict) == {"a": 1}
    assert Checkpoint.belongs(folder, fingerprint(DATA))


def test_folder_that_cannot_be_begun_is_not_left_empty(tmp_path, monkeypatch):
    """An empty one would be refused as somebody else's for ever."""

    def full(*_given):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(journal, "_added_to", full)
    with pytest.raises(OutputError, match="No space left"):
        opened(tmp_path / "unfinished")
    assert not any(tmp_path.iterdir())
