"""What a set-generalised release tells of a known person, against plain counting."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest

from cloven.data.known_sets import Known
from cloven.errors import ParameterError, ReleaseError
from cloven.kinds.generalised.attack.known_person import KnownPersonGeneralised
from cloven.kinds.generalised.release import SetGeneralised


def release_of(blocks, rows):
    names = sorted(item for block in blocks for item in block)
    code = {name: number for number, name in enumerate(names)}
    return SetGeneralised(
        2,
        {},
        tuple(names),
        ("",) * len(blocks),
        np.cumsum([0] + [len(block) for block in blocks]).astype(np.int64),
        np.array([code[item] for block in blocks for item in sorted(block)], np.int32),
        np.cumsum([0] + [len(row) for row in rows]).astype(np.int64),
        np.array([block for row in rows for block in sorted(row)], np.int32),
    )


def plain(release, known):
    """P(s | K), by the formula."""
    block_of = {item: number for number in range(release.blocks) for item in release.block(number)}
    blocks = {block_of[item] for item in known}
    rows = [set(map(block_of.get, (names[0] for names in release.row(n)))) for n in range(release.records)]
    fitting = [row for row in rows if blocks <= row]
    return {
        item: sum(block_of[item] in row for row in fitting)
        / len(fitting)
        / len(release.block(block_of[item]))
        for item in release.vocabulary
        if fitting and block_of[item] not in blocks
    }, len(fitting)


def test_claims_are_those_of_the_formula():
    rng = random.Random(2)
    for _ in range(60):
        items = list("abcdefgh"[: rng.randint(2, 8)])
        rng.shuffle(items)
        blocks = []
        while items:
            size = rng.choice((1, 1, 2, 3))
            blocks.append(sorted(items[:size]))
            items = items[size:]
        blocks.sort()
        rows = [rng.sample(range(len(blocks)), rng.randint(0, len(blocks))) for _ in range(rng.randint(1, 9))]
        release = release_of(blocks, rows)
        reader = KnownPersonGeneralised.of(release)
        codes = range(len(release.vocabulary))
        sets = [set(c) for size in (0, 1, 2, 3) for c in combinations(codes, size)]
        claims, certain = reader.claims(Known.from_sets(sets)), reader.certain(Known.from_sets(sets))
        for number, known in enumerate(sets):
            truth, fitting = plain(release, {release.vocabulary[code] for code in known})
            wanted = {release.vocabulary.index(s): pytest.approx(p) for s, p in truth.items() if p >= 0.2}
            assert claims.of(number) == wanted
            assert claims.expected[number] == fitting
            assert claims.best_probability[number] == pytest.approx(max(truth.values(), default=0))
            assert set(certain.of(number)) == {
                release.vocabulary.index(s) for s, p in truth.items() if p == 1
            }


def test_only_releases_and_published_items_are_taken():
    release = release_of([["a"], ["b"]], [[0, 1], [0]])
    with pytest.raises(ReleaseError):
        KnownPersonGeneralised.of(object())
    with pytest.raises(ParameterError, match="published"):
        KnownPersonGeneralised.of(release).claims(Known.from_sets([[5]]))
    with pytest.raises(ParameterError, match="floor"):
        KnownPersonGeneralised.of(release).claims(Known.from_sets([[0]]), floor=0.01)
    with pytest.raises(ParameterError, match="eligible"):
        KnownPersonGeneralised.of(release).certain(Known.from_sets([[0]]), np.ones(1, bool))


def test_only_eligible_items_are_claimed():
    release = release_of([["a"], ["b"], ["c"]], [[0, 1, 2], [0, 1]])
    reader = KnownPersonGeneralised.of(release)
    only = np.array([True, False, True])
    assert reader.claims(Known.from_sets([[0]]), only).of(0) == {2: 0.5}
    assert reader.certain(Known.from_sets([[0]])).of(0) == [1]
    assert reader.certain(Known.from_sets([[0]]), only).of(0) == []
