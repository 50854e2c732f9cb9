"""``cloven attack`` and ``cloven score``: what they say, and what they refuse."""

from __future__ import annotations

import json
import shutil

import pytest

D = ("anonymise", "disassociation")
PAPERS = ("--rare-items", "cluster", "--refine")  # with term chunks, which these attacks are about


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A release of the sample with its key, and guesses about it."""
    from cloven.cli.ending import run

    folder = tmp_path_factory.mktemp("attacked")
    for arguments in (
        ["sample", "clinic", "-o", str(folder / "clinic.csv")],
        [*D, str(folder / "clinic.csv"), "-k", "4", "-m", "2", *PAPERS, "-o", str(folder / "release")],
        ["attack", str(folder / "release"), "--relatedness", "sample", "-o", str(folder / "guesses")],
    ):
        assert run(arguments) == 0
    return folder


def test_attack_needs_no_key(cloven, place, tmp_path):
    """The folder alone is enough: it may lie where there is nothing else."""
    shutil.copytree(place / "release", tmp_path / "alone")
    for number, options in enumerate(
        (["--relatedness", "learned"], ["--method", "vpa", "--tries", "10"], ["--method", "random"])
    ):
        ended = cloven("attack", tmp_path / "alone", *options, "-o", tmp_path / f"g{number}", "--json")
        assert ended.code == 0, ended
        assert ended.json["links"] > 0


def test_both_methods_are_named(cloven, place, tmp_path):
    options = ("--record-method", "vpa", "--term-method", "mra", "--relatedness", "sample", "--tries", "10")
    found = cloven("attack", place / "release", *options, "-o", tmp_path / "g", "--json").json["attack"]
    assert (found["record"]["name"], found["term"]["term_method"]) == ("vpa", "mra")


@pytest.mark.parametrize(
    "options", [("--selection", "one-per-row"), ("--selection", "optimal"), ("--grow-anchors",)], ids=str
)
def test_options_change_what_is_chosen(cloven, place, tmp_path, options):
    attack = ("attack", place / "release", "--relatedness", "sample")
    plain = cloven(*attack, "-o", tmp_path / "a", "--json").json
    other = cloven(*attack, *options, "-o", tmp_path / "b", "--json").json
    assert plain["targets"] == other["targets"]
    assert plain["attack"] != other["attack"]
    import pyarrow.parquet as pq

    chosen = [pq.read_table(tmp_path / name / "links.parquet").column("chosen") for name in "ab"]
    assert chosen[0] != chosen[1]


@pytest.mark.slow
def test_score_puts_chance_and_control_beside_the_attack(cloven, place):
    given = (place / "release", place / "guesses", "--private", place / "release.private", "--seed", 1)
    found = cloven("score", *given, "--json").json
    hit = next(f for f in found["findings"] if (f["measure"], f["scope"]) == ("hit", "all"))
    assert hit["low"] > hit["chance"]
    assert hit["over_control_low"] > 0  # paired over units
    assert hit["units"] >= 10
    assert "shuffled" in cloven("score", *given).out


def test_attack_needs_nothing_but_the_release(cloven, place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = cloven("attack", place / "release", "--seed", 1)
    assert (ended.code, ended.err) == (0, "")
    assert "nothing is written" in ended.out
    assert list(tmp_path.iterdir()) == []
    told = cloven("attack", place / "release", "--seed", 1, "--json").json
    assert told["guesses"] is None
    assert len(told["surest"]) == 10
    sure = [each["confidence"] for each in told["surest"]]
    assert sure == sorted(sure, reverse=True)
    assert all(each["hidden"] and each["beside"] for each in told["surest"])
    assert "Learned" in told["attack"]["relatedness"]


def test_attacks_refuse_what_they_cannot_use(cloven, place, tmp_path):
    strange, ragged = tmp_path / "strange.txt", tmp_path / "ragged.txt"
    strange.write_text("zzyzx 0.1 0.2\nqwxyz 0.3 0.1\n")
    ragged.write_text("flu 0.1 0.2\nfever 0.3\n")
    for name, options, code, word in (
        ("release", ("--method", "aba"), 2, "--relatedness"),
        ("release", ("--relatedness", "wordz"), 2, "vectors:FILE"),
        ("release", ("--relatedness", f"vectors:{strange}"), 2, "abdomen"),
        ("release", ("--relatedness", f"vectors:{ragged}"), 3, "ragged.txt:2"),
        ("none", ("--method", "vpa"), 3, "cannot be read"),
        ("release.private", ("--method", "vpa"), 3, "manifest.json"),  # the key is no release,
        ("guesses", ("--method", "vpa"), 3, "manifest.json"),  # and neither are guesses
    ):
        cloven("attack", place / name, *options, "-o", tmp_path / "g").refused(code, word)
        assert not (tmp_path / "g").exists()


def test_scores_need_what_belongs_together(cloven, place, tmp_path):
    private = ("--private", place / "release.private")
    cloven("score", place / "release", place / "release", *private).refused(3, "guesses.json")
    cloven("score", place / "release", place / "guesses", "--private", tmp_path).refused(3, "cannot be read")
    assert cloven(*D, place / "clinic.csv", "-k", 3, "-m", 2, "-o", tmp_path / "other").code == 0
    cloven("score", tmp_path / "other", place / "guesses", "--private", tmp_path / "other.private").refused(
        3, "another release"
    )
    cloven("score", place / "release", place / "guesses", "--private", tmp_path / "other.private").refused(3)


@pytest.mark.slow
def test_audit_attacks(cloven, place, tmp_path):
    options = ("--relatedness", "sample", "--other-release", place / "release", "--quick", "--no-advise")
    found = cloven("audit", place / "clinic.csv", "-o", tmp_path / "a", *options, "--json").json
    assert [risk["threat"] for risk in found["risks"]] == [
        "a known person", "2 items of a person", "3 items of a person", "release alone", "method", "word meanings",
        "another release", "being in it",
    ]  # fmt: skip
    assert json.loads((tmp_path / "a.private" / "audit.json").read_text())["risks"] == found["risks"]
    ended = cloven("audit", place / "clinic.csv", "-o", tmp_path / "b", "--no-attack")
    assert ended.code == 1  # nothing is known of what attackers reach
    assert "x No attack that counts was tried" in ended.out


def test_audit_says_why_an_attack_was_not_tried(cloven, tmp_path):
    """Nothing goes together here, so there is nothing to learn."""
    file = tmp_path / "one.csv"
    file.write_text("a\n" * 12)
    ended = cloven("audit", file, "-o", tmp_path / "a", "--verbose")
    assert ended.code == 1
    assert "12 persons are too few to measure anything on; at least 30 are needed" in ended.out
    assert "release alone: not tried" in ended.out


def test_what_uses_no_words_has_no_control(cloven, place, tmp_path):
    options = ("--method", "vpa", "--tries", 2, "--relatedness", "sample")
    assert cloven("attack", place / "release", *options, "-o", tmp_path / "g").code == 0
    assert not (tmp_path / "g" / "control").exists()


@pytest.mark.parametrize(
    ("hit", "low", "control_low", "sentence"),
    [
        (0.125, 0.01, 0.01, "1 in 8 guessed links is right; better than guessing"),
        (0.125, 0.01, -0.01, "1 in 8 guessed links is right; not shown to beat guessing"),
        (0.125, -0.01, 0.01, "1 in 8 guessed links is right; not shown to beat guessing"),
        (0.67, None, None, "67 % of guessed links are right; not shown to beat guessing"),
        (0.0, None, None, "no guessed link is right; not shown to beat guessing"),
    ],
)
def test_meaning_claims_no_more_than_was_measured(hit, low, control_low, sentence):
    from cloven.disclosure.risk import Estimate
    from cloven.kinds.transactions import beats, meaning
    from cloven.statistics.findings import Finding

    empty = dict.fromkeys(Finding.__dataclass_fields__)
    known = {"value": 0.6, "control": 0.5, "over_chance_low": low, "over_control_low": control_low}
    auc = Finding(**(empty | known | {"measure": "auc", "scope": "all", "count": 10.0, "units": 3}))
    assert meaning(Estimate(hit), beats=beats(auc)) == sentence


def test_items_may_be_skipped(cloven, place, tmp_path):
    """Such as likely typing errors; the list of `cloven text --typos` can be given as it is."""
    skip = tmp_path / "typos.tsv"
    skip.write_text("item\tmeant\nasthma\tasthma\ncough\tcough\n")
    attack = ("attack", place / "release", "--relatedness", "sample")
    found = cloven(*attack, "--skip", skip, "-o", tmp_path / "g", "--json").json
    assert found["notes"]["coverage"] == {
        "items": 423,
        "rungs": found["notes"]["coverage"]["rungs"],
        "unknown": 2,
    }
    cloven(*attack, "--skip", tmp_path / "none", "-o", tmp_path / "h").refused(3, "none")


@pytest.mark.slow
def test_audit_tells_the_price_of_safety(cloven, place, tmp_path):
    options = ("-k", 2, "--max-cluster-size", 20, "--quick", "--json")
    safe = cloven("audit", place / "clinic.csv", *options, "--safe", "cover", "-o", tmp_path / "a").json
    repaired, plain, *_remedies = safe["outcomes"]
    assert repaired["main"]
    assert (repaired["name"], plain["name"]) == (
        "disassociation:k=2,m=2,max_cluster_size=20,safe=cover",
        "disassociation:k=2,m=2,max_cluster_size=20",
    )
    assert repaired["broken"] == 0
    assert plain["measures"]["pairs kept"] != repaired["measures"]["pairs kept"]
