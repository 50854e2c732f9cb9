"""Measures named by text: every form, how they nest, and what is said when a text makes no sense."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloven as cv
from cloven.errors import ClovenError, InputError, ParameterError
from cloven.protocols import Relatedness
from cloven.relatedness import spec as forms_module
from cloven.relatedness.combination import BackFilled, Combined, Shuffled
from cloven.relatedness.corpus import Corpus
from cloven.relatedness.counts import CountsFile, count_source, write_counts
from cloven.relatedness.counts_index import ClosedIndex
from cloven.relatedness.learned import Learned
from cloven.relatedness.ngd import CentredDistance, GoogleDistance, MutualInformation
from cloven.relatedness.spec import forms, parse, paths
from cloven.relatedness.vectors import Vectors
from cloven.relatedness.wordnet import WordNet

FLU = [["flu", "fever"], ["fever", "flu", "cough"], ["knee", "pain"], ["pain", "knee", "bruise"]]
SAMPLE = Vectors.sample()


@pytest.fixture
def files(tmp_path):
    """One file of each kind."""
    (tmp_path / "words.txt").write_text("flu 1 0\nfever 0.9 0.1\n")
    Corpus.train(FLU, dimensions=2, source="notes").save(tmp_path / "notes.npz")
    index = ClosedIndex.build(FLU)
    index.save(tmp_path / "index.npz")
    write_counts(tmp_path / "counts.jsonl", ["flu", "fever"], index)
    return tmp_path


def test_measures_with_a_file(files):
    assert parse(f"vectors:{files}/words.txt") == Vectors(f"{files}/words.txt")
    assert parse(f"vectors:{files}/words.txt", wordnet=files) == Vectors(f"{files}/words.txt", files)
    corpus = parse(f"corpus:{files}/notes.npz")
    assert isinstance(corpus, Corpus)
    assert corpus.source == "notes"
    assert parse(f"wordnet:{files}") == WordNet(str(files))
    assert parse("sample") == SAMPLE


@pytest.mark.parametrize(
    ("name", "kind", "never"),
    [
        ("ngd", GoogleDistance, "far"),
        ("open-ngd", GoogleDistance, "unknown"),
        ("npmi", MutualInformation, "far"),
        ("open-npmi", MutualInformation, "unknown"),
        ("centred-ngd", CentredDistance, None),
    ],
)
def test_measures_from_counts(files, name, kind, never):
    for file, source in (("counts.jsonl", CountsFile), ("index.npz", ClosedIndex)):
        measure = parse(f"{name}:{files / file}")
        assert type(measure) is kind
        assert isinstance(measure.counts, source)
        assert getattr(measure, "never", None) == never
        assert measure.relate(["flu", "fever"]).coverage.known == 2


def test_a_folder_is_an_index_of_a_corpus(tmp_path):
    pytest.importorskip("tantivy")
    from cloven.relatedness.counts_index import TantivyIndex

    TantivyIndex.build(["flu and fever", "flu"], tmp_path / "index")
    assert isinstance(count_source(tmp_path / "index"), TantivyIndex)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="not an index of a corpus"):
        parse(f"ngd:{tmp_path / 'empty'}")


def test_learned_from_the_release_that_is_attacked():
    release = cv.Disassociation(k=3, m=2).anonymise(cv.sample("clinic")).release
    measure = parse("learned", release=release)
    assert isinstance(measure, Learned)
    assert measure.relate(release.vocabulary).coverage.known > 100
    with pytest.raises(ParameterError, match="'learned' needs a release"):
        parse("learned")


def test_compounds():
    assert parse("shuffled:sample", seed=7) == Shuffled(SAMPLE, 7)
    assert parse("0.7*sample+0.3*shuffled:sample") == Combined((SAMPLE, Shuffled(SAMPLE)), (0.7, 0.3))
    assert parse(" 2 * sample + .5*sample +1.*sample ") == Combined((SAMPLE,) * 3, (2.0, 0.5, 1.0))
    assert parse("sample | sample|shuffled:sample") == BackFilled(
        BackFilled(SAMPLE, SAMPLE), Shuffled(SAMPLE)
    )


def test_shuffled_binds_closest_then_weights_then_back_filling():
    both = Combined((SAMPLE, SAMPLE), (0.5, 0.5))
    assert parse("0.5*sample+0.5*sample|sample") == BackFilled(both, SAMPLE)
    assert parse("shuffled:sample|sample") == BackFilled(Shuffled(SAMPLE), SAMPLE)
    assert parse("shuffled:(sample|sample)") == Shuffled(BackFilled(SAMPLE, SAMPLE))
    assert parse("sample|(sample|sample)") == BackFilled(SAMPLE, BackFilled(SAMPLE, SAMPLE))
    assert parse("0.5*(sample|sample)+0.5*((sample))") == Combined(
        (BackFilled(SAMPLE, SAMPLE), SAMPLE), (0.5, 0.5)
    )


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("c++ notes.txt", "c++ notes.txt"),
        ("a(1).txt", "a(1).txt"),
        ("a:b.txt", "a:b.txt"),
        ("a|b.txt", '"a|b.txt"'),
        ("a+1*b.txt", '"a+1*b.txt"'),
    ],
)
def test_names_of_files_may_hold_signs(tmp_path, monkeypatch, name, written):
    (tmp_path / name).write_text("flu 1 0\n")
    monkeypatch.chdir(tmp_path)
    assert parse(f"vectors:{written}") == Vectors(name)
    assert parse(f"vectors:{written} | sample") == BackFilled(Vectors(name), SAMPLE)
    assert parse(f"0.5*vectors:{written} + 1*sample") == Combined((Vectors(name), SAMPLE), (0.5, 1.0))


def test_brackets_end_a_file_name(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("flu 1 0\n")
    monkeypatch.chdir(tmp_path)
    assert parse("shuffled:(vectors:a.txt)") == Shuffled(Vectors("a.txt"))


def test_home_is_found(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("flu 1 0\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert parse("vectors:~/a.txt") == Vectors(str(tmp_path / "a.txt"))


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("", "character 1 (the end)", "expected a measure"),
        ("sample)", "character 7 (')')", "expected the end"),
        ("sample+sample", "character 7 ('+sample')", "weights on both sides of '+'"),
        ("sample|glove", "character 8 ('glove')", "no measure is called 'glove'"),
        ("vectors:", "character 1 ('vectors:')", "expected vectors:FILE"),
        ("vectors:no/such", "character 9 ('no/such')", "there is no file or folder 'no/such'"),
        ("sample:x", "character 8 ('x')", "'sample' takes no file"),
        ("shuffled", "character 9 (the end)", "expected ':' and a measure to shuffle"),
        ("0.5*sample", "character 1 ('0.5*sample')", "a weight needs a second one"),
        ("0.5*sample+0*sample", "character 12 ('0*sample')", "a weight must be above 0"),
        ("(sample|sample", "character 15 (the end)", "the bracket of character 1 is not closed"),
        ("(" * 5_000, "character", "nested too deeply"),
    ],
)
def test_errors_name_the_position_and_list_the_forms(text, place, what):
    with pytest.raises(ParameterError) as caught:
        parse(text)
    message = str(caught.value)
    assert place in message
    assert what in message
    assert "forms are vectors:FILE, corpus:FILE, ngd:FILE" in message
    assert "\n" not in message


@given(st.text(alphabet='01.*+|():" samplehufd', max_size=25))
def test_any_text_is_a_measure_or_an_error(text):
    try:
        found: object = parse(text)
    except ClovenError as error:
        found = error
    assert isinstance(found, Relatedness) or "\n" not in str(found)


def test_files_of_the_wrong_kind_are_refused(files):
    with pytest.raises(InputError, match="not vectors of a corpus"):
        parse(f"corpus:{files}/words.txt")
    with pytest.raises(InputError, match="not an index of documents"):
        parse(f"ngd:{files}/notes.npz")


@dataclass(frozen=True)
class Foreign:
    argument: str | None
    name: str = "foreign"

    def relate(self, items):
        raise NotImplementedError


def test_other_packages_join_by_entry_point(monkeypatch):
    def points(group):
        assert group == "cloven.relatedness"
        return [Point("theirs", "package:Measure", group)]

    class Point(EntryPoint):
        def load(self):
            return Foreign

    monkeypatch.setattr(forms_module, "entry_points", points)
    assert parse("theirs:some text|sample") == BackFilled(Foreign("some text"), SAMPLE)
    assert parse("theirs") == Foreign(None)
    assert "theirs[:ARGUMENT]" in [form.usage for form in forms().values()]


@pytest.mark.parametrize("name", ["vectors", "shuffled"])
def test_a_name_cannot_be_taken_twice(monkeypatch, name):
    point = EntryPoint(name, "package:Measure", "cloven.relatedness")
    monkeypatch.setattr(forms_module, "entry_points", lambda group: [point])
    with pytest.raises(ParameterError, match=f"two measures are called '{name}'"):
        parse("sample")


def test_a_broken_plug_in_raises(monkeypatch):
    point = EntryPoint("theirs", "no_such_package:Measure", "cloven.relatedness")
    monkeypatch.setattr(forms_module, "entry_points", lambda group: [point])
    with pytest.raises(ModuleNotFoundError):
        parse("sample")


def test_files_of_a_text_are_told_without_reading_them(tmp_path):
    for name in ("a.txt", "b c.npz"):
        (tmp_path / name).write_bytes(b"no vectors at all")
    text = f'0.7*vectors:{tmp_path}/a.txt+0.3*shuffled:npmi:"{tmp_path}/b c.npz"|sample'
    assert paths(text) == (tmp_path / "a.txt", tmp_path / "b c.npz")
