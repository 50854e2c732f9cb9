"""What people install: the wheel works in an environment of its own, and papers about it agree with it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
import yaml

import cloven

REPOSITORY = Path(__file__).parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_citation_agrees_with_the_package():
    cited = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == cloven.__version__
    assert cited["license"] == PROJECT["license"]
    assert {"cff-version", "message", "title", "authors"} <= set(cited)


def test_hooks_find_releases_and_private_folders():
    verify, keep = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert re.search(verify["files"], "spring/published/manifest.json")
    assert not re.search(verify["files"], "spring/published/chunks.parquet")
    assert re.search(keep["files"], "spring.private/key.parquet")
    assert not re.search(keep["files"], "spring/published/manifest.json")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the hook is a line of bash")
def test_the_hook_stops_where_a_release_is_not_what_it_says(tmp_path):
    hook, _ = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    cloven.write_release(cloven.Disassociation(k=3).anonymise(cloven.sample("clinic")), tmp_path / "out")
    line = [*re.fullmatch(r"(bash) (-c) '(.*)' (--)", hook["entry"]).groups(), "out/manifest.json"]
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = {"cwd": tmp_path, "env": {**os.environ, "PATH": paths}, "capture_output": True, "check": False}
    assert subprocess.run(line, **run).returncode == 0
    manifest = tmp_path / "out" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"k": 3', '"k": 4'))
    assert subprocess.run(line, **run).returncode == 1


@pytest.mark.slow
def test_the_wheel_works_in_an_environment_of_its_own(tmp_path):
    """Needs a package index; tells so where there is none."""
    made = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, REPOSITORY],
        capture_output=True,
        text=True,
        check=False,
    )
    if "No matching distribution" in made.stderr or "Could not find a version" in made.stderr:
        pytest.skip("no package index can be reached")
    assert made.returncode == 0, made.stderr
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=True)
    place = tmp_path / "env" / "bin"
    subprocess.run([place / "pip", "install", "--quiet", wheel], check=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    run = {"cwd": tmp_path, "env": clean, "capture_output": True, "text": True, "check": False}
    assert subprocess.run([place / "cloven", "--version"], **run).stdout == f"cloven {cloven.__version__}\n"
    subprocess.run([place / "cloven", "sample", "-o", "clinic.csv"], **run)
    told = subprocess.run([place / "cloven", "describe", "clinic.csv", "--json"], **run)
    assert json.loads(told.stdout)["records"] == 1000
    made = subprocess.run([place / "cloven", "anonymise", "disassociation", "clinic.csv", "-o", "out"], **run)
    assert made.returncode == 0, made.stderr
    assert subprocess.run([place / "cloven", "verify", "out"], **run).returncode == 0
    (tmp_path / "people.csv").write_text("age,sex,illness\n" + "31,f,flu\n45,m,gout\n52,f,mumps\n" * 20)
    assert subprocess.run([place / "cloven", "schema", "people.csv"], **run).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("uvx") is None, reason="uvx is not installed")
def test_uvx_runs_it_from_the_checkout(tmp_path):
    told = subprocess.run(
        ["uvx", "--from", REPOSITORY, "cloven", "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.stdout == f"cloven {cloven.__version__}\n", told.stderr
