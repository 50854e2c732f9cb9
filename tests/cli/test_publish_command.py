"""``cloven publish``: what is published is noted by it and by nothing else, and only that is held against others."""

from __future__ import annotations

import re
import shlex
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError

import numpy as np
import pytest

import cloven as cv
from cloven.cli.spark import compared_by_receipts
from cloven.errors import GuaranteeError
from cloven.storage.inspection import verify_folder
from cloven.storage.ledger import Ledger
from cloven.storage.ledger_file import Note, note
from cloven.storage.publication import publish

LOOSE = ("--quick", "--no-advise", "--max-risk", 1, "--max-tail", 1)
D = ("anonymise", "disassociation")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.delenv("CLOVEN_LEDGER", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Items that say nothing of each other."""
    path, draw = tmp_path_factory.mktemp("small") / "small.csv", np.random.default_rng(1)
    records = (draw.choice(20, draw.integers(3, 7), replace=False) for _ in range(400))
    path.write_text(
        "".join(",".join(f"item{each:02}" for each in sorted(record)) + "\n" for record in records)
    )
    return path


def audited(cloven, file, out, *options):
    return cloven("audit", file, *LOOSE, "-o", out, "--json", *options)


def test_a_release_that_was_only_audited_is_not_held_against_the_next(cloven, small):
    for out, k in (("first", 3), ("second", 4)):
        ended = audited(cloven, small, out, "-k", k)
        assert (ended.code, ended.json["decision"]["verdict"]) == (0, "publish"), ended


def test_a_release_that_was_only_made_is_not_held_against_the_next(cloven, small):
    cloven(*D, small, "-k", 3, "-o", "first")
    assert "somebody who has both" not in cloven(*D, small, "-k", 4, "-o", "second").err


def test_what_is_published_is_held_against_the_next(cloven, small):
    audited(cloven, small, "first", "-k", 3)
    done = cloven("publish", "first")
    assert (done.code, done.err) == (0, "")
    assert "first/published" in done.out
    ended = audited(cloven, small, "second", "-k", 4)
    assert (ended.code, ended.json["decision"]["verdict"]) == (1, "do not publish")
    assert "published on" in ended.json["decision"]["reasons"][0]
    cloven("publish", "second").refused(1, "do not publish", "--anyway")


def test_of_two_good_ones_the_second_is_refused_once_the_first_is_out(cloven, small):
    audited(cloven, small, "first", "-k", 3)
    audited(cloven, small, "second", "-k", 4)
    assert cloven("publish", "first").code == 0
    cloven("publish", "second").refused(1, "first", "audit again")
    assert cloven("publish", "second", "--anyway").code == 0


@pytest.mark.parametrize(("start", "code"), [(150, 1), (300, 0)])
def test_two_good_ones_of_some_of_the_same_people(cloven, tmp_path, start, code):
    draw = np.random.default_rng(2)
    lines = [",".join(f"item{each:02}" for each in sorted(draw.choice(20, 6, False))) for _ in range(600)]
    for name, part in (("spring", lines[:300]), ("summer", lines[start : start + 300])):
        (tmp_path / f"{name}.csv").write_text("\n".join(part) + "\n")
        assert audited(cloven, f"{name}.csv", name, "-k", 10).code == 0
    assert cloven("publish", "spring").code == 0
    assert cloven("publish", "summer").code == code


def test_what_was_never_audited_is_refused_unless_its_owner_insists(cloven, small):
    cloven(*D, small, "-o", "out")
    cloven("publish", "out").refused(1, "no audit", "cloven audit", "publish what that writes", "--anyway")
    assert cloven("publish", "out", "--anyway").code == 0


def test_an_audit_elsewhere_of_the_same_bytes_counts(cloven, small):
    cloven(*D, small, "-k", 3, "-o", "out")
    audited(cloven, small, "judged", "-k", 3)
    assert cloven("publish", "out").code == 0


def test_a_verdict_against_it_is_refused(cloven, small):
    ended = cloven("audit", small, "--quick", "--no-advise", "--max-risk", 0, "-o", "out")
    assert ended.code == 1
    cloven("publish", "out").refused(1, "do not publish", "--anyway")


def test_published_twice_is_noted_once(cloven, small):
    audited(cloven, small, "out")
    assert cloven("publish", "out").code == 0
    again = cloven("publish", "out/published")  # as the audit names it
    assert again.code == 0
    assert "already" in again.out
    (entry,) = cloven("ledger", "--json").json["releases"]
    assert entry["published"] is not None


def test_what_is_no_release_or_was_changed_is_refused(cloven, small, tmp_path):
    cloven("publish", "nowhere").refused(3, "nowhere")
    audited(cloven, small, "out")
    shutil.copytree("out", "copy")
    cloven("publish", "copy").refused(3, "no private folder")
    manifest = tmp_path / "out" / "published" / "manifest.json"
    manifest.write_text(manifest.read_text() + " ")
    ended = cloven("publish", "out", "--anyway")
    assert ended.code in (1, 3)
    assert cloven("ledger", "--json").json["releases"][0]["published"] is None


def test_a_ledger_folder_remembers_what_was_published(cloven, small):
    audited(cloven, small, "first", "-k", 3, "--ledger", "notes")
    assert cloven("publish", "first", "--ledger", "notes").code == 0
    shutil.rmtree("first.private")
    (entry,) = cloven("ledger", "notes", "--json").json["releases"]
    assert entry["published"] is not None
    ended = audited(cloven, small, "second", "-k", 4, "--ledger", "notes")
    assert ended.json["decision"]["verdict"] == "do not publish"


def said_no(private, people=10_000, **limits):
    """An audit of the same release that asked other people, and said no."""
    accepted = {"max_risk": 1, "max_tail": 1, "min_utility": 0, "standard": 0} | limits
    note(private, Note.now("do not publish", alone="do not publish", limits=accepted, people=people))


def test_asking_other_people_does_not_undo_a_verdict(cloven, small, tmp_path):
    audited(cloven, small, "first", "-k", 3)
    said_no(tmp_path / "first.private")
    again = audited(cloven, small, "second", "-k", 3, "--seed", 7)
    assert (again.code, again.json["decision"]["verdict"]) == (1, "do not publish")
    assert "said of this very release: do not publish" in again.json["decision"]["reasons"][0]
    cloven("publish", "first").refused(1, "do not publish")
    assert audited(cloven, small, "third", "-k", 4).code == 0, "another release"


@pytest.mark.parametrize("before", [{"max_risk": 0.1}, {"min_utility": 0.5}, {"people": 500}])
def test_a_verdict_on_less_does_not_bind(cloven, small, tmp_path, before):
    audited(cloven, small, "first", "-k", 3)
    said_no(tmp_path / "first.private", **before)
    assert audited(cloven, small, "second", "-k", 3).code == 0
    assert cloven("publish", "first").code == 0, "the last audit of these bytes counts"


def test_the_list_tells_what_was_judged_and_what_was_published(cloven, small):
    audited(cloven, small, "first", "-k", 3)
    cloven(*D, small, "-k", 4, "-o", "second")
    cloven("publish", "second", "--anyway")
    first, second = cloven("ledger").out.splitlines()[1:]
    assert re.match(r"  \S+ +publish +no ", first)
    assert re.match(r"  \S+ +no +\d{4}-\d\d-\d\d ", second)


def test_sets_beside_a_release_of_the_same_people_are_not_published(cloven, small, tmp_path):
    """Whoever is in one of them alone can be read off by subtracting; no attack here measures that."""
    lines = small.read_text().splitlines(keepends=True)
    (tmp_path / "january.csv").write_text("".join(lines[:-1]))
    audited(cloven, "january.csv", "january", "-k", 3)
    cloven("publish", "january")
    ended = audited(cloven, small, "february", "-k", 3, "--other-release", "january")
    decision = ended.json["decision"]
    assert (ended.code, decision["verdict"]) == (1, "do not publish")
    assert "subtract" in decision["reasons"][0]
    assert "publish one of them only" in decision["reasons"][0]
    assert "other releases about the same people" in decision["sentence"]
    twin = audited(cloven, "january.csv", "twin", "-k", 3, "--other-release", "january")
    assert (twin.code, twin.json["decision"]["verdict"]) == (0, "publish"), twin.json["decision"]
    assert "other releases about the same people" in twin.json["decision"]["sentence"]


def test_what_the_audit_did_not_know_of_is_refused_whenever_it_was_published(cloven, small, tmp_path):
    """The audit runs in another folder, after the first of two was published: its date alone says nothing."""
    audited(cloven, small, "first", "-k", 3)
    assert cloven("publish", "first", "--ledger", "notes").code == 0
    (tmp_path / "elsewhere").mkdir()
    assert audited(cloven, small, "elsewhere/second", "-k", 4).code == 0, "it knows of none"
    cloven("publish", "elsewhere/second", "--ledger", "notes").refused(1, "first", "did not know of it")
    assert audited(cloven, small, "elsewhere/again", "-k", 4, "--ledger", "notes").code == 1


def test_a_no_that_rests_on_an_earlier_release_alone_does_not_bind(cloven, small):
    audited(cloven, small, "first", "-k", 3)
    cloven("publish", "first")
    ended = audited(cloven, small, "second", "-k", 4)
    assert "published on" in ended.json["decision"]["reasons"][0]
    shutil.rmtree("first.private")  # it was never handed out after all
    assert audited(cloven, small, "third", "-k", 4).code == 0
    assert cloven("publish", "third").code == 0


@pytest.mark.parametrize("torn", ["first.private/ledger.jsonl", "other.private/receipt.json"])
def test_nothing_is_published_while_notes_cannot_be_read(cloven, small, tmp_path, torn):
    """What cannot be read may have said no, or that the same people were published."""
    audited(cloven, small, "first", "-k", 3)
    (tmp_path / "other.private").mkdir()
    with (tmp_path / torn).open("a") as file:
        file.write('{"verdict": "do not pub\n')
    cloven("publish", "first").refused(1, torn, "could not be read", "--anyway")
    assert cloven("publish", "first", "--anyway").code == 0


def test_what_is_published_already_is_added_to_a_ledger_that_lacks_it(cloven, small):
    audited(cloven, small, "first", "-k", 3)
    cloven("publish", "first")
    for _ in range(2):
        again = cloven("publish", "first", "--ledger", "notes")
        assert again.code == 0
        assert "notes/releases.jsonl" in again.out
    shutil.rmtree("first.private")
    (entry,) = cloven("ledger", "notes", "--json").json["releases"]
    assert entry["published"] is not None


def test_a_damaged_receipt_is_named(cloven, small, tmp_path):
    audited(cloven, small, "first", "-k", 3)
    (tmp_path / "first.private" / "receipt.json").write_text("{")
    cloven("publish", "first").refused(3, "first.private/receipt.json")


def test_an_empty_name_is_no_ledger(cloven, small):
    cloven("ledger", ".", "--ledger", "").refused(2, "--ledger", "empty")


@pytest.mark.parametrize("more", [(), ("--ledger", "my notes")])
def test_what_a_refusal_says_to_type_does_what_was_asked(cloven, small, more):
    cloven(*D, small, "-o", "./-out")
    refused = cloven("publish", "./-out", *more)
    words = shlex.split(re.search("`cloven (publish .*?)`", refused.err)[1])
    assert cloven(*words).code == 0
    (entry,) = cloven("ledger", *(more[1:] or (".",)), "--json").json["releases"]
    assert entry["published"] is not None


def test_what_no_audit_makes_again_is_told_to_be_published_from_the_audit(cloven, small):
    """Audits write no JSON: one of the same settings is not of these bytes, so only what it writes can be published."""
    cloven(*D, small, "-k", 3, "-o", "made", "--release-format", "json")
    audited(cloven, small, "judged", "-k", 3)
    cloven("publish", "made.json").refused(1, "no audit of this very release", "publish what that writes")
    assert cloven("publish", "judged").code == 0


def test_of_two_that_are_published_at_once_one_is_refused(cloven, small, monkeypatch):
    audited(cloven, small, "first", "-k", 3)
    audited(cloven, small, "second", "-k", 4)
    both, read = Barrier(2), Ledger.read
    verify_folder("first/published")  # once, as it loads what it needs

    def together(*places):
        found = read(*places)
        with suppress(BrokenBarrierError):
            both.wait(1)
        return found

    monkeypatch.setattr(Ledger, "read", together)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(publish, name, "notes") for name in ("first", "second")]
        ended = [each.exception() for each in runs]
    monkeypatch.undo()
    assert sum(each is None for each in ended) == 1, ended
    assert sum(isinstance(each, GuaranteeError) for each in ended) == 1, ended


def test_published_twice_at_once_is_noted_once(cloven, small, tmp_path):
    audited(cloven, small, "first", "-k", 3)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(publish, ["first"] * 4))
    assert len((tmp_path / "first.private" / "ledger.jsonl").read_text().splitlines()) == 2


def test_nothing_is_published_where_more_lies_than_is_looked_at(cloven, small, monkeypatch):
    """Of too many names only the first are looked at: what was published may be among the rest, and so may this."""
    audited(cloven, small, "a", "-k", 3)
    audited(cloven, small, "b", "-k", 4)
    assert cloven("publish", "b").code == 0
    monkeypatch.setattr("cloven.storage.ledger.MOST_RECEIPTS", 1)
    cloven("publish", "a").refused(1, "more than is looked at", "--anyway")
    audited(cloven, small, "c", "-k", 3)
    cloven("publish", "c").refused(1, "more than is looked at")


def test_nothing_is_published_in_a_folder_that_cannot_be_listed(cloven, small, tmp_path, monkeypatch):
    audited(cloven, small, "first", "-k", 3, "--ledger", "notes")

    def refused(_place):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("cloven.storage.ledger.os.scandir", refused)
    with pytest.raises(GuaranteeError, match="could not be read"):
        publish(tmp_path / "first", "notes")


def test_what_was_written_without_its_data_is_of_the_people_of_its_twin(cloven, small):
    """Its receipt knows no data; that of the same bytes, which was audited, does."""
    made = cv.Disassociation(k=4, m=2).anonymise(cv.read(small))
    cv.write_release(made, "made")
    audited(cloven, small, "judged", "-k", 4)
    audited(cloven, small, "first", "-k", 3)
    assert cloven("publish", "first").code == 0
    cloven("publish", "judged").refused(1, "did not know of it")
    cloven("publish", "made").refused(1, "did not know of it")


def test_a_private_folder_without_a_receipt_is_named(cloven, small, tmp_path):
    audited(cloven, small, "first", "-k", 3)
    (tmp_path / "first.private" / "receipt.json").unlink()
    cloven("publish", "first").refused(3, "first.private/receipt.json", "cannot be read")


def test_an_audit_tells_of_notes_that_cannot_be_read(cloven, small, tmp_path):
    (tmp_path / "other.private").mkdir()
    (tmp_path / "other.private" / "receipt.json").write_text("{")
    ended = audited(cloven, small, "first", "-k", 3)
    assert any("could not be read" in each for each in ended.json["cautions"])
    cloven("publish", "first").refused(1, "could not be read")


def test_on_spark_people_of_other_data_are_told_of_by_receipts(cloven, tmp_path):
    draw = np.random.default_rng(2)
    lines = [",".join(f"item{each:02}" for each in sorted(draw.choice(20, 6, False))) for _ in range(600)]
    for name, part in (("spring", lines[:300]), ("summer", lines[150:450]), ("autumn", lines[300:])):
        (tmp_path / f"{name}.csv").write_text("\n".join(part) + "\n")
        cloven(*D, f"{name}.csv", "-o", name)
    assert cloven("publish", "spring", "--anyway").code == 0
    assert [each.composes for each in compared_by_receipts(Path("summer"), None)[0]] == [True]
    assert [each.composes for each in compared_by_receipts(Path("autumn"), None)[0]] == [False]
