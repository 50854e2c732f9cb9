"""Groups of options that several commands share, made from the fields of dataclasses; and how help is laid out.

A command names the groups it takes: ``@takes(options=READING)``. It then receives one finished object for each
group, and the single options appear in its help as if they had been written there, under the group's title.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand
from typer.main import get_command

from cloven.cli.ending import endings, flag_of
from cloven.cli.typed import KEPT
from cloven.errors import ParameterError
from cloven.values import Option, Value, options_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def asks(value: Value, *flags: str, **about: Any) -> Any:
    """What Typer is told of an option that takes such a value."""

    def parse(given: Any) -> Any:
        try:
            return given if value.parse is None else value.parse(given)
        except ParameterError as error:
            raise typer.BadParameter(str(error)) from None

    return typer.Option(*flags, metavar=value.metavar, parser=None if value.parse is None else parse, **about)


@dataclass(frozen=True)
class Group:
    """Options that make one object.

    Attributes:
        title: heading in the help.
        options: by name.
        build: makes the object from the values.
    """

    title: str
    options: Mapping[str, Option]
    build: Callable[..., Any]

    @classmethod
    def of(cls, title: str, kind: Any, build: Callable[..., Any] | None = None) -> Group:
        """The options that the fields of a dataclass say; ``build`` makes the object, if not the class itself."""
        return cls(title, options_of(kind), build or kind)

    def only(self, *names: str) -> Group:
        """The same with some of the options."""
        return replace(self, options={name: self.options[name] for name in names})

    def parameters(self) -> list[inspect.Parameter]:
        """The options as parameters that Typer understands."""
        return [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=asked.default, annotation=self._annotation(name)
            )
            for name, asked in self.options.items()
        ]

    def flag(self, name: str) -> str:
        """How an option is written; what is usually so can be denied."""
        asked = self.options[name]
        denied = f"/--no-{name.replace('_', '-')}" if asked.default is True else ""
        return asked.flag or flag_of(name) + denied

    def given(self, values: Mapping[str, Any]) -> list[str]:
        """Flags of the options among these whose value is not the default."""
        return [
            self.flag(name)
            for name, value in values.items()
            if name in self.options and value != self.options[name].default
        ]

    def made(self, values: Mapping[str, Any]) -> Any:
        """The object from the values of its options; files are read, and what no file says is as usual."""
        from cloven.cli.reading import CONTENTS

        given = dict(values)
        for name, asked in self.options.items():
            if asked.value.content is not None:
                path = given.pop(name)
                given |= {} if path is None else {name: CONTENTS[asked.value.content](path)}
        return self.build(**given)

    def _annotation(self, name: str) -> Any:
        asked = self.options[name]
        kind = asked.value.kind | None if asked.default is None else asked.value.kind
        return Annotated[
            kind, asks(asked.value, self.flag(name), help=asked.help, rich_help_panel=self.title)
        ]


def takes(**groups: Group) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these groups, and end it with one line and an exit code instead of a traceback."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for name, parameter in inspect.signature(command, eval_str=True).parameters.items()
            if name not in groups and parameter.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        last = {name for group in groups.values() for name, asked in group.options.items() if asked.last}
        # Two groups may ask for the same thing by the same name: it is asked once, and both are told.
        shared = list({each.name: each for group in groups.values() for each in group.parameters()}.values())
        shared.sort(key=lambda parameter: parameter.name in last)
        renamed = {name for group in groups.values() for name in group.options if _renamed(group, name)}
        options = {parameter.name for parameter in (*own, *shared)} - renamed
        mine = {parameter.name for parameter in own}

        @functools.wraps(command)
        def run(**values: Any) -> None:
            with endings(options):
                built = {
                    name: group.made({option: values[option] for option in group.options})
                    for name, group in groups.items()
                }
                command(**{name: value for name, value in values.items() if name in mine}, **built)

        del run.__wrapped__  # Typer must see the signature below
        run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *shared)}
        return run

    return decorate


def _renamed(group: Group, name: str) -> bool:
    """Whether an option is not written as its parameter is called, so that messages cannot be told by that name."""
    return group.flag(name).partition("/")[0] != flag_of(name)


class Command(TyperCommand):
    """A command whose help shows its options under the titles of their groups, and that knows how it was typed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep the arguments as they were typed: what to do next is said in the same words."""
        ctx.meta[KEPT] = tuple(args)
        return super().parse_args(ctx, args)

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
