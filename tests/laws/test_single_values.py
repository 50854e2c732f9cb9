"""Law: owners are told of exactly the groups that show one value of something that is not promised to be hidden."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st
from plain_tables import releases, tables

from cloven.kinds.tables.release import Sliced
from cloven.kinds.tables.words import single_values


def counted(release, place):
    """Groups and rows by brute force: parts of a group that look alike beside the value."""
    if isinstance(release, Sliced):
        edges = release.bucket_offsets.tolist()
        group = [n for n, (start, end) in enumerate(pairwise(edges)) for _ in range(start, end)]
        column = next(column for column in release.columns if place in column)
    else:
        column = range(len(release.domains))
        group = [0] * len(release)
    beside = [each for each in column if not release.domains[each].sensitive]
    held = defaultdict(list)
    for row, cells in enumerate(release.cells.tolist()):
        held[group[row], *(cells[each] for each in beside)].append(cells[place])
    alone = {look: values for look, values in held.items() if len(set(values)) == 1}
    groups = {look[0] for look in alone} if isinstance(release, Sliced) else set(alone)
    return len(groups), sum(map(len, alone.values()))


@given(st.data())
def test_single_values_are_counted(data):
    table = data.draw(tables())
    release = data.draw(releases(table))
    told = {
        match[3]: (int(match[1]), int(match[2]))
        for match in (
            re.match(r"(\d+) \w+ \((\d+) rows?\) shows? a single value of (\w+): ", line)
            for line in single_values(table, release, SimpleNamespace())
        )
    }
    wanted = {
        domain.name: counted(release, place)
        for place, domain in enumerate(release.domains)
        if domain.sensitive
    }
    assert told == {name: found for name, found in wanted.items() if found[0]}
