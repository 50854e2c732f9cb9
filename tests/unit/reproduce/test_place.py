"""Where experiments are: in a checkout, and not in the installed package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cloven.cli.reproduce import _find_experiments
from cloven.errors import ParameterError


def test_a_package_without_them_says_where_they_are(tmp_path):
    with pytest.raises(ParameterError, match="run this in a checkout"):
        _find_experiments(tmp_path)


def test_a_checkout_has_them_wherever_the_command_is_called_from(tmp_path):
    code = (
        "from cloven.cli.reproduce import CHECKOUT, _find_experiments\n_find_experiments(CHECKOUT)\n"
        "import experiments"
    )
    environment = {"PATH": "", "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "src")}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0
