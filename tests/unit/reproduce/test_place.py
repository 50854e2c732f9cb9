"""Where experiments are: in a checkout, and not in the installed package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cloven.cli.reproduce import find_experiments
from cloven.errors import ParameterError


def test_a_package_without_them_says_where_they_are(tmp_path):
    with pytest.raises(ParameterError, match="run this in a checkout"):
        find_experiments("reproduce", tmp_path)


def test_a_checkout_has_them_wherever_the_command_is_called_from(tmp_path):
    code = (
        "from cloven.cli.reproduce import find_experiments\nfind_experiments('reproduce')\nimport experiments"
    )
    environment = {"PATH": "", "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src")}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["evaluate", "sample", "--table-4-1"], "cloven relatedness evaluate"),
        (["table-4-1"], "cloven relatedness table-4-1"),
        (
            [
                "counts",
                "http://localhost/{query}",
                "items.txt",
                "-o",
                "new",
                "--documents",
                "9",
                "--pointer",
                "/n",
            ],
            "cloven relatedness counts",
        ),
    ],
)
def test_commands_that_need_them_say_so(arguments, told, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from cloven.cli import reproduce
    from cloven.cli.relatedness import app

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reproduce.find_experiments, "__defaults__", (tmp_path,))
    (tmp_path / "items.txt").write_text("flu\n")
    ended = CliRunner().invoke(app, arguments)
    assert ended.exit_code == 2
    assert "there are no experiments" in ended.stderr
    assert told in ended.stderr
    assert not (tmp_path / "new").exists()


def test_pairs_of_a_file_are_scored_without_them(tmp_path, monkeypatch):
    from cloven.cli import reproduce
    from cloven.cli.relatedness_measures import pairs_to_score

    monkeypatch.setattr(reproduce.find_experiments, "__defaults__", (tmp_path,))
    (tmp_path / "pairs.csv").write_text("flu,fever,3\nflu,knee,1\nknee,plaster,2\n")
    assert [len(pairs) for pairs in pairs_to_score([tmp_path / "pairs.csv"], thesis=False)] == [3]
