"""The bytes of a release depend on the content of the data alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

D = ("anonymise", "disassociation")
SETTINGS = [
    ("--no-refine",),
    ("--max-cluster-size", "unlimited"),
    ("-k", "3", "-m", "3", "--max-cluster-size", "10"),
    ("-m", "1", "--small-clusters", "abandon"),
    ("--small-clusters", "suppress"),
    ("--small-clusters", "remaining"),
    ("--reading", "strict"),
    ("--min-item-support", "10"),
    ("--block-records", "300"),
    ("--join-terms", "listed"),
    ("--release-format", "json"),
]


@pytest.fixture(scope="session")
def shuffled(clinic, tmp_path_factory):
    """The same records, and the items inside each, in another order."""
    rng = random.Random(5)
    records = [line.split(",") for line in clinic.read_text().split()]
    rng.shuffle(records)
    path = tmp_path_factory.mktemp("shuffled") / "elsewhere.csv"
    path.write_text("".join(",".join(rng.sample(record, len(record))) + "\n" for record in records))
    assert path.read_text() != clinic.read_text()
    return path


def contents(path):
    return {file.name: file.read_bytes() for file in ([path] if path.is_file() else path.iterdir())}


@pytest.mark.slow
def test_two_processes_and_a_shuffled_input_give_the_same_bytes(shell, clinic, shuffled, tmp_path):
    found = []
    for number, (data, seed) in enumerate([(clinic, "1"), (clinic, "2"), (shuffled, "3")]):
        folder = tmp_path / f"folder{number}"
        folder.mkdir()
        assert shell(*D, data, "-o", folder / f"out{number}", env={"PYTHONHASHSEED": seed}).code == 0
        found.append(contents(folder / f"out{number}"))
    assert len(found[0]) == 5
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("options", SETTINGS, ids=[" ".join(options) for options in SETTINGS])
def test_every_setting_verifies_and_hides_the_order_of_the_input(cloven, clinic, shuffled, tmp_path, options):
    found = []
    for name, data in (("a", clinic), ("b", shuffled)):
        ended = cloven(*D, data, "-o", tmp_path / name, *options, "--json")
        assert ended.code == 0, ended
        found.append(contents(Path(ended.json["published"])))
        everything = ("--original", data, "--private", ended.json["private"])
        verified = cloven("verify", ended.json["published"], *everything)
        assert verified.code == 0, verified.out
    assert sorted(found[0].values()) == sorted(found[1].values())


def test_persons_in_another_order_give_the_same_bytes(cloven, tmp_path):
    rng = random.Random(6)
    rows = [
        (f"v{visit}", f"p{visit % 70}", f"i{item}")
        for visit in range(200)
        for item in rng.sample(range(15), 3)
    ]
    columns = ("--id-column", "visit", "--item-column", "item", "--person", "who")
    found = []
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(
            "visit,who,item\n" + "".join(",".join(row) + "\n" for row in rows)
        )
        assert cloven(*D, tmp_path / f"{name}.csv", "-o", tmp_path / name, *columns).code == 0
        found.append(contents(tmp_path / name))
        rng.shuffle(rows)
    assert found[0] == found[1]
