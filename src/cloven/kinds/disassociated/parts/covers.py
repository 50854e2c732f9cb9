"""Cover problems of a release in parts, and how many pairs of items they leave with fewer than k candidates.

Covers are a matter of one cluster, so that their numbers add up. For the few pairs that have fewer than k candidates in
their own part, all parts are asked for theirs. The root has k copies or more of every item that it has, so that k of
them are as good as all.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.covers.breaches import breaches
from cloven.kinds.disassociated.covers.covers import candidates, covers, leaked_keys
from cloven.kinds.disassociated.parts.folder import answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.kinds.disassociated.parts.folder import Arrays, Part, PartsFolder

FIGURES = ("covers", "pairs", "clusters", "records")


def covered(folder: PartsFolder) -> dict[str, int]:
    """Covers, pairs that they tell of, clusters and records touched; pairs with fewer than k candidates anywhere."""
    total, few = np.zeros(len(FIGURES), np.int64), [np.empty(0, np.int64)]
    for told in folder.ask(counted, {}):
        total += told["found"]
        few.append(told["few"])
    keys = np.unique(np.concatenate(few))
    found = np.zeros(len(keys), np.int64)
    if len(keys):
        for told in folder.ask(searched, {"keys": keys}):
            found += told["found"]
    everywhere = int(np.count_nonzero(found < folder.manifest["k"]))
    return {**dict(zip(FIGURES, total.tolist(), strict=True)), "everywhere": everywhere}


def counted(asked: str) -> str:
    """Have a group of parts count its covers."""
    return answer(asked, _counted, json.loads(asked)["manifest"]["k"])


def _counted(parts: Iterable[Part], _question: Arrays) -> dict[str, NDArray[Any]]:
    total, few = np.zeros(len(FIGURES), np.int64), [np.empty(0, np.int64)]
    for part in parts:
        found = covers(part.release)
        told = breaches(found).to_dict()
        total += np.array([told[name] for name in FIGURES], np.int64)
        few.append(leaked_keys(found)[found.everywhere])
    return {"found": total, "few": np.unique(np.concatenate(few))}


def searched(asked: str) -> str:
    """Have a group of parts say how many candidates they have for some pairs."""
    return answer(asked, _searched, json.loads(asked)["manifest"]["k"])


def _searched(parts: Iterable[Part], question: Arrays) -> dict[str, NDArray[Any]]:
    found = np.zeros(len(question["keys"]), np.int64)
    for part in parts:
        found += candidates(covers(part.release), question["keys"])
    return {"found": found}
