"""Policies: the object, the files, and the generators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.taxonomy import Taxonomy
from cloven.data.transactions import Transactions
from cloven.errors import InputError, OutputError, ParameterError
from cloven.kinds.generalised.methods.by_policy import Coat
from cloven.kinds.generalised.policy import (
    Policy,
    random_items,
    related_groups,
    taxonomy_groups,
)
from cloven.kinds.generalised.policy_files import policy_lines, read_lines, read_policy, write_policy


def test_order_and_repeats_do_not_matter():
    one = Policy((("b", "a", "a"), ("c",), ("a", "b")), groups=(("y", ("d", "c")), ("x", ("a",))))
    assert one == Policy((("c",), ("a", "b")), groups=(("x", ("a",)), ("y", ("c", "d"))))
    assert (one.largest, Policy(all_up_to=3).largest, Policy().largest) == (2, 3, 0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"protected": ("flu",)},
            "a protected itemset must be a list of items, got the text 'flu'; write ('flu',)",
        ),
        ({"protected": "flu"}, "protected must be a list, got the text 'flu'"),
        ({"protected": ((),)}, "a protected itemset needs at least one item, each a string: it is empty"),
        ({"protected": ((1,),)}, "it holds 1, which is not a string"),
        ({"groups": (("g", ()),)}, "group 'g' needs at least one item, each a string: it is empty"),
        ({"groups": (("g", ("a",)), ("g", ("b",)))}, "two groups are called 'g'; give each its own name"),
        ({"groups": (("a", "b", "c"),)}, "a group must be a name and its items"),
        ({"groups": ("ab",)}, "a group must be a name and its items"),
        ({"groups": ((1, ("a",)),)}, "a group must be a name and its items"),
        ({"all_up_to": -1}, "all_up_to must be a whole number from 0, got -1"),
        ({"all_up_to": True}, "all_up_to must be a whole number from 0, got True"),
        ({"all_up_to": "2"}, "all_up_to must be a whole number from 0, got '2'"),
    ],
)
def test_bad_policies(fields, message):
    with pytest.raises(ParameterError) as error:
        Policy(**fields)
    assert message in str(error.value)


names = st.text(min_size=1, max_size=6) | st.sampled_from(
    ["a, b", "a:b", '"a"', " a", "a ", "#a", "nothing", "1", "\n", "\u2028x", "\\", "ä", "\r"]
)
itemsets = st.lists(names, min_size=1, max_size=3).map(tuple)
policies = st.builds(
    Policy,
    protected=st.lists(itemsets, min_size=1, max_size=4).map(tuple),
    all_up_to=st.integers(0, 4),
    groups=st.none() | st.dictionaries(names, itemsets, max_size=3).map(lambda found: tuple(found.items())),
)


@settings(deadline=None)
@given(policies)
def test_both_forms_give_back_any_policy(tmp_path_factory, policy):
    folder = tmp_path_factory.mktemp("policies")
    for name in ("a.policy", "a.json"):
        write_policy(policy, folder / name)
        known = {item for items in policy.protected for item in items}
        known.update(item for _, items in policy.groups or () for item in items)
        assert read_policy(folder / name, known) == policy


def test_text_form_is_readable():
    policy = Policy(
        (("flu", "fever"), ("cough, dry",)), 2, (("heart", ("angina", "infarct")), ("a: b", ("x",)))
    )
    assert list(policy_lines(policy)) == [
        "protect all combinations up to: 2",
        'protect: "cough, dry"',
        "protect: fever, flu",
        'group "a: b": x',
        "group heart: angina, infarct",
    ]
    text = "# rules\n\n  protect :flu ,fever\r\ngroup  heart : angina,infarct\nmerge: anything\n"
    policy, lines = read_lines(text, "x")
    assert policy == Policy((("fever", "flu"),), 0, (("heart", ("angina", "infarct")),))
    assert lines == {"flu": 3, "fever": 3, "angina": 4, "infarct": 4}
    assert read_lines("protect: a\nmerge: nothing\n", "x")[0].groups == ()
    assert read_lines("protect: a\n", "x")[0].groups is None


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("protect: a\nprotekt: b\n", 2, "not a rule; write 'protect: item, item'"),
        ("protect: a,,b\n", 1, "an item or a name is missing"),
        ("protect:\n", 1, "an item or a name is missing"),
        ("protect: a,\n", 1, "an item or a name is missing"),
        ("protect: a\ngroup g\n", 2, "a group needs a colon behind its name (got 'group g')"),
        ("protect: a\ngroup : b\n", 2, "an item or a name is missing"),
        (
            "protect: a\ngroup g: b\ngroup g: c\n",
            3,
            "two groups have the same name; give each its own (got 'g')",
        ),
        ('protect: "a\n', 1, "a quote has no end"),
        ('protect: "a" b\n', 1, "after the closing quote only ',' may follow"),
        ("protect all combinations up to: two\n", 1, "say once, with a whole number from 1"),
        ("protect all combinations up to: 0\n", 1, "say once, with a whole number from 1"),
        ("protect all combinations up to: 2\nprotect all combinations up to: 3\n", 2, "say once"),
        ("protect: a\nmerge: some\n", 2, "not a rule"),
        ("protect: a\ngroup g: b\nmerge: nothing\n", 3, "contradict each other"),
        ("protect\n", 1, "not a rule"),
        ("# nothing\n", None, "protects nothing; add a line"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, line, message):
    path = tmp_path / "bad.policy"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_policy(path)
    place = f"{path}: " if line is None else f"{path}:{line}: "
    assert str(error.value).startswith(place)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"format": "cloven.policy/1",\n "protect": [["a"]\n}', 3, "not JSON that can be read: Expecting"),
        ("[]", None, "must be an object with format 'cloven.policy/1'"),
        ('{"format": "cloven.policy/2", "protect": [["a"]]}', 1, "must be an object with format"),
        (
            '{"format": "cloven.policy/1",\n "protekt": []}',
            2,
            "unknown entry; the entries are format, protect",
        ),
        ('{"format": "cloven.policy/1", "protect": ["a"]}', None, "protect must be a list of itemsets"),
        (
            '{"format": "cloven.policy/1", "protect": [["a"]], "groups": []}',
            None,
            "groups must be null or an object",
        ),
        ('{"format": "cloven.policy/1", "protect": [[1]]}', None, "it holds 1, which is not a string"),
        ('{"format": "cloven.policy/1", "protect": [[]]}', None, "it is empty"),
        ('{"format": "cloven.policy/1", "all_up_to": "2"}', None, "all_up_to must be a whole number"),
        (
            '{"format": "cloven.policy/1",\n"groups": {\n"g": ["a"],\n"g": ["b"]}}',
            3,
            "two entries have the same name",
        ),
        ('{"format": "cloven.policy/1"}', None, "protects nothing"),
    ],
)
def test_bad_json_is_named(tmp_path, text, line, message):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_policy(path)
    place = f"{path}: " if line is None else f"{path}:{line}: "
    assert str(error.value).startswith(place)
    assert message in str(error.value)


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(InputError, match="no such file; check the path"):
        read_policy(tmp_path / "none.policy")
    (tmp_path / "latin.policy").write_bytes(b"protect: a\nprotect: \xe4\n")
    with pytest.raises(InputError, match=r"latin\.policy:2: not UTF-8"):
        read_policy(tmp_path / "latin.policy")
    write_policy(Policy(all_up_to=2), tmp_path / "a.policy")
    with pytest.raises(OutputError, match="exists already"):
        write_policy(Policy(all_up_to=2), tmp_path / "a.policy")


@pytest.mark.parametrize("name", ["a.policy", "a.json"])
def test_items_that_the_data_does_not_hold_are_counted_and_named(tmp_path, name):
    policy = Policy((("flu",), ("flue",)), groups=(("g", ("feever", "flu")),))
    write_policy(policy, tmp_path / name)
    assert read_policy(tmp_path / name) == policy
    with pytest.raises(
        InputError, match="2 items are not in the data: 'flue', 'feever'; correct the policy"
    ) as error:
        read_policy(tmp_path / name, {"flu", "fever"})
    assert error.value.line == {"a.policy": 2, "a.json": 8}[name]
    with pytest.raises(InputError, match="1 item is not in the data: 'flue'"):
        read_policy(tmp_path / name, {"flu", "feever"})


DATA = Transactions.from_records([[f"i{number:02}" for number in range(40)]])


def test_random_items():
    drawn = random_items(DATA, 0.1, np.random.default_rng(5))
    assert len(drawn.protected) == 4
    assert drawn.largest == 1
    assert drawn.groups is None
    assert drawn != random_items(DATA, 0.1, np.random.default_rng(6))
    assert len(random_items(DATA, 0.001, np.random.default_rng(1)).protected) == 1
    assert len(random_items(DATA, 1, np.random.default_rng(1)).protected) == 40
    for share in (0, 1.1):
        with pytest.raises(ParameterError, match="the share of items to protect"):
            random_items(DATA, share, np.random.default_rng(1))


def test_taxonomy_groups():
    rows = [
        ["ale", "beer", "drinks", "*"],
        ["stout", "beer", "drinks", "*"],
        ["tea", "drinks", "*"],
        ["rye", "*"],
    ]
    taxonomy = Taxonomy.from_rows(rows)
    assert taxonomy_groups(taxonomy, 1) == (
        ("*", ("ale", "rye", "stout", "tea")),
        ("beer", ("ale", "stout")),
        ("drinks", ("ale", "stout", "tea")),
    )
    assert taxonomy_groups(taxonomy, 2) == (
        ("*", ("ale", "rye", "stout", "tea")),
        ("drinks", ("ale", "stout", "tea")),
    )
    assert taxonomy_groups(taxonomy, 9) == (("*", ("ale", "rye", "stout", "tea")),)
    with pytest.raises(ParameterError, match="level must be a whole number from 1, got 0"):
        taxonomy_groups(taxonomy, 0)


@dataclass
class Scores:
    """A relatedness given as a table."""

    table: np.ndarray

    def block(self, left, right):
        return self.table[np.ix_(left, right)]


def test_related_groups_overlap_and_need_not_cover():
    none = np.nan
    scores = Scores(
        np.array([[1, 0.6, 0.5, none], [0.6, 1, 0.9, none], [0.5, 0.9, none, 0.1], [none, none, 0.1, none]])
    )
    items = ("cat", "dog", "fox", "qi")
    assert related_groups(items, scores, 0.5) == (
        ("cat", ("cat", "dog")),
        ("dog", ("cat", "dog", "fox")),
        ("fox", ("dog", "fox")),
    )
    assert related_groups(items, scores, 0.5, [("cat", "qi")]) == (("cat, qi", ("cat", "dog", "qi")),)
    with pytest.raises(ParameterError, match="protected item 'eel' is not in the vocabulary"):
        related_groups(items, scores, 0.5, [("eel",)])


def test_related_groups_with_one_name():
    scores = Scores(np.ones((3, 3)))
    groups = related_groups(("a", "a, b", "b"), scores, 0.5, [("a", "b"), ("a, b",)])
    assert [name for name, _ in groups] == ["a, b", "a, b'"]


@pytest.mark.slow
@pytest.mark.data
def test_wordnet_groups_serve_coat(data_dir):
    from cloven.relatedness.wordnet import WordNet

    data = Transactions.from_records([["cat"], ["dog"], ["fox"], ["house", "rain"], ["rain"]])
    related = WordNet(data_dir / "text" / "wordnet-3.0-dict.tar.gz").relate(data.vocabulary)
    groups = related_groups(data.vocabulary, related, 0.7, [("cat",), ("rain",)])
    assert groups == (("cat", ("cat", "dog", "fox")),)
    release = Coat(k=3, policy=Policy((("cat",),), groups=groups)).anonymise(data).release
    assert ("cat", "dog", "fox") in [release.block(number) for number in range(release.blocks)]


def test_a_line_may_hold_many_items(tmp_path):
    """Each was once cut off a copy of the rest of the line: a hundred thousand took minutes."""
    items = [f"item {number}" for number in range(100_000)]
    (tmp_path / "long.policy").write_text(f"protect: item 1\ngroup all: {', '.join(items)}\n")
    assert read_policy(tmp_path / "long.policy").groups == (("all", tuple(sorted(items))),)
