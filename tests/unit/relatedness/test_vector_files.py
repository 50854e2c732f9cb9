"""Vector files of all formats, good and bad."""

from __future__ import annotations

import gzip
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cloven.errors import InputError
from cloven.relatedness.vector_files import (
    TextLayout,
    WordIndex,
    binary_rows,
    parse_number,
    table_of,
    text_rows,
)
from cloven.relatedness.vectors import open_vectors

WORDS = ["the", "naïve", "2014", "x-ray", "日本"]
MATRIX = np.random.default_rng(5).normal(0, 0.5, (5, 3)).astype(np.float16).astype(np.float32)


def glove(words=WORDS, matrix=MATRIX, end=""):
    lines = [
        f"{word} {' '.join(map(str, row.tolist()))}{end}\n" for word, row in zip(words, matrix, strict=True)
    ]
    return "".join(lines).encode()


def word2vec_binary(words=WORDS, matrix=MATRIX, end=b"\n"):
    rows = [
        w.encode() + b" " + row.astype("<f4").tobytes() + end for w, row in zip(words, matrix, strict=True)
    ]
    return f"{len(words)} {matrix.shape[1]}\n".encode() + b"".join(rows)


FORMATS = {
    "glove": glove(),
    "glove without last line break": glove().rstrip(),
    "glove with blank lines at the end": glove() + b"\n \n\n",
    "glove with tabs": glove().replace(b" ", b"\t"),
    "glove from Windows": glove(end="\r"),
    "glove with a byte order mark": b"\xef\xbb\xbf" + glove(),
    "word2vec text": b"5 3\n" + glove(end=" "),
    "word2vec text with a byte order mark": b"\xef\xbb\xbf5 3\n" + glove(end=" "),
    "word2vec binary": word2vec_binary(),
    "word2vec binary without line breaks": word2vec_binary(end=b""),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("content", FORMATS.values(), ids=FORMATS)
def test_every_format_gives_the_same_table(tmp_path, content, packed):
    path = tmp_path / "vectors"  # no extension: the content tells
    path.write_bytes(gzip.compress(content) if packed else content)
    table = open_vectors(path)
    assert table.words == tuple(WORDS)
    assert table.dimensions == 3
    assert table.matrix.dtype == np.float32
    assert np.array_equal(table.matrix, MATRIX)
    assert table.find(["日本", "The", "the", ""]).tolist() == [4, -1, 0, -1]
    assert np.array_equal(table.take(np.array([4, 0])), MATRIX[[4, 0]])


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("packed", [False, True])
def test_numpy_pair(tmp_path, kind, packed):
    np.save(tmp_path / "small.npy", MATRIX.astype(kind))
    text = "\n".join(WORDS).encode()
    if packed:
        (tmp_path / "small.words.txt.gz").write_bytes(gzip.compress(text + b"\n"))
    else:
        (tmp_path / "small.words.txt").write_bytes(text)
    table = open_vectors(tmp_path / "small.npy")
    assert table.words == tuple(WORDS)
    taken = table.take(table.find(["x-ray"]))
    assert taken.dtype == np.float32
    assert np.array_equal(taken, MATRIX[[3]])


def test_words_may_hold_spaces(tmp_path):
    """As in the largest GloVe files."""
    path = tmp_path / "vectors.txt"
    path.write_text("cat 1 2\n. . . 3 4\nat name@domain.com 5 6\n7 7 8\n")
    assert open_vectors(path).words == ("cat", ". . .", "at name@domain.com", "7")


def test_words_that_are_not_utf8_do_no_harm(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"cat 1 2\n\xff\xfe 3 4\n")
    table = open_vectors(path)
    assert table.words == ("cat", "\ufffd\ufffd")
    assert table.find(["cat", "\ufffd\ufffd", "\ud800"]).tolist() == [0, -1, -1]


@settings(deadline=None)
@given(cuts=st.lists(st.integers(0, 400), max_size=8), name=st.sampled_from(["glove", "word2vec binary"]))
def test_parts_may_be_cut_anywhere(cuts, name):
    content = FORMATS[name] if name == "glove" else FORMATS[name].partition(b"\n")[2]
    places = [0, *sorted(min(cut, len(content)) for cut in cuts), len(content)]
    parts = [content[start:end] for start, end in pairwise(places)]
    rows = text_rows(parts, TextLayout("", 3)) if name == "glove" else binary_rows(parts, 5, 3, "")
    table = table_of(rows, "")
    assert table.words == tuple(WORDS)
    assert np.array_equal(table.matrix, MATRIX)


@settings(deadline=None)
@given(
    text=st.one_of(
        st.floats(-1e30, 1e30).map(repr),
        st.floats(width=16, allow_nan=False, allow_infinity=False).map(repr),
        st.decimals(-10, 10, places=30).map(str),
        st.integers(-(10**25), 10**25).map(str),
    )
)
@example("1e-50")
@example("0e999")
@example("-.5E+2")
@example("5.")
@example("+000000000000000000000000.1")
def test_numbers_are_read_like_python_reads_them(text):
    value, end = parse_number(np.frombuffer(text.encode() + b" ", np.uint8), 0)
    assert end == len(text)
    # The values end as float32, whose smallest is 1e-45.
    assert value == pytest.approx(float(text), rel=1e-14, abs=1e-46)


@pytest.mark.parametrize(
    "text", ["", ".", "-", "e5", "1e", "1.2.3", "1,5", "nan", "inf", "0x1", "1_0", "1e39", "٣"]
)
def test_what_is_no_number_is_not_read(text):
    assert parse_number(np.frombuffer(text.encode() + b" ", np.uint8), 0)[1] == -1


BAD = {
    "empty": (b"", "empty; a vector file holds"),
    "short row": (b"cat 1 2\ndog 3\n", r":2: 1 numbers where 2 were expected.*\(got 'dog 3'\)"),
    "long row": (b"cat 1 2\ndog 3 4 5\n", ":2: 3 numbers where 2 were expected"),
    "first of a row no number": (b"cat 1 2\ndog x 4\n", r":2: not a number that can be stored.*\(got 'x'\)"),
    "too large in front": (b"cat 1 2\ndog 1e99 4\n", r":2: not a number.*\(got '1e99'\)"),
    "no number": (b"cat 1 2\ndog 3 four\n", r":2: not a number that can be stored.*\(got 'four'\)"),
    "not finite": (b"cat 1 2\ndog nan 4\n", r":2: not a number.*\(got 'nan'\)"),
    "too large": (b"cat 1 2\ndog 4 1e99\n", r":2: not a number.*\(got '1e99'\)"),
    "blank line": (b"cat 1 2\n\ndog 3 4\n", ":2: a line must start with a word"),
    "twice": (
        b"cat 1 2\ndog 3 4\ncat 5 6\n",
        r":3: a word has two vectors \(line 1 and line 3\).*\(got 'cat'\)",
    ),
    "twice after header": (b"2 2\ncat 1 2\ncat 5 6\n", r":3: a word has two vectors \(line 2 and line 3\)"),
    "prose": (b"It was a dark and stormy night.\n", ":1: not a vector file"),
    "cut short": (b"3 2\ncat 1 2\ndog 3 4\n", ":1: the first line promises 3 words, the file holds 2"),
    "no dimensions": (b"2 0\ncat\ndog\n", ":1: the first line must be a count of words and 1 to 100,000"),
    "binary cut short": (word2vec_binary()[:-6], "ends inside row 5 of 5; the file was cut short"),
    "binary too long": (word2vec_binary() + b"more", "goes on after its 5 rows of 3 numbers"),
    "binary twice": (word2vec_binary(["a", "a"], MATRIX[:2]), r"a word has two vectors \(row 1 and row 2\)"),
    "binary not finite": (
        word2vec_binary(["a", "b"], MATRIX[:2] * np.array([[1], [np.inf]])),
        "row 2 is not a word and finite",
    ),
    "binary without spaces": (b"2 3\n" + b"\x00" * 30_000, "row 1 has no word"),
    "gzip cut short": (gzip.compress(glove())[:-12], "the gzip packing is damaged"),
    "zip": (b"PK\x03\x04....", "is a zip archive; unpack it"),
    "fastText model": (b"\xba\x16O/....", r"fastText model; export its vectors as text"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_bad_files_are_refused(tmp_path, content, message):
    path = tmp_path / "vectors.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        open_vectors(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_line_numbers_hold_across_blocks(tmp_path):
    """The bad line lies beyond the first part that is read."""
    lines = 40_000
    path = tmp_path / "vectors.txt"
    path.write_text(
        "".join(f"word{n} 0.123456789 0.123456789 0.123456789\n" for n in range(lines)) + "dog 1 2\n"
    )
    assert path.stat().st_size > 1 << 20
    with pytest.raises(InputError, match=f":{lines + 1}: 2 numbers where 3"):
        open_vectors(path)


@pytest.mark.parametrize(
    ("matrix", "words", "message"),
    [
        (MATRIX, None, r"its words are missing; put small\.words\.txt"),
        (MATRIX, "a\nb\n", r"words\.txt: 2 words for the 5 rows of small\.npy"),
        (MATRIX[:2], "a\na\n", r"words\.txt:2: a word has two vectors"),
        (MATRIX[:3], "a\n\nb\n", r"words\.txt:2: a blank line"),
        (MATRIX.astype(int), "a\n", r"must be a matrix of floating-point numbers.*int64"),
        (MATRIX[0], "a\n", "must be a matrix of floating-point numbers"),
        (np.array(["a", None]), "a\n", "cannot be read as a NumPy array"),
    ],
)
def test_bad_numpy_pairs_are_refused(tmp_path, matrix, words, message):
    np.save(tmp_path / "small.npy", matrix, allow_pickle=True)
    if words is not None:
        (tmp_path / "small.words.txt").write_text(words)
    with pytest.raises(InputError, match=message):
        open_vectors(tmp_path / "small.npy")


def test_values_that_are_not_finite_are_found_when_taken(tmp_path):
    np.save(tmp_path / "small.npy", np.array([[1.0, 2.0], [np.nan, 1.0]]))
    (tmp_path / "small.words.txt").write_text("cat\ndog\n")
    table = open_vectors(tmp_path / "small.npy")
    assert table.take(np.array([0])).tolist() == [[1.0, 2.0]]
    with pytest.raises(InputError, match=r"not a finite number.*\(got 'dog'\)"):
        table.take(np.array([0, 1]))


@given(words=st.lists(st.text(min_size=1), unique=True), asked=st.lists(st.text()))
def test_index_finds_what_a_dictionary_finds(words, asked):
    index = WordIndex.of(words)
    rows = {word: row for row, word in enumerate(words)}
    assert index.find([*words, *asked]).tolist() == [rows.get(word, -1) for word in [*words, *asked]]
    assert index.words() == tuple(words)
    assert index.repeated() is None
    assert not words or WordIndex.of([*words, words[0]]).repeated() == (0, len(words))


def test_index_tells_words_of_equal_hash_apart():
    index = WordIndex.of(["cat", "dog", "cow"])
    alike = WordIndex(index.text, index.offsets, np.full(3, index.hashes[0]), index.rows)
    word = index.word(int(index.rows[0])).decode()
    assert alike.find([word]).tolist() == index.find([word]).tolist()
    assert alike.repeated() is None
    shuffled = WordIndex(index.text, index.offsets, alike.hashes, index.rows[::-1])
    assert shuffled.find([word]).tolist() == index.find([word]).tolist()


@pytest.mark.data
def test_glove_as_published_in_parts(data_dir):
    table = open_vectors(data_dir / "vectors" / "glove_6b_100d_150k.npy")
    assert (len(table), table.dimensions) == (150_000, 100)
    assert table.take(table.find(["the"]))[0, :3] == pytest.approx([-0.038194, -0.24487, 0.72812], rel=1e-3)
