"""Change files as an enemy or a bad disk would: bytes, words of the format, structure.

Every function takes the content of a file and a generator, and gives other content. Which one fits is told by the name
of the file; now and then plain bytes are changed whatever the name, because damage does not care about formats.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random

    Mutation = Callable[[bytes, Random], bytes]

WORDS = (
    "", " ", "0", "-1", "1e999", "-1e999", "nan", "inf", "1" + "0" * 400, "9223372036854775808", "-9223372036854775809",
    "2147483647", "4294967296", "1.5", "0x10", "1_000", "٣", "null", "true", "[]", "{}", "\x00", "\x1b[2J", "\u202e",
    "\ufeff", "\u2028", "\x85", "\r", "\n", '"', "'", ",", ";", "\t", "|", "\\", "=1+1", "-1+1", "@x", "é", "e\u0301",
    "../../etc/passwd", "/proc/self/mem", "a" * 70_000, "-1", "-2", "#", "?", "*", "%s", "<script>", "\ud7ff",
    "\U0010ffff",
)  # fmt: skip
MOST_BYTES = 1 << 20
"""Lines are repeated a thousand times, and those again; larger files only take longer."""
_BYTES = (
    b"\xff",
    b"\xfe",
    b"\x80",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\xf4\x90\x80\x80",
    b"\x00",
    b"\xef\xbb\xbf",
)
_NUMBERS = (0, 1, -1, 127, 128, 255, 256, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, -(2**63))
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 3, 2**31 - 1, 2**63, -(2**63) - 1, 10**400, 0.5, 1e308, "", "1", "\ud800", "\x00",
    "a" * 5000, [], {}, [[]], [None], {"": None},
)  # fmt: skip


def changed(name: str, content: bytes, rng: Random) -> bytes:
    """Other content for a file of this name, changed in one to four places."""
    fitting = _fitting(PurePosixPath(name).suffixes)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        mutation = damaged if rng.random() < 0.25 else rng.choice(fitting)
        try:
            content = mutation(content, rng)
        except Exception:  # noqa: BLE001  what was changed before can no longer be read as its format
            content = damaged(content, rng)
        content = content[:MOST_BYTES]
    return content


def _fitting(suffixes: Sequence[str]) -> tuple[Mutation, ...]:
    by_suffix: dict[str, tuple[Mutation, ...]] = {
        ".json": (other_json, other_json, other_words),
        ".jsonl": (other_lines, other_words, other_json_line),
        ".parquet": (other_parquet, other_parquet, damaged),
        ".npy": (other_array, damaged),
        ".npz": (other_zip, damaged),
        ".gz": (repacked, damaged),
        ".tgz": (other_tar_gz, damaged),
        ".tar": (other_tar, damaged),
        ".zip": (other_zip, damaged),
        ".zst": (damaged,),
        ".log": (other_journal, other_journal, other_lines),
    }
    return by_suffix.get(suffixes[-1] if suffixes else "", (other_words, other_words, other_lines, damaged))


def damaged(content: bytes, rng: Random) -> bytes:
    """Bytes flipped, cut, moved, repeated, or replaced by numbers that programs stumble over."""
    if not content:
        return rng.choice(_BYTES)
    at = rng.randrange(len(content))
    to = min(len(content), at + rng.choice((1, 2, 4, 8, 64, 1000)))
    match rng.randrange(8):
        case 0:
            return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]
        case 1:
            return content[:at]
        case 2:
            return content[:at] + content[to:]
        case 3:
            return content[:to] + content[at:to] * rng.choice((1, 2, 50)) + content[to:]
        case 4:
            return content[:at] + rng.choice(_BYTES) + content[at:]
        case 5:
            wide = rng.choice((1, 2, 4, 8))
            number = rng.choice(_NUMBERS) & ((1 << 8 * wide) - 1)
            return content[:at] + number.to_bytes(wide, rng.choice(("little", "big"))) + content[at + wide :]
        case 6:
            other = rng.randrange(len(content))
            return content[:at] + content[other : other + to - at] + content[to:]
        case _:
            return content[:at] + rng.randbytes(to - at) + content[to:]


def other_words(content: bytes, rng: Random) -> bytes:
    """One word, cell or number of a text becomes another, or one that programs stumble over."""
    separators = [at for at, byte in enumerate(content[:200_000]) if byte in b',;\t \n"=:[]{}|']
    if not separators:
        return rng.choice(WORDS).encode()
    first = rng.randrange(len(separators))
    start, end = separators[first] + 1, (separators[first + 1 :] or [len(content)])[0]
    word = rng.choice((*WORDS, *_BYTES))
    return content[:start] + (word if isinstance(word, bytes) else word.encode()) + content[end:]


def other_lines(content: bytes, rng: Random) -> bytes:
    """Lines left out, repeated, swapped, joined, or ended in another way."""
    lines = content.split(b"\n")
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            del lines[first]
        case 1:
            lines[first:first] = [lines[second]] * min(
                rng.choice((1, 3, 100)), 1 + MOST_BYTES // (1 + len(lines[second]))
            )
        case 2:
            lines[first], lines[second] = lines[second], lines[first]
        case 3:
            return content.replace(b"\n", rng.choice((b"\r\n", b"\r", b" ", b"\n\n", b"\x0b")))
        case 4:
            lines[first] = lines[first] * min(
                rng.choice((2, 1000)), 1 + MOST_BYTES // (1 + len(lines[first]))
            )
        case _:
            lines[first] = rng.choice(WORDS).encode()
    return b"\n".join(lines)


def other_json(content: bytes, rng: Random) -> bytes:
    """Another tree: a value replaced, left out, nested or repeated."""
    tree = json.loads(content)
    if rng.random() < 0.02:
        return b"[" * 100_000 if rng.random() < 0.5 else b'{"a":' * 100_000
    places = list(_places(tree))
    if not places:
        return json.dumps(rng.choice(_VALUES)).encode()
    holder, step = rng.choice(places)
    match rng.randrange(6):
        case 0 | 1:
            holder[step] = rng.choice(_VALUES)
        case 2:
            del holder[step]
        case 3:
            other, at = rng.choice(places)
            holder[step] = json.loads(json.dumps(other[at]))
        case 4:
            holder[step] = [holder[step]]
        case _:
            holder[step] = _near(holder[step], rng)
    text = json.dumps(tree, ensure_ascii=rng.random() < 0.7, indent=rng.choice((None, 2)), sort_keys=True)
    if rng.random() < 0.05:
        text = text.replace("0", "1e999", 1)
    return text.encode(errors="surrogatepass")


def _near(value: Any, rng: Random) -> Any:
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1, 10**6))
    if isinstance(value, float):
        return -value
    if isinstance(value, str):
        return value + rng.choice(WORDS) if rng.random() < 0.5 else value[1:]
    return [value, value]


def _places(tree: Any) -> Any:
    """Every (holder, key) of a tree."""
    steps = tree.keys() if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for step in list(steps):
        yield tree, step
        yield from _places(tree[step])


def other_json_line(content: bytes, rng: Random) -> bytes:
    """One line of JSON Lines as another tree."""
    lines = content.split(b"\n")
    at = rng.randrange(max(1, len(lines) - 1))
    lines[at] = other_json(lines[at], rng)
    return b"\n".join(lines)


def other_parquet(content: bytes, rng: Random) -> bytes:
    """A table with other values, types, columns, rows, row groups, packing or metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(content))
    names = table.column_names
    at = rng.randrange(len(names))
    match rng.randrange(9):
        case 0 | 1 | 2 if table.num_rows:
            values = table.column(at).to_pylist()
            for _ in range(rng.choice((1, 1, 5))):
                values[rng.randrange(len(values))] = _value_like(values[rng.randrange(len(values))], rng)
            table = table.set_column(at, names[at], pa.array(values, table.schema.field(at).type))
        case 3:
            values = table.column(at).to_pylist()
            kind = rng.choice(
                (pa.string(), pa.int32(), pa.float64(), pa.bool_(), pa.large_string(), pa.null(), pa.binary())
            )
            table = table.set_column(at, names[at], pa.array([_as(kind, value) for value in values], kind))
        case 4:
            table = table.drop_columns([names[at]])
        case 5:
            table = table.append_column(rng.choice((names[at], "more")), table.column(at))
        case 6 if table.num_rows:
            keep = [row for row in range(table.num_rows) if rng.random() < 0.9]
            table = table.take(keep + keep[: rng.choice((0, 1, 5))])
        case 7:
            table = table.replace_schema_metadata({"note": "x"})
        case _:
            order = list(range(table.num_rows))
            rng.shuffle(order)
            table = table.take(order)
    sink = io.BytesIO()
    pq.write_table(
        table,
        sink,
        use_dictionary=rng.random() < 0.2,
        compression=rng.choice(("zstd", "zstd", "zstd", "snappy", "none", "gzip")),
        row_group_size=rng.choice((1 << 17, 1 << 17, 3)),
        write_statistics=rng.random() < 0.2,
        store_schema=rng.random() < 0.1,
    )
    return sink.getvalue()


def _value_like(value: Any, rng: Random) -> Any:
    if isinstance(value, list):
        return rng.choice(
            ([], None, value * 2, value[1:], [*value, *value[:1]], [_value_like(v, rng) for v in value])
        )
    if isinstance(value, int):
        return rng.choice((None, 0, -1, value + 1, value - 1, 2**31 - 1, 10**6))
    if isinstance(value, str):
        return rng.choice((None, "", value + "x", *(word for word in WORDS if len(word) < 100)))
    return value


def _as(kind: Any, value: Any) -> Any:
    import pyarrow as pa

    if value is None or pa.types.is_null(kind):
        return None
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return len(value) if isinstance(value, str | list) else int(value)
    if pa.types.is_boolean(kind):
        return bool(value)
    return str(value).encode() if pa.types.is_binary(kind) else str(value)


def other_array(content: bytes, rng: Random) -> bytes:
    """A NumPy file with another shape, type or order, or with a header that lies."""
    array = np.load(io.BytesIO(content), allow_pickle=False)
    sink = io.BytesIO()
    match rng.randrange(5):
        case 0:
            np.save(sink, array.astype(rng.choice(("float64", "int8", "complex128", "bool", "U3"))))
        case 1:
            np.save(sink, array.reshape(-1)[: rng.randrange(array.size + 1)])
        case 2:
            np.save(sink, np.asfortranarray(array))
        case 3:
            flat = array.copy()
            flat.reshape(-1)[rng.randrange(array.size)] = rng.choice((np.nan, np.inf, -np.inf, 1e38, 0))
            np.save(sink, flat)
        case _:
            shape = str(rng.choice((10**12, -1, 0, 2**63, 3))).encode()
            return content.replace(str(array.shape[0]).encode(), shape, 1)
    return sink.getvalue()


def repacked(content: bytes, rng: Random) -> bytes:
    """Packed again after the text inside was changed, or packed twice."""
    inner = other_words(gzip.decompress(content), rng)
    packed = gzip.compress(inner, 1)
    return (
        gzip.compress(packed, 1) if rng.random() < 0.1 else packed + (packed if rng.random() < 0.1 else b"")
    )


def other_zip(content: bytes, rng: Random) -> bytes:
    """An archive with other members: changed, doubled, renamed, packed otherwise."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(sink, "w") as new:
        for info in old.infolist():
            inner = old.read(info)
            inner = damaged(inner, rng) if rng.random() < 0.5 else inner
            name = rng.choice((info.filename,) * 6 + ("../x.csv", "/etc/x", "a/b/", "\u202e.csv"))
            packing = rng.choice(
                (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
            )
            new.writestr(name, inner, packing)
            if rng.random() < 0.1:
                new.writestr("more" + info.filename, inner)
    return sink.getvalue()


def other_tar(content: bytes, rng: Random) -> bytes:
    """An archive with other members: links, devices, huge or negative sizes, odd names."""
    sink = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(content)) as old, tarfile.open(fileobj=sink, mode="w") as new:
        for info in old.getmembers():
            inner = old.extractfile(info)
            body = b"" if inner is None else inner.read()
            if rng.random() < 0.3:
                body = damaged(body, rng)
                info.size = len(body)
            if rng.random() < 0.1:
                info.type = rng.choice(
                    (
                        tarfile.SYMTYPE,
                        tarfile.LNKTYPE,
                        tarfile.FIFOTYPE,
                        tarfile.CHRTYPE,
                        tarfile.GNUTYPE_SPARSE,
                    )
                )
                info.linkname = "/etc/passwd"
            if rng.random() < 0.1:
                info.name = rng.choice(("../x.txt", "/x.txt", "a" * 300, "\udcff.txt", ""))
            new.addfile(info, io.BytesIO(body))
    return sink.getvalue()


def other_tar_gz(content: bytes, rng: Random) -> bytes:
    """The same inside gzip."""
    return gzip.compress(other_tar(gzip.decompress(content), rng), 1)


def other_journal(content: bytes, rng: Random) -> bytes:
    """A journal with another entry, whose checksum is right."""
    lines = content.split(b"\n")
    at = rng.randrange(max(1, len(lines) - 1))
    body = other_json(lines[at].partition(b" ")[2], rng)
    lines[at] = hashlib.sha256(body).hexdigest().encode() + b" " + body
    return b"\n".join(lines)


def rehashed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files, with manifests that tell their digests: so reading goes on to what was changed."""
    found = dict(files)
    for name in [each for each in found if each.endswith("manifest.json")]:
        folder = name.removesuffix("manifest.json")
        with suppress(ValueError, KeyError, TypeError, RecursionError, OverflowError):
            manifest = json.loads(found[name])
            for file in manifest["files"]:
                manifest["files"][file] = hashlib.sha256(found[folder + file]).hexdigest()
            text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
            found[name] = text.encode(errors="surrogatepass")
    return found
