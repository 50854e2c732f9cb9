"""WordNet's files and Wu-Palmer similarity, on small copies written by hand and on WordNet 3.0."""

from __future__ import annotations

import runpy
import tarfile
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cloven.errors import InputError, ParameterError
from cloven.relatedness.wordnet import WordNet
from cloven.relatedness.wordnet_files import WordNetFiles
from tests.effort import tries

world = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("wordnet_world.py"))))

# Pairs and human judgement (0 to 1) as in Table 4.1 of the thesis that the semantic attack comes from.
TABLE_4_1 = """cord smile .01, autograph shore .02, asylum fruit .05, boy rooster .11, coast forest .21, boy sage .24,
forest graveyard .25, bird woodland .31, hill woodland .46, magician oracle .65, oracle sage .65, furnace stove .78,
magician wizard .8, hill mound .82, cord string .85, glass tumbler .86, grin smile .87, serf slave .87,
journey voyage .9, autograph signature .9, coast shore .9, forest woodland .91, implement tool .92, cock rooster .92,
boy lad .96, cushion pillow .96, cemetery graveyard .97, automobile car .98, midday noon .99, gem jewel .99"""


@pytest.fixture
def folder(tmp_path):
    return world.write(tmp_path / "wordnet")


@pytest.fixture(scope="session")
def princeton(data_dir):
    return WordNet(data_dir / "text" / "wordnet-3.0-dict.tar.gz")


def similar(measure, *pairs):
    related = measure.relate([word for pair in pairs for word in pair])
    left = np.arange(0, 2 * len(pairs), 2)
    return related.block(left, left + 1).diagonal()


def correlation(measure, rows):
    found = similar(measure, *[(a, b) for a, b, _ in rows])
    return np.corrcoef(found, [float(human) for *_, human in rows])[0, 1]


def test_files_tell_senses_words_and_hypernyms(folder):
    files = WordNetFiles(folder)
    nouns = files.synsets()
    organ, ship = files.senses("vessel")
    assert nouns.words[organ] == ("vessel", "blood_vessel")
    assert [nouns.words[above] for above in nouns.hypernyms(organ)] == [("organ",)]
    assert nouns.words[ship] == ("vessel", "ship")
    [paris] = files.senses("paris")
    assert [nouns.words[above] for above in nouns.hypernyms(paris)] == [("city",)]
    assert files.senses("nothing") == []
    assert files.synsets("adj").words == (("ill", "sick"),)


def test_tar_is_read_like_the_folder(folder, tmp_path):
    packed = tmp_path / "wordnet.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(folder, "dict")
    assert list(WordNetFiles(packed).documents()) == list(WordNetFiles(folder).documents())
    assert similar(WordNet(packed), ("lung", "vessel")) == similar(WordNet(folder), ("lung", "vessel"))


def test_documents_are_words_and_gloss(folder):
    documents = list(WordNetFiles(folder).documents())
    assert documents[6] == "vessel, blood vessel: it carries blood"
    assert documents[-3:] == ["bleed: to lose blood", "ill, sick: not well", "well: in a good way"]


@pytest.mark.parametrize(
    ("word", "bases"),
    [
        ("lungs", ["lung"]),
        ("Mice", ["mouse"]),
        ("cities", ["city"]),
        ("blood vessels", ["blood_vessel"]),
        ("bled", ["bleed"]),
        ("bleeding", ["bleed"]),
        ("sicker", ["sick"]),
        ("xs", []),
    ],
)
def test_morphy(folder, word, bases):
    assert WordNetFiles(folder).morphy(word) == bases


def test_similarity_by_hand(folder):
    """entity 1, thing 2, organ 3, lung and vessel 4: 2*3/8; treatment is 3 deep and meets lung at the root: 2/7."""
    pairs = [("lung", "vessel"), ("treatment", "lung"), ("treatment", "catheterisation"), ("lung", "lung")]
    pairs += [("Paris", "city"), ("vessel", "mouse")]  # the ship is one step from thing, the blood vessel two
    assert similar(WordNet(folder), *pairs) == pytest.approx([6 / 8, 2 / 7, 6 / 7, 1, 6 / 7, 2 * 2 / 6])


def test_items_that_are_no_nouns_have_no_score(folder):
    related = WordNet(folder).relate(["Lungs", "zzyzx", "mouse", "bleed"])
    everything = np.arange(4)
    found = related.block(everything, everything)
    assert np.isnan(found).tolist() == [[i in (1, 3) or j in (1, 3) for j in range(4)] for i in range(4)]
    assert related.coverage.unknown == ("zzyzx", "bleed")
    assert dict(related.coverage.rungs) == {"exact": 1, "lower case": 0, "lemma": 1, "spelling": 0}


def test_no_noun_at_all_is_refused(folder):
    with pytest.raises(
        ParameterError, match=r"none of the 2 items is a noun of WordNet, not even 'q1', 'q2'"
    ):
        WordNet(folder).relate(["q1", "q2"])


@st.composite
def taxonomies(draw):
    """Synsets with one to three hypernyms among the earlier ones, and words with several senses."""
    size = draw(st.integers(2, 9))
    synsets = {"s0": ([], "root")}
    for number in range(1, size):
        above = draw(st.lists(st.integers(0, number - 1), min_size=1, max_size=3, unique=True))
        words = draw(st.lists(st.sampled_from("abcd"), max_size=2, unique=True))
        synsets[" ".join([f"s{number}", *words])] = ([f"s{place}" for place in above], "gloss")
    return synsets


def plain_wu_palmer(synsets, a, b):
    """The formula of the module, by listing all ways up."""
    key = {words.split()[0]: words for words in synsets}

    @cache
    def ways(name):
        above = synsets[key[name]][0]
        return [[name, *way] for up in above for way in ways(up)] or [[name]]

    def pair(x, y):
        steps = [
            {node: min(way.index(node) for way in ways(s) if node in way) for way in ways(s) for node in way}
            for s in (x, y)
        ]
        depth = {node: min(map(len, ways(node))) for node in steps[0].keys() & steps[1].keys()}
        deepest = max(depth.values())
        return max(
            2 * deepest / (steps[0][node] + steps[1][node] + 2 * deepest)
            for node, level in depth.items()
            if level == deepest
        )

    senses = [[name for name, words in key.items() if word in words.split()] for word in (a, b)]
    return max(pair(x, y) for x, y in product(*senses))


@settings(deadline=None, max_examples=tries(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(synsets=taxonomies())
def test_similarity_agrees_with_plain_python(tmp_path, synsets):
    folder = world.write(tmp_path / "random", synsets)
    words = sorted({word for words in synsets for word in words.split()})
    found = WordNet(folder).relate(words).block(np.arange(len(words)), np.arange(len(words)))
    expected = [[plain_wu_palmer(synsets, a, b) for b in words] for a in words]
    assert found == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("data.noun", "00000001 03 n zz entity 0 000 | all  \n", r"data\.noun:1: not a line of a WordNet"),
        ("data.noun", "", r"data\.noun: no synsets"),
        ("index.noun", "lung n 2 1 @ 2 0 00000001  \n", r"index\.noun:1: not a line of a WordNet"),
        ("index.noun", "lung n 1 1 @ 1 0 00000001  \n", r"the index names a synset that the data file lacks"),
        ("noun.exc", "mice\n", r"noun\.exc:1: not a line of a WordNet"),
    ],
)
def test_damaged_files_are_refused(folder, name, content, message):
    (folder / name).write_text(content)
    with pytest.raises(InputError, match=message):
        WordNet(folder).relate(["lung", "lungs"])


def test_missing_files_are_named(folder, tmp_path):
    (folder / "index.noun").unlink()
    with pytest.raises(InputError, match=r"index\.noun: missing; a copy of WordNet needs"):
        WordNet(folder).relate(["lung"])
    with pytest.raises(InputError, match="no such folder or tar file"):
        WordNetFiles(tmp_path / "nowhere")
    text = tmp_path / "wordnet.txt"
    text.write_text("no tar")
    with pytest.raises(InputError, match="cannot be read as a tar file"):
        WordNetFiles(text).index()


def test_circles_are_refused(tmp_path):
    circle = {"root": ([], ""), "a": (["b"], ""), "b": (["a"], "")}
    with pytest.raises(InputError, match=r"circle that has no root.*'a'"):
        WordNet(world.write(tmp_path / "circle", circle)).relate(["a"])


@pytest.mark.slow
@pytest.mark.data
def test_wordnet_3_0_counts(princeton):
    assert len(princeton._files.synsets()) == 82_115
    assert sum(1 for _ in princeton._files.documents()) == 117_659


@pytest.mark.data
def test_wu_palmer_of_known_pairs(princeton):
    pairs = [
        ("treatment", "catheterisation"),
        ("blood", "vessel"),
        ("cancer", "radiotherapy"),
        ("tumor", "biopsy"),
    ]
    assert similar(princeton, *pairs).round(2).tolist() == [0.63, 0.44, 0.20, 0.18]


@pytest.mark.data
def test_wu_palmer_against_human_judgement(princeton, data_dir):
    """0.8666 on the thirty pairs of Table 4.1; with the ancestor's depth by the longest way it would be 0.8675."""
    rows = [row.split() for row in TABLE_4_1.replace("\n", " ").split(", ")]
    assert correlation(princeton, rows) == pytest.approx(0.867, abs=5e-4)
    miller_charles = (data_dir / "wordsim" / "EN-MC-30.txt").read_text().splitlines()
    assert correlation(princeton, [line.split() for line in miller_charles]) == pytest.approx(0.777, abs=5e-4)
