"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import cloven
import experiments

MODULES = sorted(
    module.name
    for package in (cloven, experiments)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
)


def examples() -> list[doctest.DocTest]:
    """Every docstring with examples, once, under the name of what it describes."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [
        each for name in ("cloven", *MODULES) for each in finder.find(importlib.import_module(name), name)
    ]
    return [each for each in found if each.examples]


LONG = {"cloven.audit.loop", "cloven.tuning.tune"}
CASES = [
    pytest.param(example, id=example.name, marks=[pytest.mark.slow] if example.name in LONG else [])
    for example in examples()
]


@pytest.mark.parametrize("example", CASES)
def test_example(example):
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(example, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)


def test_there_are_examples():
    assert len(examples()) > 300
