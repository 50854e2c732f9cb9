"""How much memory there is, and how much an audit needs: said before the work starts, not hours later.

The estimate is linear in the number of occurrences (items of all records together) and of records. Its constants are
fitted to the peak resident memory of whole runs, each in a process of its own (Linux, Python 3.11, numpy 2.4): read,
describe, anonymise with k = 5 and m = 2, verify with the key, covers, utility on two reconstructions.

====================  ===========  =========  ============  ============
data                  occurrences    records   measured MB   estimate MB
====================  ===========  =========  ============  ============
sparse                    200,000     40,000           311           341
BMS-WebView-2             358,278     77,512           355           374
sparse, 12 items each     996,000     83,000           483           493
T10I4D100K              1,010,228    100,000           476           497
sparse, 5 items each    1,000,000    200,000           484           505
sparse, 2.5 each        1,000,000    400,000           509           525
sparse, 8 items each    5,000,000    625,000         1,246         1,288
sparse, 4 items each   10,000,000  2,500,000         2,167         2,400
====================  ===========  =========  ============  ============

To read, anonymise, verify and write alone, at the default settings and with ``refine``, takes less
(``cloven anonymise disassociation``):

====================  ===========  ==========  ============  ===========  ============
data                  occurrences     records   measured MB   refined MB   estimate MB
====================  ===========  ==========  ============  ===========  ============
sparse                    200,000      40,000           355            -           386
BMS-WebView-2             358,278      77,512           410            -           416
sparse, 12 items each     996,000      83,000           513            -           515
T10I4D100K              1,010,228     100,000           455          515           520
sparse, 5 items each    1,000,000     200,000           511          533           531
sparse, 2.5 each        1,000,000     400,000           559            -           557
sparse, 8 items each    5,000,000     625,000         1,105        1,135         1,206
sparse, 4 items each   10,000,000   2,500,000         1,804        1,742         1,925
POS shape              65,000,000  10,000,000         6,570            -         7,575
====================  ===========  ==========  ============  ===========  ============

An attack weighs candidates: 68 to 246 for each occurrence on these data, if it is tried on all that is hidden. It holds
about 60 bytes for each (measured: 61 on the first data set, 57 on the second). Audits bound their number, so that
bound is part of the estimate. Several attacks run at the same time, and hold what they read of releases; whole audits
(``cloven audit``, two cores):

====================  ===========  =========  ============  ============
data                  occurrences    records   measured MB   estimate MB
====================  ===========  =========  ============  ============
BMS-WebView-2             358,278     77,512           718         1,642
T10I4D100K              1,010,228    100,000         1,334         1,889
sparse, 5 items each    1,000,000    200,000         1,125         1,895
sparse, 8 items each    5,000,000    625,000         3,405         3,437
POS shape              10,054,142  1,546,791         4,892         5,424
sparse, 4 items each   10,000,000  2,500,000         4,705         5,500
====================  ===========  =========  ============  ============

The first run after an installation compiles functions, which takes 0.8 GB whatever the
size of the data; this is not counted. Reading holds the content twice, and thrice where it is JSON.
``tests/unit/test_memory.py`` measures a small run again.

The estimate for a table is linear in its cells, rows times columns of the file. Reading it from CSV takes about 35
bytes for each cell, and up to 150 where nearly every cell of a column is different; work that comes after takes more
where nearly every person is different.
Peaks of reading and of a quick audit:

=======================  ==========  ===========  ============
data, method                  cells  measured MB   estimate MB
=======================  ==========  ===========  ============
5 columns, mondrian       1,000,000          264           470
5 columns, slicing        1,000,000          458           470
5 columns, ul             1,000,000          446           470
9 columns, mondrian       1,800,000          335           606
9 columns, slicing        1,800,000          605           606
5 columns, slicing        4,000,000          661           980
=======================  ==========  ===========  ============
"""

from __future__ import annotations

from cloven.errors import ParameterError
from cloven.intake.machine import available, written

BASE = 300 * 10**6
"""Bytes of the interpreter with all libraries loaded and functions compiled."""
PER_CELL = 170
PER_OCCURRENCE = 185
PER_RECORD = 100
PER_CANDIDATE = 60
PER_ATTACKED = 190
"""Of each occurrence, where attacks are tried."""
CANDIDATES_PER_OCCURRENCE = 150
"""Of an attack that is not bounded."""
RELEASE_BASE = 350 * 10**6
RELEASE_PER_OCCURRENCE = 85
RELEASE_PER_RECORD = 130
PASSING_PER_OCCURRENCE, PASSING = 70, 400 * 10**6
"""What is held for a moment, of a part of large data."""


def estimate(occurrences: int, records: int, *, content: float = 0, candidates: int = 0) -> int:
    """Peak bytes of reading, anonymising, verifying and measuring, and of an attack on so many candidates.

    Args:
        occurrences: items of all records together.
        records: number of records.
        content: bytes that the reader holds at its peak, beside the occurrences; see ``reading.reader``.
        candidates: bound on what an attack weighs; 0 if there is none to be tried.

    >>> estimate(1_000_000, 200_000) // 10**6
    505
    """
    weighed = min(candidates, CANDIDATES_PER_OCCURRENCE * occurrences)
    attacked = PER_ATTACKED * occurrences if candidates else 0
    work = PER_RECORD * records + PER_CANDIDATE * weighed + attacked
    return int(BASE + PER_OCCURRENCE * occurrences + max(work, content))


def estimate_release(occurrences: int, records: int, *, content: float = 0) -> int:
    """Peak bytes of reading, disassociating, verifying and writing, without attacks and measures; see ``estimate``.

    >>> estimate_release(65_000_000, 10_000_000) // 10**6
    7575
    """
    work = RELEASE_PER_RECORD * records + min(PASSING, PASSING_PER_OCCURRENCE * occurrences)
    return int(RELEASE_BASE + RELEASE_PER_OCCURRENCE * occurrences + max(work, content))


def estimate_table(cells: int) -> int:
    """Peak bytes of reading, anonymising, attacking and measuring a table with so many cells: rows times columns.

    >>> estimate_table(5 * 200_000) // 10**6
    470
    """
    return BASE + PER_CELL * cells


def refuse_if_too_large(
    needed: int, memory: float | None = None, *, instead: tuple[str, int] | None = None, spark: str = ""
) -> None:
    """Raise if an estimate is above ``memory`` (what is free, if None; any amount, if infinite).

    Args:
        needed: bytes, as ``estimate`` gives them.
        memory: bytes that may be used.
        instead: what to use for a smaller run, and what that would need.
        spark: the command that does the same on Spark, if one does.

    >>> refuse_if_too_large(9_600_000_000, 4e9)
    Traceback (most recent call last):
    ...
    cloven.errors.ParameterError: this needs about 9.6 GB of memory, ...
    """
    limit = available() if memory is None else memory
    if limit is None or needed <= limit:
        return
    there = f"{written(limit)} are free" if memory is None else f"{written(limit)} are allowed"
    ways = "use a machine with more, or a part of the data"
    if instead is not None and instead[1] <= limit:
        ways = f"use {instead[0]}, which needs about {written(instead[1])}, or a machine with more"
    if spark:
        ways += f", or Spark: {spark}"
    message = f"this needs about {written(needed)} of memory, and {there}; {ways}; memory='any' tries it all the same"
    raise ParameterError(message)
