"""What runs have in common: how they tell where they are, what they remember, and how figures become files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cloven.protocols import Related, Relatedness

SEED = 20120801
"""Seed of the measurements, so that a table can be made again; no release depends on it."""
Plain = dict[str, Any]
"""A figure, a run or a row as JSON has it."""
Found = dict[str, dict[str, "float | None"]]
"""What a run measured: values by measure and side, such as ``value`` and ``chance``."""
Report = Callable[[str, float], None]
"""Told of every step: what is done now, and which share of all is done."""


def part_of(report: Report, name: str, number: int, parts: int) -> Report:
    """Report of one of several equal parts.

    >>> part_of(lambda step, share: print(step, share), "shop", 1, 4)("read", 0.5)
    shop: read 0.375
    """
    return lambda step, share: report(f"{name}: {step}", (number + share) / parts)


@dataclass
class Remembered:
    """A measure of relatedness that looks the same vocabulary up only once; several attacks ask for it in turn."""

    measure: Relatedness
    _items: tuple[str, ...] | None = None
    _related: Related | None = None

    @property
    def name(self) -> str:
        """One word for tables."""
        return self.measure.name

    def relate(self, items: Sequence[str]) -> Related:
        """Look the items up, unless they are those of the last time."""
        if self._related is None or self._items != tuple(items):
            self._items, self._related = tuple(items), self.measure.relate(items)
        return self._related


def files(name: str, page: str, figures: str, charts: Mapping[str, Any]) -> dict[str, str]:
    """What ``cloven reproduce`` writes, by file name: the page, the figures behind it, and the charts."""
    from experiments.harness.charts import svg

    texts = {f"{name}.md": page, f"{name}.json": figures}
    return texts | {f"{name}/{chart}.svg": svg(drawn) for chart, drawn in charts.items()}


def as_json(figures: Any) -> str:
    """Figures as they are."""
    return json.dumps(figures, indent=1) + "\n"


def in_lines(parts: Mapping[str, Sequence[Any]]) -> str:
    """Many figures, rounded, one run in a line."""
    blocks = []
    for name, rows in parts.items():
        lines = ",\n".join(json.dumps(rounded(row), separators=(",", ":")) for row in rows)
        blocks.append(f'"{name}": [\n{lines}\n]')
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def rounded(value: Any) -> Any:
    """Four decimals, for files; None where there is no number.

    >>> rounded({"a": (0.12345, float("nan")), "b": 3})
    {'a': [0.1235, None], 'b': 3}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return rounded(asdict(value))
    if isinstance(value, float):
        return round(value, 4) if isfinite(value) else None
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list | tuple) else value
