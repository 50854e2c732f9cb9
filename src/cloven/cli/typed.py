"""The command that was typed, to be given again with other options."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from typer import Context

KEPT = "cloven.typed"
"""Where a command keeps its arguments in its context."""


@dataclass(frozen=True)
class Typed:
    """A command and its arguments.

    Attributes:
        command: its name.
        words: its arguments, as they were typed.
        options: every way to write each of its options, and whether a value follows.
    """

    command: str
    words: tuple[str, ...] = ()
    options: Mapping[tuple[str, ...], bool] | None = None

    @classmethod
    def from_context(cls, context: Context) -> Typed:
        """The command that is running now."""
        words: tuple[str, ...] = context.meta.get(KEPT, ())
        if "--" in words:
            at = words.index("--")
            words = (*words[:at], *map(as_argument, words[at + 1 :]))
        return cls(context.command_path.partition(" ")[2], words, options_in(context))

    def without(self, *flags: str) -> Typed:
        """The same without these options, however they were written.

        >>> options = {("-o", "--out"): True, ("--quick", "--no-quick"): False}
        >>> str(Typed("audit", ("a b.csv", "--out=x", "--quick"), options).without("-o", "--quick"))
        "cloven audit 'a b.csv'"
        """
        out = {name for names in self.options or () if not set(flags).isdisjoint(names) for name in names}
        return replace(
            self, words=tuple(word for name, part in self._parts() if name not in out for word in part)
        )

    def with_words(self, words: str) -> Typed:
        """The same with further options, instead of what was said of them.

        >>> options = {("-k",): True, ("--safe",): True}
        >>> str(Typed("audit", ("-k5", "a.csv"), options).with_words("--safe cover -k 10"))
        'cloven audit a.csv --safe cover -k 10'
        """
        more = shlex.split(words)
        return replace(self.without(*more), words=(*self.without(*more).words, *more))

    def for_command(self, command: str, options: Mapping[tuple[str, ...], bool]) -> Typed:
        """Another command on the same data, with the options that it knows too."""
        foreign = [name for names in self.options or () for name in names if not _knows(options, name)]
        return replace(self.without(*foreign), command=command, options=options)

    def value(self, flag: str) -> str:
        """What was typed after an option; empty if it was not given.

        >>> Typed("audit", ("--schema=a.toml",), {("--schema",): True}).value("--schema")
        'a.toml'
        """
        for name, part in self._parts():
            if name == flag:
                return part[1] if len(part) > 1 else part[0].partition("=")[2]
        return ""

    def _parts(self) -> list[tuple[str, tuple[str, ...]]]:
        """The words of each option, by the way it is written; those of an argument have no name."""
        found: list[tuple[str, tuple[str, ...]]] = []
        takes = {name: value for names, value in (self.options or {}).items() for name in names}
        words = list(self.words)
        while words:
            word = words.pop(0)
            name = word.partition("=")[0] if word.startswith("--") else word[:2]
            if not word.startswith("-") or name not in takes:
                found.append(("", (word,)))
            elif takes[name] and name == word and words:
                found.append((name, (word, words.pop(0))))
            else:
                found.append((name, (word,)))
        return found

    def __str__(self) -> str:
        return shlex.join(["cloven", *self.command.split(), *self.words])


def as_argument(path: object) -> str:
    """A path that no command takes for an option.

    >>> as_argument("-a.csv"), as_argument("a.csv")
    ('./-a.csv', 'a.csv')
    """
    return f"./{path}" if str(path).startswith("-") else str(path)


def options_in(context: Context) -> dict[tuple[str, ...], bool]:
    """The options of a command: the ways to write each, and whether a value follows."""
    asked = [each for each in context.command.params if each.param_type_name == "option"]
    return {(*each.opts, *each.secondary_opts): not getattr(each, "is_flag", False) for each in asked}


def _knows(options: Collection[tuple[str, ...]], name: str) -> bool:
    return any(name in names for names in options)
