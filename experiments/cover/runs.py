"""What is measured: Figures 4 and 5 of Barakat et al. 2016, the same on data without associations, and repair."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.transactions import Transactions
from cloven.datasets.baskets import shaped
from cloven.kinds.disassociated.covers.breaches import Moderate, WeakWords, breaches, simulate
from cloven.kinds.disassociated.covers.covers import covers
from cloven.kinds.disassociated.covers.proof import prove
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.release import NOT_ENUMERATED
from cloven.kinds.transactions import utility
from cloven.verification import verify
from experiments.harness.data import PUBLIC_DATA, WORDNET, first
from experiments.harness.figures import estimate
from experiments.harness.runs import SEED, Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from cloven.kinds.disassociated.key import Anonymised
    from experiments.harness.figures import Row, Table, Tables

DATA = ("BMS-WebView-1", "BMS-WebView-2", "groceries")
AOL = "AOL shape"
DRAWS, COPIES = 30, 5
K, M = 3, 2
SIZES = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100)
REPAIRED_SIZES = (10, 25, 100)
TIMES = 5
"""Exchanges that are tried for each occurrence of an item; of groceries 1 to 40 leave as many covers."""
COUNTS = ("records", "covers", "single", "pairs", "everywhere", "clusters", "score")


def run(folder: Path, report: Report, *, quick: bool = False) -> Tables:
    """Covers at every size, the same with items exchanged, and what repair leaves and costs."""
    words = _words(folder)
    sizes, after = (SIZES[1:4], REPAIRED_SIZES[:1]) if quick else (SIZES, REPAIRED_SIZES)
    found: Tables = {"sizes": [], "exchanged": [], "repair": []}
    for place, (name, data) in enumerate(_sources(folder, quick=quick)):
        report(name, place / (len(DATA) + 1))
        for size in sizes:
            found["sizes"].append({"data": name, **at_size(data, size, words, 3 if quick else DRAWS)})
        if name != AOL:
            report(f"{name}, items exchanged", (place + 0.4) / (len(DATA) + 1))
            found["exchanged"] += without_associations(name, data, sizes, 2 if quick else COPIES)
            report(f"{name}, repair", (place + 0.7) / (len(DATA) + 1))
            for size in after:
                found["repair"] += repaired(name, data, size, 2 if quick else 5, 200 if quick else 2_000)
    return found


def _sources(folder: Path, *, quick: bool) -> Iterator[tuple[str, Transactions]]:
    for name in DATA:
        data = PUBLIC_DATA[name].load(folder)
        yield name, first(data, 3_000) if quick else data
    yield AOL, shaped("aol", scale=0.01 if quick else 1.0)


def _words(folder: Path) -> tuple[str, ...]:
    """Words of WordNet for the weak attacker."""
    from cloven.relatedness.wordnet_files import WordNetFiles

    return tuple(WordNetFiles(WORDNET.path(folder)).index("noun"))


def _unrepaired(size: int) -> Disassociation:
    """Without REFINE, as in the paper."""
    return Disassociation(k=K, m=M, max_cluster_size=size, rare_items="cluster", refine=False)


def at_size(data: Transactions, size: int, words: tuple[str, ...], draws: int) -> Row:
    """What covers give away at one maximum cluster size, to three attackers, and how long it takes to see."""
    release = _unrepaired(size).anonymise(data).release
    covers(release)  # compiled, and warm
    start = perf_counter()
    found = covers(release)
    seconds = {"detection_seconds": perf_counter() - start}
    strong = breaches(found).to_dict()
    row: Row = {"size": size} | {name: strong[name] for name in COUNTS}
    rng = np.random.default_rng(SEED)
    for attacker in (Moderate(0.1), WeakWords(words, words=min(10, len(words)))):
        name = "moderate" if isinstance(attacker, Moderate) else "weak"
        start = perf_counter()
        score = simulate(found, attacker, data, rng, draws)["score"]
        seconds[f"{name}_seconds"] = (perf_counter() - start) / draws
        row |= {name: score.mean, f"{name}_low": score.low, f"{name}_high": score.high}
    return row | seconds


def without_associations(name: str, data: Transactions, sizes: Sequence[int], copies: int) -> Table:
    """The same counts where items were exchanged between records: mean and interval over several such copies."""
    others = [exchanged(data, np.random.default_rng(SEED + copy)) for copy in range(copies)]
    rows: Table = []
    for size in sizes:
        counted = [breaches(covers(_unrepaired(size).anonymise(other).release)).to_dict() for other in others]
        for measure in COUNTS:
            found = estimate(float(one[measure] or 0) for one in counted)
            row: Row = {"data": name, "size": size, "measure": measure}
            rows.append(row | {"mean": found.mean, "low": found.low, "high": found.high})
    return rows


def exchanged(data: Transactions, rng: np.random.Generator, times: int = TIMES) -> Transactions:
    """The same supports and record sizes, but nothing that goes together (swap randomisation, Gionis et al. 2007).

    Two records exchange an item each, where neither then holds an item twice.
    """
    record = np.repeat(np.arange(len(data)), data.lengths).tolist()
    item = data.codes.tolist()
    held = [set(item[low:high]) for low, high in zip(data.offsets[:-1], data.offsets[1:], strict=True)]
    for _ in range(times):
        for one, other in rng.integers(len(item), size=(len(item), 2)).tolist():
            mine, theirs = held[record[one]], held[record[other]]
            if item[other] not in mine and item[one] not in theirs:
                mine.remove(item[one])
                theirs.remove(item[other])
                item[one], item[other] = item[other], item[one]
                mine.add(item[one])
                theirs.add(item[other])
    return Transactions.from_arrays(data.lengths, np.array(item, np.int32), data.vocabulary)


def repaired(name: str, data: Transactions, size: int, reconstructions: int, limit: int) -> Table:
    """Before and after repair, with REFINE: covers, pairs broken in exact worlds, what was suppressed, and utility."""
    rows: Table = []
    for safe in ("no", "cover", "exact"):
        method = Disassociation(
            k=K, m=M, max_cluster_size=size, rare_items="cluster", refine=True, safe=safe, seed=SEED
        )
        start = perf_counter()
        made = method.anonymise(data)
        seconds = perf_counter() - start
        verify(made.release, original=data, key=made.key, allow_seeded=True).raise_if_broken()
        rng = np.random.default_rng(SEED)
        measured: Any = utility(data, made.release, rng=rng, reconstructions=reconstructions).to_dict()
        gone = sum(map(len, made.key.suppressed_items))
        row: Row = {"data": name, "size": size, "safe": safe, **_left(made, limit)}
        row |= {"suppressed": gone, "share_suppressed": gone / int(data.lengths.sum())}
        row |= {measure: measured[measure] for measure in ("items_kept", "pairs_kept", "tlost_only")}
        for measure in ("tkd", "re"):
            row |= {f"{measure}{end}": measured[measure][of] for end, of in ENDS.items()}
        rows.append(row | {"seconds": seconds})
    return rows


ENDS = {"": "mean", "_low": "low", "_high": "high"}


def _left(made: Anonymised, limit: int) -> Row:
    """Covers and broken pairs, as a reader would look for them who takes the release for an unrepaired one."""
    plain = {
        name: value
        for name, value in made.release.parameters.items()
        if name not in ("safe", "supports", NOT_ENUMERATED)
    }
    release = replace(made.release, parameters=plain)
    proof = prove(release, rng=np.random.default_rng(SEED), limit=limit)
    return {
        "covers": len(covers(release)),
        "broken_pairs": proof.total("broken"),
        "enumerated": proof.exact,
        "several_chunks": release.clusters - proof.alone,
    }
