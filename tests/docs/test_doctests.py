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


@pytest.mark.parametrize("name", ["cloven", *MODULES])
def test_examples_of_module(name):
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for examples in finder.find(module, name):
        report: list[str] = []
        runner.run(examples, out=report.append)
        assert not runner.failures, "".join(report)


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    found = [
        test for name in MODULES for test in finder.find(importlib.import_module(name), name) if test.examples
    ]
    assert len(found) > 20
