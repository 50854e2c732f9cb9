"""``cloven tune [FILE] --max-risk R --min-utility U``, and ``cloven tune TABLE --schema FILE``."""

import os
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer

from cloven.audit_report import AuditReport
from cloven.cli.command import takes
from cloven.cli.console import progress, say, say_json, visible
from cloven.cli.ledger import LedgerFolder, beside_earlier
from cloven.cli.places import refuse_places
from cloven.cli.reading import (
    READING,
    JsonFlag,
    SeedOption,
    TaxonomyFile,
    allowed_memory,
    read_data,
    read_hierarchy,
)
from cloven.cli.sharing import with_shared
from cloven.cli.table_options import (
    RulesFile,
    SchemaOfFile,
    fit_rules,
    named_table,
    read_persons,
    refuse_of_tables,
    refuse_reading,
    rules_in,
    with_secret,
)
from cloven.cli.tune_words import tell
from cloven.cli.tuning import TUNING, Search
from cloven.errors import GuaranteeError
from cloven.io.ledger import earlier_releases
from cloven.io.readers import ReadOptions
from cloven.threats import Effort
from cloven.tuning import Tuned


@takes(search=TUNING, options=READING)
def tune(
    search: Search,
    options: ReadOptions,
    file: Annotated[
        Path | None, typer.Argument(help="Data; without it the built-in sample clinic.", metavar="FILE")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="OUT", help="New folder; default cloven-tune, or the next free number."
        ),
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where the search is kept, to go on later; default OUT.study."),
    ] = None,
    schema: SchemaOfFile = None,
    rules: RulesFile = None,
    taxonomy: TaxonomyFile = None,
    ledger: LedgerFolder = None,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Search for the setting that keeps most within the limits, and audit it.

    OUT (release and report.html) is to publish; OUT.private and the study are to keep. A search that was interrupted
    goes on when the same command is given again. If no setting holds, nothing is published and the exit code is 1.
    With --schema, FILE is a table of persons.
    """
    target = out or _free_name()
    public, private = _places(target)
    refuse_places(public, private)
    kept = study or target.with_name(f"{target.name}.study")
    with progress("read") as report:
        if schema is not None:
            refuse_reading(options, taxonomy)
            asked = search.of_table(rules_in(rules), seed)
            data: Any = with_secret(read_persons(named_table(file), schema, allowed_memory(options)))
            fit_rules(asked.effort.rules, data)
            others = (search.other_release, search.other_data)
            asked = replace(asked, knowledge=with_shared(asked.knowledge, data, schema, *others))
        else:
            of_tables = {"l": search.l, "other_data": search.other_data}
            refuse_of_tables([*TUNING.given(of_tables), *([] if rules is None else ["--rules"])])
            data = read_data(file, options)
            hierarchy = read_hierarchy(taxonomy, data)
            asked = search.of_sets(sample=file is None, taxonomy=hierarchy, seed=seed)
        tuned = asked.run(data, kept, report)
        title = "sample clinic" if file is None else file.name
        found = tuned.audit(data, _full(asked.effort), report, title)
        if found is not None:
            found = beside_earlier(found, earlier_releases(data, target, ledger), search.other_release)
        holds = found is not None and found.decision.verdict == "publish"
        if found is not None and holds:
            report("write", 1.0)
            found.write(target, ledger)
    where = {"study": str(kept)}
    if holds:
        where |= {
            "published": str(public / "published"),
            "report": str(public / "report.html"),
            "private": str(private),
        }
    _say(tuned, found, where, json, len(data))
    if not holds:
        raise typer.Exit(GuaranteeError.exit_code)


def _full(trial: Effort) -> Effort:
    """What a setting is audited with: the measures of a trial, more thoroughly."""
    return Effort(taxonomy=trial.taxonomy, rules=trial.rules)


def _places(target: Path) -> tuple[Path, Path]:
    from cloven.io.release import places

    return places(target)


def _free_name() -> Path:
    """``cloven-tune``, or the first ``cloven-tune-2``, ``-3``, ... that is free; a study alone is to be continued."""
    for number in count(1):
        path = Path("cloven-tune" if number == 1 else f"cloven-tune-{number}")
        if not any(os.path.lexists(place) for place in _places(path)):
            return path
    raise AssertionError


def _say(
    tuned: Tuned,
    found: AuditReport | None,
    where: dict[str, str],
    json: bool,
    records: int,
) -> None:
    if json:
        confirmed = found.outcome.name if found and "published" in where else None
        audited = None if found is None else found.to_dict()
        say_json({**tuned.to_dict(), "published": confirmed, "audit": audited, "places": where})
    else:
        tell(tuned, found, records)
        words = {
            "published": "published",
            "report": "report",
            "private": "yours alone",
            "study": "the search",
        }
        say(
            "\n"
            + "\n".join(f"{word:<12} {visible(where[name])}" for name, word in words.items() if name in where)
        )
