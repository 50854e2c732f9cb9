"""What the paper prints about cells and tuples: Tables 3 and 4 of BinJubier et al., by swap rate and size of the table.

The text of Table 4 has four of five swap rates; which one is missing cannot be told, so its smallest and largest
numbers are used.
"""

from __future__ import annotations

SIZES = ("4.1K", "4.2K", "4.3K", "4.4K", "4.5K")
LOWER = {
    0.01: ((5, 6, 6, 7, 6), (16, 35, 16, 39, 22), (11, 9, 13, 12, 17), (156, 488, 16, 1619, 22)),
    0.02: ((7, 8, 7, 7, 8), (28, 59, 34, 58, 37), (24, 18, 20, 12, 27), (654, 1982, 238, 1674, 273)),
    0.05: ((13, 13, 10, 14, 12), (44, 103, 53, 102, 50), (111, 128, 107, 166, 117), (1082, 2412, 1386, 2590, 467)),
    0.1: ((17, 17, 17, 17, 15), (62, 115, 67, 146, 67), (324, 342, 398, 362, 229), (1132, 2824, 1988, 2703, 721)),
    0.15: ((21, 22, 20, 22, 19), (68, 153, 76, 146, 72), (542, 611, 631, 639, 526), (1230, 2910, 2088, 2703, 743)),
}  # fmt: skip
"""Table 3: for each rate cells of column 1 and 2, tuples of column 1 and 2, at the five sizes."""
UPPER_CELLS, UPPER_ROWS = (1, 2), (1362, 1787)
"""Table 4, column 1: fewest and most cells and tuples over all rates and sizes."""
UTILITY = {0.02: 0.9247, 0.05: 0.9219}
"""Conclusions: data utility of Education with 4.5K rows."""


def printed(rate: float, what: str) -> tuple[int, ...]:
    """A row of Table 3: ``cells 1``, ``cells 2``, ``rows 1`` or ``rows 2``, at the five sizes.

    >>> printed(0.01, "cells 1")
    (5, 6, 6, 7, 6)
    """
    return LOWER[rate][("cells 1", "cells 2", "rows 1", "rows 2").index(what)]
