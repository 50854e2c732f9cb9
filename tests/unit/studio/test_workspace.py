"""The workspace: nobody else may enter it, and what is deleted is gone."""

from __future__ import annotations

import stat

import pytest

from cloven.errors import OutputError
from cloven.studio.records import Reading
from cloven.studio.workspace import DATABASE, Workspace


@pytest.fixture
def workspace(tmp_path):
    found = Workspace.at(tmp_path / "ws")
    yield found
    found.close()


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_only_its_owner_may_enter(tmp_path):
    folder = tmp_path / "ws"
    folder.mkdir(0o755)
    opened = Workspace.at(folder)
    data = opened.add_data("a", None, own=False)
    run = opened.add_run(data.number, "r", "disassociation", {})
    assert mode(folder) == 0o700
    assert mode(folder / DATABASE) == 0o600
    assert mode(run.folder) == 0o700
    assert mode(opened.data_folder(data.number)) == 0o700
    opened.close()


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "photo.jpg").write_bytes(b"x")
    with pytest.raises(OutputError, match="no workspace"):
        Workspace.at(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(OutputError, match="no folder of its own"):
        Workspace.at(link)


def test_a_workspace_of_another_version_is_refused(tmp_path):
    opened = Workspace.at(tmp_path / "ws")
    opened._connection.execute("pragma user_version = 99")
    opened.close()
    with pytest.raises(OutputError, match="another version"):
        Workspace.at(tmp_path / "ws")


def test_what_was_noted_is_there_after_a_restart(tmp_path):
    opened = Workspace.at(tmp_path / "ws")
    data = opened.add_data("a", tmp_path / "a.csv", own=False, reading=Reading("sets", {"format": "lines"}))
    opened.change_data(data.number, "ready", summary={"records": 3})
    run = opened.add_run(data.number, "r", "coat", {"k": "4"})
    opened.change_work("runs", run.number, "running", share=0.5, found={"attack (x)": {"value": 1}})
    opened.close()
    again = Workspace.at(tmp_path / "ws")
    again.sweep()
    assert again.data(data.number).reading == Reading("sets", {"format": "lines"})
    assert again.data(data.number).summary == {"records": 3}
    found = again.run(run.number)
    assert (found.state, found.share, found.found) == ("running", 0.5, {"attack (x)": {"value": 1}})
    assert [(kind, each.number) for kind, each in again.unfinished()] == [("runs", run.number)]
    again.close()


def test_deleted_for_good(workspace):
    data = workspace.add_data("of mine", None, own=True)
    run = workspace.add_run(data.number, "a very special name", "coat", {})
    for folder in (run.published, run.private):
        folder.mkdir(parents=True)
        (folder / "key.parquet").write_bytes(b"secret")
    workspace.note(run.number, "key")
    workspace.delete_run(run.number)
    assert not run.folder.exists()
    assert workspace.run(run.number) is None
    assert workspace.noted(run.number) == []
    assert b"a very special name" not in (workspace.folder / DATABASE).read_bytes()


def test_data_take_their_runs_along_but_not_a_file_elsewhere(workspace, tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("a\n")
    data = workspace.add_data("a", file, own=False)
    run = workspace.add_run(data.number, "r", "coat", {})
    workspace.delete_data(data.number)
    assert workspace.run(run.number) is None
    assert not run.folder.exists()
    assert not workspace.data_folder(data.number).exists()
    assert file.exists()


def test_numbers_are_never_given_twice(workspace):
    first = workspace.add_data("a", None, own=False)
    workspace.delete_data(first.number)
    assert workspace.add_data("b", None, own=False).number > first.number


def test_what_lay_on_its_way_when_a_server_was_killed_is_gone(tmp_path):
    opened = Workspace.at(tmp_path / "ws")
    (opened.passing / "half").write_bytes(b"x")
    opened.close()
    again = Workspace.at(tmp_path / "ws")
    again.sweep()
    assert list(again.passing.iterdir()) == []
    again.close()


@pytest.mark.parametrize(
    "damage",
    [
        b"no database at all",
        lambda found: found.replace(b"TABLE runs", b"TABLE \xff\xfens"),
        lambda found: found[: len(found) // 2],
        lambda found: found.replace(b"{}", b"{x"),
    ],
)
def test_a_damaged_database_is_told_at_once_and_left_as_it_is(tmp_path, damage):
    place = tmp_path / "ws"
    space = Workspace.at(place)
    run = space.add_run(space.add_data("x", None, own=False).number, "first", "coat", {})
    (place / "runs" / str(run.number) / "kept").write_text("a release")
    space.close()
    file = place / "studio.db"
    changed = damage if isinstance(damage, bytes) else damage(file.read_bytes())
    assert changed != file.read_bytes()
    file.write_bytes(changed)
    with pytest.raises(OutputError, match="--workspace") as caught:
        Workspace.at(place)
    assert "\n" not in str(caught.value)
    assert file.read_bytes() == changed
    assert (place / "runs" / str(run.number) / "kept").exists()
