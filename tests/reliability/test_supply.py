"""The tested versions: all that any extra asks for, each with hashes, and nothing of where they were fetched."""

from __future__ import annotations

import re
import tomllib

from reliability import supply


def normal(name):
    """As packages are compared: case and separators do not count."""
    return re.sub(r"[-_.]+", "-", name).lower()


def asked():
    project = tomllib.loads((supply.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in (project["dependencies"], *project["optional-dependencies"].values()):
        yield from (normal(re.match(r"[\w.-]+", requirement)[0]) for requirement in extra)


def test_every_extra_is_among_the_tested_versions():
    assert set(asked()) - {normal(name) for name in supply.tested()} == set()


def test_every_package_has_hashes_and_no_address():
    text = supply.TESTED.read_text(encoding="utf-8")
    packages = re.split(r"\n(?=\w)", text.strip())
    assert len(packages) == len(supply.tested())
    assert [each for each in packages if "--hash=sha256:" not in each] == []
    assert re.findall(r"https?:|file:|index-url|find-links", text) == []
