"""How every run ends: with one line and a documented exit code, whatever happened.

======  =================================================================
 code   meaning
======  =================================================================
     0  fine; of an audit or a search only: publish
     1  a release does not keep its promise, or is not to be published, or no setting of a search is
     2  wrong parameters
     3  bad input
     4  cannot write, or out of memory
    70  a fault of Cloven itself
   130  interrupted (Ctrl-C); 143 terminated
======  =================================================================
"""

from __future__ import annotations

import re
import signal
import sys
import traceback
from contextlib import contextmanager, suppress
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from cloven.cli.console import complain, say
from cloven.errors import ClovenError, InputError, OutputError, ParameterError, shorten

_LIMITS: Any = None
with suppress(ImportError):  # a system without limits; now, as it cannot be loaded when memory is lacking
    _LIMITS = import_module("resource")

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from types import FrameType


OUR_FAULT = 70
NO_MEMORY = "out of memory; use a machine with more, or a smaller part of the data"
BURST_SECONDS = 1.0
# The root of Typer's own errors; its home has moved between versions.
CommandLineError: type[Exception] = [
    kind
    for kind in typer.BadParameter.__mro__
    if issubclass(kind, Exception) and hasattr(kind, "format_message")
][-1]


class Stopped(BaseException):
    """A signal asks to stop; it runs through everything that cleans up, and nothing takes it for an error."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on these arguments (those of the process, if None); give the exit code."""
    try:
        from cloven.cli.app import app

        code = app(args=arguments, prog_name="cloven", standalone_mode=False)
    except CommandLineError as error:
        return _wrong_usage(error)
    except (Stopped, KeyboardInterrupt, typer.Abort) as stop:
        return _stopped(stop)
    return code if isinstance(code, int) else 0


@contextmanager
def endings(options: Collection[str] = ()) -> Iterator[None]:
    """Turn errors of a command with these options into one line and ``typer.Exit``."""
    try:
        yield
    except (typer.Exit, typer.Abort, CommandLineError):
        raise  # how Typer ends a command
    except ClovenError as error:
        _fail(shell_words(error, options), error.exit_code)
    except (Stopped, KeyboardInterrupt) as stop:
        raise typer.Exit(_stopped(stop)) from None
    except MemoryError:
        _fail(NO_MEMORY, OutputError.exit_code)
    except OSError as error:
        _fail(f"{error.filename or 'system'}: {error.strerror or error}", OutputError.exit_code)
    except Exception as error:  # noqa: BLE001  the last resort: it must not look like a broken promise
        request = _stop_behind(error)
        if request is not None:
            raise typer.Exit(_stopped(request)) from None
        if _lacks_memory(error):
            _fail(NO_MEMORY, OutputError.exit_code)
        traceback.print_exc()
        _fail("this is a fault of Cloven, not of your data; please report the lines above", OUR_FAULT)


def stop_on_signals() -> None:
    """Stop cleanly on Ctrl-C, termination and a closed terminal, from now to the end of the process.

    A burst of signals counts as one: a second Ctrl-C must not cut the cleaning up short.
    """
    handler = _Handler()
    sys.unraisablehook = _unheard
    for number in _signals():
        # What is ignored stays so: nohup and background jobs rely on it.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


class _Handler:
    """Raises ``Stopped``, and remembers it: a library that is being loaded can swallow what is raised there."""

    def __init__(self) -> None:
        self.asked, self._last = 0, -BURST_SECONDS

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        now = monotonic()
        if now - self._last >= BURST_SECONDS:
            self.asked, self._last = number, now
            raise Stopped(number)

    def again(self) -> None:
        """Raise what was asked for, if work goes on all the same."""
        if self.asked:
            raise Stopped(self.asked)


def _unheard(lost: Any) -> None:
    """Say nothing of a request to stop that a callback of a library lost: it is raised again at the next step."""
    if not isinstance(lost.exc_value, Stopped | KeyboardInterrupt):
        sys.__unraisablehook__(lost)


def ignore_signals() -> None:
    """The run is over: nothing may change the exit code any more."""
    for number in _signals():
        signal.signal(number, signal.SIG_IGN)


def _signals() -> list[int]:
    """Signals that ask to stop; Windows has not all of them."""
    return [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def _stop_behind(error: BaseException | None) -> BaseException | None:
    """The request to stop that an error comes from: compiled code wraps it in one of its own, or loses it."""
    while error is not None and not isinstance(error, Stopped | KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    handlers = (signal.getsignal(number) for number in _signals())
    asked = [handler.asked for handler in handlers if isinstance(handler, _Handler) and handler.asked]
    return Stopped(asked[0]) if error is None and asked else error


def _lacks_memory(error: BaseException | None) -> bool:
    """Whether memory was missing behind an error: libraries that cannot be loaded for lack of it say so in words."""
    while error is not None:
        lacking = "failed to map segment" in str(error) or "allocate memory" in str(error)
        if isinstance(error, MemoryError) or (isinstance(error, ImportError) and lacking):
            return True
        if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
            return True  # a thread needs room for its stack
        lost = isinstance(error, SystemError) and "without" in str(error)
        if (lost or isinstance(error, SyntaxError)) and _memory_is_limited():
            return True  # Python itself lost the error while it loaded a module, or could not read all of it
        error = error.__cause__ or error.__context__
    return False


def _memory_is_limited() -> bool:
    """Whether somebody said how much memory this process may have."""
    kinds = () if _LIMITS is None else (_LIMITS.RLIMIT_AS, _LIMITS.RLIMIT_DATA)
    return any(_LIMITS.getrlimit(kind)[0] != _LIMITS.RLIM_INFINITY for kind in kinds)


def _stopped(stop: BaseException) -> int:
    number = int(getattr(stop, "number", signal.SIGINT))
    complain(
        f"cloven: {'interrupted' if number == signal.SIGINT else 'terminated'}; no half-written output is left"
    )
    return 128 + number


def _fail(message: str, code: int) -> NoReturn:
    complain(f"cloven: {message}")
    raise typer.Exit(code)


def _wrong_usage(error: Exception) -> int:
    message = str(error.format_message())  # type: ignore[attr-defined]  # every CommandLineError has it
    if "\n" in message:  # a group without a command: this is its help
        say(message)
        return 0
    context = getattr(error, "ctx", None)
    place = context.command_path if context is not None else "cloven"
    others = _having(getattr(error, "option_name", ""), getattr(context, "parent", None))
    if others:
        message = f"{message.partition(' (')[0]}: only {others} has it; leave it out"
    complain(f"cloven: {message.rstrip('.')}; see `{place} --help`")
    return ParameterError.exit_code


def _having(option: str, group: Any) -> str:
    """The other commands of a group that have an option, if they are few."""
    commands = getattr(getattr(group, "command", None), "commands", {})
    names = [
        name
        for name, command in commands.items()
        if option and any(option in (*one.opts, *one.secondary_opts) for one in command.params)
    ]
    return " or ".join(names) if len(names) < 4 else ""


# Messages speak of Python's parameters; on the command line the same things are called ``--like-this``.


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
