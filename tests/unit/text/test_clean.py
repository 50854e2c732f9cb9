"""Links, references, datelines, headers and footers of made-up documents."""

from __future__ import annotations

from collections import Counter
from time import process_time

import pytest

from cloven.text.boilerplate import Cleaning, clean, repeated_lines, without_edges
from cloven.text.words import sentences

NOTHING = Cleaning(titles=False, links=False, references=False, repeated_lines=False)


def cleaned(text: str, **rules: bool) -> str:
    return clean(text, Cleaning(**{"links": False, "references": False, **rules}), Counter())


@pytest.mark.parametrize(
    "link",
    [
        "https://example.org/a?b=c",
        "HTTP://EXAMPLE.ORG",
        "www.example.org/x",
        "ftp://host/file",
        "jane.doe+x@mail.example.co.uk",
        "doi: 10.1000/182",
        "10.1000/xyz123",
    ],
)
def test_links_go(link):
    tally: Counter[str] = Counter()
    assert clean(f"See {link} for more", Cleaning(), tally).split() == ["See", "for", "more"]
    assert tally["links"] == 1


def test_what_is_no_link_stays():
    text = "The ratio 10.5/3 at 5 p.m., e.g. cancer.org and A@B."
    assert cleaned(text, links=True) == text


BODY = "The first part is about tin.\n" * 6
LIST = "[1] A. Smith, Tin, 1987.\n[2] B. Jones et al., Lead.\n"


@pytest.mark.parametrize("heading", ["References", "7. REFERENCES:", "Bibliography", "  Works cited"])
def test_references_at_the_end_go(heading):
    assert cleaned(f"{BODY}{heading}\n{LIST}", references=True) == BODY


@pytest.mark.parametrize(
    "text",
    [
        f"{LIST}References\n{BODY}{BODY}",  # in the first half
        f"{BODY}References\nThe word stands alone here.\nThe story goes on without any list.\n",
        f"{BODY}He gave references in 1987 and pp. 3 of it.\n",  # no heading
        f"{BODY}References\n",  # nothing follows
    ],
)
def test_other_references_stay(text):
    assert cleaned(text, references=True) == text


@pytest.mark.parametrize(
    "start",
    [
        "LONDON, March 3 (Reuters) - ",
        "NEW YORK (AP) -- ",
        "  SAO PAULO, Brazil, Feb 26 - ",
        "AP - ",
        "Reuters \u2014 ",
    ],
)
def test_datelines_go(start):
    tally: Counter[str] = Counter()
    assert clean(f"{start}Tin fell.\n REUTER", Cleaning(datelines=True), tally) == "Tin fell."
    assert tally["datelines"] == 2


@pytest.mark.parametrize(
    "text", ["HIV - a virus.", "Tin fell - again.", "APES - all of them", "A Reuter story"]
)
def test_other_starts_stay(text):
    assert cleaned(text, datelines=True) == text


def test_nothing_is_taken_out_unless_asked():
    text = f"LONDON, March 3 (Reuters) - {BODY}www.example.org\nReferences\n{LIST}"
    assert clean(text, NOTHING, Counter()) == text


def report(number: int) -> str:
    patient = "abcdefghijkl"[number]
    return f"City Hospital\nPage {number} of 9\n\nPatient {patient} is well.\nThe cough\nis gone.\n\nSigned"


def test_headers_and_footers_go():
    texts = [report(number) for number in range(10)]
    repeated = repeated_lines(texts)
    assert repeated == {"city hospital", "page 0 of 0", "signed", "the cough", "is gone."}
    repeated -= {"the cough", "is gone."}
    assert without_edges(texts[3], repeated) == ("Patient d is well.\nThe cough\nis gone.", 3)


def test_rare_lines_and_few_documents_stay():
    assert repeated_lines([report(number) for number in range(4)]) == frozenset()
    others = [
        f"first {name}\nsecond {name}\nthird {name}\nlast {name}" for name in "abcdefghijklmnopqrstuvwxyz"
    ]
    assert repeated_lines([report(1)] * 5 + others) == frozenset()


def test_lines_inside_and_short_documents_stay():
    repeated = frozenset({"x"})
    assert without_edges("a\nx\nb\nc\nd", repeated) == ("a\nx\nb\nc\nd", 0)
    assert without_edges("x\nx\nx", repeated) == ("x\nx\nx", 0)
    assert without_edges("x\nx\nx\nx\nx", repeated) == ("x\nx\nx\nx\nx", 0)
    assert without_edges("x\nx\nx\nx\nx\nx\nx", repeated) == ("x", 6)
    assert without_edges("x\n\na\nb\nx\n\n", repeated) == ("a\nb", 2)


HOSTILE = [
    "a" * 100_000 + "@ x",
    "\n\t" * 50_000 + "x",
    "References\n" * 9_000,
    "Reuter" + " " * 100_000 + "x",
    "a-" * 50_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=["address", "blank lines", "headings", "sign-off", "hyphens"])
def test_hostile_text_takes_no_longer_than_other_text(text):
    start = process_time()
    clean(text, Cleaning(datelines=True), Counter())
    sentences(text)
    assert process_time() - start < 2
