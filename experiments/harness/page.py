"""The page of an experiment: claim, verdict, one table, one picture, the command. It is made from kept figures."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any, Protocol

from experiments.harness.figures import as_csv, parse_csv, read_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from experiments.harness.figures import Tables
    from experiments.harness.runs import Report

WIDTH = 118
FIGURES, PAGES = "experiments/figures", "docs/results"


@dataclass(frozen=True)
class Page:
    """What a reader of the source looks for.

    Attributes:
        title: the question.
        claim: what the source says, and what was run; paragraphs.
        verdict: what was found, a point for each finding.
        caption: what stands in the table.
        heads: heads of its columns.
        rows: its rows.
        picture: what the picture shows; none where this is empty.
        notes: what a reader must know to compare, such as what differs from the source.
    """

    title: str
    claim: str
    verdict: Sequence[str]
    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    picture: str = ""
    notes: Sequence[str] = ()

    def text(self, name: str) -> str:
        """The page of the experiment with this name."""
        made = (
            f"Made by `cloven reproduce {name} --out .` in a checkout; all figures are in `{FIGURES}/{name}`, and"
            " `--kept` makes the page from them without a run."
        )
        parts = [
            f"# {self.title}",
            *(filled(paragraph) for paragraph in self.claim.strip().split("\n\n")),
            "## Verdict",
            "\n".join(points(self.verdict)),
            "## Figures",
            filled(self.caption),
            grid(self.heads, self.rows).rstrip(),
            *([f"![{self.picture}]({name}/{name}.svg)"] if self.picture else []),
            "## How it was made",
            filled(made),
            *(["\n".join(points(self.notes))] if self.notes else []),
        ]
        return "\n\n".join(parts) + "\n"


class Run(Protocol):
    """Measures everything, from the folder of the public data sets; ``quick`` asks for small samples."""

    def __call__(self, folder: Path, report: Report, *, quick: bool) -> Tables:
        """All figures, by file name."""
        ...


@dataclass(frozen=True)
class Experiment:
    """What ``cloven reproduce`` runs.

    Attributes:
        name: of the command, the page and the folder of figures.
        run: measures everything.
        page: the page, from the kept figures alone.
        picture: its chart, from the same.
    """

    name: str
    run: Run
    page: Callable[[Tables], Page]
    picture: Callable[[Tables], Any] | None = None

    def kept(self, checkout: Path) -> Tables:
        """The figures of the last run."""
        return read_tables(checkout / FIGURES / self.name)

    def files(self, tables: Tables) -> dict[str, str]:
        """Figures, page and picture by path in a checkout; the last two are made from the figures as they are kept."""
        texts = {name: as_csv(table) for name, table in tables.items()}
        kept = {name: parse_csv(text) for name, text in texts.items()}
        found = {f"{FIGURES}/{self.name}/{name}.csv": text for name, text in texts.items()}
        found[f"{PAGES}/{self.name}.md"] = self.page(kept).text(self.name)
        if self.picture is not None:
            from experiments.harness.charts import svg

            found[f"{PAGES}/{self.name}/{self.name}.svg"] = svg(self.picture(kept))
        return found


def filled(text: str, indent: str = "") -> str:
    """Text in lines of the usual width."""
    return fill(" ".join(text.split()), WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def points(lines: Iterable[str]) -> list[str]:
    """A list with a point for each text."""
    return [filled(f"- {line}", "  ") for line in lines]


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""A table.

    >>> print(grid(("a", "b"), [("1", "x|y")]), end="")
    | a | b |
    | --- | --- |
    | 1 | x\|y |
    """
    lines = [heads, ["---"] * len(heads), *rows]
    return (
        "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        + "\n"
    )


def section(title: str, *parts: str) -> str:
    """A heading and what stands below it."""
    return f"## {title}\n\n" + "\n".join(parts)


def picture(file: str, title: str) -> str:
    """A chart on the page."""
    return f"![{title}]({file}.svg)\n"


def percent(share: float, digits: int = 1) -> str:
    """A share as tables print it."""
    return f"{100 * share:.{digits}f} %"


def spanned(values: Iterable[float], digits: int = 0) -> str:
    """Smallest and largest of some shares.

    >>> spanned([0.2, 0.5, 0.3]), spanned([])
    ('20 % to 50 %', '-')
    """
    known = list(values)
    return f"{percent(min(known), digits)} to {percent(max(known), digits)}" if known else "-"


def listed(words: Sequence[str]) -> str:
    """Words with *and* before the last.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
