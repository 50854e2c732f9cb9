"""Cells for spreadsheets, which run some texts instead of showing them."""

from __future__ import annotations

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet run a cell instead of showing it


def escape_formula(cell: str) -> str:
    """Put an apostrophe before a cell that a spreadsheet would run.

    >>> escape_formula("=1+1"), escape_formula("flu | fever")
    ("'=1+1", 'flu | fever')
    """
    return f"'{cell}" if cell.startswith(FORMULA) else cell
