"""How hard tests try: a few examples of every law in the quick run, all of them in the thorough one."""

from __future__ import annotations

import os

THOROUGH = os.environ.get("CLOVEN_THOROUGH") == "1"
"""Set by ``make test-slow``."""


def tries(examples: int) -> int:
    """How many random examples to try of a law that is worth so many."""
    return examples if THOROUGH else max(8, examples // 8)
