"""Interrupted audits go on where they stopped."""

from __future__ import annotations

import json
import stat

import numpy as np
import pytest

import cloven as cv
from cloven.audit import Audit
from cloven.errors import OutputError
from cloven.io.checkpoint import Checkpoint
from cloven.io.fingerprint import fingerprint
from cloven.threats import Effort

DATA = cv.sample("clinic").take(np.arange(200))
PLAN = Audit(cv.Disassociation(k=3, safe="cover"), effort=Effort().quick(), seed=1, advise=False)


class Interrupted(Exception):
    """Stands for Ctrl-C in the middle of a step."""


def stopping_at(step):
    def progress(name, _share):
        if name.startswith(step):
            raise Interrupted

    return progress


def opened(folder, settings="same"):
    return Checkpoint.open(folder, fingerprint(DATA), settings)


def test_finished_steps_are_not_done_again(tmp_path):
    folder = tmp_path / "unfinished"
    with pytest.raises(Interrupted):
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
    with pytest.raises(Interrupted):
        plan.run(DATA, stopping_at("measure"), opened(tmp_path / "unfinished"))
    resumed = plan.run(DATA, None, opened(tmp_path / "unfinished")).to_dict()
    through = plan.run(DATA).to_dict()
    assert {**resumed, "seconds": 0, "outcomes": 0} == {**through, "seconds": 0, "outcomes": 0}


def test_other_data_is_refused_by_fingerprint(tmp_path):
    opened(tmp_path / "unfinished")
    with pytest.raises(OutputError, match="unfinished audit of another data set .fingerprint .*-o"):
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
    memory.keep("step", [1, 2])
    (path,) = (tmp_path / "unfinished").glob("step-*.json")
    path.write_bytes(path.read_bytes()[:10])
    assert memory.recall("step", list) is None


def test_only_the_owner_can_read_it(tmp_path):
    memory = opened(tmp_path / "unfinished")
    memory.keep("step", 1)
    assert stat.S_IMODE(memory.folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in memory.folder.iterdir())
