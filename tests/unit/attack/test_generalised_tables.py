"""What a set-generalised release shows and leaves open, and distances between the two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import cloven as cv
from cloven.errors import ParameterError, ReleaseError
from cloven.kinds.generalised.attack.elimination import DistanceTables, Elimination
from cloven.kinds.generalised.guesses import RowAnswer, contexts, guess_marks, tables
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.protocols import Coverage
from cloven.relatedness.combination import Shuffled
from cloven.relatedness.counts import CountsFile, write_counts
from cloven.relatedness.counts_index import ClosedIndex
from cloven.relatedness.ngd import GoogleDistance, MutualInformation


def generalised(records, *blocks, suppressed=(), k=2):
    """Release and key; each block is a word of one-letter items."""
    data = cv.Transactions.from_records(map(set, records))
    number = np.arange(len(data.vocabulary)) + len(blocks)
    for at, block in enumerate(blocks):
        number[[name in block for name in data.vocabulary]] = at
    number[[name in suppressed for name in data.vocabulary]] = -1
    return assemble(data, number, k=k, parameters={})


def row_with(release, *names):
    """Number of the row that shows these blocks, written as words."""
    (found,) = [
        number
        for number, row in enumerate(release)
        if sorted("".join(block) for block in row) == sorted(names)
    ]
    return found


@dataclass(frozen=True)
class Scores:
    """Relatedness from a dictionary of pairs; what is not in it has no score."""

    pairs: tuple[tuple[str, float], ...]
    name: str = "scores"

    def relate(self, items):
        return _Scores(dict(self.pairs), tuple(items))


@dataclass(frozen=True)
class _Scores:
    pairs: dict[str, float]
    items: tuple[str, ...]

    @property
    def coverage(self):
        return Coverage({"exact": len(self.items)})

    def block(self, left, right):
        return np.array(
            [
                [self.pairs.get("".join(sorted(self.items[i] + self.items[j])), np.nan) for j in right]
                for i in left
            ]
        ).reshape(len(left), len(right))


def test_suppressed_items_and_single_items_are_in_no_table():
    release = generalised(["abx", "cx", "dxs"], "abcd", suppressed="s").release
    asked = tables(release)
    assert [release.vocabulary[item] for item in asked.columns] == list("abcd")
    assert asked.shape(0) == (3, 4)
    assert "s" not in release.vocabulary


def test_a_release_without_generalised_items_leaves_nothing_open():
    release = generalised(["ab", "c"]).release
    asked = tables(release)
    assert (len(asked), asked.cells) == (0, 0)
    found = Elimination(Scores(())).guess(release)
    assert len(found.eliminated) == len(found.answer) == 0


def test_contexts_are_the_items_that_a_row_shows_for_certain():
    release = generalised(["axy", "bx", "a"], "ab").release
    found = contexts(release)
    shown = {
        number: "".join(release.vocabulary[item] for item in found.of(np.array([number])).items)
        for number in range(3)
    }
    assert shown == {
        row_with(release, "ab", "x", "y"): "xy",
        row_with(release, "ab", "x"): "x",
        row_with(release, "ab"): "",
    }


def test_a_limited_context_takes_the_rarest_items():
    release = generalised(["axyz", "bxy", "ax", "xy"], "ab").release
    found = contexts(release, most=2)
    row = row_with(release, "ab", "x", "y", "z")
    assert "".join(release.vocabulary[item] for item in found.of(np.array([row])).items) == "zy"


def distances(release, relatedness, **options):
    asked = tables(release)
    return DistanceTables(release, asked, relatedness.relate(release.vocabulary), **options)


def test_distances_are_averaged_over_what_is_known_of_the_context():
    release = generalised(["axy", "bxz"], "ab").release
    scores = Scores((("ax", 0.8), ("bx", 0.2), ("ay", 0.4), ("bz", 0.6)))
    table, answer = distances(release, scores).of(0)
    rows = [row_with(release, "ab", "x", "y"), row_with(release, "ab", "x", "z")]
    assert table[rows] == pytest.approx(np.array([[0.4, 0.8], [0.2, 0.6]]))
    assert answer.tolist() == [RowAnswer.INFORMED] * 2


def test_scores_above_one_move_the_whole_scale():
    release = generalised(["ax", "bx"], "ab").release
    table, _ = distances(release, Scores((("ax", 3.0), ("bx", -1.0)))).of(0)
    assert table == pytest.approx(np.array([[0.0, 4.0]] * 2))


def test_rows_without_context_get_no_answer_and_are_counted():
    release = generalised(["ax", "b", "by"], "ab").release
    table, answer = distances(release, Scores((("ax", 0.5), ("bx", 0.4)))).of(0)
    bare, unknown = row_with(release, "ab"), row_with(release, "ab", "y")
    assert np.isnan(table[[bare, unknown]]).all()
    assert (answer[bare], answer[unknown]) == (RowAnswer.NO_CONTEXT, RowAnswer.NO_SCORE)


def test_other_generalised_items_stand_in_for_a_context():
    release = generalised(["ac", "bc", "ad", "b", "ef"], "ab", "cd", "ef").release
    scores = Scores((("ac", 0.9), ("bc", 0.1), ("ad", 0.5), ("bd", 0.7)))
    made = distances(release, scores, without_context="generalised")
    table, answer = made.of(0)
    bare = row_with(release, "ab")
    for row, code in enumerate(answer):
        assert code == (RowAnswer.NO_CONTEXT if row == bare else RowAnswer.INFORMED)
        if row != bare:
            assert table[row] == pytest.approx([1 - 0.7, 1 - 0.4])
    assert (distances(release, scores).of(0).answer == RowAnswer.NO_CONTEXT).all()


DOCUMENTS = [
    ["x", "a"],
    ["x", "y", "a"],
    ["x", "y", "b"],
    ["y", "b"],
    ["y"],
    ["z"],
    ["x", "y", "a", "b"],
    ["q"],
]


def test_google_distance_is_taken_as_it_is():
    release = generalised(["ax", "bx"], "ab").release
    measure = GoogleDistance(ClosedIndex.build(DOCUMENTS))
    table, _ = distances(release, measure).of(0)
    a, b, x = (np.array([release.vocabulary.index(name)]) for name in "abx")
    raw = measure.relate(release.vocabulary)
    assert table[0] == pytest.approx([raw.distances(x, a)[0, 0], raw.distances(x, b)[0, 0]])
    # f(x) = 4, f(a) = 3, both 3, of 8 documents
    assert table[0, 0] == pytest.approx((np.log(4) - np.log(3)) / (np.log(8) - np.log(3)))


def test_a_conjunction_counts_documents_that_hold_all_of_the_context():
    release = generalised(["axy", "bxyz"], "ab").release
    table, answer = distances(
        release, GoogleDistance(ClosedIndex.build(DOCUMENTS)), context="conjunction"
    ).of(0)
    both, nowhere = row_with(release, "ab", "x", "y"), row_with(release, "ab", "x", "y", "z")
    # x and y: 3 documents, 2 of them with a, 2 with b; a and b are in 3 each; all are 8
    expected = (np.log(3) - np.log(2)) / (np.log(8) - np.log(3))
    assert table[both] == pytest.approx([expected, expected])
    assert np.isnan(table[nowhere]).all()  # no document holds x, y and z
    assert (answer[both], answer[nowhere]) == (RowAnswer.INFORMED, RowAnswer.NO_SCORE)


def test_a_conjunction_that_never_meets_an_item_is_far_from_it():
    release = generalised(["axy", "bxy"], "ab").release
    index = ClosedIndex.build([["x", "y", "a"], ["x", "y", "a"], ["x", "y"], ["b"], ["b"], ["q"]])
    table, _ = distances(release, GoogleDistance(index), context="conjunction").of(0)
    assert np.isposinf(table[:, 1]).all()
    assert np.isfinite(table[:, 0]).all()
    found = Elimination(GoogleDistance(index), "tba", context="conjunction").guess(release)
    assert found.eliminated.reshape(2, 2)[:, 0].sum() == 0
    assert found.confidence.reshape(2, 2)[0, 1] > 0.5


def test_a_shuffled_conjunction_asks_about_the_items_that_stand_for_others():
    index = ClosedIndex.build(DOCUMENTS)
    names = ["a", "b", "x", "y"]
    shuffled = Shuffled(GoogleDistance(index), 3).relate(names)
    offsets, items, right = np.array([0, 2]), np.array([2, 3]), np.array([0, 1])
    stand = shuffled.standing_for
    expected = GoogleDistance(index).relate(names).conjunctions(offsets, stand[items], stand[right])
    assert shuffled.conjunctions(offsets, items, right) == pytest.approx(expected)
    plain = GoogleDistance(index).relate(names).distances(stand[items], stand[right])
    assert shuffled.distances(items, right) == pytest.approx(plain)


def test_conjunctions_are_refused_where_nobody_counts_them(tmp_path):
    release = generalised(["axy", "bxy"], "ab").release
    index = ClosedIndex.build(DOCUMENTS)
    for measure in (MutualInformation(index), Shuffled(MutualInformation(index)), Scores(())):
        with pytest.raises(ParameterError, match="does not know how often several items are together"):
            Elimination(measure, context="conjunction").guess(release)
    write_counts(tmp_path / "counts.jsonl", ["a", "b", "x", "y"], index)
    for measure in (
        GoogleDistance(CountsFile(tmp_path / "counts.jsonl")),
        Shuffled(GoogleDistance(CountsFile(tmp_path / "counts.jsonl"))),
    ):
        with pytest.raises(ParameterError, match="tell pairs of items alone"):
            Elimination(measure, context="conjunction").guess(release)


def test_marks_are_guessed_from_items_that_are_always_together():
    release = generalised(["acx", "bdx", "cy", "ay", "z"], "ab", "cd").release
    plain = generalised(["abcdx", "abcdx", "cdy", "aby", "z"]).release
    assert list(guess_marks(release)) == list(guess_marks(plain))
    assert {block for row in guess_marks(plain) for block in row if len(block) > 1} == {
        ("a", "b"),
        ("c", "d"),
    }


def test_items_of_too_few_rows_are_not_taken_for_generalised_ones():
    plain = generalised(["abc", "c", "cde", "de"], k=2).release
    assert {block for row in guess_marks(plain) for block in row if len(block) > 1} == {("d", "e")}
    assert {block for row in guess_marks(plain, least_rows=1) for block in row if len(block) > 1} == {
        ("a", "b"),
        ("d", "e"),
    }


def test_guessed_marks_keep_the_rows_in_their_place():
    release = generalised(["acx", "bdx", "cy", "ay", "zs"], "ab", "cd", suppressed="s").release
    guessed = guess_marks(release)
    for row, other in zip(release, guessed, strict=True):
        assert {item for block in row for item in block} == {item for block in other for item in block}
    assert (np.diff(guessed.block_items[guessed.block_offsets[:-1]]) > 0).all()


@pytest.mark.parametrize("wrong", ["folder", None, 3])
def test_anything_but_a_release_is_refused(wrong):
    with pytest.raises(ReleaseError, match="published set-generalised release alone"):
        tables(wrong)


def test_a_key_is_refused():
    made = generalised(["ax", "bx"], "ab")
    for wrong in (made, made.key):
        with pytest.raises(ReleaseError, match="published set-generalised release alone"):
            Elimination(Scores(())).guess(wrong)
