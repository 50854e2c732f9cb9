"""One whole audit of each kind of release, run as users run it: what is written can be read by every program."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from typing import Any

import pytest

from cloven.datasets import sample

SCHEMA = """
[columns.age]
role = "quasi-identifier"
kind = "number"
[columns.sex]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
"""
METHODS = {
    "disassociation": "disassociation:k=3,m=2,max_cluster_size=15,refine=yes",
    "generalisation": "coat:k=5",
    "whole rows": "mondrian:k=4,l=2",
    "sliced": "slicing:k=4,l=2",
}
EXAMINED = {
    "disassociation": {"joint tree", "shared chunks", "k^m of record chunks", "shared origin"},
    "generalisation": {"partition", "order of blocks"},
    "whole rows": {"arrays", "canonical order"},
    "sliced": {"arrays", "canonical order"},
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    place = tmp_path_factory.mktemp("data")
    with (place / "sets.csv").open("w", newline="") as handle:
        csv.writer(handle).writerows(sorted(record) for record in list(sample("clinic"))[:300])
    rows = [
        (20 + at * 7 % 50, "fm"[at * at % 7 % 2], ("flu", "gout", "mumps", "asthma")[at * 5 % 11 % 4])
        for at in range(300)
    ]
    with (place / "people.csv").open("w", newline="") as handle:
        csv.writer(handle).writerows([("age", "sex", "illness"), *rows])
    (place / "people.toml").write_text(SCHEMA)
    return place


@pytest.mark.parametrize("kind", METHODS)
def test_what_an_audit_writes_is_plain(kind, data, program, tmp_path):
    of_table = kind in ("whole rows", "sliced")
    given = [data / "people.csv", "--schema", data / "people.toml"] if of_table else [data / "sets.csv"]
    command = program("audit", *given, "--methods", METHODS[kind], "--no-advise", "-o", tmp_path / "out")
    users = {name: value for name, value in os.environ.items() if not name.startswith(("CLOVEN_", "NUMBA_"))}
    ended = subprocess.run(command, env=users, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode in (0, 1), ended.stderr
    assert ended.stdout.startswith(("PUBLISH", "DO NOT PUBLISH")[ended.returncode])
    for page in ("out/report.html", "out.private/report.html"):
        assert (tmp_path / page).stat().st_size > 10_000
    document = json.loads((tmp_path / "out.private/audit.json").read_text(), parse_constant=pytest.fail)
    checks = {check["name"]: check["examined"] for check in document["verification"]["checks"]}
    assert all(checks[name] > 0 for name in EXAMINED[kind])


@pytest.mark.parametrize("kind", METHODS)
def test_documents_hold_plain_values(kind, data):
    """A NumPy number among them would end the command, or be written in another way."""
    import cloven as cv
    from cloven.settings import parse_setting

    method = parse_setting(METHODS[kind])
    of_table = kind in ("whole rows", "sliced")
    given: Any = (
        cv.read_table(data / "people.csv", cv.read_schema(data / "people.toml"))
        if of_table
        else cv.read(data / "sets.csv")
    )
    found = cv.Audit(method, effort=cv.Effort().quick(), advise=False).run(given)
    for audience in ("owner", "public"):
        assert not list(_strange(found.to_dict(audience, ""), audience))


def _strange(value, where):
    if type(value) is dict:
        for name, inner in value.items():
            if type(name) is not str:
                yield where, name
            yield from _strange(inner, f"{where}.{name}")
    elif type(value) in (list, tuple):
        for at, inner in enumerate(value):
            yield from _strange(inner, f"{where}[{at}]")
    elif type(value) not in (str, int, float, bool, type(None)):
        yield where, type(value)
