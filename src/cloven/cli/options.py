"""Groups of options that several commands share, written once; and how help is laid out.

A command names the groups it takes: ``@takes(options=READING)``. It then receives one finished object for each
group, and the single options appear in its help as if they had been written there, under the group's title.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand
from typer.main import get_command

from cloven.cli.ending import endings, flag_of
from cloven.cli.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

METAVARS = {str: "TEXT", str | None: "TEXT", Path: "FILE", Path | None: "FILE"}


@dataclass(frozen=True)
class Group:
    """Options that make one object.

    Attributes:
        title: heading in the help.
        options: name -> (type or ``Value``, default, help, flags); no flags means ``--name``.
        build: makes the object from the values.
    """

    title: str
    options: dict[str, tuple[Any, Any, str, tuple[str, ...]]]
    build: Callable[..., Any]

    def parameters(self) -> list[inspect.Parameter]:
        """The options as parameters that Typer understands."""
        return [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=self._annotation(name),
            )
            for name, (_, default, _, _) in self.options.items()
        ]

    def given(self, values: Mapping[str, Any]) -> list[str]:
        """Flags of the options among these whose value is not the default."""
        return [
            (self.options[name][3] or (flag_of(name),))[0]
            for name, value in values.items()
            if name in self.options and value != self.options[name][1]
        ]

    def _annotation(self, name: str) -> Any:
        kind, default, text, flags = self.options[name]
        about: dict[str, Any] = {"help": text, "rich_help_panel": self.title}
        if isinstance(kind, Value):
            option = kind.option(*(flags or (flag_of(name),)), **about)
            return Annotated[kind.kind | None if default is None else kind.kind, option]
        return Annotated[
            kind, typer.Option(*(flags or (flag_of(name),)), metavar=METAVARS.get(kind), **about)
        ]


def takes(**groups: Group) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these groups, and end it with one line and an exit code instead of a traceback."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for name, parameter in inspect.signature(command, eval_str=True).parameters.items()
            if name not in groups
        ]
        shared = [parameter for group in groups.values() for parameter in group.parameters()]
        options = frozenset(parameter.name for parameter in (*own, *shared))

        @functools.wraps(command)
        def run(**values: Any) -> None:
            with endings(options):
                built = {
                    name: group.build(**{option: values.pop(option) for option in group.options})
                    for name, group in groups.items()
                }
                command(**values, **built)

        del run.__wrapped__  # Typer must see the signature below
        run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *shared)}
        return run

    return decorate


class Command(TyperCommand):
    """A command whose help shows its options under the titles of their groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write one section for each title, in the order of the options."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                plain = "Arguments" if parameter.param_type_name == "argument" else "Options"
                title = getattr(parameter, "rich_help_panel", None) or plain
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


class Branching(Command):
    """A command with further ones below its name: its first word may be one of theirs."""

    further: ClassVar[Mapping[str, tuple[Callable[..., None], str]]] = {}
    """Name -> command and short help."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the command that the first word names, or of this one."""
        if args and args[0] in self.further:
            return built_alone(*self.further[args[0]]).make_context(
                f"{info_name} {args[0]}", args[1:], parent, **extra
            )
        return super().make_context(info_name, args, parent, **extra)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Options, and below them the further commands."""
        super().format_options(ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in self.further.items()])


def built_alone(command: Callable[..., None], short: str) -> Any:
    """A command as Typer makes it of its function, which may name a class of commands of its own."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(cls=getattr(command, "command_class", Command), short_help=short)(command)
    return get_command(alone)
