"""The commands and their order in ``cloven --help``."""

from __future__ import annotations

from typing import Annotated

import typer

from cloven._version import __version__
from cloven.cli import (
    anonymise,
    attack,
    audit,
    breach,
    cells,
    describe,
    ledger,
    link,
    reconstruct,
    relatedness,
    reproduce,
    sample,
    score,
    text,
    tune,
    utility,
    verify,
)
from cloven.cli import anonymise_sets as generalising
from cloven.cli import anonymise_tables as tabling
from cloven.cli.console import say
from cloven.cli.options import Command, Ordered

app = typer.Typer(
    name="cloven",
    cls=Ordered,
    help="Anonymise sets of items and tables, attack the result, publish only what holds.",
    epilog="Exit codes: 0 fine, 1 promise broken or not to be published, 2 wrong parameters, 3 bad input,"
    " 4 cannot write, 70 fault of Cloven, 130 interrupted.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _version(value: bool) -> None:
    if value:
        say(f"cloven {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    pass


for name, command, short in (
    ("audit", audit.audit, "Anonymise, verify and measure in one go."),
    ("tune", tune.tune, "Search for the setting that keeps most at little risk."),
    ("describe", describe.describe, "What is in a file, and who could be singled out."),
    ("verify", verify.verify, "Prove that a release is what it says it is."),
    ("utility", utility.utility, "How much of the data a release keeps."),
    ("cells", cells.cells, "What each swap rate of ul would exchange in a table."),
    ("reconstruct", reconstruct.reconstruct, "Draw plausible data sets from a release."),
    ("score", score.score, "How many guesses of an attack are right."),
    ("breach", breach.breach, "What knowing the method gives away."),
    ("link", link.link, "How many candidates known items leave."),
    ("ledger", ledger.ledger, "What was released before, and how."),
    ("text", text.text, "Turn documents into data."),
    ("sample", sample.sample, "Write the built-in sample to a file, to try things on."),
):
    app.command(name, cls=Command, short_help=short)(command)
app.command("attack", cls=attack.Attacking, short_help="Put the records of a release back together.")(
    attack.attack
)
for name, command, short in (
    ("coat", generalising.coat, "Merge items until a policy is satisfied."),
    ("pcta", generalising.pcta, "The same, with the cheapest merges: slower, often better."),
    ("apriori-km", generalising.apriori_km, "Replace items by groups of a taxonomy."),
):
    anonymise.app.command(name, cls=Command, short_help=short)(command)
for name, (command, short) in tabling.commands().items():
    anonymise.app.command(name, cls=Command, short_help=short)(command)
app.add_typer(anonymise.app, name="anonymise", short_help="Make a release to publish and a private key.")
app.add_typer(relatedness.app, name="relatedness", short_help="How related words are, by which measure.")
app.add_typer(reproduce.app, name="reproduce", short_help="Run the experiments behind the documentation.")
