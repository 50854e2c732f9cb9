"""From masks of faulty things to one ``Check`` with a line about the first fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.verification.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from cloven.verification.verdict import Level

NAMES_SHOWN = 6


@dataclass(frozen=True)
class Fault:
    """How often something is wrong, and where first."""

    count: int
    first: str


def spot(bad: NDArray[np.bool_], describe: Callable[[int], str]) -> Fault:
    """Count what is marked, and describe the first."""
    count = int(np.count_nonzero(bad))
    return Fault(count, describe(int(np.argmax(bad))) if count else "")


def conclude(name: str, level: Level, examined: int, faults: Iterable[Fault], otherwise: str) -> Check:
    """Turn faults into a check; ``otherwise`` is what to say when there are none."""
    found = [fault for fault in faults if fault.count]
    if not found:
        return Check(name, level, passed=True, examined=examined, detail=otherwise)
    total = sum(fault.count for fault in found)
    detail = found[0].first if total == 1 else f"{found[0].first}; {total:,} such faults"
    return Check(name, level, passed=False, examined=examined, detail=detail)


def named(vocabulary: Sequence[str], codes: Iterable[int]) -> str:
    r"""Name items on one line, however strange their names are.

    >>> named(("flu", "a\nb"), [0, 1])
    "{'flu', 'a\\nb'}"
    """
    listed = list(codes)
    shown = [shorten(vocabulary[code], 40) for code in listed[:NAMES_SHOWN]]
    if len(listed) > NAMES_SHOWN:
        shown.append(f"{len(listed) - NAMES_SHOWN:,} more")
    return "{" + ", ".join(shown) + "}"
