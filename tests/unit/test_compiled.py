"""Compiled functions where no cache can be written."""

from __future__ import annotations

import subprocess
import sys

import numba
import numpy as np

from cloven.compiled import compiled


def double(values):
    return 2 * values.sum()


@compiled
def square(value):
    return value * value


@compiled
def sum_of_squares(values):
    total = 0
    for value in values:
        total += square(value)
    return total


def test_kernels_call_each_other():
    assert sum_of_squares(np.arange(4)) == 14
    assert sum_of_squares(values=np.arange(3)) == 5
    assert sum_of_squares.dispatcher.signatures


def test_the_compiler_is_loaded_by_the_first_call_only():
    code = """
import sys
from cloven.compiled import compiled
double = compiled(lambda value: 2 * value)
print("numba" in sys.modules, double(3), "numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "6", "True"]


def test_without_a_place_for_the_cache_it_still_runs(monkeypatch):
    real = numba.njit

    def no_locator(**options):
        if options.get("cache"):
            message = "cannot cache function: no locator available"
            raise RuntimeError(message)
        return real(**options)

    monkeypatch.setattr(numba, "njit", no_locator)
    assert compiled(double)(np.arange(4)) == 12
