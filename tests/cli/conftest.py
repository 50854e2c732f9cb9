"""Runs of the command line, in this process or in one of their own, on data made once for the session."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cloven.cli.ending import run as run_command_line

DISASSOCIATION = ("anonymise", "disassociation")


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on standard output; more than one is an error."""
        return json.loads(self.out)

    @property
    def failed_checks(self) -> set[str]:
        return {check["name"] for check in self.json["checks"] if not check["passed"]}

    def refused(self, code: int, *words: str) -> None:
        """Assert one line on standard error that holds these words, nothing on standard output, this code."""
        assert (self.code, self.out) == (code, ""), self
        assert self.err.startswith("cloven: "), self
        assert self.err.count("\n") == 1, self
        for word in words:
            assert word in self.err, (word, self.err)


@pytest.fixture
def cloven(capsys):
    """Run the command line in this process: ``cloven("describe", path)``."""

    def run(*arguments: object) -> Ended:
        capsys.readouterr()
        code = run_command_line([str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    return run


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "cloven.cli", *(str(argument) for argument in arguments)]


@pytest.fixture(scope="session")
def program():
    """Arguments that start a process of its own: ``program("describe", path)``."""
    return command


@pytest.fixture(scope="session")
def shell():
    """Run the command line in a process of its own and wait for it."""

    def run(*arguments: object, **settings: Any) -> Ended:
        settings["env"] = {**os.environ, **settings.get("env", {})}
        ended = subprocess.run(command(*arguments), capture_output=True, timeout=120, check=False, **settings)
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    return run


def write_csv(path: Path, records) -> Path:
    with path.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle).writerows(sorted(record) for record in records)
    return path


@pytest.fixture(scope="session")
def clinic(tmp_path_factory) -> Path:
    """The built-in sample as a CSV file."""
    from cloven.datasets import sample

    return write_csv(tmp_path_factory.mktemp("clinic") / "clinic.csv", sample("clinic"))


@dataclass(frozen=True)
class Made:
    """A release made by the command line, and what it was made from."""

    original: Path
    out: Path

    @property
    def private(self) -> Path:
        return self.out.with_name(f"{self.out.name}.private")

    def copy(self, folder: Path) -> Made:
        for path in (self.out, self.private):
            shutil.copytree(path, folder / path.name)
        return Made(self.original, folder / self.out.name)

    def level(self, level: str) -> list[object]:
        """Arguments of ``verify`` for a level."""
        known = {"release": [], "original": ["--original", self.original]}
        known["key"] = [*known["original"], "--private", self.private]
        return ["verify", self.out, *known[level], "--json"]


@pytest.fixture(scope="session")
def made_once(clinic, tmp_path_factory) -> Made:
    out = tmp_path_factory.mktemp("made") / "out"
    options = ("--json", "--max-cluster-size", "30", "--refine")  # joints below the root too
    assert run_command_line([*DISASSOCIATION, str(clinic), "-o", str(out), *options]) == 0
    return Made(clinic, out)


@pytest.fixture
def made(made_once, tmp_path) -> Made:
    """A copy of a sound release that a test may spoil."""
    return made_once.copy(tmp_path)


def listing(folder: Path) -> dict[str, bytes | str | None]:
    """Everything below a folder: content of files, target of links, None for folders."""
    return {
        str(path.relative_to(folder)): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def nothing_written(tmp_path):
    """Fails the test if anything below ``tmp_path`` differs at the end from when ``watch()`` was called."""
    seen: list[dict[str, Any]] = []
    yield lambda: seen.append(listing(tmp_path))
    assert seen, "call nothing_written() when the input is there"
    assert listing(tmp_path) == seen[0]


ILLNESS = ("cough", "flu", "gout", "mumps", "ulcer")


@pytest.fixture
def people(tmp_path):
    lots = random.Random(3)
    path = tmp_path / "people.csv"
    lines = ["age,sex,work,illness"]
    for number in range(240):
        age = lots.randint(20, 59)
        work = lots.choice(("Federal", "Private", "State"))
        lines.append(f"{age},{lots.choice('fm')},{work},{ILLNESS[(age // 10 + number) % 5]}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def schema(tmp_path):
    path = tmp_path / "people.toml"
    path.write_text(
        '[columns]\nage = "quasi-identifier"\nsex = "quasi-identifier"\nwork = "quasi-identifier"\n'
        'illness = "sensitive"\n'
    )
    return path
