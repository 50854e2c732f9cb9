"""The one way functions over arrays are compiled here: at their first call, cached on disk.

Compiling takes seconds for each function; who calls first keeps what came of it for all others.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from itertools import count
from pathlib import Path
from secrets import randbits
from types import BuiltinFunctionType, CodeType, EllipsisType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[Any]
"""Whole numbers; a function is compiled for each width it meets."""

F = TypeVar("F", bound="Callable[..., Any]")


def compiled(function: F) -> F:
    """Compile a function over arrays and numbers at its first call; later runs load it from the cache.

    Where no folder for the cache can be written, it is compiled anew in every process. No recursion: a self-recursive
    function that comes from the cache crashes.
    """
    return cast("F", Kernel(function))


class Kernel:
    """A function over arrays that is compiled at its first call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        update_wrapper(self, function)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it."""
        return self.dispatcher(*arguments, **named)

    def _reached(self) -> list[Kernel]:
        """The kernels that are compiled with it, itself included."""
        found: list[Kernel] = [self]
        for kernel in found:
            named = _named(kernel.function).values()
            found += {
                id(each): each for each in named if isinstance(each, Kernel) and each not in found
            }.values()
        return found

    @property
    def is_cached(self) -> bool:
        """Whether this or another process has compiled it, and what it calls, as they are now."""
        try:
            return bool(self._index.stat())
        except OSError:
            return False

    @cached_property
    def stamp(self) -> str:
        """What its compiled code is made of. What Numba keeps is named after it, so that other code is never found.

        Numba itself looks at the file of the function alone: all of that file counts, as Numba compiles anew when it
        changes. Of other files counts what was loaded, not what lies there by now; times of files say nothing.
        """
        made_of = [each.made_of for each in self._reached()]
        how = _digest(_version_of_numba()), _digest(Path(__file__))
        parts = (np.__version__, *how, _digest(self._source), made_of)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    @cached_property
    def made_of(self) -> bytes:
        """What goes into compiled code of the function itself: its own code, and what it names elsewhere."""
        values = {name: _told(value) for name, value in _named(self.function).items()}
        return hashlib.sha256(repr((_told(self.function), values)).encode()).digest()

    @cached_property
    def _source(self) -> Path:
        return Path(self.function.__code__.co_filename)

    def _stamped(self) -> FunctionType:
        """The function under the name that Numba names its files after."""
        known = cast("FunctionType", self.function)
        made = FunctionType(
            known.__code__, known.__globals__, known.__name__, known.__defaults__, known.__closure__
        )
        made.__kwdefaults__ = known.__kwdefaults__
        made.__qualname__ = f"{known.__qualname__}-{self.stamp}"
        return made

    @cached_property
    def _index(self) -> Path:
        """Where Numba notes what it has compiled."""
        folder, wanted = self._source.parent, os.environ.get("NUMBA_CACHE_DIR")
        file = self._named_index(f"{self.stamp}-{self.function.__code__.co_firstlineno}", "nbi")
        if not wanted and not _is_writable(folder / "__pycache__"):
            wanted = os.environ.get("XDG_CACHE_HOME", "~/.cache") + "/numba"
        if wanted:
            hashed = hashlib.sha1(str(folder).encode()).hexdigest()  # noqa: S324 - as Numba names it
            return Path(wanted).expanduser() / f"{folder.name}_{hashed}" / file
        return folder / "__pycache__" / file

    def _named_index(self, which: str, ending: str) -> str:
        name = f"{self._source.stem}.{self.function.__qualname__}-{which}".replace("<", "").replace(">", "")
        abi = getattr(sys, "abiflags", "")
        return f"{name}.py{sys.version_info.major}{sys.version_info.minor}{abi}.{ending}"

    def _forget_others(self) -> None:
        """Remove what was compiled of it before it was changed; whoever still needs that compiles it.

        Two environments with other versions of NumPy or Numba that share these files remove each other's.
        """
        for each in self._index.parent.glob(self._named_index("*", "*nb?")):
            if not each.name.startswith(f"{self._index.stem}."):
                with suppress(OSError):
                    each.unlink()

    @cached_property
    def dispatcher(self) -> Any:
        """What Numba makes of the function."""
        load_numba()
        from numba import njit
        from numba.core.compiler_lock import global_compiler_lock

        _teach_numba()
        try:
            made = njit(cache=True, nogil=True)(self._stamped())
        except RuntimeError:  # no place for the cache
            return njit(nogil=True)(self.function)
        compile_it = getattr(made, "compile", None)
        if compile_it is None:
            message = "NUMBA_DISABLE_JIT is set, and Cloven runs its functions compiled alone; unset it"
            raise ParameterError(message)
        if not _tell_fields(made):
            return njit(nogil=True)(self.function)

        def in_turn(signature: Any) -> Any:
            # The lock of this process first: another thread may hold it and wait for ours.
            with global_compiler_lock, _alone(self._index.with_suffix(".lock")):
                was_cached = self.is_cached
                done = compile_it(signature)
                if not was_cached:
                    self._forget_others()
                return done

        made.__dict__["compile"] = in_turn
        return made


def _named(function: Callable[..., Any]) -> dict[str, Any]:
    """What a function may use from outside of itself, by name."""
    codes = [function.__code__]
    for code in codes:
        codes += (each for each in code.co_consts if isinstance(each, CodeType))
    known = function.__globals__
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: known[name] for code in codes for name in code.co_names if name in known} | {
        name: cell.cell_contents for name, cell in cells
    }


def _told(value: Any) -> Any:
    """What compiled code keeps of a value, in words that are the same in every process.

    Of what is not known here, such as a module that may hold anything, they never are: it is compiled anew.
    """
    match value:
        case CodeType():
            shape = value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags
            names = value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars
            return value.co_code, value.co_exceptiontable, shape, names, *map(_told, value.co_consts)
        case FunctionType():
            defaults = _told(value.__defaults__), _told(tuple((value.__kwdefaults__ or {}).items()))
            return value.__module__, value.__qualname__, _told(value.__code__), defaults
        case Kernel():  # told on its own, as one of those that are reached
            return value.function.__module__, value.function.__qualname__
        case ModuleType() if value.__name__ in ("numpy", "math"):
            return value.__name__
        case type() if hasattr(value, "_fields") or value.__module__ in ("builtins", "numpy"):
            return repr(value), [repr(getattr(value, each, "")) for each in ("_fields", "_field_defaults")]
        case np.ndarray():
            return repr(value.dtype), value.shape, value.strides, value.tobytes()
        case tuple():
            return _told(type(value)), *map(_told, value)
        case None | int() | float() | complex() | str() | bytes() | frozenset() | slice() | EllipsisType():
            return repr(type(value)), repr(value)
        case np.generic() | np.dtype() | np.ufunc() | BuiltinFunctionType():
            return repr(type(value)), repr(value)
    return os.urandom(16)


@cache
def _digest(file: Path | None) -> bytes:
    with suppress(OSError):
        return hashlib.sha256(file.read_bytes()).digest() if file else b""
    return b""


@cache
def _version_of_numba() -> Path | None:
    """Where it stands: Numba uses nothing that another version compiled, and is not loaded to ask for it."""
    from importlib.util import find_spec

    found = find_spec("numba")
    return Path(found.origin).with_name("_version.py") if found and found.origin else None


def _tell_fields(dispatcher: Any) -> bool:
    """Have Numba tell named tuples apart by their fields, too: it knows them by class and types. Whether it can.

    A function that is given one need not name its class, so that its stamp says nothing of it.
    """
    kept = getattr(dispatcher, "_cache", None)
    key_of = getattr(kept, "_index_key", None)
    if kept is None or key_of is None:
        return False

    def key(signature: Any, codegen: Any) -> Any:
        return key_of(signature, codegen), _fields(getattr(signature, "args", signature))

    kept._index_key = key  # noqa: SLF001 - there is no other way to it; where it is gone, nothing is kept
    return True


def _fields(kind: Any) -> tuple[Any, ...]:
    inner = kind if isinstance(kind, tuple) else getattr(kind, "types", ())
    return tuple(getattr(kind, "fields", ())), tuple(map(_fields, inner))


@cache
def _teach_numba() -> None:
    """Where a kernel names another one, Numba sees what it made of that one.

    A constant is a number like others there: else a function is compiled once for ``f(0)`` and once for ``f(n)``.
    Numba numbers what it compiles in each process from 1, and code that comes from two processes is joined by these
    numbers: one sort then stands for another. So each process begins somewhere else.
    """
    from numba import types
    from numba.core.bytecode import FunctionIdentity
    from numba.extending import models, register_model, typeof_impl

    FunctionIdentity._unique_ids = count(randbits(60))  # noqa: SLF001 - there is no other way to them

    class Called(types.Dispatcher):
        def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
            named = dict(zip(kws, map(types.unliteral, kws.values()), strict=True))
            return super().get_call_type(context, tuple(map(types.unliteral, args)), named)

    register_model(Called)(models.OpaqueModel)

    @typeof_impl.register(Kernel)
    def _(kernel: Kernel, _context: Any) -> Any:
        return Called(kernel.dispatcher)


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Wait until no other process compiles the same: it is in the cache then. Callers come before what they call."""
    with ExitStack() as held:
        with suppress(ImportError, OSError):  # no such locks here, or nothing can be written: both compile
            import fcntl

            place.parent.mkdir(parents=True, exist_ok=True)
            fcntl.flock(held.enter_context(place.open("wb")), fcntl.LOCK_EX)
            held.callback(place.unlink, missing_ok=True)
        yield


def load_numba() -> None:
    """Load the compiler, but no settings from the folder we are in: they could name a cache that a stranger filled."""
    if "numba" not in sys.modules:
        known = sys.modules.get("yaml")
        sys.modules["yaml"] = None  # type: ignore[assignment]
        try:
            import_module("numba")
        finally:
            if known is None:
                del sys.modules["yaml"]
            else:
                sys.modules["yaml"] = known


def _is_writable(folder: Path) -> bool:
    return os.access(folder if folder.exists() else folder.parent, os.W_OK)
