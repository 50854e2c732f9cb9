"""Messages speak of Python's parameters; on the command line the same things are called ``--like-this``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cloven.errors import InputError, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloven.errors import ClovenError

# Not inside a quoted value, a path, a longer name or a setting such as slicing:k=5,l=3.
_FREE = r"(?<![\w'\"/.:,-])"
_END = r"(?![\w'\"/.])"


def shell_words(error: ClovenError, options: Iterable[str]) -> str:
    """The message of an error with the names of these options as flags; what was read stays as it is.

    >>> shell_words(InputError("6 items, more than max_record_length=5", source="a.csv"), ["max_record_length"])
    'a.csv: 6 items, more than --max-record-length 5'
    """
    before, message, after = "", str(error), ""
    if isinstance(error, InputError):
        if error.source is not None:
            before = f"{error.source}: " if error.line is None else f"{error.source}:{error.line}: "
        if error.value is not None:
            after = f" (got {shorten(error.value)})"
        message = message.removeprefix(before).removesuffix(after)
    for name in sorted(options, key=len, reverse=True):
        message = _with_flag(message, name)
    return before + message + after


def flag_of(name: str) -> str:
    """How an option is written.

    >>> flag_of("max_bytes"), flag_of("k")
    ('--max-bytes', '-k')
    """
    return f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-")


def _with_flag(message: str, name: str) -> str:
    flag = flag_of(name)
    message = re.sub(rf"{_FREE}{name}= ?(?=\S)", f"{flag} ", message)
    message = re.sub(rf"^{name} must ", f"{flag} must ", message)
    # A plain word such as `column` may mean itself; one with an underscore cannot.
    return re.sub(rf"{_FREE}{name}{_END}", flag, message) if "_" in name else message
