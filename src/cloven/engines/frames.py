"""Sets of items in a Spark DataFrame: a list column, an id and an item column, or lines of a text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.errors import InputError, ParameterError, shorten
from cloven.intake.urls import file_url
from cloven.reading.options import FORMATS, MAX_RECORD_LENGTH, ReadOptions, check_columns
from cloven.reading.raw import missing_column

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

INTEGERS = ("byte", "short", "integer", "long", "int", "bigint", "smallint", "tinyint")
LINES = ("lines", "fimi", "spmf")


@dataclass(frozen=True)
class SparkSets:
    """Records of a frame that nobody has looked at yet.

    Attributes:
        frame: with ``items`` (lists of text) and, where its rows are not in the order of the source, ``record``
            (bigint), by which they are put in that order.
        source: what to call it in messages.
        in_order: whether the rows of the frame are in the order of the source.
        max_record_length: a longer record is an error; it is most likely a wrong column.
    """

    frame: Any
    source: str
    in_order: bool
    max_record_length: int = MAX_RECORD_LENGTH


def of_frame(
    frame: Any,
    *,
    column: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
    source: str = "frame",
) -> SparkSets:
    """Records of a DataFrame; types are checked here, values when they are read."""
    if not hasattr(frame, "mapInArrow") or not hasattr(frame, "schema"):
        message = "not a Spark DataFrame; pass one, or the path of a file"
        raise InputError(message, source=source, value=type(frame).__name__)
    check_columns(column, id_column, item_column)
    if id_column is not None and item_column is not None:
        return _long(frame, id_column, item_column, source)
    return _lists(frame, column or _only_list_column(frame, source), source)


def _field(frame: Any, name: str, source: str) -> Any:
    found = [field for field in frame.schema.fields if field.name == name]
    if not found:
        raise missing_column(name, frame.columns, source)
    if len(found) > 1:
        message = f"column {name!r} stands twice; rename one"
        raise InputError(message, source=source)
    return found[0].dataType


def _only_list_column(frame: Any, source: str) -> str:
    lists = [field.name for field in frame.schema.fields if field.dataType.typeName() == "array"]
    if len(lists) == 1:
        return str(lists[0])
    count = "several columns hold" if lists else "no column holds"
    listed = ", ".join(repr(name) for name in frame.columns[:20])
    message = f"{count} lists; name column, or id_column and item_column; the columns are {listed}"
    raise InputError(message, source=source)


def _expect_items(kind: Any, column: str, source: str) -> None:
    name = kind.typeName()
    if name not in ("string", *INTEGERS):
        hint = "floats are no items (1 and 1.0 would differ); " if name in ("float", "double") else ""
        message = f"items in column {column!r} must be text or integers, not {name}; {hint}convert them"
        raise InputError(message, source=source)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _lists(frame: Any, column: str, source: str) -> SparkSets:
    from pyspark.sql import functions as f

    kind = _field(frame, column, source)
    if kind.typeName() != "array":
        message = (
            f"column {column!r} must hold lists of items, not {kind.typeName()};"
            " for one item per row name id and item column"
        )
        raise InputError(message, source=source)
    _expect_items(kind.elementType, column, source)
    items = f.col(_quoted(column)).cast("array<string>").alias("items")
    return SparkSets(frame.select(items), source, in_order=True)


def _long(frame: Any, id_column: str, item_column: str, source: str) -> SparkSets:
    """Rows of the same id are a record, numbered by its first row."""
    from pyspark.sql import functions as f

    kind = _field(frame, id_column, source)
    if kind.typeName() not in ("string", "date", "timestamp", "decimal", "boolean", *INTEGERS):
        message = f"column {id_column!r} must hold plain values, not {kind.typeName()}"
        raise InputError(message, source=source)
    _expect_items(_field(frame, item_column, source), item_column, source)
    named = f.col(_quoted(id_column))
    blank = named.isNull() | (f.trim(named.cast("string")) == "")
    fault = f.lit(f"column {shorten(id_column)} is null or blank; give every row an id")
    rows = frame.select(
        f.when(blank, f.raise_error(_error(source, fault))).otherwise(named).alias("id"),
        f.col(_quoted(item_column)).cast("string").alias("item"),
        f.monotonically_increasing_id().alias("at"),
    )
    null = f.raise_error(_error(source, f.lit(f"null item in column {shorten(item_column)}; remove the row")))
    item = f.when(f.col("item").isNull(), null).otherwise(f.col("item"))
    grouped = rows.groupBy("id").agg(f.min("at").alias("record"), f.collect_set(item).alias("items"))
    return SparkSets(grouped.select("record", "items"), source, in_order=False)


def _error(source: str, said: Any) -> Any:
    """An error of ours in a column of Spark: what the driver finds in its text is raised again as that."""
    from pyspark.sql import functions as f

    return f.concat(f.lit(f"cloven.errors.InputError: {source}: "), said)


# Files.


def of_file(session: Any, path: str, **how: Any) -> SparkSets:
    """Records of a file: Parquet, CSV with a header (id and item column), or lines of items."""
    options = ReadOptions(**how)
    for name in ("person", "item_delimiter"):
        if getattr(options, name) is not None:
            message = f"{name} does not work on Spark; leave it out, or work in memory"
            raise ParameterError(message)
    if options.lenient:
        message = "lenient reading does not work on Spark; mend the data, or work in memory"
        raise ParameterError(message)
    if not Path(path).exists():
        message = "there is no such file or folder; name one that driver and workers see"
        raise InputError(message, source=path)
    place = file_url(Path(path))
    columns = {"id_column": options.id_column, "item_column": options.item_column}
    ending = Path(path.removesuffix(".gz")).suffix
    chosen = options.format or _format_of(ending, options, path)
    if chosen == "parquet":
        frame = session.read.parquet(place)
        found = of_frame(frame, column=options.column, **columns, source=path)
        return replace(found, max_record_length=options.max_record_length)
    if options.column is not None:
        message = f"{path}: Spark finds column in Parquet alone; name id_column and item_column, or use local"
        raise ParameterError(message)
    if chosen == "long":
        frame = session.read.csv(
            place, header=True, sep=_delimiter(options, ending, path), quote='"', escape='"', mode="FAILFAST",
            ignoreLeadingWhiteSpace=True, ignoreTrailingWhiteSpace=True, multiLine=True,
        )  # fmt: skip
        found = of_frame(frame, **columns, source=path)
        return replace(found, max_record_length=options.max_record_length)
    if chosen not in LINES:
        message = f"format {chosen!r} is not read on Spark; use parquet, long, {', '.join(LINES)}, or work in memory"
        raise ParameterError(message)
    delimiter = _delimiter(options, ending, path) if chosen == "lines" else None
    told = replace(options, format=chosen, delimiter=delimiter)
    return _of_lines(session.read.text(place, lineSep="\n"), path, told)


def _format_of(ending: str, options: ReadOptions, path: str) -> str:
    """By the ending, and by what is named; a folder is one of Parquet."""
    if Path(path).is_dir():
        return "parquet"
    found = next((name for name, form in FORMATS.items() if ending in form.endings), None)
    if found is None:
        message = "cannot tell the format from the ending; name format"
        raise InputError(message, source=path, value=ending)
    return "long" if found == "lines" and options.id_column is not None else found


def _delimiter(options: ReadOptions, ending: str, path: str) -> str:
    """What is named, or a tab by the ending: nobody looks at all lines here to guess."""
    if options.delimiter is not None:
        return options.delimiter
    if ending == ".tsv":
        return "\t"
    message = f"{path}: Spark does not guess what separates items; name delimiter, such as ','"
    raise ParameterError(message)


def _of_lines(frame: Any, source: str, options: ReadOptions) -> SparkSets:
    """Lines, each by the parser that memory has; an item that goes on in the next line is an error there too."""
    told = {} if options.delimiter is None else {"delimiter": options.delimiter}
    parsed = frame.select("value").mapInArrow(
        lambda batches: _parsed(batches, source, options, told), "items array<string>"
    )
    return SparkSets(parsed, source, in_order=True, max_record_length=options.max_record_length)


def _parsed(
    batches: Iterator[pa.RecordBatch], source: str, options: ReadOptions, told: dict[str, str]
) -> Iterator[pa.RecordBatch]:
    """Records of batches of lines."""
    import pyarrow as pa

    from cloven.reading import delimited
    from cloven.reading.raw import settle
    from cloven.reading.tokens import clean_text

    parser = getattr(delimited, f"read_{options.format}")
    for batch in batches:
        lines = batch.column("value").to_pylist()
        text = clean_text("".join(f"{line}\n" for line in lines).encode(), source)
        raw = parser(text, source, options, **told)
        found = settle(raw, source, lenient=False, max_record_length=options.max_record_length)
        names = pa.array(raw.names, pa.string()) if len(raw.names) else pa.array([], pa.string())
        starts = pa.array([0, *found.lengths.cumsum().tolist()], pa.int32())
        items = pa.ListArray.from_arrays(starts, names.take(pa.array(found.codes)))
        yield pa.RecordBatch.from_arrays([items], ["items"])
