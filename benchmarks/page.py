"""Write docs/results/speed.md and its charts from what was measured; what was not is said on the page.

    python -m benchmarks.page [FILES ...] [--out docs/results]

The files are those that ``benchmarks.run --json`` and ``benchmarks.engines --json`` write.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.charts import CHARTS
from benchmarks.limits import WORKS, judged, per_eight, speedups
from benchmarks.stages import STAGES
from cloven.data.defaults import CLUSTER, K, M
from experiments.harness.page import filled, grid, listed, percent, picture, points, section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from benchmarks.limits import Row

ROOT = Path(__file__).resolve().parent.parent
FILES = (ROOT / "build" / "bench.json", ROOT / "build" / "engines.json")
NOTHING = "Not measured yet."


@dataclass(frozen=True)
class Measured:
    """All figures: rows of each part, why some have none, the machine, and the load when each part began."""

    parts: dict[str, list[Row]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)
    loads: dict[str, float] = field(default_factory=dict)
    small: bool = False

    @classmethod
    def of(cls, documents: Iterable[dict[str, Any]]) -> Measured:
        """Put the files of several runs together; later ones win."""
        found = cls()
        small = False
        for document in documents:
            small |= document["small"]
            found.machine.update(document["machine"])
            for name, part in document["parts"].items():
                found.parts[name] = part["rows"]
                found.loads[name] = part["load"]
                if "missing" in part:
                    found.missing[name] = part["missing"]
        return cls(found.parts, found.missing, found.machine, found.loads, small)

    def rows(self, name: str) -> list[Row]:
        """Rows of a part."""
        return self.parts.get(name, [])


def main(given: Sequence[str] | None = None) -> None:
    """Write the page and its charts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, default=FILES)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results")
    asked = parser.parse_args(given)
    measured = Measured.of(json.loads(file.read_text()) for file in asked.files if file.is_file())
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "speed.md").write_text(page(measured))
    for name, (part, drawn) in CHARTS.items():
        place = asked.out / "speed" / f"{name}.svg"
        if measured.rows(part):
            place.parent.mkdir(exist_ok=True)
            place.write_text(drawn(measured.rows(part)))
        else:
            place.unlink(missing_ok=True)


def page(measured: Measured) -> str:
    """The page."""
    limits = [str(each) for each in judged(measured.parts)]
    if measured.small:
        limits = [
            "Little data was run once, to see that it runs: the figures mean nothing, and nothing is judged."
        ]
    parts = [
        "# How fast it is, measured\n",
        *(filled(text) + "\n" for text in (HOW, *_conditions(measured))),
        section("What is asked, and whether it is kept", *points(limits), ""),
        *(section(title, *_section(measured, name, said)) for name, (title, said) in SECTIONS.items()),
        section("What was not measured", *points(_not_measured(measured)), ""),
    ]
    return "\n".join(parts).rstrip() + "\n"


HOW = """Made by `make bench` (`make bench LARGE=1` runs ten million records too, `make bench-spark` adds Spark);
whoever runs it again gets a page of the same form with figures of that machine. What is compared takes turns in one
run, and figures are medians: **ratios say something, seconds depend on the machine.** [Why it is
fast](../explanation/speed.md) is told elsewhere."""


def _conditions(measured: Measured) -> list[str]:
    """The machine, and whether others used it."""
    if not measured.machine:
        return [NOTHING]
    machine, loads = measured.machine, measured.loads
    busy = sorted(name for name, load in loads.items() if load > machine["cores"])
    return [
        f"{machine['cores']} cores ({machine['processor']}), {machine['memory_gb']} GB of memory, Python"
        f" {machine['python']}, NumPy {machine['numpy']}. The load of the machine was {min(loads.values()):.1f} to"
        f" {max(loads.values()):.1f} when the parts began"
        + (f"; other work took cores away from {listed(busy)}." if busy else ", no more than it has cores.")
    ]


def _section(measured: Measured, name: str, said: Callable[[Measured], list[str]]) -> list[str]:
    if measured.rows(name):
        return said(measured)
    return [f"Not measured: {measured.missing[name]}.\n" if name in measured.missing else f"{NOTHING}\n"]


def _stages(measured: Measured) -> list[str]:
    rows = measured.rows("stages")
    heads = ("data", "setting", "cores", "read", *(f"{stage}" for stage in STAGES[1:]), "between")
    cells = [
        (
            row["data"], row["setting"], str(row["cores"]), f"{row['read']:.3f} s",
            *(f"{row[stage] / row['read']:.2f}" for stage in STAGES[1:]), f"{row['ratio']:.1f}",
        )
        for row in rows
    ]  # fmt: skip
    return [
        filled(
            "Every stage in times of reading and encoding the file, as it lies; *between* is all that stands between"
            " reading and writing. *default* does not refine, *refining* is `Disassociation(refine=True)`. Writing"
            " verifies a second time; that is told once."
        )
        + "\n",
        picture("speed/stages", "Stages in times of reading"),
        grid(heads, cells),
        "### Where the time goes\n",
        *points(_profile(row) for row in rows if row["cores"] == max(each["cores"] for each in rows)),
        "",
    ]


def _profile(row: Row) -> str:
    """Shares of the stages, and how far the whole is from what nobody can do without."""
    whole = sum(row[stage] for stage in STAGES)
    shares = sorted(((row[stage] / whole, stage) for stage in STAGES), reverse=True)
    bound = row["read"] + row["count"]
    return (
        f"{row['data']}, {row['setting']}, {_cores(row['cores'])}: "
        + ", ".join(f"{stage} {percent(share, 0)}" for share, stage in shares if share >= 0.005)
        + f". All of it takes {whole / bound:.1f} times the bound, reading once ({row['read']:.3f} s) and counting each"
        f" occurrence once ({row['count']:.4f} s); reading takes {row['read'] / row['bytes']:.1f} times unpacking the"
        " bytes alone."
    )


def _cores(many: int) -> str:
    return "1 core" if many == 1 else f"{many} cores"


def _speedups(measured: Measured) -> list[str]:
    rows = measured.rows("stages")
    wholes: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for row in rows:
        wholes[row["data"], row["setting"]][row["cores"]] = sum(row[stage] for stage in STAGES)
    threaded = speedups(rows)
    cells = [
        (
            data, setting, f"{each[1] / each[max(each)]:.2f}",
            ", ".join(
                f"{stage} {found.times:.2f} ({found.divided:.0%})"
                for (of, way, stage), found in threaded.items() if (of, way) == (data, setting)
            ) or "-",
        )
        for (data, setting), each in wholes.items() if len(each) > 1
    ]  # fmt: skip
    if not cells:
        return ["The machine has one core.\n"]
    return [
        filled(
            "Seconds on one core over seconds on all, in one run that takes turns; of stages that start threads, with"
            " the share of their work on one core that threads divide."
        )
        + "\n",
        grid(("data", "setting", "whole run", "stages that start threads"), cells),
    ]


def _parameters(measured: Measured) -> list[str]:
    rows = measured.rows("parameters")
    heads = list(dict.fromkeys(f"{_short(row['parameter'])}={row['value']}" for row in rows))
    by_data: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        by_data[row["data"]][f"{_short(row['parameter'])}={row['value']}"] = row["ratio"]
    dearest = max(rows, key=lambda row: row["ratio"])
    return [
        filled(
            f"HORPART and VERPART with one parameter changed, in times of the defaults (k = {K}, m = {M}; *max*, the"
            f" largest cluster, = {CLUSTER})."
            f" The dearest is {_short(dearest['parameter'])} = {dearest['value']} on {dearest['data']}:"
            f" {dearest['ratio']:.1f} times the defaults."
        )
        + "\n",
        grid(
            ("data", *heads),
            ((data, *(f"{found[head]:.2f}" for head in heads)) for data, found in by_data.items()),
        ),
    ]


def _short(parameter: str) -> str:
    return {"max_cluster_size": "max"}.get(parameter, parameter)


def _growth(measured: Measured) -> list[str]:
    rows = measured.rows("growth")
    last: Row | None = None
    cells = []
    for row in rows:
        eight = (
            "-"
            if last is None or last["records"] == row["records"]
            else f"{per_eight(last, row, 'cpu_s'):.1f}"
        )
        cells.append((
            f"{row['records']:,}", f"{row['seconds']:.1f} s", f"{row['cpu_s']:.1f} s",
            f"{row['peak_gb']:.2f} GB", eight,
        ))  # fmt: skip
        last = row
    heads = ("records", "seconds", "of processors", "peak", "8 x the data costs")
    return [
        filled(
            "`cloven anonymise disassociation` on Parquet files of the POS shape, from the start of the process to its"
            " end: start, read, all steps, verify, write. The last column is the growth of processor time from the row"
            f" before, for eight times the records. {_first_to_last(rows)}"
        )
        + "\n",
        picture("speed/growth", "Seconds and peak memory by records"),
        grid(heads, cells),
    ]


def _first_to_last(rows: list[Row]) -> str:
    """What all the growth in memory comes to."""
    if len(rows) < 2:
        return ""
    first, last = rows[0], rows[-1]
    return (
        f"From {first['records']:,} to {last['records']:,} records, {last['records'] / first['records']:g} times as"
        f" many, processor time becomes {last['cpu_s'] / first['cpu_s']:.1f} times as long and peak memory"
        f" {last['peak_gb'] / first['peak_gb']:.1f} times as large."
    )


def _scale(measured: Measured) -> list[str]:
    rows = measured.rows("scale")
    cells = [(f"{row['records']:,}", *(f"{row[work]:.2f} s" for work in WORKS)) for row in rows]
    return [
        filled(
            "Each size in a process of its own, data in memory: nothing is read, verified or written. Freed memory is"
            " used again, as commands do."
        )
        + "\n",
        grid(("records", *WORKS.values()), cells),
    ]


def _whole(measured: Measured) -> list[str]:
    cells = [
        (row["data"], f"{row['seconds']:.2f} s", f"{row['cpu_s']:.2f} s", f"{row['peak_gb']:.2f} GB")
        for row in measured.rows("whole")
    ]
    return [
        "The command on files of lines, start to end, with the defaults; kernels are cached.\n",
        grid(("data", "seconds", "of processors", "peak"), cells),
    ]


def _engines(measured: Measured) -> list[str]:
    cells, said = [], []
    by_size: dict[int, dict[str, Row]] = defaultdict(dict)
    for row in measured.rows("engines"):
        by_size[row["records"]][row["engine"]] = row
        cells.append((
            f"{row['records']:,}", row["engine"], f"{row['seconds']:.1f} s", f"{row['cpu_s']:.1f} s",
            f"{row['peak_gb']:.2f} GB",
        ))  # fmt: skip
    for records, found in by_size.items():
        local, spark = found["local"], found["spark"]
        said.append(
            f"{records:,} records: Spark takes {spark['seconds'] / local['seconds']:.1f} times as long and"
            f" {spark['cpu_s'] / local['cpu_s']:.1f} times the work; both wrote"
            f" {'the same release and key' if spark['same'] else '**different releases or keys**'}."
        )
    return [
        "Both on this machine, on the same Parquet file; peak is what all processes held at once.\n",
        *points(said),
        "",
        grid(("records", "engine", "seconds", "of processors", "peak"), cells),
    ]


def _plain(measured: Measured) -> list[str]:
    cells = [
        (row["data"], f"{row['reference_s']:.2f} s", f"{row['cloven_s']:.3f} s", f"{row['ratio']:.0f}")
        for row in measured.rows("ratio")
    ]
    return [
        "HORPART and VERPART at k = 5, m = 2, at most 30 records, against the pseudo-code in plain Python.\n",
        grid(("data", "plain", "Cloven", "times as fast"), cells),
    ]


def _others(measured: Measured) -> list[str]:
    rows = measured.rows("mondrian")
    cells = [
        (
            row["data"], row["program"], f"{row['seconds']:.3f} s", f"{row['classes']:,}",
            f"{row['discernibility']:,}", f"{row['ratio']:.0f}" if "ratio" in row else "-",
        )
        for row in rows if "missing" not in row
    ]  # fmt: skip
    return [
        filled(
            "Adult at k = 6, eight quasi-identifiers, in processor seconds; of the others only the search for classes"
            " is timed, of Cloven all up to release and key. *Discernibility* is the sum of squared class sizes, less"
            " is better; anjana, which recodes whole columns, may suppress half of the rows."
        )
        + "\n",
        grid(("data", "program", "seconds", "classes", "discernibility", "times the fastest other"), cells),
    ]


def _halves(name: str, what: str) -> Callable[[Measured], list[str]]:
    """A part that compares all of the data with half of it."""

    def said(measured: Measured) -> list[str]:
        rows = measured.rows(name)
        cells = [
            (
                row["what"], row["data"], f"{row['records']:,}", f"{row['seconds']:.3f} s",
                f"{row['per_100k_s']:.2f} s", f"{row['ratio']:.2f}",
                "-" if row["memory_gb"] is None else f"{1e3 * row['memory_gb']:,.0f} MB",
            )
            for row in rows
        ]  # fmt: skip
        steepest = max(rows, key=lambda row: row["ratio"])
        return [
            filled(
                f"{what} *Twice the data* is time on all of it over time on half, *memory* the most that is held"
                " beyond what was held before the last round. Time grows most for"
                f" {steepest['what']}: {steepest['ratio']:.1f} times."
            )
            + "\n",
            grid(
                ("what", "data", "records", "seconds", "in proportion, for 10^5", "twice the data", "memory"),
                cells,
            ),
        ]

    return said


def _audits(measured: Measured) -> list[str]:
    rows = measured.rows("audits")
    steps = list(dict.fromkeys(step for row in rows for step in row["steps"]))
    whole = [("all", *(f"{row['seconds']:.1f} s" for row in rows))]
    whole += [("of processors", *(f"{row['cpu_s']:.1f} s" for row in rows))]
    whole += [("peak", *(f"{row['peak_gb']:.2f} GB" for row in rows))]
    return [
        filled(
            "`cv.Audit(advise=False).run(data)` on data of the POS shape in memory, kernels compiled: all records are"
            " audited, and no sample is drawn of them. Freed memory is used again, and OpenBLAS has one thread, as in"
            " commands. Two attacks or measures run at the same time, so that their seconds are more than all together."
        )
        + "\n",
        grid(
            ("step", *(f"{row['occurrences']:,} occurrences" for row in rows)),
            [*((step, *(f"{row['steps'].get(step, 0.0):.1f} s" for row in rows)) for step in steps), *whole],
        ),
    ]


SECTIONS: dict[str, tuple[str, Callable[[Measured], list[str]]]] = {
    "stages": (
        "Stages of a release",
        lambda measured: [*_stages(measured), "### Cores\n", *_speedups(measured)],
    ),
    "parameters": ("m, k and the largest cluster", _parameters),
    "growth": ("More and more records", _growth),
    "scale": ("Eight times the data", _scale),
    "whole": ("Whole runs on files of lines", _whole),
    "engines": ("Local and Spark", _engines),
    "ratio": ("Against plain Python", _plain),
    "mondrian": ("Mondrian against packages of others", _others),
    "methods": ("The other methods", _halves("methods", "Up to release and key, data in memory.")),
    "attacks": (
        "Attacks",
        _halves(
            "attacks", "On releases in memory; of known persons and of being in it, everybody is asked about."
        ),
    ),
    "audits": ("Whole audits", _audits),
}
EXPECTED = {"stages": ("BMS-WebView-2", "T10I4D100K", "POS shape"), "whole": ("BMS-WebView-2", "POS shape")}


def _not_measured(measured: Measured) -> list[str]:
    """Parts without rows, data sets that a part lacks, and sizes that were not run."""
    out = [
        f"{title}: {measured.missing.get(name, 'not run')}."
        for name, (title, _) in SECTIONS.items()
        if not measured.rows(name)
    ]
    for name, wanted in EXPECTED.items():
        there = {row["data"] for row in measured.rows(name)}
        absent = [each for each in wanted if there and each not in there]
        out += [f"{SECTIONS[name][0]}: {listed(absent)}."] if absent else []
    out += sorted({
        f"{SECTIONS['mondrian'][0]}: {row['program']} {row['missing']}."
        for row in measured.rows("mondrian") if "missing" in row
    })  # fmt: skip
    most = max((row["records"] for row in measured.rows("growth")), default=None)
    if most is not None and most < 10_000_000:
        out.append(f"More than {most:,} records in one run.")
    return out or ["Nothing was left out."]


if __name__ == "__main__":
    main()
