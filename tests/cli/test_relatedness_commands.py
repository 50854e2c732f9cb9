"""``cloven relatedness``: every command for people and for machines, and what it refuses."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

R = ("relatedness",)
NOTES = [
    "The patient has a fever and a cough; the flu is likely.",
    "Fever, cough and chills: the flu again.",
    "Coughing for two weeks, fevers at night, flu test negative.",
    "A fractured wrist after a fall; plaster for six weeks.",
    "The wrist fracture was set and put in plaster.",
    "Fall on ice, fracture of the wrist, plaster cast.",
    "Blood vessels of the leg are narrow.",
    "A blood vessel burst in the leg.",
]
PAIRS = "asthma;inhaler;9\nfever;cough;8\nfracture;plaster;8.5\nasthma;fracture;1\nfever;plaster;0.5\nzzyzx;fever;2\n"


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A folder with a corpus, records, word pairs and a list of items, in which commands run."""
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"text": text}) for text in NOTES]
    (tmp_path / "notes.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "pairs.txt").write_text(PAIRS)
    (tmp_path / "items.txt").write_text("fever\ncough\nblood vessel\nplaster\nfever\nunicorn\n")
    (tmp_path / "records.csv").write_text("flu,fever\nflu,fever,cough\nknee,pain\nknee,pain,fall\n")
    return tmp_path


@pytest.fixture
def index(cloven, here) -> str:
    ended = cloven(
        *R, "index", "notes.jsonl", "--as", "words", "--all", "-o", "notes.index", "--date", "2026-01-31"
    )
    assert (ended.code, ended.err) == (0, "")
    return "notes.index"


def test_forms_lists_every_form_once(cloven):
    from cloven.relatedness.spec import forms

    ended = cloven(*R, "forms")
    assert (ended.code, ended.err) == (0, "")
    for form in forms().values():
        assert re.search(rf"^  {re.escape(form.usage)}  +{re.escape(form.about)}$", ended.out, re.MULTILINE)
    assert {"shuffled:SPEC", "SPEC|SPEC"} < set(cloven(*R, "forms", "--json").json["forms"])


def test_forms_names_what_is_not_installed(cloven, monkeypatch):
    for module in ("tantivy", "sklearn"):
        monkeypatch.setitem(sys.modules, module, None)
    assert 'pip install "cloven[text]"' in cloven(*R, "forms").out.splitlines()[-1]
    missing = cloven(*R, "forms", "--json").json["missing_packages"]
    assert missing == {"scikit-learn": "topics", "tantivy": "indexes of large corpora"}


def test_show_tells_scores_and_ways(cloven):
    words = ("asthma", "inhaler", "Fractures", "asthma inhaler", "zzyzx")
    ended = cloven(*R, "show", "sample", *words)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith("no score: zzyzx\n")
    found = cloven(*R, "show", "sample", *words, "--json").json
    assert found["found"] == dict(zip(words, ("exact", "exact", "lemma", "parts", "not found"), strict=True))
    assert found["scores"][4] == [None] * 5
    assert found["scores"][0][1] == found["scores"][1][0] == pytest.approx(0.549, abs=1e-3)


def test_show_of_a_back_filled_measure_says_which_part_knew(cloven, index):
    found = cloven(*R, "show", f"ngd:{index}|sample", "wrist", "fever", "asthma", "zzyzx", "--json").json
    assert found["measure"] == "ngd|vectors"
    ways = {"wrist": "counted", "fever": "counted", "asthma": "back-filled"}
    assert found["found"] == ways | {"zzyzx": "not found"}
    # Each part refuses to be asked about nothing that it knows; the way is then told in general.
    told = cloven(*R, "show", f"ngd:{index}|sample", "wrist", "asthma", "--json").json["found"]
    assert told["asthma"] == "back-filled"


def test_show_learns_from_a_release(cloven, made):
    ended = cloven(*R, "show", "learned", "asthma", "inhaler", "--release", made.out, "--json")
    assert (ended.code, ended.json["measure"]) == (0, "learned")
    assert ended.json["found"]["asthma"] == "exact"


def test_evaluate_for_people(cloven, here):
    ended = cloven(*R, "evaluate", "sample", "pairs.txt", "pairs.txt", "--seed", 1)
    assert (ended.code, ended.err) == (0, "")
    rows = re.findall(r"^  pairs +6 +1 +0\.\d{3} \[-?\d\.\d{3} - \d\.\d{3}\]", ended.out, re.MULTILINE)
    assert len(rows) == 2
    assert "pairs, no score: zzyzx/fever" in ended.out


def test_evaluate_for_machines_is_what_the_library_says(cloven, here):
    from numpy.random import default_rng

    from cloven.relatedness.evaluation import evaluate, read_benchmark
    from cloven.relatedness.spec import parse

    found = cloven(*R, "evaluate", "sample", "pairs.txt", "--seed", 3, "--json").json
    expected = evaluate(parse("sample"), read_benchmark("pairs.txt"), default_rng(3)).to_dict()
    assert found == {"spec": "sample", "benchmarks": [json.loads(json.dumps(expected))]}


def test_evaluate_by_frequency(cloven, here, index):
    arguments = (*R, "evaluate", "sample", "pairs.txt", "--frequency", index, "--bins", 2)
    steps = cloven(*arguments, "--json").json["benchmarks"][0]["by_frequency"]
    assert sum(step["pairs"] + step["unscored"] for step in steps) == 6
    assert steps[0]["low"] == 0
    assert "by frequency of the rarer word" in cloven(*arguments).out


def test_evaluate_writes_null_where_there_is_no_number(cloven, here):
    """Scores that are all alike have no correlation; JSON has no NaN."""
    Path("alike.txt").write_text("flu flu\nknee knee\nfall fall\n")
    assert cloven(*R, "index", "alike.txt", "--format", "lines", "--all", "-o", "alike.index").code == 0
    Path("alike.pairs").write_text("flu,knee,1\nflu,fall,2\nknee,fall,3\n")
    found = cloven(*R, "evaluate", "ngd:alike.index", "alike.pairs", "--json").json["benchmarks"][0]
    assert found["pearson"]["value"] is None
    assert "(all scores alike)" in cloven(*R, "evaluate", "ngd:alike.index", "alike.pairs").out


def test_table_4_1_recomputes_the_printed_correlations(cloven):
    rows = cloven(*R, "table-4-1", "--seed", 1, "--json").json["rows"]
    assert [round(row["pearson"]["value"], 2) for row in rows] == [row["printed"] for row in rows]
    assert [row["printed"] for row in rows] == [0.72, 0.75, 0.72, 0.65]


@pytest.mark.data
def test_real_vectors_stand_beside_the_printed_columns(cloven, data_dir):
    spec = f"vectors:{data_dir}/vectors/glove_6b_100d_150k.npy"
    mine = cloven(*R, "table-4-1", spec, "--seed", 1, "--json").json["rows"][-1]
    assert (mine["measure"], mine["printed"], mine["scored"]) == (spec, None, 30)
    assert mine["pearson"]["value"] == pytest.approx(0.634, abs=0.01)
    again = cloven(*R, "evaluate", spec, "--table-4-1", "--json").json["benchmarks"]
    assert [one["benchmark"] for one in again] == ["Table 4.1"]
    assert again[0]["pearson"]["value"] == mine["pearson"]["value"]


def test_cache_is_as_good_as_its_source(cloven, here):
    Path("small.txt").write_text("flu 1 0\nfever 0.9 0.1\nknee 0 1\n")
    ended = cloven(*R, "cache", "small.txt", "-o", "small.cache")
    assert (ended.code, ended.err, ended.out) == (0, "", "small.cache  3 words, 2 dimensions\n")
    shown = [
        cloven(*R, "show", f"vectors:{name}", "flu", "fever", "--json").json["scores"]
        for name in ("small.txt", "small.cache")
    ]
    assert shown[0] == shown[1]
    cloven(*R, "cache", "small.txt", "-o", "small.cache").refused(4, "small.cache: exists already")
    Path("small.txt").write_text("flu 1 0\nfever 0.9 0.2\nknee 0 1\n")
    cloven(*R, "show", "vectors:small.cache", "flu").refused(3, "stale", "has changed")


def test_train_on_documents_lemmatised_as_text_is(cloven, here):
    ended = cloven(*R, "train", "notes.jsonl", "-o", "notes.vectors", "--dimensions", 3, "--json")
    assert (ended.code, ended.err) == (0, "")
    facts = ended.json
    assert (facts["documents"], facts["dimensions"], facts["source"]) == (8, 3, "notes.jsonl")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", facts["date"])
    found = cloven(*R, "show", "corpus:notes.vectors", "fevers", "cough", "plaster", "--json").json
    assert found["found"]["fevers"] == "lemma"
    assert found["scores"][0][1] > 0.5 > found["scores"][0][2]


def test_train_on_records(cloven, here):
    for name, options in (("records.csv", ()), ("long.csv", ("--id-column", "id", "--item-column", "item"))):
        if options:
            records = Path("records.csv").read_text().splitlines()
            rows = [f"{row},{item}\n" for row, record in enumerate(records) for item in record.split(",")]
            Path(name).write_text("id,item\n" + "".join(rows))
        out = f"{name}.vectors"
        arguments = (
            "--transactions",
            *options,
            "--dimensions",
            2,
            "--source",
            "clinic",
            "--date",
            "2026-01-31",
        )
        facts = cloven(*R, "train", name, "-o", out, *arguments, "--json").json
        assert (facts["words"], facts["documents"]) == (4, 4)
        assert (facts["source"], facts["date"]) == ("clinic", "2026-01-31")
        scores = cloven(*R, "show", f"corpus:{out}", "flu", "fever", "knee", "--json").json["scores"]
        assert scores[0][1] > 0.9 > 0.1 > scores[0][2]


def test_index_of_texts_finds_phrases_as_written(cloven, here):
    ended = cloven(
        *R, "index", "notes.jsonl", "--items", "items.txt", "-o", "as-written", "--source", "notes"
    )
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "as-written  5 terms in 8 documents\n"
    cloven(*R, "counts", "as-written", "items.txt", "-o", "counts.jsonl")
    header, *lines = [json.loads(line) for line in Path("counts.jsonl").read_text().splitlines()]
    assert (header["source"], header["documents"], header["unlisted"]) == ("notes", 8, "never")
    assert lines[:4] == [["fever", 2], ["cough", 2], ["blood vessel", 1], ["plaster", 3]]
    assert ["fever", "cough", 2] in lines


def test_index_of_lemmas_counts_them(cloven, here, index):
    counted = cloven(*R, "counts", index, "items.txt", "-o", "lemmas.jsonl", "--json").json
    assert counted["date"] == "2026-01-31"
    assert (counted["items"], counted["items_found"], counted["documents"]) == (5, 3, 8)
    assert ["fever", 3] in [json.loads(line) for line in Path("lemmas.jsonl").read_text().splitlines()[1:]]


def test_index_by_tantivy_finds_stems(cloven, here):
    for name, options, vessels in (("plain", (), 1), ("stems", ("--stem",), 2)):
        ended = cloven(*R, "index", "notes.jsonl", "--engine", "tantivy", "-o", name, *options)
        assert (ended.code, ended.err, ended.out) == (0, "", f"{name}  8 documents\n")
        cloven(*R, "counts", name, "items.txt", "-o", f"{name}.jsonl")
        lines = [json.loads(line) for line in Path(f"{name}.jsonl").read_text().splitlines()]
        assert ["blood vessel", vessels] in lines


def test_items_may_be_those_of_a_release(cloven, here, made):
    arguments = ("notes.jsonl", "--items", made.out, "-o", "clinic.index", "--json")
    assert cloven(*R, "index", *arguments).json["terms"] == 344  # of 423, 79 are withheld
    counted = cloven(*R, "counts", "clinic.index", made.out, "-o", "clinic.jsonl", "--json").json
    assert counted["items"] == 344
    assert (
        cloven(*R, "show", "ngd:clinic.jsonl", "fever", "cough", "--json").json["found"]["fever"] == "counted"
    )


WEB = ("counts", "http://localhost/{query}", "items.txt", "-o", "new")
# One of each way in which a command refuses; files and measures that are refused are held in tests/unit/relatedness.
# arguments, exit code, words of the message
REFUSED = [
    (("show", "sample"), 2, ("Missing argument", "WORD")),
    (("show", "sample", " "), 2, ("a word must not be blank",)),
    (("show", "vectors:pairs.txt", "flu"), 3, ("pairs.txt:1: not a vector file",)),
    (("show", "magic:pairs.txt", "flu"), 2, ("no measure is called 'magic'",)),
    (("show", "learned", "flu"), 2, ("'learned' needs a release",)),
    (("show", "sample", "flu", "--wordnet", "none"), 3, ("none: there is no such file or folder",)),
    (("evaluate", "sample"), 2, ("name at least one BENCHMARK",)),
    (("evaluate", "sample", "none.txt"), 3, ("none.txt: no such file",)),
    (("evaluate", "sample", "records.csv"), 3, ("records.csv:2: expected a word, a word and a score",)),
    (("evaluate", "sample", "pairs.txt", "--frequency", "pairs.txt"), 3, ("pairs.txt:1: expected {",)),
    (("cache", "none.txt", "-o", "new"), 3, ("none.txt: cannot be read",)),
    (("cache", "pairs.txt", "-o", "items.txt"), 4, ("items.txt: exists already",)),
    (("cache", "pairs.txt", "-o", "no/new"), 4, ("no: no such folder",)),
    (("train", "notes.jsonl", "-o", "new"), 2, ("--dimensions 100 is more than the", "choose at most")),
    (("train", "notes.jsonl", "-o", "new", "--smoothing", "nan"), 2, ("above 0 and of at most 1, got 'nan'",)),
    (("train", "notes.jsonl", "-o", "new", "--date", "May"), 2, ("--date must be a date", "'May'")),
    (("train", "notes.jsonl", "-o", "new", "--column", "a"), 2, ("are for --transactions",)),
    (("train", "records.csv", "-o", "new", "--transactions", "--title-line"), 2, ("takes only --delimiter",)),
    (("train", "records.csv", "-o", "new", "--transactions", "--as", "nouns"), 2, ("'What becomes an item'",)),
    (("index", "notes.jsonl", "-o", "new"), 2, ("either --items FILE or --all",)),
    (("index", "notes.jsonl", "-o", "new", "--all", "--stem"), 2, ("--stem needs --engine tantivy",)),
    (("index", "notes.jsonl", "-o", "new", "--all", "--keep-titles"), 2, ("do not go with --as text",)),
    (("index", "notes.jsonl", "-o", "new", "--engine", "tantivy", "--all"), 2, ("leave --items, --all out",)),
    (("index", "notes.jsonl", "-o", "new", "--engine", "tantivy", "--as", "words"), 2, ("use --engine closed",)),
    (("counts", ".", "items.txt", "-o", "new"), 3, ("not an index of a corpus",)),
    (("counts", "records.csv", "items.txt", "-o", "new", "--limit", "3"), 2, ("--limit is for web searches",)),
    (("counts", "http://localhost/", *WEB[2:]), 2, ("must hold {query}",)),
    (WEB, 2, ("--documents must say",)),
    ((*WEB, "--documents", "9"), 2, ("one of --pointer (JSON) and --pattern",)),
    ((*WEB, "--documents", "9", "--pattern", "\\d"), 2, ("it needs a group",)),
    ((*WEB, "--documents", "9", "--pattern", "(.)", "--headers", "items.txt"), 3, ("items.txt:1: expected 'Name",)),
    ((*WEB, "--documents", "9", "--pattern", "(.)", "--cache", "items.txt"), 3, ("items.txt: the cache",)),
    ((*WEB, "--documents", "9", "--pattern", "(.)", "--limit", "0"), 3, ("the limit of 0 requests",)),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "words"), REFUSED, ids=[" ".join(r[0])[:60] for r in REFUSED])
def test_mistakes_end_with_one_line_and_leave_nothing(cloven, here, nothing_written, arguments, code, words):
    nothing_written()
    cloven(*R, *arguments).refused(code, *words)


def test_nothing_is_put_into_a_release(cloven, here, made):
    inside = made.out / "vectors"
    arguments = (*R, "train", "records.csv", "--transactions", "--dimensions", 2, "-o", inside)
    cloven(*arguments).refused(4, "lies inside the release")
    assert not inside.exists()
