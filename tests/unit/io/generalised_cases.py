"""Small set-generalised releases with strange names, suppressed items, empty rows and persons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cloven.data.transactions import Transactions
from cloven.kinds.generalised.key import Generalised
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.generalised.policy import Policy

RECORDS = [
    ["flu", "naïve 🦊"],
    ["flu", "=1+1"],
    ["cough", 'fox, "red"'],
    ["cough", "שלום"],
    ["lost"],
    ["flu", "a\nb", "lost"],
]
POLICY = Policy(
    protected=(("flu", "cough"), ("lost",)),
    groups=(
        ("ills", ("flu", "cough", "a, b")),
        ("strange", ("naïve 🦊", "=1+1", 'fox, "red"', "שלום", "a\nb")),
    ),
)
BLOCKS = {"flu": 0, "cough": 0, "naïve 🦊": 1, "=1+1": 1, 'fox, "red"': 1, "שלום": 1, "a\nb": 1, "lost": -1}
PARAMETERS = {
    "method": "coat",
    "reading": "subsets-too",
    "max_suppressed": 0.2,
    "all_up_to": 0,
    "protected": 2,
    "largest": 2,
    "groups": 1,
    "weighted": False,
    "persons": False,
}


def data_of(*, persons: bool = False) -> Transactions:
    """The records; two of each person."""
    data = Transactions.from_records(RECORDS)
    return replace(data, persons=np.arange(len(data)) // 2) if persons else data


def made(*, persons: bool = False, labels: tuple[str, ...] = ("", ""), **changed: object) -> Generalised:
    """Release and key of the records; ``changed`` are parameters. Names of blocks are for methods with a taxonomy."""
    data = data_of(persons=persons)
    blocks = np.array([BLOCKS[item] for item in data.vocabulary], np.int64)
    parameters = PARAMETERS | {"persons": persons} | changed
    return assemble(data, blocks, k=2, parameters=parameters, label_of_block=labels)
