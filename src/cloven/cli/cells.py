"""``cloven cells TABLE --schema FILE``: what each swap rate of the upper/lower-level method would select."""

from dataclasses import asdict
from itertools import groupby
from typing import Annotated, Any

from cloven.cli.console import progress, say, say_json, table
from cloven.cli.options import Group, asks, takes
from cloven.cli.places import MemoryOption
from cloven.cli.reading import JsonFlag, SchemaFile, TableFile, read_persons
from cloven.escapes import visible
from cloven.figures import many
from cloven.kinds.tables.methods.ul import UL, SelectedCells
from cloven.values import listed, share

RATES = (0.01, 0.02, 0.05, 0.1, 0.15)
_ABOUT = (
    "columns", "companions", "together", "normalisation", "distance", "bins", "bins_by", "protected", "measure",
)  # fmt: skip
_HEADER = ("swap rate", "attribute", "counted within", "rare cells", "rows", "common cells", "rows")
SELECTING = Group.of("How cells are selected", UL).only(*_ABOUT)


@takes(method=SELECTING)
def cells(
    file: TableFile,
    schema: SchemaFile,
    method: Any,
    rates: Annotated[
        Any,
        asks(listed(share(0.5), "X,X"), "--rates", help="Swap rates to look at; default 1%,2%,5%,10%,15%."),
    ] = None,
    memory: MemoryOption = None,
    json: JsonFlag = False,
) -> None:
    """Cells and rows that each swap rate of `cloven anonymise ul` would select, before anything is published.

    A cell is a value among the rows that share the value of another attribute. It is rare if its share of them is at
    most the swap rate, and common if it is at least one minus that; both are exchanged, or made coarser. For the
    owner's eyes only.
    """
    with progress("read"):
        data = read_persons(file, schema, memory)
        found = method.selected_cells(data, RATES if rates is None else rates)
    if json:
        say_json({"rows": len(data), "selected": [asdict(each) for each in found]})
        return
    say(f"{visible(str(file))}  {many(len(data), 'row')}")
    say(
        table(
            [row for _, group in groupby(found, lambda each: each.rate) for row in _rows(list(group))],
            _HEADER,
        )
    )
    if not any(each.lower_cells or each.upper_cells for each in found):
        say("no cell is selected: ul would exchange nothing; name other attributes with --protected")


def _rows(found: list[SelectedCells]) -> list[tuple[str, ...]]:
    """The lines of one swap rate: an attribute in each."""
    rate = f"{100 * found[0].rate:g} %"
    return [
        (
            rate if number == 0 else "",
            each.attribute,
            each.within or "all rows",
            f"{each.lower_cells:,}",
            f"{each.lower_rows:,}",
            f"{each.upper_cells:,}",
            f"{each.upper_rows:,}",
        )
        for number, each in enumerate(found)
    ]
