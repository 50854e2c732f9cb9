"""Audits of a few people, so that what larger ones need is compiled: beside a first run, or by ``cloven warm``."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ClovenError
from cloven.registry import ROOMS, anonymiser, anonymisers, table_anonymisers
from cloven.threats import Effort, Knowledge

if TYPE_CHECKING:
    from cloven.data.table import Table
    from cloven.data.transactions import Transactions
    from cloven.protocols import Anonymiser

PEOPLE = 120
FAMILIES = tuple(ROOMS)


def rehearse(family: str) -> None:
    """A quick audit by each method of a family; a method that cannot treat so few people is left out."""
    from cloven.audit.loop import Audit
    from cloven.relatedness.spec import parse

    data: Any = _people() if family == "tables" else _patients()
    knowledge = Knowledge() if family == "tables" else Knowledge(parse("sample"))
    for method in _methods(family):
        with suppress(ClovenError):
            Audit(method, knowledge, effort=Effort().quick(), advise=False, seed=0).run(data)


def _methods(family: str) -> list[Anonymiser]:
    if family == "disassociation":
        return [anonymiser(family), anonymiser(family, safe="cover", rare_items="cluster", refine=True)]
    if family == "generalisation":
        return [anonymiser(name) for name in anonymisers() if name != "disassociation"]
    stated = {"diffgen": {"domains": "from-data"}}  # its schema would have to say what values are possible
    return [anonymiser(name, **stated.get(name, {})) for name in table_anonymisers()]


def _patients() -> Transactions:
    from cloven.datasets import sample

    return sample("clinic").take(np.arange(PEOPLE))


def _people() -> Table:
    """Rows whose sensitive values are so even that every method can treat them."""
    import pyarrow as pa

    from cloven.data.schema import Schema
    from cloven.reading.tables import read_table

    rng = np.random.default_rng(0)
    rows = {
        "age": rng.integers(18, 80, PEOPLE),
        "sex": rng.choice(["f", "m"], PEOPLE),
        "work": rng.choice(list("abcde"), PEOPLE),
        "illness": np.resize(list("stuvwxyz"), PEOPLE),
    }
    return read_table(pa.table(rows), Schema.of(["age", "sex", "work"], ["illness"]))
