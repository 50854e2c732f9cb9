"""``cloven attack compose RELEASE RELEASE --known TABLE --schema FILE``."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from cloven.attack.sliced.answers import Found, ValueGuesses
from cloven.cli.command import takes
from cloven.cli.console import many, progress, say, say_json, table
from cloven.cli.places import refuse_places, release_at
from cloven.cli.reading import JsonFlag, SeedOption
from cloven.cli.score import interval
from cloven.cli.table_options import SchemaFile
from cloven.errors import ParameterError
from cloven.scoring.tables.table_findings import TableFindings

HEADER = ("row", "values left", "likeliest", "confidence", "which are left")


@takes()
def compose(
    releases: Annotated[
        list[Path],
        typer.Argument(help="Published tables, two or more.", metavar="RELEASE", show_default=False),
    ],
    known: Annotated[Path, typer.Option(metavar="TABLE", help="Persons whose quasi-identifiers are known.")],
    schema: SchemaFile,
    attribute: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What to find out; default: the only sensitive attribute."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="New CSV file: what is left of each person."),
    ] = None,
    score: Annotated[
        bool, typer.Option("--score", help="TABLE holds the true values too: tell how many are found.")
    ] = False,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Intersect what several releases say about persons that they share (composition attack).

    Of every person in TABLE only the quasi-identifiers are used; with --score the true values are compared at the end.
    """
    import numpy as np

    from cloven.attack.sliced.composition import Composition
    from cloven.attack.sliced.known import Known
    from cloven.io.release import read_table_release
    from cloven.io.schema_file import read_schema
    from cloven.io.table_reader import read_table
    from cloven.scoring.tables.disclosure import score_values, true_values

    if len(releases) < 2:
        message = f"a composition attack needs at least two releases, got {len(releases)}; name another one"
        raise ParameterError(message)
    if out is not None:
        refuse_places(out)
    with progress("read"):
        published = [read_table_release(release_at(each), "`cloven attack compose`") for each in releases]
        roles = read_schema(schema)
        looks = tuple(each for each in roles.columns if each.role == "quasi-identifier")
        persons = read_table(known, roles if score else replace(roles, columns=looks))
        guesses = Composition(attribute).guess(published, Known.of(persons))
        found = None
        if score:
            truth = true_values(persons, guesses.attribute)
            found = score_values(guesses, truth, rng=np.random.default_rng(seed))
        if out is not None:
            _write(guesses, persons.source_rows.tolist(), out)
    _tell(guesses, found, json=json)


def _tell(guesses: ValueGuesses, found: TableFindings | None, *, json: bool) -> None:
    from cloven.scoring.tables.definitions import GUESSING, VALUE_MEASURES

    left = guesses.candidate.sum(axis=1)
    figures: dict[str, Any] = {
        "attribute": guesses.attribute,
        "persons": len(guesses),
        "found_in_all": int((guesses.found == Found.EVERYWHERE).sum()),
        "found_nowhere": int((guesses.found == Found.NOWHERE).sum()),
        "one_value_left": int((left == 1).sum()),
        "mean_values_left": float(left.mean()) if len(left) else 0.0,
    }
    if json:
        say_json(figures | ({} if found is None else {"findings": found.to_dict()}))
        return
    say(
        f"{guesses.attribute} of {many(len(guesses), 'person')}: {figures['found_in_all']:,} fit every release,"
        f" {figures['mean_values_left']:.1f} values are left on average, a single one of"
        f" {many(figures['one_value_left'], 'person')}"
    )
    if found is not None:
        rows = [
            (
                each.measure,
                interval(each.value, each.low, each.high),
                interval(each.chance),
                VALUE_MEASURES[each.measure],
            )
            for each in found
        ]
        say(table(rows, ("measure", "attacker", "guessing", "what it means")))
        say(f"guessing is {GUESSING}")


def _write(guesses: ValueGuesses, rows: list[int], out: Path) -> None:
    """One line for each person, by the row of TABLE from 0; of those who fit nothing, nothing is said."""
    import csv
    import io

    from cloven.io.atomic import staged, write_bytes
    from cloven.io.release_csv import escape_formula

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for person, row in enumerate(rows):
        left = guesses.candidates(person)
        best, sure = next(iter(left.items()), ("", None))
        writer.writerow(
            (
                row,
                len(left),
                escape_formula(best),
                "" if sure is None else f"{sure:.4f}",
                escape_formula(" | ".join(left)),
            )
        )
    with staged(out) as (place,):
        write_bytes(place, text.getvalue().encode())
