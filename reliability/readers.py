"""Everything that Cloven opens: small good files of each kind, and the function that reads them.

A seed is a folder of small files; a reader is given a folder like it and must either give a result or raise a
:class:`cloven.ClovenError` whose message is one line.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import tempfile
import warnings
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import cloven as cv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

RECORDS = [
    ["flu", "fever"],
    ["flu", "cough", "fever"],
    ["asthma"],
    ["cough", "flu"],
    ["fever", "asthma", "flu"],
] * 5
PEOPLE = {
    "age": ["31", "35", "38", "42", "44", "47", "51", "58"] * 3,
    "sex": ["m", "f", "f", "m", "f", "m", "m", "f"] * 3,
    "illness": ["flu", "asthma", "flu", "cough", "flu", "cough", "asthma", "fever"] * 3,
}
TREE = b"flu;infection;any\nfever;symptom;any\ncough;symptom;any\nasthma;chronic;any\n"
SCHEMA = """
[columns.age]
role = "quasi-identifier"
kind = "number"
range = [0, 120]
[columns.sex]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
"""


@dataclass(frozen=True)
class Reader:
    """A reader and what it reads.

    Attributes:
        name: what is read.
        files: content of the seed, by path within the folder.
        read: reads a folder like the seed.
        kept: files that stay as they are.
    """

    name: str
    files: Mapping[str, bytes]
    read: Callable[[Path], Any]
    kept: frozenset[str] = field(default=frozenset())


def readers(scratch: Path) -> list[Reader]:
    """All of them; ``scratch`` is an empty folder to make seeds in."""
    return [
        *_sets(),
        *_packed(),
        *_tables(),
        *_stores(scratch),
        *_documents(),
        *_releases(scratch),
        *_parts(scratch),
        *_guesses(scratch),
        *_settings(scratch),
        *_meanings(scratch),
        *_state(scratch),
        *_commands(scratch),
    ]


def names() -> list[str]:
    """What they are called."""
    with tempfile.TemporaryDirectory() as scratch:
        return [each.name for each in readers(Path(scratch))]


def _sets() -> Iterator[Reader]:
    lines = "\n".join(",".join(record) for record in RECORDS).encode()
    long = "id,item\n" + "\n".join(f"{at},{item}" for at, record in enumerate(RECORDS) for item in record)
    objects = "\n".join(json.dumps({"id": at, "items": record}) for at, record in enumerate(RECORDS))
    by_row: dict[str, Any] = {"format": "long", "id_column": "id", "item_column": "item"}
    contents: dict[str, tuple[bytes, dict[str, Any]]] = {
        "baskets.csv": (lines, {}),
        "baskets.dat": (b"\n".join(b"1 2 3" if at % 2 else b"2 5" for at in range(20)), {}),
        "baskets.spmf": (b"1 -1 2 -1 -2\n3 -1 -2\n" * 6, {"format": "spmf"}),
        "long.csv": (long.encode(), by_row),
        "baskets.json": (json.dumps(RECORDS).encode(), {}),
        "baskets.jsonl": (objects.encode(), {"column": "items"}),
        "baskets.parquet": (_parquet({"items": RECORDS}), {}),
        "wide.csv": (b"id,flu,fever,cough\n" + b"1,1,0,1\n2,0,1,yes\n" * 4, {"format": "wide"}),
        "wide.tsv": (b"flu\tfever\tcough\n1\t0\t1\n0\t1\t1\n" * 4, {}),
    }
    for name, (content, options) in contents.items():
        yield Reader(f"sets {name}", {name: content}, partial(_read_set, name, options))
        lenient = {**options, "lenient": True}
        yield Reader(f"sets lenient {name}", {name: content}, partial(_read_set, name, lenient))


def _read_set(name: str, options: Mapping[str, Any], folder: Path) -> Any:
    return cv.read(folder / name, max_bytes=1_000_000, **options)


def _packed() -> Iterator[Reader]:
    import zstandard

    plain = "\n".join(",".join(record) for record in RECORDS).encode()
    bundle = io.BytesIO()
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("baskets.csv", plain)
    contents = {
        "baskets.csv.gz": gzip.compress(plain, 1),
        "baskets.csv.zst": zstandard.compress(plain),
        "baskets.zip": bundle.getvalue(),
    }
    for name, content in contents.items():
        yield Reader(f"packed {name}", {name: content}, partial(_read_set, name, {}))


def _tables() -> Iterator[Reader]:
    rows = [",".join(PEOPLE), *(",".join(row) for row in zip(*PEOPLE.values(), strict=True))]
    schema = SCHEMA.encode()
    for name, content in {"people.csv": "\n".join(rows).encode(), "people.parquet": _parquet(PEOPLE)}.items():
        files = {name: content, "schema.toml": schema}
        yield Reader(f"table {name}", files, partial(_read_table, name), frozenset({"schema.toml"}))
    files = {"people.csv": "\n".join(rows).encode(), "schema.toml": schema}
    yield Reader("schema", files, partial(_read_table, "people.csv"), frozenset({"people.csv"}))


def _read_table(name: str, folder: Path) -> Any:
    return cv.read_table(folder / name, cv.read_schema(folder / "schema.toml"), max_bytes=1_000_000)


def _stores(scratch: Path) -> Iterator[Reader]:
    """Workbooks and databases; dates and codes; and what a table suggests."""
    import sqlite3

    import openpyxl

    rows = list(zip(*PEOPLE.values(), strict=True))
    book = openpyxl.Workbook()
    for row in (tuple(PEOPLE), *rows):
        book.active.append(row)
    book.save(scratch / "people.xlsx")
    with sqlite3.connect(scratch / "people.db") as base:
        base.execute(f"CREATE TABLE people ({', '.join(PEOPLE)})")
        base.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    base.close()
    for name in ("people.xlsx", "people.db"):
        files = {name: (scratch / name).read_bytes(), "schema.toml": SCHEMA.encode()}
        yield Reader(f"table {name}", files, partial(_read_table, name), frozenset({"schema.toml"}))
    dated = "".join(
        f"{1950 + at}-0{at % 9 + 1}-1{at % 10},0{2139 + at},{ill}\n"
        for at, ill in enumerate(PEOPLE["illness"])
    )
    schema = (
        'missing = "keep"\n[columns.born]\nrole = "quasi-identifier"\nkind = "date"\nprecision = "quarter"\n'
        '[columns.zip]\nrole = "quasi-identifier"\nkind = "code"\nprecision = 3\n'
        '[columns.illness]\nrole = "sensitive"\n'
    )
    files = {"dated.csv": f"born,zip,illness\n{dated}".encode(), "schema.toml": schema.encode()}
    yield Reader("table dated.csv", files, partial(_read_table, "dated.csv"))
    yield Reader("proposal", {"dated.csv": files["dated.csv"]}, _propose)


def _propose(folder: Path) -> Any:
    found = cv.propose(folder / "dated.csv", max_bytes=1_000_000)
    return found.schema(), found.to_toml()


def _documents() -> Iterator[Reader]:
    texts = {f"note{at}.txt": f"Patient {at} has flu and fever.\nNo cough.".encode() for at in range(4)}
    tar, bundle = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive, zipfile.ZipFile(bundle, "w") as zipped:
        for name, content in texts.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
            zipped.writestr(name, content)
    table = b'id,text\n1,flu and fever\n2,"cough, at night"\n3,asthma\n'
    mails = json.dumps([{"id": 1, "text": "flu"}, {"id": 2, "text": "fever and cough"}]).encode()
    contents = {
        "notes.tar": tar.getvalue(),
        "notes.tgz": gzip.compress(tar.getvalue(), 1),
        "notes.zip": bundle.getvalue(),
        "notes.csv": table,
        "notes.jsonl": b"\n".join(json.dumps(each).encode() for each in json.loads(mails)),
    }
    for name, content in contents.items():
        yield Reader(f"documents {name}", {name: content}, partial(_read_documents, name))


def _read_documents(name: str, folder: Path) -> Any:
    from cloven.text.documents import DocumentOptions

    return list(cv.read_documents(folder / name, DocumentOptions(max_bytes=1_000_000)))


def _by_lots(method: Any, table: cv.Table) -> Any:
    """A release that verifies: about once in a thousand times the lots of an honest one look like none."""
    while True:
        made = method.anonymise(table)
        if cv.verify(made.release, original=table, key=made.key).ok:
            return made


def _releases(scratch: Path) -> Iterator[Reader]:
    data = cv.Transactions.from_records(RECORDS)
    import pyarrow as pa

    table = cv.read_table(pa.table(PEOPLE), cv.Schema.of(["age", "sex"], ["illness"]))
    policy = cv.Policy(protected=(("asthma",), ("flu", "cough")))
    made: dict[str, tuple[Any, Any]] = {
        "disassociated": (cv.Disassociation(k=3, m=2).anonymise(data), data),
        "generalised": (cv.Coat(k=3, policy=policy).anonymise(data), data),
        "apriori": (cv.AprioriKm(k=3, m=2, taxonomy=_tree(scratch)).anonymise(data), data),
        "mondrian": (cv.Mondrian(k=3).anonymise(table), table),
        "sliced": (_by_lots(cv.Slicing(k=4, l=2), table), table),
        "ul": (_by_lots(cv.UL(k=4, l=2), table), table),
    }
    for name, (result, original) in made.items():
        place = scratch / name
        cv.write_release(result, place, original=original, allow_unsafe=True)
        files = {**_content(place, "out/"), **_content(Path(f"{place}.private"), "out.private/")}
        private = frozenset(file for file in files if file.startswith("out.private/"))
        yield Reader(f"release {name}", files, _use_release, private)
        yield Reader(f"key {name}", files, partial(_use_key, original), frozenset(files) - private)
    cv.write_release(made["disassociated"][0], scratch / "json", original=data, format="json")
    yield Reader("release json", {"out.json": (scratch / "json.json").read_bytes()}, _use_json)


def _parts(scratch: Path) -> Iterator[Reader]:
    """A release in parts, as Spark writes one."""
    from tests.unit.io.divided import in_parts

    data = cv.Transactions.from_records(RECORDS)
    cv.write_release(cv.Disassociation(k=3, m=2).anonymise(data), scratch / "parted", original=data)
    in_parts(scratch / "parted", 9, 10)
    yield Reader("parts", _content(scratch / "parted", "out/"), lambda folder: _use_parts(folder / "out"))


def _use_parts(place: Path) -> None:
    cv.verify_folder(place)
    _use(cv.read_release(place))


def _tree(scratch: Path) -> Any:
    (scratch / "tree.csv").write_bytes(TREE)
    return cv.read_taxonomy(scratch / "tree.csv")


def _use_release(folder: Path) -> None:
    """Verify, and whatever the verdict, do what people do with a release."""
    place = folder / "out"
    cv.verify_folder(place, allow_unsafe=True)
    _use(cv.read_release(place))


def _use_json(folder: Path) -> None:
    cv.verify_folder(folder / "out.json", allow_unsafe=True)
    _use(cv.read_release(folder / "out.json"))


def _use(release: Any) -> None:
    rng = np.random.default_rng(0)
    if hasattr(release, "vocabulary"):
        cv.candidates(release, ["flu"])
        cv.reconstruct(release, rng)
    else:
        cv.reconstruct_table(release, rng)
        cv.to_frame(release)


def _use_key(original: Any, folder: Path) -> None:
    cv.verify_folder(folder / "out", original=original, private=folder / "out.private", allow_unsafe=True)
    cv.read_key(folder / "out.private", cv.read_release(folder / "out"))


def _guesses(scratch: Path) -> Iterator[Reader]:
    from cloven.kinds.disassociated.attack.questions import questions
    from cloven.kinds.disassociated.guesses_files import read_guesses, write_guesses
    from cloven.kinds.generalised.guesses import tables
    from cloven.kinds.generalised.guesses_files import read_eliminations, write_eliminations

    data = cv.Transactions.from_records(RECORDS)
    cut: Any = cv.Disassociation(k=3, m=2).anonymise(data).release
    write_guesses(cv.attacks.Guesswork().guess(cut), cut, scratch / "guesses")
    asked = questions(cut)
    yield Reader(
        "guesses", _content(scratch / "guesses", "g/"), lambda folder: read_guesses(folder / "g", cut, asked)
    )
    merged: Any = cv.Coat(k=3, m=1).anonymise(data).release
    write_eliminations(cv.attacks.RandomElimination().guess(merged), merged, scratch / "eliminations")
    cells = tables(merged)
    files = _content(scratch / "eliminations", "g/")
    yield Reader("eliminations", files, lambda folder: read_eliminations(folder / "g", merged, cells))


def _settings(scratch: Path) -> Iterator[Reader]:
    from cloven.kinds.disassociated.covers.knowledge import read_knowledge

    yield Reader(
        "hierarchy", {"tree.csv": TREE}, lambda folder: cv.read_taxonomy(folder / "tree.csv", limit=1_000_000)
    )
    policy = cv.Policy(protected=(("asthma",), ("flu", "cough")), groups=(("g", ("flu", "fever")),))
    for name in ("policy.json", "clinic.policy"):
        cv.write_policy(policy, scratch / name)
        files = {name: (scratch / name).read_bytes()}
        yield Reader(f"policy {name}", files, lambda folder, name=name: cv.read_policy(folder / name))  # type: ignore[misc]
    release: Any = cv.Disassociation(k=3, m=2).anonymise(cv.Transactions.from_records(RECORDS)).release
    known = {
        "known.txt": b'flu,fever\nflu,cough\n["asthma", "flu"]\n',
        "known.json": b'[["flu", "fever"], ["cough", "flu"]]',
    }
    for name, content in known.items():
        yield Reader(
            f"knowledge {name}",
            {name: content},
            lambda folder, name=name: read_knowledge(folder / name, release),  # type: ignore[misc]
        )


def _meanings(scratch: Path) -> Iterator[Reader]:
    from cloven.relatedness.corpus import Corpus
    from cloven.relatedness.evaluation import read_benchmark
    from cloven.relatedness.vectors import cache_vectors

    words = ["flu", "fever", "cough", "asthma", "illness"]
    matrix = np.random.default_rng(1).normal(size=(len(words), 8)).astype(np.float32)
    text = "\n".join(
        " ".join([word, *(f"{value:.4f}" for value in row)]) for word, row in zip(words, matrix, strict=True)
    )
    yield Reader(
        "vectors text", {"v.txt": text.encode()}, lambda folder: _related(f"vectors:{folder / 'v.txt'}")
    )
    (scratch / "v.txt").write_text(text, encoding="utf-8")
    cache_vectors(scratch / "v.txt", scratch / "cache")
    cache = _content(scratch / "cache", "cache/")
    yield Reader("vectors cache", cache, _cached)
    documents = [["flu", "fever"], ["cough", "asthma"], ["illness", "flu"]] * 5
    Corpus.train(documents, dimensions=2, min_count=1).save(scratch / "c.npz")
    yield Reader(
        "corpus",
        {"c.npz": (scratch / "c.npz").read_bytes()},
        lambda folder: _related(f"corpus:{folder / 'c.npz'}"),
    )
    header = {"format": "cloven.counts/1", "source": "x", "date": "", "documents": 100, "unlisted": "never"}
    counts = json.dumps(header).encode() + b"\n"
    counts += b'["flu", 20]\n["fever", 30]\n["cough", 10]\n["asthma", 5]\n["flu", "fever", 15]\n["cough", "flu", 4]\n'
    yield Reader("counts", {"c.jsonl": counts}, lambda folder: _related(f"ngd:{folder / 'c.jsonl'}"))
    pairs = b"first,second,score\nflu,fever,3.5\ncough,flu,2\nasthma,cough,1.5\nfever,asthma,0.5\n"
    yield Reader("benchmark", {"b.csv": pairs}, lambda folder: read_benchmark(folder / "b.csv"))


def _cached(folder: Path) -> Any:
    """A damaged cache is made anew, with a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return _related(f"vectors:{folder / 'cache'}")


def _related(text: str) -> Any:
    from cloven.relatedness.spec import parse

    among = parse(text).relate(["flu", "fever", "cough", "asthma"])
    return among.block(np.arange(2), np.arange(4))


def _state(scratch: Path) -> Iterator[Reader]:
    """What Cloven keeps for itself: it must survive damage too."""
    from cloven.storage.publication import publish
    from cloven.storage.receipt import read_receipt

    place = scratch / "ledger"
    place.mkdir()
    data = cv.Transactions.from_records(RECORDS)
    made = cv.Disassociation(k=3, m=2).anonymise(data)
    cv.write_release(made, scratch / "noted", original=data)
    publish(scratch / "noted", place, anyway=True)
    yield Reader("ledger", _content(place, ""), partial(_read_ledger, data))
    private = Path(f"{scratch / 'noted'}.private")
    yield Reader(
        "receipt", _content(private, "noted.private/"), lambda folder: read_receipt(folder / "noted.private")
    )
    _open_checkpoint(scratch / "unfinished", made)
    yield Reader(
        "checkpoint",
        _content(scratch / "unfinished", "u/"),
        lambda folder: _open_checkpoint(folder / "u", made),
    )
    _open_study(scratch / "study")
    yield Reader("study", _content(scratch / "study", "s/"), lambda folder: _open_study(folder / "s"))

    _open_workspace(scratch / "studio")
    yield Reader(
        "workspace", _content(scratch / "studio", "w/"), lambda folder: _open_workspace(folder / "w")
    )
    people = cv.Transactions.from_records([*RECORDS, *[["flu", "rash"], ["rash", "cough"], ["rash"]] * 6])
    opened = cv.Disassociation(k=3, m=2, max_cluster_size=8).anonymise(people)
    _look_inside(opened, scratch / "drawer")
    yield Reader(
        "drawer", _content(scratch / "drawer", "d/"), lambda folder: _look_inside(opened, folder / "d")
    )


def _open_workspace(folder: Path) -> None:
    """Open what the studio keeps, and look at all of it."""
    from cloven.studio.workspace import Workspace

    if folder.is_dir():
        folder.chmod(0o700)
    space = Workspace.at(folder)
    try:
        if not space.all_data():
            number = space.add_data("clinic", None, own=False).number
            space.add_run(number, "first", "disassociation", {"k": "5"})
            space.add_search(number, {"k": 5})
        for data in space.all_data():
            space.runs_of(data.number), space.searches_of(data.number)
        space.all_runs(), space.unfinished()
    finally:
        space.close()


def _look_inside(made: Any, folder: Path) -> None:
    """Open every page of the inspector that keeps something, from what is kept."""
    from cloven.relatedness.vectors import Vectors
    from cloven.studio.inspection.drawer import Drawer
    from cloven.studio.inspection.words import KeptWords, keep_words
    from cloven.studio.inspector import pages_of
    from cloven.studio.inspector_address import Address

    drawer = Drawer(folder)
    if not folder.exists():
        words = folder.with_suffix(".txt")
        words.write_text("flu 1 0\nfever 0.9 0.1\ncough 0 1\nasthma 0.1 0.9\nrash 0.5 0.5\n")
        keep_words(drawer, lambda: Vectors(str(words)), made.release.vocabulary)
    pages = pages_of(made.release, made.key, KeptWords(drawer), drawer)
    truth = Address("", query=(("truth", "1"),))
    pages.overview(truth), pages.people(truth)
    for attack in ("release", "words"):
        query = (("truth", "1"), ("rebuild", "1"), ("attack", attack))
        pages.group(Address("", query=query), 0)


def _read_ledger(data: Any, folder: Path) -> Any:
    from cloven.storage.ledger import earlier_releases

    return earlier_releases(data, folder / "new", ledger=folder)


def _open_checkpoint(folder: Path, made: Any) -> list[str]:
    """Go on with an audit, whatever is left of it: one step more, and its release."""
    from cloven.disclosure.risk import Risk
    from cloven.registry import family_of
    from cloven.storage.checkpoint import Checkpoint

    family = family_of(cv.Disassociation(k=3, m=2))
    memory = Checkpoint.open(folder, "ab" * 32, "settings")
    memory.recall("risk", Risk.from_dict)
    memory.keep("more", {"a": [1, 2]})
    if memory.recall_result("anonymise", family) is None:
        memory.keep_result("anonymise", family, made)
    return memory.steps


def _open_study(folder: Path) -> int:
    """Go on with a search, whatever is left of it: one proposal more, which cannot be met."""
    from cloven.tuning.result import Trial
    from cloven.tuning.search import Searching, varied
    from cloven.tuning.study import study_folder

    space = varied(cv.Transactions.from_records(RECORDS), methods=("disassociation",), k=3)
    with study_folder(folder, {"data": "ab" * 32}, 1) as (journal, seed):
        searching = Searching(space, lambda outcome: outcome, seed, journal)  # type: ignore[arg-type,return-value]
        for _ in range(1 if searching.trials else 3):
            proposal = searching.propose()
            searching.tell(
                proposal, Trial(proposal.varied.name_of(proposal.values), None, "impossible", why="none")
            )
        return len(searching.trials)


def _commands(scratch: Path) -> Iterator[Reader]:
    """Whole commands on a hostile release: they end with a code that is listed, never with a fault of ours."""
    from cloven.cli.ending import run  # noqa: F401  loaded before the time is taken

    data = cv.Transactions.from_records(RECORDS)
    cv.write_release(cv.Disassociation(k=3, m=2).anonymise(data), scratch / "told", original=data)
    files = {
        **_content(scratch / "told", "out/"),
        **_content(Path(f"{scratch / 'told'}.private"), "out.private/"),
    }
    private = frozenset(file for file in files if file.startswith("out.private/"))
    commands = {
        "verify": ("verify", "out", "--json"),
        "breach": ("breach", "out", "--json"),
        "reconstruct": ("reconstruct", "out", "-o", "again.csv"),
    }
    for name, words in commands.items():
        yield Reader(f"command {name}", files, partial(_run, words), private)


def _run(words: Sequence[str], folder: Path) -> None:
    from cloven.cli.ending import run

    told, complained = io.StringIO(), io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with redirect_stdout(told), redirect_stderr(complained):
            code = run(list(words))
    finally:
        os.chdir(before)
    if code not in (0, 1, 3):
        message = f"ended with {code}: {complained.getvalue()[-300:]}"
        raise AssertionError(message)
    if code == 3:
        raise cv.ReleaseError(complained.getvalue().removesuffix("\n"))


def _content(folder: Path, prefix: str) -> dict[str, bytes]:
    return {
        prefix + str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def _parquet(columns: Mapping[str, Any]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), sink)
    return sink.getvalue()
