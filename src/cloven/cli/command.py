"""Groups of options that several commands share, written once, and the way every command ends.

A command names the groups it takes: ``@takes(options=READING)``. It then receives one finished object for each
group, and the single options appear in its help as if they had been written there.
"""

from __future__ import annotations

import functools
import inspect
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli.console import fail
from cloven.errors import ClovenError, OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

INTERRUPTED = 130


@dataclass(frozen=True)
class Group:
    """Options that make one object.

    Attributes:
        title: heading in the help.
        options: name -> (type, default, help, flags); no flags means ``--name``.
        build: makes the object from the values.
    """

    title: str
    options: dict[str, tuple[Any, Any, str, tuple[str, ...]]]
    build: Callable[..., Any]

    def parameters(self) -> list[inspect.Parameter]:
        """The options as parameters that Typer understands."""
        made = []
        for name, (kind, default, text, flags) in self.options.items():
            option = typer.Option(
                *(flags or ("--" + name.replace("_", "-"),)), help=text, rich_help_panel=self.title
            )
            made.append(
                inspect.Parameter(
                    name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
                )
            )
        return made


def takes(**groups: Group) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these groups, and end it with one line and an exit code instead of a traceback."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for name, parameter in inspect.signature(command).parameters.items()
            if name not in groups
        ]
        shared = [parameter for group in groups.values() for parameter in group.parameters()]

        @functools.wraps(command)
        def run(**values: Any) -> None:
            with _endings():
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


@contextmanager
def _endings() -> Iterator[None]:
    """Turn errors into one line and a documented exit code."""
    try:
        yield
    except ClovenError as error:
        fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        fail("interrupted; no half-written output is left", INTERRUPTED)
    except MemoryError:
        fail("out of memory; use a machine with more, or a smaller --block-records", OutputError.exit_code)
    except BrokenPipeError:
        # The reader of our output has gone; there is nobody left to tell.
        sys.stderr.close()
        raise typer.Exit(0) from None
    except OSError as error:
        fail(f"{error.filename or 'system'}: {error.strerror or error}", OutputError.exit_code)
