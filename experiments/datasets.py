"""``cloven reproduce datasets``: every public data set with the defaults, audited, and as the papers do it."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from cloven.data.taxonomy import read_taxonomy
from cloven.kinds.disassociated.methods import Disassociation
from cloven.statistics.uniqueness import describe
from experiments.disassociation import even_taxonomy
from experiments.disassociation import run as anonymised
from experiments.harness.data import PUBLIC_DATA, first
from experiments.harness.figures import number
from experiments.harness.page import Experiment, Page, listed, percent, spanned
from experiments.harness.runs import SEED, Report

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from cloven.disclosure.risk import Risk
    from experiments.harness.figures import Row, Tables, Value

DEFAULTS = Disassociation()
AS_PAPERS = Disassociation(rare_items="cluster", refine=True)
"""Rare items stay in the term chunk of their cluster, and clusters are refined."""
KNOWN, LINKED, REPLAYED = "a known person", "release alone", "method"
"""Attacks whose figures are kept."""
LIMITS = {
    "near_certain_added": ("near-certain inference", 0.01),
    "linked": ("linkability", 0.2),
    "replayed": ("algorithm-aware attack", 0.2),
}
"""Figures whose upper ends are judged, in words, and their limits."""
SEVERAL = "look like several records of one person"


def run(folder: Path, report: Report, *, quick: bool = False) -> Tables:
    """Each data set: what it is, the default release with its audit, and the release of the papers."""
    found: Tables = {"data": [], "defaults": [], "as_papers": []}
    for place, (name, source) in enumerate(PUBLIC_DATA.items()):
        report(name, place / len(PUBLIC_DATA))
        data = source.load(folder)
        data = first(data, 1_000) if quick else data
        even = quick or source.taxonomy is None
        taxonomy = even_taxonomy(data) if even else read_taxonomy(folder / str(source.taxonomy))
        found["data"].append({"data": name, **described(data)})
        found["defaults"].append({"data": name, **audited(data, quick=quick)})
        found["as_papers"].append(anonymised(name, data, AS_PAPERS, taxonomy=taxonomy))
    return found


def described(data: Transactions) -> Row:
    """A data set in numbers, and the share of records that one or two items single out."""
    shape = describe(data)
    row: Row = {
        "records": shape.records,
        "items": shape.items,
        "mean_length": shape.mean_length,
        "max_length": shape.max_length,
    }
    return row | {f"singled_out_by_{one.known_items}": one.share for one in shape.singled_out}


def audited(data: Transactions, *, quick: bool = False) -> Row:
    """The default release: what is kept, two attacks, the verdict and what speaks against it."""
    from cloven.audit.loop import Audit
    from cloven.threats import Effort

    start = perf_counter()
    effort = Effort().quick() if quick else Effort(until_decided=False)
    found = Audit(DEFAULTS, effort=effort, advise=False, seed=SEED).run(data)
    kept = {one.name: one for one in found.outcome.utility.measures}
    risks = {risk.threat: risk for risk in found.risks}
    pairs, tkd = kept["pair counts"], kept["tKd"]
    return {
        "clusters": found.result.release.clusters,
        "items_kept": kept["items kept"].value,
        "pairs_kept": kept["pairs kept"].value,
        "pair_count_error": None if pairs.value is None else 1 - pairs.value,
        "tkd": tkd.value,
        "tkd_low": tkd.low,
        "tkd_high": tkd.high,
        **_attack("known", risks[KNOWN]),
        **_near_certain(risks[KNOWN]),
        **_attack("linked", risks[LINKED]),
        **_attack("replayed", risks[REPLAYED]),
        "verdict": found.decision.verdict,
        "against": " ".join(str(reason) for reason in found.decision.reasons) or None,
        "seconds": perf_counter() - start,
    }


def _attack(name: str, risk: Risk) -> Row:
    """What an attacker has, with its interval, and what the control group has, or else guessing."""
    control, beside = (
        ("control", risk.outsiders) if risk.outsiders is not None else ("guessing", risk.guessing)
    )
    values = {name: risk.attacker, f"{name}_{control}": beside}
    row: Row = {side: None if found is None else found.value for side, found in values.items()}
    ends = (None, None) if risk.attacker is None else (risk.attacker.low, risk.attacker.high)
    return row | dict(zip((f"{name}_low", f"{name}_high"), ends, strict=True))


def _near_certain(risk: Risk) -> Row:
    """How much more often, in the release than out of it, an item is inferred with 95 % confidence, and rightly."""
    tail = next((tail for tail in risk.tails if tail.name == "told at 0.95"), None)
    value: Value = None if tail is None else tail.excess.value
    return {
        "near_certain_added": value,
        "near_certain_added_high": None if tail is None else tail.excess.upper,
    }


# The page.


def objections(row: Row) -> list[str]:
    """Which attacks are above their limits, with their upper ends."""
    found = []
    for name, (words, most) in LIMITS.items():
        value, high = row[name], row[f"{name}_high"]
        if value is not None and high is not None and number(high) > most:
            found.append(f"{words} {percent(number(value))}, up to {percent(number(high))}")
    return found + (["records look like several of one person"] if SEVERAL in str(row["against"]) else [])


def undecided(row: Row) -> bool:
    """Whether nothing speaks against a release but upper ends of intervals."""
    beyond = any(row[name] is not None and number(row[name]) > most for name, (_, most) in LIMITS.items())
    return row["verdict"] != "publish" and not beyond and SEVERAL not in str(row["against"])


def verdict(kept: Tables) -> list[str]:
    """What may be published, what is kept, and how the papers' way differs."""
    rows, papers = kept["defaults"], kept["as_papers"]
    good = [row for row in rows if row["verdict"] == "publish"]
    known = max(number(row["known"]) - number(row["known_control"]) for row in rows)
    items, as_papers = (spanned(number(row["items_kept"]) for row in table) for table in (rows, papers))
    pairs = [
        abs(number(a["pairs_kept"]) - number(b["pairs_kept"])) for a, b in zip(rows, papers, strict=True)
    ]
    single = max(kept["data"], key=lambda row: number(row["singled_out_by_2"]))
    return [
        f"**With the defaults {len(good)} of {len(rows)} releases may be published**, on these data:"
        f" {listed([str(row['data']) for row in good])}. Of the others {sum(map(undecided, rows))} are not decided:"
        " what was found is below the limits, and only upper 95 % bounds are above.",
        "**Attribute inference:** an intruder who knows the one or two most revealing items of a person infers another"
        f" with 80 % confidence at most {100 * known:+.1f} points more often than of people left out of the release.",
        f"**What is kept:** {items} of the item occurrences and {spanned(number(row['pairs_kept']) for row in rows)} of"
        " the pairs of a record: what is common to many stays, what goes together is lost first.",
        f"**The papers' way** leaves rare items in their clusters and refines these. It keeps {as_papers} of the items"
        f" in record and shared chunks, and the same pairs within {100 * max(pairs):.1f} points; [what it discloses of"
        " people](known-person.md) is why it is not the default.",
        f"**The originals:** two items single out up to {percent(number(single['singled_out_by_2']), 0)} of the records"
        f" ({single['data']}).",
    ]


def page(kept: Tables) -> Page:
    """The default release of every data set."""
    shapes = {row["data"]: row for row in kept["data"]}
    return Page(
        title="Public data sets, anonymised with the defaults",
        claim=CLAIM,
        verdict=verdict(kept),
        caption=CAPTION,
        heads=HEADS,
        rows=[_line(row, shapes[row["data"]]) for row in kept["defaults"]],
        notes=NOTES,
    )


def _line(row: Row, shape: Row) -> tuple[str, ...]:
    return (
        str(row["data"]),
        f"{shape['records']:,}",
        f"{shape['items']:,}",
        *(_share(row[name]) for name in ("items_kept", "pairs_kept", "pair_count_error")),
        f"{_share(row['known'])} / {_share(row['known_control'])}",
        f"{_share(row['linked'])} / {_share(row['linked_guessing'])}",
        _said(row),
    )


def _share(value: Value) -> str:
    """A share; a dash where an attack had too little to work on."""
    return "-" if value is None else percent(number(value))


def _said(row: Row) -> str:
    if row["verdict"] == "publish":
        return "**publish**"
    return ("not decided: " if undecided(row) else "**no:** ") + "; ".join(objections(row))


HEADS = (
    "data", "records", "items", "items kept", "pairs kept", "error of pair counts", "attribute inference / control",
    "linkability / random", "verdict",
)  # fmt: skip
CLAIM = """Every public data set of these pages is anonymised by disassociation with the default options (k=5, m=2, at
most 120 records in a cluster, rare items withheld, not refined, other leftovers published once for the whole release)
and audited. What the figures mean: [measures](../reference/measures.md)."""
CAPTION = """*items kept*, *pairs kept*: occurrences of items, and of pairs in one record, that stay in record or shared
chunks. *attribute inference*: people of whom an item is inferred with 80 % confidence, rightly, in the release and in
the control group, the same people left out of it. *linkability*: hidden parts that are put back without outside
knowledge, and at random; the limit is 20 %, as for the algorithm-aware attack. *near-certain inference*: caused by the
release; the limit is 1 %."""
NOTES = (
    """An audit on the command line asks more people where an interval spans a limit; here it asks 6,000 at most, in
    three divisions.""",
    """Every release passed `verify`. `as_papers.csv` has rare items left in clusters (`rare_items="cluster"`) and
    refining: tKd over the top 1,000 itemsets, re over the pairs of the 200th to 220th most frequent items, tKd-ML2 over
    the hierarchy of BMS-WebView-2 and even ranges elsewhere. It takes some minutes.""",
)
EXPERIMENT = Experiment("datasets", run, page)
