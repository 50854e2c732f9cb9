"""The commands and their order in ``cloven --help``."""

from __future__ import annotations

from typing import Annotated

import typer

from cloven._version import __version__
from cloven.cli import anonymise, audit, describe, link, reconstruct, reproduce, utility, verify

app = typer.Typer(
    name="cloven",
    help="Anonymise sets of items, attack the result, publish only what holds.",
    epilog="Exit codes: 0 fine, 1 promise broken, 2 wrong parameters, 3 bad input, 4 cannot write, 130 interrupted.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"cloven {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    pass


app.command("audit")(audit.audit)
app.command("describe")(describe.describe)
app.add_typer(anonymise.app, name="anonymise")
app.command("verify")(verify.verify)
app.command("utility")(utility.utility)
app.command("reconstruct")(reconstruct.reconstruct)
app.command("link")(link.link)
app.add_typer(reproduce.app, name="reproduce")
