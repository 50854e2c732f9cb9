"""Sound releases to spoil, and the checks that see it."""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from spoiling import ILLNESS, LEVELS, METHODS, MadeTable, agree, copied

from cloven.cli.ending import run as run_command_line
from cloven.storage.release import write_public


@pytest.fixture(scope="session")
def tables_once(tmp_path_factory) -> dict[str, MadeTable]:
    folder = tmp_path_factory.mktemp("tables")
    lots = random.Random(3)
    lines = ["age,work,sex,illness"]
    for number in range(240):
        age = lots.randint(20, 59)
        work = lots.choice(("Federal", "Private", "Private", "Self", "State"))
        sex = "f" if work == "Self" else lots.choice("fm")  # so that a man who is his own master is invented
        lines.append(f"{age},{work},{sex},{ILLNESS[(age // 10 + number) % 5]}")
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "people.toml").write_text(
        '[columns]\nage = "quasi-identifier"\nsex = "quasi-identifier"\nillness = "sensitive"\n'
        '[columns.work]\nrole = "quasi-identifier"\n'
        'tree = { public = ["Federal", "State"], private = ["Private", "Self"] }\n'
    )
    found = {}
    for method, settings in METHODS.items():
        found[method] = MadeTable(folder / "people.csv", folder / "people.toml", folder / method)
        given = ["--schema", folder / "people.toml", *settings, "-o", folder / method, "--json"]
        assert run_command_line(list(map(str, ["anonymise", method, folder / "people.csv", *given]))) == 0
    return found


@pytest.fixture(params=["mondrian", "slicing"])
def made(request, tables_once, tmp_path) -> MadeTable:
    """A copy of a sound release that a test may spoil."""
    return copied(tables_once[request.param], tmp_path)


@pytest.fixture
def coarse(tables_once, tmp_path):
    return copied(tables_once["mondrian"], tmp_path)


@pytest.fixture
def cut(tables_once, tmp_path):
    return copied(tables_once["slicing"], tmp_path)


@pytest.fixture
def swapped(tables_once, tmp_path):
    return copied(tables_once["ul"], tmp_path)


@pytest.fixture
def look(cloven):
    """Checks that fail at each level."""

    def run(made):
        agree(made)
        found = {}
        for level in LEVELS:
            ended = cloven(*made.level(level))
            assert ended.json["level"] == level
            assert ended.code == (1 if ended.failed_checks else 0)
            found[level] = ended.failed_checks
        return found

    return run


@pytest.fixture
def plant(look):
    """Put another release in the place of the sound one; gives the checks that fail at each level."""

    def put(made, release):
        shutil.rmtree(made.out)
        write_public(release, made.out, "parquet")
        return look(made)

    return put


@pytest.fixture
def at_key(cloven):
    return lambda made: cloven(*made.level("key")).failed_checks
