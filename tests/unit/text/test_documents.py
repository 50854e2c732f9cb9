"""Reading documents: folders, archives, tables, the two corpora; limits and bad input. All texts are made up."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from cloven.errors import InputError
from cloven.text.documents import Document, DocumentOptions, read_documents

TEXTS = {"b/two.txt": "Two fish.\n", "a/one.txt": "A title\n\nOne fish.\n", ".hidden": "no", "c.md": "Three."}


def tar_of(files: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in files.items():
            content = text.encode() if isinstance(text, str) else text
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zip_of(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def names(path: Path, **options) -> list[str]:
    return [document.name for document in read_documents(path, DocumentOptions(**options))]


def test_folder_is_read_by_name_without_hidden_files(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "a" / "blank.txt").write_text(" \n")
    corpus = read_documents(tmp_path)
    assert [d.name for d in corpus] == ["a/one.txt", "b/two.txt", "c.md"]
    assert (corpus.format, corpus.dropped) == ("files", {"empty file": 1})
    assert names(tmp_path, pattern="*.txt") == ["a/one.txt", "b/two.txt"]
    assert names(tmp_path, pattern="b/*") == ["b/two.txt"]


ARCHIVES = {
    "x.tar": tar_of(TEXTS),
    "x.tar.gz": gzip.compress(tar_of(TEXTS)),
    "x.tgz": gzip.compress(tar_of(TEXTS)),
    "x.tar.zst": zstandard.ZstdCompressor().compress(tar_of(TEXTS)),
    "x.zip": zip_of(TEXTS),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_are_read_in_their_order_and_nothing_is_written(tmp_path, name):
    (tmp_path / name).write_bytes(ARCHIVES[name])
    assert names(tmp_path / name) == ["b/two.txt", "a/one.txt", "c.md"]
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert names(tmp_path / name, limit=1) == ["b/two.txt"]


@pytest.mark.parametrize("name", ARCHIVES)
def test_archive_has_a_limit(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(ARCHIVES[name])
    with pytest.raises(InputError, match="holds more than 20 bytes once unpacked; raise max_bytes"):
        read_documents(path, DocumentOptions(max_bytes=20))


@pytest.mark.parametrize("name", [name for name in ARCHIVES if name != "x.tar"])
def test_damaged_archive(tmp_path, name):
    (tmp_path / name).write_bytes(ARCHIVES[name][:-40])
    with pytest.raises(InputError, match="cannot be unpacked"):
        read_documents(tmp_path / name)


def test_links_in_a_tar_are_passed_over(tmp_path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        link = tarfile.TarInfo("passwords")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        info = tarfile.TarInfo("../../up.txt")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"fish"))
    (tmp_path / "x.tar").write_bytes(out.getvalue())
    assert read_documents(tmp_path / "x.tar").documents == (Document("../../up.txt", "fish"),)
    assert [path.name for path in tmp_path.iterdir()] == ["x.tar"]


def test_first_line_as_title(tmp_path):
    (tmp_path / "a.txt").write_text("Joint infections.\n Most are rare.\n")
    (found,) = read_documents(tmp_path, DocumentOptions(title_line=True))
    assert (found.title, found.text) == ("Joint infections.", " Most are rare.\n")


def test_lines_are_documents(tmp_path):
    (tmp_path / "a.txt").write_text("one\n\ntwo\n")
    corpus = read_documents(tmp_path / "a.txt", DocumentOptions(format="lines"))
    assert [(d.name, d.text) for d in corpus] == [("a.txt:1", "one"), ("a.txt:3", "two")]
    assert corpus.dropped == {"blank line": 1}


def test_text_must_be_text(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"fine\nna\xefve\n")
    with pytest.raises(InputError, match=r"a\.txt:2: not utf-8; name its encoding"):
        read_documents(tmp_path)
    assert read_documents(tmp_path, DocumentOptions(encoding="latin-1")).documents[0].text == "fine\nnaïve\n"
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfx\n\0y")
    with pytest.raises(InputError, match=r"a\.txt:2: holds a NUL"):
        read_documents(tmp_path)


def test_csv_with_title_and_name(tmp_path):
    path = tmp_path / "notes.csv.gz"
    long = "word " * 40_000
    path.write_bytes(gzip.compress(f'id,head,body\n7,"A, B","two\nlines"\n8,,{long}\n9,,\n'.encode()))
    options = DocumentOptions(text_column="body", title_column="head", name_column="id")
    corpus = read_documents(path, options)
    assert corpus.documents == (Document("7", "two\nlines", "A, B"), Document("8", long, None))
    assert corpus.dropped == {"no text": 1}
    assert names(path, text_column="body") == ["line 3", "line 4"]


def test_csv_without_header_and_tsv(tmp_path):
    (tmp_path / "a.csv").write_text("3,Title,Text one\n")
    options = DocumentOptions(header=False, text_column="3", title_column="2")
    assert read_documents(tmp_path / "a.csv", options).documents == (Document("line 1", "Text one", "Title"),)
    (tmp_path / "a.tsv").write_text("id\ttext\n1\tOne, two\n")
    assert read_documents(tmp_path / "a.tsv").documents == (Document("line 2", "One, two"),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id,body\n1,x\n", r"a\.csv: no column 'text'; the columns are 'id', 'body'"),
        (b"id,text\n1,x\n2,y,z\n", r"a\.csv:3: 3 cells where there are 2 columns"),
        (b'id,text\n1,"x\n', r"a\.csv:2: not CSV: unexpected end of data"),
        (b"id,text\n1,na\xefve\n", r"a\.csv:\d: not utf-8 after this line; name its encoding"),
        (b"id,text\n", r"no document found as format 'csv' \(nothing matches\)"),
    ],
)
def test_bad_csv(tmp_path, content, message):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_documents(tmp_path / "a.csv")


def test_csv_leaves_the_limit_of_the_process_alone(tmp_path):
    import csv

    before = csv.field_size_limit()
    (tmp_path / "a.csv").write_text("id,text\n1,x\n2,y,z\n")
    with pytest.raises(InputError):
        read_documents(tmp_path / "a.csv")
    assert csv.field_size_limit() == before


def test_json_lines(tmp_path):
    rows = [{"text": "Fever.", "head": "A", "n": 4}, {"text": None, "head": None, "n": 5}]
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")
    corpus = read_documents(tmp_path / "a.jsonl", DocumentOptions(title_column="head", name_column="n"))
    assert (corpus.documents, corpus.dropped) == ((Document("4", "Fever.", "A"),), {"no text": 1})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", r"a\.jsonl:2: not JSON: "),
        (b"[1]", r"a\.jsonl:2: expected an object with the field 'text' \(got '\[1\]'\)"),
        (b'{"body": "x"}', r"a\.jsonl:2: no field 'text'; the fields are 'body'"),
        (b'{"text": 3}', r"a\.jsonl:2: field 'text' must hold text \(got '3'\)"),
        (b'{"text": "\xff"}', r"a\.jsonl:2: not utf-8"),
    ],
)
def test_bad_json_lines(tmp_path, line, message):
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "fine"}\n' + line + b"\n")
    with pytest.raises(InputError, match=message):
        read_documents(tmp_path / "a.jsonl")


PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<Document id="1"><Focus>Measles</Focus><QAPairs>
<QAPair><Question>What?</Question><Answer>A rash &amp; a
fever.</Answer></QAPair><QAPair><Question>How?</Question><Answer>  </Answer></QAPair>
<QAPair><Question>Who?</Question><Answer>Children.</Answer></QAPair></QAPairs></Document>"""
EMPTY_PAGE = "<Document><Focus>Mumps</Focus><QAPairs><QAPair><Answer/></QAPair></QAPairs></Document>"
LAUGHS = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><Document><Answer>&b;</Answer></Document>'
OUTSIDE = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><Document><Answer>&x;</Answer></Document>'


def test_medquad_pages(tmp_path):
    (tmp_path / "m.tar").write_bytes(tar_of({"1/1.xml": PAGE, "1/2.xml": EMPTY_PAGE, "readme.txt": "no"}))
    corpus = read_documents(tmp_path / "m.tar", DocumentOptions(format="medquad"))
    assert corpus.documents == (Document("1/1.xml", "A rash & a\nfever.\n\nChildren.", "Measles"),)
    assert corpus.dropped == {"page without an answer": 1}


@pytest.mark.parametrize("page", [LAUGHS, OUTSIDE])
def test_medquad_refuses_declarations(tmp_path, page):
    (tmp_path / "m.tar").write_bytes(tar_of({"1.xml": page}))
    with pytest.raises(InputError, match=r"m\.tar\[1\.xml\]: holds a document type declaration"):
        read_documents(tmp_path / "m.tar", DocumentOptions(format="medquad"))


def test_medquad_bad_page_names_its_line(tmp_path):
    (tmp_path / "1.xml").write_text("<Document>\n<Answer>x</Document>")
    with pytest.raises(InputError, match=r"1\.xml:2: not XML: mismatched tag"):
        read_documents(tmp_path, DocumentOptions(format="medquad"))


STORIES = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="NO" NEWID="4"><DATE>1-MAR-1987</DATE><TEXT>&#2;
<TITLE>TIN &lt;TT> FALLS</TITLE><DATELINE>LONDON, March 1 - </DATELINE><BODY>Tin fell.
 Reuter
&#3;</BODY></TEXT></REUTERS>
<REUTERS NEWID="5"><TEXT TYPE="BRIEF"><TITLE>NO BODY</TITLE></TEXT></REUTERS>
"""


def test_reuters_stories(tmp_path):
    (tmp_path / "reut2-000.sgm").write_bytes(STORIES.encode("latin-1"))
    corpus = read_documents(tmp_path, DocumentOptions(format="reuters"))
    assert corpus.documents == (Document("reut2-000.sgm:4", "Tin fell.\n Reuter", "TIN <TT> FALLS"),)
    assert corpus.dropped == {"story without a body": 1}


def test_reuters_open_story(tmp_path):
    (tmp_path / "a.sgm").write_text(STORIES.replace("</REUTERS>", "", 1))
    with pytest.raises(InputError, match=r"a\.sgm:2: a story is not closed"):
        read_documents(tmp_path, DocumentOptions(format="reuters"))
