"""The public names: sorted, complete, documented, and loaded when first used."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import cloven

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = (cloven, cloven.attacks, cloven.relatedness)
NOT_FOUND_IN_A_HOME = {"__version__", "attacks", "relatedness"}
NAMES = [(package, name) for package in PACKAGES for name in dir(package) if name not in NOT_FOUND_IN_A_HOME]
FUNCTIONS = [(package, name) for package, name in NAMES if inspect.isfunction(getattr(package, name))]
REFERENCE = REPOSITORY / "docs" / "reference" / "api.md"

every_name = pytest.mark.parametrize(
    ("package", "name"), NAMES, ids=lambda each: getattr(each, "__name__", each)
)


def called(package, name):
    """As the reference calls it: without ``cloven.``."""
    return f"{package.__name__}.{name}".removeprefix("cloven.")


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_names_are_told_once_and_type_checkers_know_the_same(package):
    assert dir(package) == sorted(set(dir(package)))
    source = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    listed = [
        ast.literal_eval(node.value)
        for node in ast.walk(source)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    assert [sorted(each) for each in listed] in ([], [dir(package)])


def test_a_user_meets_few_names():
    assert len(dir(cloven)) <= 86


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_name_has_a_home_and_no_home_is_hidden(package):
    assert sorted(package._HOME) == [name for mine, name in NAMES if mine is package]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_type_checkers_see_the_same_names_from_the_same_homes(package):
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert {name: home for name, home in seen.items() if name not in NOT_FOUND_IN_A_HOME} == package._HOME


@every_name
def test_name_resolves_and_is_documented(package, name):
    found = getattr(package, name)
    assert found is getattr(import_module(package._HOME[name]), name)
    assert inspect.isclass(found) or inspect.isfunction(found)
    assert (inspect.getdoc(found) or "").strip()
    for method, value in vars(found).items() if inspect.isclass(found) else ():
        if not method.startswith("_") and (
            inspect.isfunction(value) or isinstance(value, property | classmethod)
        ):
            assert inspect.getdoc(getattr(found, method) if isinstance(value, classmethod) else value), method


@every_name
def test_name_is_in_the_reference(package, name):
    assert re.search(rf"^### `{called(package, name)}\b", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_reference_speaks_of_public_names_only():
    described = re.findall(r"^### `([\w.]+)", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(described) == sorted(called(package, name) for package, name in NAMES)


def test_functions_are_annotated():
    for package, name in FUNCTIONS:
        signature = inspect.signature(getattr(package, name))
        assert signature.return_annotation is not inspect.Signature.empty, name
        assert all(p.annotation is not p.empty for p in signature.parameters.values()), name


@pytest.mark.parametrize(("package", "name"), FUNCTIONS, ids=lambda each: getattr(each, "__name__", each))
def test_function_has_an_example(package, name):
    """``tests/docs/test_doctests.py`` runs it."""
    assert ">>> " in inspect.getdoc(getattr(package, name))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_unknown_name_raises_like_any_module(package):
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing


def test_packages_are_loaded_when_first_used():
    code = "import sys, cloven; print('cloven.attacks' in sys.modules, len(dir(cloven.attacks)) > 20)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("package", PACKAGES[:2], ids=lambda package: package.__name__)
def test_map_in_the_docstring_names_what_exists(package):
    named = set(re.findall(r"``(\w+)``", package.__doc__.split(">>>")[0]))
    assert named - {"release", "key"} <= {name for each in PACKAGES for name in dir(each)}
