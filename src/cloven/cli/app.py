"""The commands and their order in ``cloven --help``."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from cloven._version import __version__
from cloven.cli.console import say

COMMANDS = {
    "audit": ("cloven.cli.audit", "audit", "Anonymise, verify and measure in one go."),
    "tune": ("cloven.cli.tune", "tune", "Search for the setting that keeps most at little risk."),
    "studio": ("cloven.cli.studio", "studio", "The whole way in a browser, on this machine alone."),
    "describe": ("cloven.cli.describe", "describe", "What is in a file, and who could be singled out."),
    "schema": ("cloven.cli.schema", "schema", "Propose what each column of a table is."),
    "anonymise": ("cloven.cli.anonymise", "app", "Make a release to publish and a private key."),
    "verify": ("cloven.cli.verify", "verify", "Prove that a release is what it says it is."),
    "utility": ("cloven.cli.utility", "utility", "How much of the data a release keeps."),
    "cells": ("cloven.cli.cells", "cells", "What each swap rate of ul would exchange in a table."),
    "attack": ("cloven.cli.attack", "attack", "Put the records of a release back together."),
    "score": ("cloven.cli.score", "score", "How many guesses of an attack are right."),
    "breach": ("cloven.cli.breach", "breach", "What knowing the method gives away."),
    "link": ("cloven.cli.link", "link", "How many candidates known items leave."),
    "count": ("cloven.cli.count", "count", "How many records of a release hold some items."),
    "reconstruct": ("cloven.cli.reconstruct", "reconstruct", "Draw plausible data sets from a release."),
    "publish": ("cloven.cli.publish", "publish", "Note that a release is published."),
    "ledger": ("cloven.cli.ledger", "ledger", "What was released and published before."),
    "relatedness": ("cloven.cli.relatedness", "app", "How related words are, by which measure."),
    "text": ("cloven.cli.text", "text", "Turn documents into data."),
    "sample": ("cloven.cli.sample", "sample", "Write the built-in sample to a file, to try things on."),
    "reproduce": ("cloven.cli.reproduce", "app", "Run the experiments behind the documentation."),
}
"""Where each command is, and what it is for; a command is loaded when it is asked for."""


class Commands(TyperGroup):
    """Commands in the order in which an owner needs them."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the commands; nothing is loaded for it."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, attribute, short = COMMANDS[cmd_name]
        return built(getattr(import_module(module), attribute), short)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Names, and what each is for."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, _, short) in COMMANDS.items()])


def built(command: Any, short: str) -> Any:
    """A command, or a group of them, as Typer makes it."""
    if isinstance(command, typer.Typer):
        command.rich_markup_mode = None  # as the commands themselves
        return get_group(command)
    from cloven.cli.options import built_alone

    return built_alone(command, short)


app = typer.Typer(
    name="cloven",
    cls=Commands,
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
