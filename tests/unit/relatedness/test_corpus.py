"""Vectors trained on a corpus: PPMI by the plain formula, the decomposition, files, and what a release teaches."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cloven as cv
from cloven.errors import InputError, OutputError, ParameterError
from cloven.kinds.disassociated.reconstruction import documents_of_release
from cloven.kinds.disassociated.release import Kind
from cloven.protocols import Relatedness
from cloven.relatedness.corpus import (
    Corpus,
    Tokens,
    largest_left,
    positive_information,
    short_vectors,
)
from cloven.relatedness.learned import Learned
from tests.effort import tries

WORDS = st.sampled_from("abcdefg")
TEXTS = st.lists(st.lists(WORDS, max_size=6), min_size=1, max_size=8).filter(lambda texts: any(texts))
FLU = [["flu", "fever"], ["fever", "flu", "cough"], ["knee", "pain"], ["pain", "knee", "bruise"]]


def counted(texts, words, window):
    """Neighbours counted one by one."""
    counts = np.zeros((len(words), len(words)))
    for text in texts:
        tokens = sorted(set(text)) if window is None else text
        for p, q in product(range(len(tokens)), repeat=2):
            if window is None or abs(p - q) <= window:
                counts[words.index(tokens[p]), words.index(tokens[q])] += 1
    return counts


def plain_ppmi(counts, smoothing, shift):
    total = counts.sum()
    contexts = counts.sum(axis=0) ** smoothing
    expected = np.outer(counts.sum(axis=1) / total, contexts / contexts.sum())
    with np.errstate(divide="ignore"):
        return np.maximum(0.0, np.log(counts / total / expected) - np.log(shift))


def block_of(corpus, items):
    places = np.arange(len(items))
    return corpus.relate(items).block(places, places)


@settings(deadline=None)
@given(TEXTS, st.sampled_from([None, 1, 2]), st.sampled_from([1.0, 0.75]), st.sampled_from([1.0, 1.5]))
def test_ppmi_is_the_plain_formula(texts, window, smoothing, shift):
    tokens = Tokens.of(texts, ordered=window is not None)
    found = positive_information(tokens, window, smoothing, shift).toarray()
    expected = plain_ppmi(counted(texts, list(tokens.words), window), smoothing, shift)
    assert np.allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("words", [20, 400])
def test_rows_are_ascending_by_sort_and_by_scan(words):
    """Few neighbours are sorted, many are found by a scan of all words: both must list the same cells."""
    rng = np.random.default_rng(words)
    texts = [[f"w{word}" for word in rng.integers(words, size=8)] for _ in range(60)]
    tokens = Tokens.of(texts, ordered=False)
    matrix = positive_information(tokens, smoothing=0.75)
    assert matrix.has_sorted_indices
    expected = plain_ppmi(counted(texts, list(tokens.words), None), 0.75, 1.0)
    assert np.allclose(matrix.toarray(), expected, atol=1e-5)


@settings(deadline=None)
@given(TEXTS)
def test_all_dimensions_give_the_cosines_of_the_rows(texts):
    tokens = Tokens.of(texts, ordered=False)
    matrix = positive_information(tokens, smoothing=0.75)
    assume(matrix.nnz)
    rows = matrix.toarray().astype(float)
    lengths = np.linalg.norm(rows, axis=1)
    there = lengths > 0
    vectors = short_vectors(matrix, len(rows), power=1.0)
    assert np.array_equal(vectors.any(axis=1), there)
    unit = rows[there] / lengths[there, None]
    assert np.allclose(vectors[there] @ vectors[there].T, unit @ unit.T, atol=1e-4)


@settings(deadline=None, max_examples=tries(30))
@given(st.permutations(FLU * 3 + [["cough", "pain"], ["fever", "bruise"]]))
def test_order_of_documents_does_not_matter(texts):
    expected = Corpus.train(sorted(texts), dimensions=3)
    found = Corpus.train(texts, dimensions=3)
    assert found.words == expected.words
    assert np.array_equal(found.vectors, expected.vectors)


def zipf_texts(documents=700, words=1_800, seed=5):
    rng = np.random.default_rng(seed)
    chances = 1 / np.arange(1, words + 1) ** 0.7
    drawn = rng.choice(words, size=(documents, 30), p=chances / chances.sum())
    topic = rng.integers(6, size=documents)
    return [[f"w{w}" if w % 3 else f"t{t}w{w}" for w in row] for row, t in zip(drawn, topic, strict=True)]


@pytest.mark.slow
def test_search_for_the_largest_part_finds_what_the_whole_decomposition_holds():
    tokens = Tokens.of(zipf_texts(), ordered=False)
    matrix = positive_information(tokens.keep(tokens.frequencies() >= 4), smoothing=0.75)
    assert matrix.shape[0] > 1_000
    left, sizes = largest_left(matrix, 25)
    whole, expected, _ = np.linalg.svd(matrix.toarray().astype(float))
    assert np.allclose(sizes, expected[:25], rtol=1e-4)
    assert np.allclose(left.T @ left, np.eye(25), atol=1e-4)
    # Vectors of near-equal values may be turned among themselves; rows in the space of them all may not. The cut
    # must then fall into a gap.
    cut = 5 + int(np.argmax(expected[5:24] / expected[6:25])) + 1
    ours, theirs = left[:, :cut] * sizes[:cut], whole[:, :cut] * expected[:cut]
    assert np.allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-2 * (theirs @ theirs.T).max())


def test_search_survives_a_matrix_of_low_rank():
    from scipy.sparse import csr_array

    rng = np.random.default_rng(2)
    low = rng.random((1_200, 3)).astype(np.float32)
    left, sizes = largest_left(csr_array(low @ low.T), 10)
    expected = np.linalg.svd((low @ low.T).astype(float), compute_uv=False)
    assert np.allclose(sizes[:3], expected[:3], rtol=1e-4)
    assert (sizes[3:] < 1e-3 * sizes[0]).all()
    assert np.isfinite(left).all()


def test_training_is_the_same_every_time():
    texts = zipf_texts(600)
    first, second = (Corpus.train(texts, dimensions=10, min_count=1) for _ in range(2))
    assert len(first.words) > 1_000
    assert np.array_equal(first.vectors, second.vectors)


def test_topics_are_told_apart():
    corpus = Corpus.train(FLU, dimensions=2)
    assert isinstance(corpus, Relatedness)
    scores = block_of(corpus, ["flu", "fever", "knee", "pain"])
    assert np.allclose(scores, np.kron(np.eye(2), np.ones((2, 2))), atol=1e-5)


def test_a_window_looks_at_the_order():
    texts = [["a", "x", "b", "y"], ["a", "x", "b", "y"]]
    near = positive_information(Tokens.of(texts, ordered=True), window=1).toarray()
    assert near[0, 1] == 0  # a and b are two words apart
    assert (
        positive_information(Tokens.of([list("ab")] * 2 + [list("xy")] * 2, ordered=True), 1).toarray()[0, 1]
        > 0
    )


def test_a_phrase_is_itself_or_the_mean_of_its_parts():
    corpus = Corpus.train([*FLU, ["flu", "sore throat"], ["fever", "sore throat"]], dimensions=3)
    related = corpus.relate(["sore throat", "flu pain", "flu", "pain"])
    assert related.coverage.rungs["exact"] == 3
    assert related.coverage.rungs["parts"] == 1
    scores = related.block(np.array([1]), np.array([2, 3]))[0]
    expected = related.block(np.array([2]), np.array([3]))[0, 0]
    assert np.allclose(scores, np.sqrt((1 + expected) / 2), atol=1e-6)  # halfway between its parts


def test_words_that_meet_no_other_are_unknown():
    corpus = Corpus.train([*FLU, ["alone"], ["alone"], ["fever", "zzyzx"]], dimensions=5)
    assert not {"alone", "zzyzx"} & set(corpus.words)  # a word of one document is left out as well
    assert {"flu", "fever", "knee", "pain"} <= set(corpus.words)
    related = corpus.relate(["flu", "zzyzx"])
    scores = related.block(np.array([0, 1]), np.array([0, 1]))
    assert np.isnan(scores).tolist() == [[False, True], [True, True]]
    assert related.coverage.unknown == ("zzyzx",)


def test_words_outside_the_chosen_dimensions_are_unknown():
    """One dimension holds one topic only: words of the other have no direction in it, not even by rounding."""
    corpus = Corpus.train([["a", "b", "c", "d"]] * 2 + [["x", "y"]] * 4, dimensions=1)
    assert corpus.words == ("a", "b", "c", "d") or corpus.words == ("x", "y")


@pytest.mark.parametrize(
    ("documents", "options", "message"),
    [
        ([], {}, "no words in 0 documents"),
        ([["a", "b"]], {}, "lower min_count=2"),
        ([["a"], ["a"], ["b"], ["b"]], {"dimensions": 2}, "no two of the 2 words"),
        (
            [["d", "a"], ["d"], ["a", "c", "b", "d"], ["d", "c"], ["b"]],
            {"dimensions": 1},
            "no two of the 4 words",
        ),
        (FLU, {"dimensions": 5}, "dimensions=5 is more than the 4 words .* choose at most 4"),
        (FLU, {"dimensions": 2, "window": 0}, "window must be at least 1"),
        (FLU, {"shift": 0.5}, "shift must be at least 1"),
        (FLU, {"power": float("nan")}, "power must be at least 0"),
        (FLU, {"smoothing": 1.5}, "smoothing must lie above 0"),
        ([frozenset("ab")], {"window": 2}, "a window needs the order of words"),
        (["flu fever"], {}, "document 0: a document must be a collection of words, not one string"),
        ([["flu", 3]], {}, "a word must be a string .*got '3'"),
    ],
)
def test_what_cannot_be_trained(documents, options, message):
    with pytest.raises((InputError, ParameterError), match=message):
        Corpus.train(documents, **options)


def test_no_overlap_says_which_items_and_what_to_do():
    corpus = Corpus.train(FLU, dimensions=2, source="a clinic")
    with pytest.raises(
        ParameterError, match=r"none of the 2 items .* a clinic, not even 'q1', 'q2'; train on"
    ):
        corpus.relate(["q1", "q2"])
    assert corpus.relate([]).coverage.items == 0


def test_a_file_gives_back_what_was_saved(tmp_path):
    corpus = Corpus.train(FLU, dimensions=2, smoothing=1.0, source="clinic notes", date="2024-05-01")
    corpus.save(tmp_path / "clinic.npz")
    again = Corpus.load(tmp_path / "clinic.npz")
    assert (again.words, again.training, again.documents) == (corpus.words, corpus.training, 4)
    assert (again.source, again.date) == ("clinic notes", "2024-05-01")
    assert np.array_equal(again.vectors, corpus.vectors)
    assert not again.vectors.flags.writeable
    assert [file.name for file in tmp_path.iterdir()] == ["clinic.npz"]


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / "vectors.npz"
    with pytest.raises(InputError, match="no such file; train"):
        Corpus.load(path)
    path.write_text("flu 0.1 0.2")
    with pytest.raises(InputError, match=r"vectors\.npz: not vectors of a corpus"):
        Corpus.load(path)
    np.savez(path, other=np.zeros(3))
    with pytest.raises(InputError, match="not vectors of a corpus"):
        Corpus.load(path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda header, vectors: (header, vectors[:-1]),
        lambda header, vectors: (header, vectors * np.float32(2)),
        lambda header, vectors: (header, np.full_like(vectors, np.nan)),
        lambda header, vectors: (header, vectors.astype(str)),
        lambda header, vectors: ({**header, "words": ["flu"] * len(vectors)}, vectors),
        lambda header, vectors: ({**header, "training": {"dimensions": -1}}, vectors),
        lambda header, vectors: ({**header, "format": "other/1"}, vectors),
    ],
)
def test_damaged_files_are_refused(tmp_path, damage):
    path = tmp_path / "vectors.npz"
    Corpus.train(FLU, dimensions=2).save(path)
    with np.load(path) as file:
        header, vectors = damage(json.loads(file["header"].tobytes()), file["vectors"])
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8), vectors=vectors)
    with pytest.raises(InputError, match="train them anew"):
        Corpus.load(path)


def test_a_place_that_cannot_be_written(tmp_path):
    with pytest.raises(OutputError, match="cannot write the vectors"):
        Corpus.train(FLU, dimensions=2).save(tmp_path / "missing" / "vectors.npz")


def release_of(records, **options):
    return cv.Disassociation(**options).anonymise(cv.Transactions.from_records(records)).release


@pytest.mark.parametrize("rare", ["cluster", "withhold", "list"])
def test_sub_records_of_a_release_are_documents(rare):
    release = cv.Disassociation(k=3, m=2, rare_items=rare, refine=True).anonymise(cv.sample("clinic")).release
    shown = [release.row(row) for row in range(release.rows) if release.row_kind[row] != Kind.TERM]
    documents = documents_of_release(release)
    assert [tuple(sorted(document)) for document in documents] == shown
    assert any(kind == Kind.SHARED for kind in release.row_kind)
    whole = list(documents_of_release(release, clusters=True))
    assert len(whole) == len(shown) + release.clusters
    for number, cluster in enumerate(release.iter_clusters()):
        items = {item for chunk in cluster.record_chunks for row in chunk for item in row} | set(
            cluster.term_chunk
        )
        assert whole[len(shown) + number] == items


def test_a_release_teaches_what_belongs_together():
    data = cv.sample("clinic")
    release = cv.Disassociation(k=3, m=2, rare_items="cluster", refine=True).anonymise(data).release
    learned = Learned.of_release(release, clusters=False)
    assert isinstance(learned, Relatedness)
    assert learned.name == "learned"
    related = learned.relate(release.vocabulary)
    assert related.coverage.rungs["exact"] == related.coverage.known > 50
    assert list(related.coverage.rungs) == ["exact"]  # a code is never taken apart
    known = np.array([i for i, item in enumerate(release.vocabulary) if item not in related.coverage.unknown])
    truth = np.zeros((len(data), len(release.vocabulary)))
    for number, record in enumerate(data):
        truth[number, [release.vocabulary.index(item) for item in record]] = 1
    together = (truth.T @ truth)[np.ix_(known, known)]
    scores = related.block(known, known)
    assert scores[together >= 10].mean() > scores[together == 0].mean() + 0.2
    wider = Learned.of_release(release, clusters=True).relate(release.vocabulary)
    assert wider.coverage.known > related.coverage.known


def test_a_release_that_shows_nothing_together_teaches_nothing():
    release = release_of([["a"], ["a"], ["b"], ["b"]], k=2, m=2)
    with pytest.raises(ParameterError, match="no two of the 2 words"):
        Learned.of_release(release, clusters=False)


@pytest.mark.data
@pytest.mark.slow
def test_ohsumed_abstracts(data_dir):
    import re
    import tarfile

    path = data_dir / "text" / "ohsumed_single_23.tar.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    with tarfile.open(path) as archive:
        files = [archive.extractfile(member) for member in archive if member.isfile()][:1_500]
        texts = [re.findall(r"[a-z][a-z-]+", file.read().decode("latin-1").lower()) for file in files]
    corpus = Corpus.train(texts, min_count=5, dimensions=50)
    scores = block_of(corpus, ["endoscopy", "gastric", "duodenal", "pneumonia"])
    assert scores[1, 2] > scores[1, 3] + 0.2
    assert scores[0, 1] > scores[0, 3]
