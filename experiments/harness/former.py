"""How what a paper says is judged against the figures, and the words that follow from a figure.

- *confirmed*: the mean paired difference (or slope) has the sign that the paper says, and its 95 % interval does not
  cover 0; for a printed number, the mean lies in the range that the words allow.
- *refuted*: the interval lies on the other side of 0; for a printed number, the mean lies outside the range.
- *chance*: the interval covers 0, so the figures cannot tell.

A claim with several parts is confirmed if all are, refuted if one is, else chance. No sentence of a page may say more
than this: words that compare, such as higher or lower, come from the functions below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.harness.page import filled, grid, section
from experiments.harness.runs import SEED, Plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cloven.data.taxonomy import Taxonomy
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.methods import Disassociation
    from experiments.harness.figures import Estimate

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "chance"
SAME = 0.05
"""What two shares may differ by and still be called the same."""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Attributes:
        where: figure or section.
        says: what the paper says.
        get: what we get.
        verdict: confirmed, refuted or chance.
        why: why they differ, or what guessing does.
        guessing: for a trend, the same verdict on guessing alone.
    """

    where: str
    says: str
    get: str
    verdict: str
    why: str
    guessing: str = ""


def judged(found: Estimate, sign: int) -> str:
    """Verdict on a difference that should have this sign.

    >>> from experiments.harness.figures import Estimate
    >>> judged(Estimate(0.2, 0.1, 0.3, 9), 1), judged(Estimate(0.2, -0.1, 0.5, 9), 1)
    ('confirmed', 'chance')
    """
    low, high = (found.low, found.high) if sign > 0 else (-found.high, -found.low)
    return CONFIRMED if low > 0 else REFUTED if high < 0 else UNDECIDED


def in_range(found: Estimate, low: float, high: float) -> str:
    """Verdict on a printed number."""
    return CONFIRMED if low <= found.mean <= high else REFUTED


def unchanged(found: Estimate, room: float = SAME) -> str:
    """Verdict on a difference that should be none.

    >>> from experiments.harness.figures import Estimate
    >>> unchanged(Estimate(0.01, -0.02, 0.04, 9)), unchanged(Estimate(0.2, 0.1, 0.3, 9))
    ('confirmed', 'refuted')
    """
    if -room < found.low and found.high < room:
        return CONFIRMED
    return REFUTED if found.low > room or found.high < -room else UNDECIDED


def together(verdicts: Iterable[str]) -> str:
    """Verdict on a claim with several parts."""
    parts = set(verdicts)
    if parts == {CONFIRMED}:
        return CONFIRMED
    return REFUTED if REFUTED in parts else UNDECIDED


def side(gap: Estimate) -> int:
    """1 where a difference is above 0 for certain, -1 where below, 0 where the figures cannot tell."""
    return next((sign for sign in (1, -1) if judged(gap, sign) == CONFIRMED), 0)


def said(gap: Estimate, above: str, level: str, below: str) -> str:
    """The word that a difference deserves: one where it is above 0, one where the figures cannot tell, one below."""
    return {1: above, 0: level, -1: below}[side(gap)]


def told(gap: Estimate) -> str:
    """A difference in words.

    >>> from experiments.harness.figures import Estimate
    >>> told(Estimate(-0.2, -0.3, -0.1, 9)), told(Estimate(0.0, -0.1, 0.1, 9))
    ('lower (-0.200)', 'no different (+0.000)')
    """
    return f"{said(gap, 'higher', 'no different', 'lower')} ({gap.mean:+.3f})"


def compared(gaps: Mapping[str, Estimate]) -> str:
    """Data sets by the sign of a difference.

    >>> from experiments.harness.figures import Estimate
    >>> compared({"a": Estimate(0.1, 0.05, 0.2, 5), "b": Estimate(0.0, -0.1, 0.1, 5)})
    'above it on a (+0.10); not told apart from it on b (+0.00)'
    """
    groups: dict[str, list[str]] = {name: [] for name in ("above", "not told apart from", "below")}
    for data, gap in gaps.items():
        groups[said(gap, *groups)].append(f"{data} ({gap.mean:+.2f})")
    return "; ".join(f"{name} it on {', '.join(listed)}" for name, listed in groups.items() if listed)


def trend(values: Sequence[float], room: float = 0.0) -> str:
    """How figures go from the first to the last, where nothing but their order is known.

    >>> trend([1, 2, 2, 5]), trend([5, 2, 1]), trend([1, 3, 2]), trend([1.0, 1.01], room=0.05)
    ('rises', 'falls', 'goes up and down', 'hardly changes')
    """
    steps = [later - earlier for earlier, later in pairwise(values)]
    if max(values) - min(values) <= room:
        return "hardly changes"
    if all(step >= 0 for step in steps):
        return "rises"
    return "falls" if all(step <= 0 for step in steps) else "goes up and down"


def judgements(claims: Iterable[Claim], rule: str, says: str, why: str) -> str:
    """Below the rule of judging, every claim: what is said, the verdict, what we get, and why."""
    rows = [(one.where, one.says, f"**{one.verdict}**", one.get, one.why) for one in claims]
    heads = ("where", f"the {says} says", "verdict", "we get", why)
    return section(f"The {says} says, we get", filled(rule), "", grid(heads, rows))


_FIXED = {
    "method", "unsafe", "seeded", "utility_groups", "sensitive", "min_item_support", "block_records", "tie_order",
}  # fmt: skip
"""Parameters of a release that no experiment varies."""


@dataclass(frozen=True)
class Run:
    """One run: what was run, and what came out."""

    data: str
    setting: Plain
    found: Plain

    def to_dict(self) -> Plain:
        """Plain JSON values."""
        return asdict(self)


def run(
    name: str,
    data: Transactions,
    method: Disassociation,
    *,
    taxonomy: Taxonomy | None = None,
    reconstructions: int = 5,
    repeats: int = 1,
) -> Run:
    """Anonymise (median time of ``repeats``), verify at release level, measure."""
    from cloven.kinds.transactions import utility
    from cloven.verification import verify

    times = []
    for _ in range(repeats):
        start = perf_counter()
        result = method.anonymise(data)
        times.append(perf_counter() - start)
    release = result.release
    verify(release, allow_unsafe=True).raise_if_broken()
    sizes, limit = release.cluster_size, method.max_cluster_size
    large = sizes[:0] if limit is None else sizes[sizes > limit]
    measured = utility(
        data,
        release,
        rng=np.random.default_rng(SEED),
        reconstructions=reconstructions,
        taxonomy=taxonomy,
        suppressed_records=len(data) - release.records,
    ).to_dict()
    found = {
        "seconds": float(np.median(times)),
        "clusters": release.clusters,
        "joints": release.joints,
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
        "oversize": len(large),
        "records_oversize": int(large.sum()),
        **measured,
    }
    varied = {name: value for name, value in method.parameters.items() if name not in _FIXED}
    return Run(name, {"k": method.k, "m": method.m, **varied}, found)


def mean(value: Plain | float | None) -> str:
    """A figure for a table: a mean with half its interval, or a number, or a dash."""
    if value is None:
        return "-"
    if isinstance(value, dict):
        spread = "" if value["low"] is None else f" ±{(value['high'] - value['low']) / 2:.3f}"
        return f"{value['mean']:.3f}{spread}"
    return f"{value:.3f}"


Column = tuple[str, Callable[[Run], str]]


def _measured(title: str, name: str) -> Column:
    return title, lambda one: mean(one.found[name])


def _counted(title: str, name: str) -> Column:
    return title, lambda one: f"{one.found[name]:,}"


def _setting(name: str, title: str | None = None) -> Column:
    return title or name, lambda one: _word(one.setting[name])


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unlimited" if value is None else str(value)


FIGURES: tuple[Column, ...] = (
    _measured("items kept", "items_kept"),
    _measured("pairs kept", "pairs_kept"),
    _measured("tlost only", "tlost_only"),
    _measured("tlost any", "tlost_any"),
    _measured("tKd", "tkd"),
    _measured("tKd chunks", "tkd_chunks"),
    _measured("tKd-ML2", "tkd_ml2"),
    _measured("re", "re"),
    _measured("re chunks", "re_chunks"),
    _counted("suppressed", "suppressed_records"),
    _counted("clusters", "clusters"),
    _counted("oversize", "oversize"),
    _counted("largest", "largest"),
    ("time s", lambda one: f"{one.found['seconds']:.2f}"),
)


def table(runs: Sequence[Run], columns: Sequence[Column] = ()) -> str:
    """A line for each run: data, what was varied, and all figures."""
    shown: list[Column] = [("data", lambda one: one.data), *columns, *FIGURES]
    return grid([title for title, _ in shown], [[cell(one) for _, cell in shown] for one in runs])
