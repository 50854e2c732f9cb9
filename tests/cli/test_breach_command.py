"""``cloven breach``: what it says, and what it refuses."""

from __future__ import annotations

import shutil

import pytest

FIGURE_1 = """Oncologist,Treatment,Cancer,Surgery,Side Effects,Vomiting
Oncologist,Treatment,Cancer,Surgery,Side Effects,Nausea
Oncologist,Treatment,Cancer
Treatment,Surgery,Side Effects,Chemotherapy
Oncologist,Treatment,Cancer
Oncologist,Surgery
"""
D = ("anonymise", "disassociation")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Releases of the paper's example and of the sample."""
    from cloven.cli.ending import run

    folder = tmp_path_factory.mktemp("breached")
    (folder / "paper.csv").write_text(FIGURE_1, encoding="utf-8")
    (folder / "words.txt").write_text("\n".join(f"word{n}" for n in range(20)), encoding="utf-8")
    for arguments in (
        ["sample", "clinic", "-o", str(folder / "clinic.csv")],
        [*D, str(folder / "paper.csv"), "-k", "3", "-m", "2", "-o", str(folder / "paper")],
        [*D, str(folder / "clinic.csv"), "-k", "4", "-m", "2", "-o", str(folder / "clinic")],
    ):
        assert run(arguments) == 0
    return folder


def test_answer_comes_first_and_a_finding_is_no_failure(cloven, place):
    ended = cloven("breach", place / "paper")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("2 covers in 1 cluster of 6 records, 0 of them with a single covering item\n")
    assert "'Surgery' meets 'Cancer' in fewer than 3 records" in ended.out.splitlines()[3]


def test_top_shows_more_or_none(cloven, place):
    assert cloven("breach", place / "paper", "--top", 5).out.count("such as") == 2
    assert cloven("breach", place / "paper", "--top", 0).out.count("such as") == 0


def test_exact_proves(cloven, place, tmp_path):
    shutil.copytree(place / "paper", tmp_path / "alone")  # the release alone is enough
    assert (
        "2 of 6  no world joins them in k = 3 records" in cloven("breach", tmp_path / "alone", "--exact").out
    )
    proof = cloven("breach", tmp_path / "alone", "--exact", "--json").json["proof"]
    assert proof["exact"]["broken"] == proof["exact"]["by_cover"] == 2
    assert cloven("breach", place / "paper", "--json").json["proof"] is None


def test_large_clusters_are_sampled_and_say_how_sure_they_are(cloven, place):
    proof = cloven("breach", place / "clinic", "--exact", "--limit", 20, "--seed", 1, "--json").json["proof"]
    assert proof["clusters"]["sampled"] > 0
    assert 0 < proof["sampled"]["error"] <= 1


def test_utility_groups_leave_nothing_to_say(cloven, place, tmp_path):
    (tmp_path / "groups.json").write_text('[["Oncologist", "Cancer"]]', encoding="utf-8")
    groups = ("--utility", tmp_path / "groups.json")
    made = cloven(*D, place / "paper.csv", "-k", 3, "-m", 2, *groups, "-o", tmp_path / "r")
    assert made.code == 0, made
    ended = cloven("breach", tmp_path / "r", "--exact")
    assert ended.out.startswith("not decidable: no cluster of this release could be asked")
    assert "clusters with utility groups" in ended.out
    assert "possible worlds: not decidable" in ended.out


def test_all_attackers_for_which_enough_is_given(cloven, place):
    base = ("breach", place / "clinic", "--draws", 20, "--seed", 1, "--json")
    strong = cloven(*base).json["attackers"]
    assert [one["attacker"] for one in strong] == ["strong"]
    assert "holders" not in strong[0]
    options = (
        "--original",
        place / "clinic.csv",
        "--wordnet",
        place / "words.txt",
        "--public",
        place / "clinic.csv",
    )
    told = {one["attacker"]: one for one in cloven(*base, *options).json["attackers"]}
    assert list(told) == ["strong", "moderate", "weak (words)", "weak (public)"]
    assert told["strong"]["covers"]["mean"] > told["moderate"]["covers"]["high"] > 0
    assert told["moderate"]["draws"] == 20
    assert told["moderate"]["holders"]["low"] <= told["moderate"]["holders"]["high"]
    assert told["weak (words)"]["pairs"]["mean"] < told["moderate"]["pairs"]["mean"]
    more = cloven(*base, *options, "--attacker", "moderate", "--share", "0.5").json["attackers"]
    assert [one["attacker"] for one in more] == ["moderate"]
    assert more[0]["known"]["mean"] > told["moderate"]["known"]["mean"]


def test_holders_are_counted_where_it_leaks_if_the_key_is_given(cloven, place):
    base = ("breach", place / "clinic", "--original", place / "clinic.csv", "--attacker", "strong")
    key = ("--private", place / "clinic.private")
    anywhere = cloven(*base, "--json").json["attackers"][0]["holders"]["mean"]
    inside = cloven(*base, *key, "--json").json["attackers"][0]["holders"]["mean"]
    assert 0 < inside < anywhere
    assert "holders anywhere" in cloven(*base).out
    assert "holders anywhere" not in cloven(*base, *key).out
    cloven("breach", place / "clinic", *key).refused(2, "--private", "--original FILE")


def test_seed_gives_the_same_again(cloven, place):
    base = ("breach", place / "clinic", "--original", place / "clinic.csv", "--draws", 5)
    assert cloven(*base, "--seed", 7).out == cloven(*base, "--seed", 7).out
    assert cloven(*base, "--seed", 7).out != cloven(*base, "--seed", 8).out


def test_knowledge_of_your_own_is_used_and_the_rest_counted(cloven, place, tmp_path):
    known = tmp_path / "known.txt"
    known.write_text("Surgery,Cancer\n\nCancer,Zebra\nSurgery\nSurgery,Cancer,Oncologist\n", encoding="utf-8")
    ended = cloven("breach", place / "paper", "--attacker", known)
    assert ended.code == 0
    assert "warning: from file: 1 itemsets of more than m items" in ended.err.splitlines()
    assert ended.err.count("warning: from file: 1 ") == 4
    told = cloven("breach", place / "paper", "--attacker", known, "--json").json["attackers"][0]
    assert sum(told["left_out"].values()) == 4
    known.write_text("x,y\n\nCancer\n", encoding="utf-8")
    cloven("breach", place / "paper", "--attacker", known).refused(3, "known.txt: no itemset can be used")


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--attacker", "moderate"), 2, ("moderate", "--original FILE")),
        (("--attacker", "weak"), 2, ("weak", "--wordnet", "--public")),
        (("--attacker", "mighty"), 3, ("mighty: no such file", "strong, moderate, weak")),
        (("--share", "0"), 2, ("--share", "above 0")),
        (("--wordnet", "none"), 3, ("none: no such folder or tar file",)),
        (("--original", "none.csv"), 3, ("none.csv",)),
        (("--public", "none.csv"), 3, ("none.csv",)),
    ],
    ids=str,
)
def test_bad_options_are_refused(cloven, place, options, code, words):
    cloven("breach", place / "paper", *options).refused(code, *words)


def test_wrong_original_is_noticed(cloven, place):
    ended = cloven("breach", place / "paper", "--original", place / "clinic.csv", "--seed", 1)
    assert ended.code == 0
    assert "items of RELEASE are not in the data" in ended.err


@pytest.mark.data
def test_words_of_wordnet(cloven, place, data_dir):
    wordnet = data_dir / "text" / "wordnet-3.0-dict.tar.gz"
    ended = cloven("breach", place / "clinic", "--wordnet", wordnet, "--draws", 3, "--json")
    assert [one["attacker"] for one in ended.json["attackers"]] == ["strong", "weak (words)"]
