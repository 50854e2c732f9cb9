"""The public names: sorted, complete, documented, and loaded when first used."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import cloven

REPOSITORY = Path(__file__).resolve().parent.parent
NAMES = [name for name in cloven.__all__ if name != "__version__"]
REFERENCE = REPOSITORY / "docs" / "reference" / "api.md"


def test_all_is_sorted_without_repeats():
    assert cloven.__all__ == sorted(set(cloven.__all__))
    assert dir(cloven) == sorted(cloven.__all__)


def test_every_name_has_a_home_and_no_home_is_hidden():
    assert sorted(cloven._HOME) == NAMES


def test_type_checkers_see_the_same_names_from_the_same_homes():
    tree = ast.parse(Path(cloven.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert seen == cloven._HOME


@pytest.mark.parametrize("name", NAMES)
def test_name_resolves_and_is_documented(name):
    found = getattr(cloven, name)
    assert found is getattr(import_module(cloven._HOME[name]), name)
    assert inspect.isclass(found) or inspect.isfunction(found)
    assert (inspect.getdoc(found) or "").strip()
    for method, value in vars(found).items() if inspect.isclass(found) else ():
        if not method.startswith("_") and (
            inspect.isfunction(value) or isinstance(value, property | classmethod)
        ):
            assert inspect.getdoc(getattr(found, method) if isinstance(value, classmethod) else value), method


@pytest.mark.parametrize("name", NAMES)
def test_name_is_in_the_reference(name):
    assert re.search(rf"^### `{name}\b", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)


def test_reference_speaks_of_public_names_only():
    described = re.findall(r"^### `(\w+)", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(described) == NAMES


def test_functions_are_annotated():
    for name in NAMES:
        found = getattr(cloven, name)
        if inspect.isfunction(found):
            signature = inspect.signature(found)
            assert signature.return_annotation is not inspect.Signature.empty, name
            assert all(p.annotation is not p.empty for p in signature.parameters.values()), name


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isfunction(getattr(cloven, name))])
def test_function_has_an_example(name):
    """``tests/docs/test_doctests.py`` runs it."""
    assert ">>> " in inspect.getdoc(getattr(cloven, name))


def test_unknown_name_raises_like_any_module():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = cloven.nothing


def test_map_in_the_docstring_names_what_exists():
    named = set(re.findall(r"``(\w+)``", cloven.__doc__.split(">>>")[0]))
    assert named - {"release", "key"} <= set(NAMES)
