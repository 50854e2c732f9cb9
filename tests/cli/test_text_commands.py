"""``cloven text``: documents to a file that every other command reads back as it was written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import tries

LOG = """AnonID\tQuery\tQueryTime\tItemRank\tClickURL
7\tnew york,ny\t2006-03-01 00:00:00\t1\thttp://example.org
7\t"x|y"; z\t2006-03-01 00:00:00
8\tlung cancer\t2006-03-01 00:00:00
8\tlung cancer\t2006-03-02 00:00:00
8\tsymptoms of lung cancer in women\t2006-03-02 00:00:00
8\t-\t2006-03-02 00:00:00
9\tgoogle\t2006-03-02 00:00:00
9\tlung cancer\t2006-03-02 00:00:00
"""


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A folder of notes, a table, a log, in which commands run."""
    monkeypatch.chdir(tmp_path)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "1.txt").write_text("Fever\nThe patient had a high fever; see https://example.org/fever.\n")
    (notes / "2.txt").write_text("Knee\nThe knees of 2 patients: chest pain, knee pain, pain.\n")
    (notes / "3.txt").write_text("Chest\nChest pain in ER patients, with fevers.\n")
    (notes / "4.txt").write_text("")
    (tmp_path / "notes.csv").write_text('name,body\n1,"A cough, a fever."\n2,A cough.\n')
    (tmp_path / "log.txt").write_text(LOG)
    return tmp_path


def records(path: str) -> list[set[str]]:
    from cloven.reading import read

    return [set(record) for record in read(path)]


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".tsv"])
def test_a_folder_becomes_records_that_are_read_back(cloven, here, ending):
    ended = cloven("text", "notes", "--title-line", "-o", f"new{ending}")
    assert ended.code == 0
    assert ended.err == "warning: notes: documents left out: 1 x empty file\n"
    assert ended.out.startswith(f"new{ending}  3 records, ")
    assert re.search(r"^  links +1 taken out$", ended.out, re.MULTILINE)
    assert re.search(r"^  numbers +1 dropped$", ended.out, re.MULTILINE)
    fever, knee, _ = records(f"new{ending}")
    assert fever == {"patient", "high", "fever"}
    assert knee == {"knee", "patient", "chest", "pain"}


def test_phrases_survive_with_their_spaces(cloven, here):
    assert cloven("text", "notes", "--title-line", "--as", "phrases", "-o", "new.csv").code == 0
    _, knee, chest = records("new.csv")
    assert knee == {"patient", "chest pain", "knee pain"}
    assert {"chest pain", "ER patient", "fever"} == chest
    assert cloven("audit", "new.csv", "-k", 2, "--no-attack", "-o", "out", "--json").code == 1


def test_json_accounts_for_every_token(cloven, here):
    facts = cloven("text", "notes.csv", "--text-column", "body", "-o", "new.csv", "--json").json
    assert facts["file"] == "new.csv"
    assert (facts["documents"], facts["records"], facts["items"], facts["occurrences"]) == (2, 2, 2, 3)
    assert facts["tokens"] == sum(facts["dropped"].values()) + facts["occurrences"]
    assert facts["type_token_ratio"] == pytest.approx(2 / 3)


def test_options_reach_the_words(cloven, here):
    def items(*options):
        out = f"{len(list(here.iterdir()))}.jsonl"
        assert cloven("text", "notes", "--title-line", "-o", out, *options).code == 0
        return set().union(*records(out))

    assert "knees" in items("--lemmas", "none")
    assert "er" in items()
    assert "ER" in items("--capitals", "keep")
    assert "high" not in items("--as", "nouns")
    assert items("--min-documents", "3") == {"patient"}
    assert "patient" not in items("--max-document-share", "0.7")
    assert "org" not in items()
    assert any("example" in item for item in items("--keep-links"))
    Path("stop.txt").write_text("Patient\nfever\n")
    assert not {"patient", "fever"} & items("--stop-words", "stop.txt")


def test_top_terms_keeps_so_many(cloven, here):
    cloven("text", "notes", "--top-terms", 2, "-o", "new.jsonl")
    assert [len(record) for record in records("new.jsonl")] == [2, 2, 2]


@pytest.mark.slow
def test_typos_are_written_beside_and_may_be_dropped(cloven, here):
    texts = ["The femoral artery."] * 12 + ["The femorla artery."]
    Path("docs.txt").write_text("\n".join(texts))
    ended = cloven("text", "docs.txt", "--format", "lines", "-o", "a.csv", "--typos", "a.typos")
    assert (ended.code, ended.err) == (0, "")
    assert "a.typos  1 likely typo: femorla (femoral)\n" in ended.out
    assert Path("a.typos").read_text() == "item\tmeant\nfemorla\tfemoral\n"
    assert {"femorla", "artery"} in records("a.csv")
    facts = cloven("text", "docs.txt", "--format", "lines", "-o", "b.csv", "--drop-typos", "--json").json
    assert facts["dropped"]["likely typos"] == 1
    assert records("b.csv")[-1] == {"artery"}


def test_topics_and_density_choose(cloven, here):
    themes = [
        "fever cough chill flu throat nose",
        "wrist fracture plaster fall bone cast",
        "heart vessel blood artery vein pulse",
    ]
    words = [theme.split() for theme in themes]
    lines = [" ".join([theme[0], *theme[1 + number % 2 :][:4]]) for theme in words for number in range(8)]
    Path("docs.txt").write_text("\n".join(lines))
    arguments = ("text", "docs.txt", "--format", "lines", "--topics", 3, "--per-topic", 4, "--top-terms", 4)
    facts = cloven(*arguments, "--min-documents", 2, "-o", "a.csv", "--seed", 1, "--json").json
    assert (facts["records"], facts["mean_length"]) == (12, 4)
    assert [topic["documents"] for topic in facts["topics"]] == [4, 4, 4]
    assert cloven(*arguments, "--min-documents", 2, "-o", "b.csv", "--seed", 1).code == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    wanted = ("--density", 0.5, "--records", 6, "--mean-length", 3)
    ended = cloven(*arguments, "--min-documents", 2, "-o", "c.jsonl", "--seed", 1, *wanted)
    assert "6 records, 9 items, 3.0 per record, type-token ratio 0.50" in ended.out
    assert "drawn from" in ended.out
    assert ended.out.count("\ntopic  ") == 3


def test_queries_make_a_record_of_each_user(cloven, here):
    ended = cloven("text", "log.txt", "--queries", "-o", "new.csv")
    assert (ended.code, ended.err) == (0, "")
    assert re.search(r"^  users +3$", ended.out, re.MULTILINE)
    first, second, third = records("new.csv")
    assert first == {"new york,ny", "x|y z"}
    assert {"lung cancer", "symptom", "woman"} == second
    assert third == {"google", "lung cancer"}
    assert "7" not in Path("new.csv").read_text()
    facts = cloven("text", "log.txt", "--queries", "--limit", 1, "-o", "one.csv", "--json").json
    assert (facts["users"], facts["records"], facts["items"]) == (1, 1, 2)


def test_records_that_csv_would_make_a_table_of_need_json(cloven, here, nothing_written):
    """All lines alike in width, and the first without an item of another: a reader takes it for column names."""
    pairs = ["zulu yankee"] + ["alpha bravo", "bravo charlie", "charlie alpha"] * 3
    Path("docs.txt").write_text("\n".join(pairs))
    nothing_written()
    cloven("text", "docs.txt", "--format", "lines", "-o", "new.csv").refused(
        2, "new.csv: as .csv", "ends in .jsonl"
    )


@settings(deadline=None, max_examples=tries(60))
@given(
    st.lists(
        st.sets(st.text("ab ,;|\t\"'é-", min_size=1).map(str.strip).filter(bool), min_size=1), min_size=1
    )
)
def test_what_is_written_is_read_back_or_refused(tmp_path_factory, found):
    from cloven.cli.text import ENDINGS, write_records
    from cloven.data.transactions import Transactions
    from cloven.errors import ParameterError
    from cloven.reading import read

    data, folder = Transactions.from_records(found), tmp_path_factory.mktemp("records")
    for ending in ENDINGS:
        place = folder / f"data{ending}"
        try:
            write_records(place, data, place)
        except ParameterError:
            assert ending != ".jsonl"
        else:
            assert read(place) == data


# One of each way to refuse; files and options that are refused are held in tests/unit/text.
# arguments, exit code, words of the message
REFUSED = [
    (("notes",), 2, ("Missing option", "-o")),
    (("none", "-o", "x.csv"), 3, ("none: there is no such file or folder",)),
    (("notes", "-o", "x.xls"), 2, ("x.xls: records are written to .jsonl, .csv, .tsv",)),
    (("notes", "-o", "notes.csv"), 4, ("notes.csv: exists already",)),
    (("notes", "-o", "x.csv", "--typos", "x.csv"), 2, ("two outputs cannot have one name",)),
    (("notes", "-o", "x.csv", "--typos", "log.txt"), 4, ("log.txt: exists already",)),
    (("notes", "-o", "x.csv", "--typos", "t", "--drop-typos"), 2, ("--typos does not go with --drop-typos",)),
    (("notes", "-o", "x.csv", "--as", "verbs"), 2, ("must be one of words, nouns, phrases, got 'verbs'",)),
    (("notes", "-o", "x.csv", "--encoding", "klingon"), 2, ("unknown encoding 'klingon'",)),
    (("notes", "-o", "x.csv", "--min-documents", "99"), 3, ("no item is left", "loosen --min-documents")),
    (("notes", "-o", "x.csv", "--max-document-share", "1.5"), 2, ("above 0 and of at most 1, got '1.5'",)),
    (("notes", "-o", "x.csv", "--max-bytes", "9"), 3, ("more than 9 bytes", "raise --max-bytes")),
    (("notes", "-o", "x.csv", "--per-topic", "2"), 2, ("--per-topic does nothing without --topics",)),
    (("notes", "-o", "x.csv", "--mean-length", "2"), 2, ("--mean-length does nothing without --density",)),
    (("notes", "-o", "x.csv", "--topics", "2"), 2, ("--topics must be between 1 and",)),
    (("notes", "-o", "x.csv", "--density", "0.5"), 2, ("--mean-length must be between 1 and",)),
    (("notes.csv", "-o", "x.csv", "--delimiter", "ab"), 2, ("--delimiter must be one character",)),
    (("log.txt", "-o", "x.csv", "--queries", "--topics", "2"), 2, ("--queries goes with --density",)),
    (("log.txt", "-o", "x.csv", "--queries", "--as", "nouns"), 2, ("--queries takes only --stop-words",)),
    (("log.txt", "-o", "x.csv", "--queries", "--format", "csv"), 2, ("only --limit and --max-bytes fit",)),
    (("log.txt", "-o", "x.csv", "--queries", "--typos", "t"), 2, ("--typos does not go with --queries",)),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "words"), REFUSED, ids=[" ".join(r[0])[:60] for r in REFUSED])
def test_mistakes_end_with_one_line_and_leave_nothing(cloven, here, nothing_written, arguments, code, words):
    if "notes" in arguments:
        (here / "notes" / "4.txt").unlink()  # whose warning would be a second line
    nothing_written()
    cloven("text", *arguments).refused(code, *words)
