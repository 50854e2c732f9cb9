"""Hypothesis strategies: small set-valued data with plenty of repetition, so that chunks and joins really happen."""

from __future__ import annotations

from hypothesis import strategies as st

RARE_ITEMS = ("cluster", "withhold", "list")
"""Where rare items can go. Laws hold for all of them, unless they are about term chunks."""


def records(max_records=40, items="abcdefgh", min_records=1):
    """Lists of non-empty sets over a few letters."""
    one = st.frozensets(st.sampled_from(items), min_size=1, max_size=min(6, len(items)))
    return st.lists(one, min_size=min_records, max_size=max_records)


@st.composite
def skewed_records(draw, max_records=60, min_records=1, n_items=14):
    """Records drawn with a popular head and a rare tail, from one seed: larger data, cheap to draw."""
    import random

    seed, n = draw(st.integers(0, 2**32)), draw(st.integers(min_records, max_records))
    rng = random.Random(seed)
    weights = [1 / (i + 1) for i in range(n_items)]
    names = [chr(97 + i) for i in range(n_items)]
    return [frozenset(rng.choices(names, weights, k=rng.choice((1, 2, 2, 3, 4, 6)))) for _ in range(n)]
