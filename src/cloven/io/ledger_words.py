"""What to tell an owner about earlier releases: sentences, each with what to do."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from cloven.io.ledger_budget import adds
from cloven.io.ledger_entry import PRIVATE, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.io.ledger import Earlier
    from cloven.model.risk import Estimate

MOST = 3  # releases spoken of one by one


def warnings(earlier: Sequence[Earlier], skipped: int = 0, epsilon: float | None = None) -> list[str]:
    """Say which earlier releases compose with the new one; nothing to say is an empty list.

    Args:
        earlier: what ``earlier_releases`` found.
        skipped: receipts that could not be read, if that is known.
        epsilon: of the new release, if it is differentially private: with others that are, its promise adds up, which
            is told by ``ledger_budget``.
    """
    if epsilon is not None:
        earlier = [each for each in earlier if not adds(each)]
    composing = [each for each in earlier if each.composes]
    out = [_sentence(each) for each in composing[:MOST]]
    if len(composing) > MOST:
        rest = len(composing) - MOST
        some = "1 more earlier release shares" if rest == 1 else f"{rest:,} more earlier releases share"
        out.append(f"{some} records with this data; list them with `cloven ledger`")
    twins = [each for each in earlier if each.same_release]
    if twins:
        out.append(
            f"this very release was made before{_when(twins[0])} in {shown(twins[0].entry.place)}:"
            " both together tell no more than one of them"
        )
    if skipped:
        some = "1 note" if skipped == 1 else f"{skipped:,} notes"
        out.append(
            f"{some} of earlier releases could not be read; look yourself whether this data was released"
        )
    return out


def _sentence(each: Earlier) -> str:
    place = shown(each.entry.place)
    promise = f" with {each.entry.promise}" if each.entry.promise else ""
    audit = f", or audit with --other-release {shlex.quote(place)}" if each.entry.has_release else ""
    folder = shlex.quote(shown(each.entry.private).removesuffix(PRIVATE))
    return (
        f"{_what(each)} released{_when(each)}{promise} in {place}: somebody who has both can combine them, and the"
        f" promise of neither covers that; publish one of them only{audit}; if that one was never published:"
        f" cloven ledger discard {folder}"
    )


def _what(each: Earlier) -> str:
    if each.overlap is None:
        return "this data set was"
    ours, theirs = each.overlap.of_data, each.overlap.of_earlier
    if ours.value >= theirs.value:
        return f"{_share(ours)} of the records that stand out in this data were"
    return f"this data holds {_share(theirs)} of the records that stand out in what was"


def _when(each: Earlier) -> str:
    return f" on {each.entry.day}" if each.entry.day else " earlier"


def _share(estimate: Estimate) -> str:
    """``38.0 %`` where it was counted, ``about 38.0 % [35.1 - 41.0]`` where it was estimated."""
    value, low, high = (
        100 * (estimate.value if end is None else end)
        for end in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value:.1f} %" if low == high else f"about {value:.1f} % [{low:.1f} - {high:.1f}]"
