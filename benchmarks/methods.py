"""The other methods: COAT, PCTA and Apriori on sets, Mondrian, slicing and UL on a table; all data against half."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cloven as cv
from benchmarks.measuring import FILES, against_half, halved
from benchmarks.packages import K, adult_tables

if TYPE_CHECKING:
    from benchmarks.measuring import Extent, Row


def methods(extent: Extent) -> list[Row]:
    """BMS-WebView-2 with its public taxonomy, and Adult with eight quasi-identifiers."""
    return [*_sets(extent), *_tables(extent)]


def _sets(extent: Extent) -> list[Row]:
    name = "BMS-WebView-2"
    parts = halved(extent.some(cv.read(extent.file(FILES[name]))))
    taxonomy = cv.read_taxonomy(extent.file("transactions/treefile_BMS.txt.gz"))
    # Any method of the family can stand here: it needs a name and `anonymise`.
    found: dict[str, Any] = {
        "COAT, k=5, m=2": cv.Coat(k=5, m=2),
        "PCTA, k=5, m=2": cv.Pcta(k=5, m=2),
        **{
            f"Apriori, k=5, m={m}, {search}": cv.AprioriKm(k=5, m=m, taxonomy=taxonomy, search=search)
            for m in (2, 3)
            for search in ("refined", "published")
        },
    }
    return [against_half(what, name, parts, method.anonymise, extent.runs) for what, method in found.items()]


def _tables(extent: Extent) -> list[Row]:
    extent.file("relational/arx_adult/adult.csv.gz")
    parts = halved(extent.some(list(adult_tables(extent.data).values())[-1]))
    found: dict[str, Any] = {
        f"Mondrian strict, k={K}": cv.Mondrian(k=K),
        f"Mondrian relaxed, k={K}": cv.Mondrian(k=K, mode="relaxed"),
        f"slicing, k={K}, l=6": cv.Slicing(k=K, l=6, seed=1),
        f"UL, k={K}, l=6": cv.UL(k=K, l=6, seed=1),
    }
    return [
        against_half(what, "Adult", parts, method.anonymise, extent.runs) for what, method in found.items()
    ]
