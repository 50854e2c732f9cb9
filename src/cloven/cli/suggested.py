"""Suggested ways to read a file, written as options to be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.cli.shell_words import flag_of

if TYPE_CHECKING:
    from cloven.io.readers.unplaced import Suggestion

_WORDS = ("format", "delimiter", "item_delimiter")


def in_shell(suggestion: Suggestion) -> str:
    """A suggestion as options; names of columns stand in quotes, whatever they hold.

    >>> from cloven.io.readers.unplaced import Suggestion
    >>> in_shell(Suggestion({"format": "long", "id_column": "id", "item_column": "drug name"}, "", 1.0))
    "--format long --id-column 'id' --item-column 'drug name'"
    """
    return " ".join(
        f"{flag_of(name)} {value if name in _WORDS and value.isalpha() else _quoted(value)}"
        for name, value in suggestion.options.items()
    )


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "'\\''") + "'"
