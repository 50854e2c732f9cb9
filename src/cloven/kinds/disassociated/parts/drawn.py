"""Some clusters of a release in parts, and what the key says of them, for whoever tries to put records together.

Where clusters share nothing but a root of single items, which nobody puts back, what is hidden in a cluster is hidden
among its own records. So attackers can be tried on clusters that are drawn at random from those that split something
off, and find there what they would find in the whole release; what they learn from it they learn from these or others.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import among, distinct, lots, offsets_of, positions
from cloven.intake.packing import array_of
from cloven.kinds.disassociated.key import Anonymised
from cloven.kinds.disassociated.parts.folder import answer
from cloven.kinds.disassociated.private_files import KEY, RECORDS, key_from, parts_of
from cloven.kinds.disassociated.release import Disassociated, Kind
from cloven.storage.manifest import parameters_of
from cloven.storage.parquet import allowed_of, read_table, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.parts.folder import Arrays, Part, PartsFolder

TABLES = {"key": KEY, "records": RECORDS}


def splitting(folder: PartsFolder, most: int, seed: int) -> tuple[Longs, int]:
    """Random clusters that split something off, so many at most, in random order; and how many there are in all."""
    found, many = [np.empty(0, np.int64)], 0
    for told in folder.ask(chosen, {"most": np.array([most]), "seed": np.array([seed])}):
        found.append(told["clusters"])
        many += int(told["many"][0])
    return _first_by_lot(np.concatenate(found), most, seed), many


def chosen(asked: str) -> str:
    """Have a group of parts draw some of its clusters that split something off."""
    return answer(asked, _chosen, 0)


def _chosen(parts: Iterable[Part], question: Arrays) -> dict[str, NDArray[Any]]:
    most, seed = int(question["most"][0]), int(question["seed"][0])
    found, many = np.empty(0, np.int64), 0
    for part in parts:
        release = part.release
        later = (release.row_cluster >= 0) & ((release.row_kind != Kind.RECORD) | (release.row_chunk > 0))
        here = part.first + distinct(release.row_cluster[later])
        found, many = _first_by_lot(np.append(found, here), most, seed), many + len(here)
    return {"clusters": found, "many": np.array([many])}


def _first_by_lot(numbers: Longs, most: int, seed: int) -> Longs:
    """Those with the smallest lots: the same lots wherever they are drawn, so that no list of all is needed."""
    found: Longs = numbers[np.argsort(lots(numbers, seed), kind="stable")[:most]]
    return found


def clusters_of(folder: PartsFolder, numbers: Longs) -> Disassociated:
    """Clusters with these numbers (ascending) as a release, without its root, in the words of the whole."""
    found = _joined(list(folder.ask(taken, {"clusters": numbers})))
    joints = int(parameters_of(folder.manifest)["rare_items"] != "cluster")
    rows = len(found["row_cluster"])
    return Disassociated(
        k=folder.manifest["k"],
        m=folder.manifest["m"],
        parameters=parameters_of(folder.manifest),
        vocabulary=folder.totals.names,
        cluster_size=found["size"],
        cluster_joint=found["joint"],
        joint_parent=np.full(joints, -1, np.int64),
        row_cluster=np.searchsorted(numbers, found["row_cluster"]),
        row_joint=np.full(rows, -1, np.int64),
        row_chunk=found["row_chunk"],
        row_kind=found["row_kind"],
        row_offsets=offsets_of(found["row_length"]),
        row_items=found["row_items"],
    )


def taken(asked: str) -> str:
    """Have a group of parts hand over some of its clusters."""
    return answer(asked, _taken, 0)


def _taken(parts: Iterable[Part], question: Arrays) -> dict[str, NDArray[Any]]:
    return _joined([_of_part(part, question["clusters"]) for part in parts])


def _of_part(part: Part, numbers: Longs) -> dict[str, NDArray[Any]]:
    release, first = part.release, part.first
    here = numbers[(numbers >= first) & (numbers < first + release.clusters)] - first
    rows = np.flatnonzero(among(release.row_cluster, here))
    lengths = np.diff(release.row_offsets)[rows]
    return {
        "size": release.cluster_size[here],
        "joint": release.cluster_joint[here],
        "row_cluster": release.row_cluster[rows] + first,
        "row_chunk": release.row_chunk[rows],
        "row_kind": release.row_kind[rows],
        "row_length": lengths,
        "row_items": release.row_items[positions(release.row_offsets[rows], lengths)],
    }


def _joined(told: list[dict[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    return {name: np.concatenate([each[name] for each in told]) for name in told[0]}


# The owner's side.


def with_key(folder: PartsFolder, private: Path, numbers: Longs, release: Disassociated) -> Anonymised:
    """What ``clusters_of`` gave of these clusters, with their part of the key that lies in the private folder."""
    import pyarrow as pa

    place = folder.scratch / "clusters.npy"
    np.save(place, numbers)
    tables = {}
    for name in TABLES:
        told = list(folder.spread(claimed, _asked(folder, private, name, place)))
        tables[name] = pa.concat_tables(map(_read, told))
    place.unlink()
    nothing = {
        "suppressed_record": np.empty(0, np.int64), "suppressed_reason": (), "suppressed_items": ()
    }  # fmt: skip
    return Anonymised(release, key_from(tables["key"], tables["records"], release, private, nothing))


def _asked(folder: PartsFolder, private: Path, name: str, place: Path) -> list[str]:
    files = [str(path.absolute()) for path in parts_of(private / f"{name}.parquet")]
    ends = np.linspace(0, len(files), min(folder.groups, len(files)) + 1).astype(int).tolist()
    return [
        json.dumps({
            "name": name,
            "files": files[first:last],
            "allowed": allowed_of(list(map(Path, files))),
            "clusters": str(place.absolute()),
            "answer": str(folder.scratch.absolute() / f"claimed-{name}-{first}.arrow"),
        })
        for first, last in pairwise(ends)
    ]  # fmt: skip


def claimed(asked: str) -> str:
    """What files of the private folder say of some clusters, which are numbered anew; where that lies."""
    import pyarrow as pa

    given = json.loads(asked)
    numbers, columns = array_of(given["clusters"]), TABLES[given["name"]]
    found = []
    for file in map(Path, given["files"]):
        table = read_table(file, columns, given["allowed"])
        cluster = whole_numbers(table, "cluster", file, null=True)
        near = among(cluster, numbers)
        table = table.filter(pa.array(near))
        at = table.schema.get_field_index("cluster")
        found.append(table.set_column(at, "cluster", pa.array(np.searchsorted(numbers, cluster[near]))))
    whole = pa.concat_tables(found).unify_dictionaries()
    with pa.OSFile(given["answer"], "wb") as sink, pa.ipc.new_file(sink, whole.schema) as writer:
        writer.write_table(whole)
    return str(given["answer"])


def _read(place: str) -> Any:
    import pyarrow as pa

    with pa.OSFile(place, "rb") as source:
        table = pa.ipc.open_file(source).read_all()
    Path(place).unlink()
    return table
