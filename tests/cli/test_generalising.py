"""``cloven anonymise coat|pcta|apriori-km`` and what the other commands do with set-generalised releases."""

from __future__ import annotations

import json

import pytest

from cloven.kinds.generalised.private_files import read_private_policy
from cloven.storage.release import read_release

TREE = "\n".join(
    ["ale;beer;drinks", "stout;beer;drinks", "malt;whisky;drinks", "rye;whisky;drinks", "tea;hot;drinks"]
)
BASKETS = ["ale,tea", "ale,rye", "stout,tea", "stout,malt", "tea,rye", "ale,malt", "tea", "stout"] * 3 + [
    "ale,stout"
]


@pytest.fixture
def baskets(tmp_path):
    path = tmp_path / "baskets.csv"
    path.write_text("\n".join(BASKETS) + "\n")
    return path


@pytest.fixture
def tree(tmp_path):
    path = tmp_path / "tree.csv"
    path.write_text(TREE + "\n")
    return path


@pytest.fixture
def generalised(cloven, clinic, tmp_path):
    """A release of the clinic with single items protected: some items merged, most as they are."""
    out = tmp_path / "out"
    assert cloven("anonymise", "pcta", clinic, "-m", 1, "-o", out).code == 0
    return out


@pytest.mark.parametrize("method", ["coat", "pcta"])
def test_without_a_policy_any_two_items_are_protected(cloven, clinic, tmp_path, method):
    ended = cloven("anonymise", method, clinic, "-o", tmp_path / "out", "--json")
    assert ended.code == 0, ended.err
    release = read_release(tmp_path / "out")
    assert (release.k, release.parameters["all_up_to"], release.parameters["groups"]) == (5, 2, None)
    assert ended.json["blocks"] == release.blocks
    for level in ([], ["--original", clinic], ["--original", clinic, "--private", tmp_path / "out.private"]):
        assert cloven("verify", tmp_path / "out", *level).code == 0


def test_a_policy_is_read_kept_and_checked(cloven, clinic, tmp_path):
    policy = tmp_path / "lungs.policy"
    policy.write_text(
        "protect: abscess\nprotect: asthma, cough\ngroup all: abscess, asthma, cough, bronchitis\n"
    )
    out = tmp_path / "out"
    ended = cloven("anonymise", "coat", clinic, "--policy", policy, "-k", 3, "-o", out)
    assert ended.code == 0, ended.err
    assert "k=3 2 listed itemsets, 1 utility group" in ended.out
    assert "only 2 listed itemsets protected" in ended.err
    assert len(read_private_policy(tmp_path / "out.private").protected) == 2
    without = cloven("verify", out)
    assert "who knows one of 2 listed itemsets" in without.out
    assert "not checked without --policy or --private: that the listed itemsets are protected" in without.out
    given = cloven("verify", out, "--policy", policy)
    assert (given.code, "itemsets and subsets" in given.out) == (0, True)
    stricter = tmp_path / "stricter.policy"
    stricter.write_text("protect all combinations up to: 2\n")
    assert cloven("verify", out, "--policy", stricter, "--json").failed_checks == {"combinations"}
    both = ["--policy", policy, "-m", 1, "-k", 3, "--max-suppressed", 0.5]
    assert cloven("anonymise", "coat", clinic, *both, "-o", tmp_path / "more").code == 0
    assert read_release(tmp_path / "more").parameters["all_up_to"] == 1


def test_groups_by_taxonomy_and_by_relatedness(cloven, clinic, baskets, tree, tmp_path):
    ended = cloven(
        "anonymise", "coat", baskets, "-m", 1, "-k", 4, "--group-taxonomy", tree, "-o", tmp_path / "a"
    )
    assert ended.code == 0, ended.err
    assert read_private_policy(tmp_path / "a.private").groups[0][0] == "beer"
    ended = cloven(
        "anonymise", "coat", clinic, "-m", 1, "-k", 3, "--groups-related", "sample", "--threshold", 0.3,
        "--max-suppressed", 0.3, "-o", tmp_path / "b",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert read_release(tmp_path / "b").parameters["groups"] > 10


def test_a_random_share_is_marked_when_it_is_seeded(cloven, clinic, tmp_path):
    once, again = tmp_path / "once", tmp_path / "again"
    for out in (once, again):
        ended = cloven("anonymise", "coat", clinic, "--protect-share", 0.2, "--seed", 4, "-o", out)
        assert ended.code == 0, ended.err
        assert "for experiments; do not publish it" in ended.err
    assert read_release(once) == read_release(again)
    assert cloven("verify", once, "--json").failed_checks == {"not seeded"}
    assert cloven("verify", once, "--allow-seeded").code == 0
    assert cloven("anonymise", "coat", clinic, "--protect-share", 0.2, "-o", tmp_path / "lots").code == 0
    assert cloven("verify", tmp_path / "lots").code == 0


def test_apriori_publishes_groups_of_the_taxonomy(cloven, baskets, tree, tmp_path):
    ended = cloven("anonymise", "apriori-km", baskets, "--taxonomy", tree, "-k", 4, "-o", tmp_path / "out")
    assert ended.code == 0, ended.err
    release = read_release(tmp_path / "out")
    assert set(release.block_labels) & {"drinks", "beer", "whisky"}
    assert release.parameters["method"] == "apriori-km"
    private = ["--private", tmp_path / "out.private"]
    assert cloven("verify", tmp_path / "out", "--original", baskets, *private).code == 0


def test_json_is_a_second_format(cloven, clinic, tmp_path):
    assert (
        cloven("anonymise", "pcta", clinic, "-m", 1, "--release-format", "json", "-o", tmp_path / "out").code
        == 0
    )
    private = ["--private", tmp_path / "out.private"]
    assert cloven("verify", tmp_path / "out.json", "--original", clinic, *private).code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-k", "99"], 2, "k = 99 cannot be reached"),
        (["--policy", "POLICY", "--protect-share", "0.5"], 2, "--protect-share draws what to protect, and --policy"),
        (["--seed", "1"], 2, "--seed is for --protect-share"),
        (["--level", "2"], 2, "--level is for --group-taxonomy"),
        (["--threshold", "0.2"], 2, "--threshold is for --groups-related"),
        (["--group-taxonomy", "TREE", "--groups-related", "sample"], 2, "both say what may be merged"),
        (["--policy", "POLICY", "--group-taxonomy", "TREE"], 2, "the policy has groups of its own"),
        (["--policy", "COMBINED", "-m", "1"], 2, "-m 1, but the policy protects combinations up to 2"),
        (["--policy", "MISSPELT"], 3, "2 items are not in the data: 'aile', 'teea'"),
        (["--policy", "WRONG"], 3, "wrong.policy:1:"),
        (["--max-suppressed", "2"], 2, "of at most 1, got '2'"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_is_one_line_and_nothing_is_written(
    cloven, baskets, tree, tmp_path, nothing_written, arguments, code, words
):
    files = {
        "POLICY": "protect: malt\nprotect: tea, rye\ngroup a: malt\ngroup b: tea, rye\n",
        "COMBINED": "protect all combinations up to: 2\n",
        "MISSPELT": "protect: aile, teea\n",
        "WRONG": "protekt: ale\n",
    }
    for name, text in files.items():
        (tmp_path / f"{name.lower()}.policy").write_text(text)
    places = {name: str(tmp_path / f"{name.lower()}.policy") for name in files} | {"TREE": str(tree)}
    nothing_written()
    given = [places.get(argument, argument) for argument in arguments]
    cloven("anonymise", "coat", baskets, *given, "-o", tmp_path / "out").refused(code, words)


def test_unknown_items_may_be_accepted(cloven, baskets, tmp_path):
    policy = tmp_path / "some.policy"
    policy.write_text("protect: ale\nprotect: absinthe\n")
    ended = cloven(
        "anonymise", "coat", baskets, "--policy", policy, "--ignore-unknown", "-o", tmp_path / "out"
    )
    assert ended.code == 0
    assert "1 of the 2 items of --policy are not in the data, the first is 'absinthe'" in ended.err


def test_bad_taxonomies_are_named(cloven, baskets, tmp_path, nothing_written):
    (tmp_path / "bad.csv").write_text("ale;beer;drinks\nale;other;drinks\n")
    nothing_written()
    ended = cloven(
        "anonymise", "apriori-km", baskets, "--taxonomy", tmp_path / "bad.csv", "-o", tmp_path / "out"
    )
    ended.refused(3, "a value has two parents, 'beer' and 'other'")


def test_attack_and_score(cloven, generalised, tmp_path):
    guesses = tmp_path / "guesses"
    ended = cloven("attack", generalised, "--relatedness", "sample", "-o", guesses)
    assert ended.code == 0, ended.err
    assert "taken for added" in ended.out
    private = ["--private", tmp_path / "out.private"]
    scored = cloven("score", generalised, guesses, *private, "--seed", 1, "--json").json
    hit = next(each for each in scored["findings"] if each["measure"] == "hit")
    assert hit["value"] > hit["chance"] > 0.3
    assert hit["over_control_low"] > 0
    assert "auc_row" in cloven("score", generalised, guesses, *private, "--all").out


@pytest.mark.parametrize("method", ["ra", "random", "mda", "tba", "wba", "gba", "rba"])
def test_every_method_has_a_name(cloven, generalised, tmp_path, method):
    out = tmp_path / "guesses"
    options = ("--method", method, "--relatedness", "sample", "--no-control", "--json")
    ended = cloven("attack", generalised, *options, "-o", out)
    assert ended.code == 0, ended.err
    assert ended.json["eliminated"] > 0
    assert cloven("score", generalised, out, "--private", tmp_path / "out.private").code == 0


def test_marks_may_be_guessed(cloven, generalised, tmp_path):
    out = tmp_path / "guesses"
    assert cloven("attack", generalised, "--relatedness", "sample", "--unmarked", "-o", out).code == 0
    scored = cloven("score", generalised, out, "--private", tmp_path / "out.private", "--json").json
    assert "marking" in scored["notes"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--method", "rba"], "give --relatedness"),
        (["--method", "aba", "--relatedness", "sample"], "--method aba is for disassociated releases"),
        (["--method", "ra", "--tries", "3"], "--tries is for disassociated releases"),
        (["--method", "ra", "--grow-anchors"], "--grow-anchors is for disassociated releases"),
        (["--method", "ra", "--share", "2"], "of at most 1"),
    ],
)
def test_attacks_that_cannot_be(cloven, generalised, tmp_path, arguments, words):
    cloven("attack", generalised, *arguments, "-o", tmp_path / "guesses").refused(2, words)


def test_options_for_generalised_releases_are_refused_on_others(cloven, made, tmp_path):
    guesses = tmp_path / "guesses"
    cloven("attack", made.out, "--method", "random", "--unmarked", "-o", guesses).refused(
        2, "--unmarked is for set-generalised"
    )
    cloven("attack", made.out, "--method", "gba", "-o", guesses).refused(
        2, "--method gba is for set-generalised"
    )
    cloven("anonymise", "coat", made.original, "-m", 1, "-o", tmp_path / "coat")
    policy = tmp_path / "some.policy"
    policy.write_text("protect all combinations up to: 1\n")
    cloven("verify", made.out, "--policy", policy).refused(2, "a policy is for set-generalised releases")


def test_utility_link_and_reconstruct(cloven, clinic, generalised, tmp_path):
    found = cloven("utility", clinic, generalised, "--json", "--reconstructions", 2).json
    assert 0 < found["ncp"] < 0.01
    assert found["items_kept"] > 0.9
    linked = cloven("link", generalised, "--item", "cough", "--item", "fever", "--json").json
    assert linked["candidates"] >= 5
    assert cloven("reconstruct", generalised, "-o", tmp_path / "world.jsonl", "--seed", 1).code == 0
    rows = [json.loads(line) for line in (tmp_path / "world.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 1000
    assert all(rows)


def test_breach_is_for_disassociated_releases(cloven, generalised):
    cloven("breach", generalised).refused(
        3, "is a set-generalised release, and `cloven breach` is for disassociated ones"
    )


def test_audit_compares_families(cloven, baskets, tree, tmp_path):
    methods = "coat pcta apriori-km disassociation"
    given = ["--methods", methods, "--quick", "--seed", 1, "-k", 3, "--no-advise"]
    ended = cloven("audit", baskets, "--taxonomy", tree, *given, "-o", tmp_path / "out", "--json")
    assert ended.code == (0 if ended.json["decision"]["verdict"] == "publish" else 1), ended.err
    assert [each["name"] for each in ended.json["outcomes"]] == [
        "coat:k=3,m=2", "pcta:k=3,m=2", "apriori-km:k=3,m=2", "disassociation:k=3,m=2,max_cluster_size=12",
    ]  # fmt: skip
    assert ended.json["setting"] == "coat:k=3,m=2"  # the first is audited
    published = json.loads((tmp_path / "out" / "published" / "manifest.json").read_text())
    assert published["format"].startswith("cloven.set-generalised/")
    assert len({each["family"] for each in ended.json["outcomes"]}) == 2
    page = (tmp_path / "out.private" / "report.html").read_text("utf-8")
    assert "pcta:k=3,m=2" in page
    cloven("audit", baskets, "--methods", "coat", "--safe", "cover", "-o", tmp_path / "safe").refused(
        2, "--safe is for disassociation, but coat is audited; leave it out, or name coat second"
    )
    cloven("audit", baskets, *given, "-o", tmp_path / "other").refused(
        2, "apriori-km needs a taxonomy of the items; give --taxonomy"
    )
