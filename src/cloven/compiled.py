"""The one way functions over arrays are compiled here: when that is worth it, cached on disk, beside the work.

Compiling takes seconds for each function, and loading the compiler a second. Small data is done sooner without, so a
function runs as plain Python while its arrays are small and it has taken less time than compiling would. One that takes
longer is compiled by a second process (:class:`Compiler`), and is called compiled as soon as that is done. Both ways
give the same result: what plain Python cannot do in the same way (numbers that overflow) is compiled at once.
``cloven warm`` compiles everything beforehand. ``CLOVEN_KERNELS`` says otherwise: ``compiled`` compiles at the first
call, ``plain`` only what plain Python cannot do, ``alone`` without a second process, ``early`` only what is worth it
from the first call on.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import pickle
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from pathlib import Path
from threading import Lock, local
from time import perf_counter
from types import BuiltinFunctionType, CodeType, EllipsisType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[Any]
"""Whole numbers; a function is compiled for each width it meets."""

SMALL = 200_000
"""Elements of all arrays of a call; larger ones are never worth a try without the compiler."""
TINY = 4_000
"""Elements of a call that is done before the compiler is loaded, even if it has nothing to compile any more."""
LOADING = 0.5
"""Seconds that are spent so at most; about what loading takes."""
SECONDS_PER_BYTE = 0.0017
"""About what compiling takes for each byte of the code of a function and of those that it calls."""
PATIENCE = 3
"""How many times as long it may take as long as somebody else compiles it."""
QUICKLY = 5.0
"""Seconds that one waits for a function to be compiled that is worth it; longer ones are left to the second process."""
WORTH_ASKING = 0.2
"""Seconds that a function has taken before the second process is asked to compile it."""

F = TypeVar("F", bound="Callable[..., Any]")


def compiled(function: F) -> F:
    """Compile a function over arrays and numbers when it is worth it; later runs load it from the cache.

    Where no folder for the cache can be written, it is compiled anew in every process. No recursion: a self-recursive
    function that comes from the cache crashes.
    """
    return cast("F", Kernel(function, function))


def compiled_early(function: F) -> F:
    """The same for a function that takes longer than compiling it even where data is small.

    The first call compiles it, or, if that takes long, a rehearsal (:func:`rehearsed`) while the work begins.
    """
    kernel = Kernel(function, function)
    kernel.early = True
    return cast("F", kernel)


def compiled_only(function: F) -> F:
    """The same for a function whose result plain Python does not give to the last bit: it is never run so."""
    kernel = Kernel(function, function)
    kernel.only = True
    return cast("F", kernel)


def compiled_beside(plain: Callable[..., Any]) -> Callable[[F], F]:
    """The same for a function that counts on numbers that overflow: ``plain`` says in plain Python what it gives."""

    def decorated(function: F) -> F:
        return cast("F", Kernel(function, plain))

    return decorated


class Kernel:
    """A function over arrays that is compiled when that is worth it, and gives the same result either way."""

    def __init__(self, function: Callable[..., Any], plain: Callable[..., Any]) -> None:
        self.function = function
        self.plain = plain
        self.spent = 0.0
        self.asked = False
        self.early = self.only = False
        update_wrapper(self, function)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it: compiled if it is, else as plain Python while that is worth it."""
        if _HERE.plain and not self.only:
            return self.plain(*arguments, **named)
        if "dispatcher" in self.__dict__ or named or not self._is_worth_a_try(arguments):
            return self.dispatcher(*arguments, **named)
        before = [_copied(each) for each in arguments]
        start = perf_counter()
        _HERE.plain = True
        try:
            with np.errstate(all="raise", under="ignore"):
                return self.plain(*arguments, **named)
        except IndexError:  # compiled code would read what lies beyond
            raise
        except Exception:  # noqa: BLE001 - compiled code goes on where plain Python cannot, or ends in the same way
            for each, was in zip(arguments, before, strict=True):
                _restore(each, was)
        finally:
            _HERE.plain = False
            spent = perf_counter() - start
            self.spent += spent
            _HERE.spent += spent
        return self.dispatcher(*arguments, **named)

    def _is_worth_a_try(self, arguments: tuple[Any, ...]) -> bool:
        wish = os.environ.get("CLOVEN_KERNELS", "auto")
        if self.only or wish == "compiled":
            return False
        if wish in ("plain", "early"):
            return wish == "plain" or not self.early
        elements = _elements(arguments)
        if elements <= TINY and "numba" not in sys.modules and _HERE.spent < LOADING:
            return True
        if elements > SMALL or self.is_cached or (self.early and self.price < QUICKLY):
            return False
        if self.spent > WORTH_ASKING and not self.asked and wish == "auto":
            self.asked = _compiler().ask(self.function, arguments)
        return self.spent < self.price * (PATIENCE if self.asked and _compiler().is_there else 1)

    @cached_property
    def price(self) -> float:
        """About how many seconds compiling takes."""
        return SECONDS_PER_BYTE * sum(len(each.function.__code__.co_code) for each in self._reached())

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
        parts = (np.__version__, _digest(_version_of_numba()), _digest(self._source), made_of)
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
        if compile_it is None:  # somebody wishes for no compiler at all (NUMBA_DISABLE_JIT)
            return made
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
    """
    from numba import types
    from numba.extending import models, register_model, typeof_impl

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


class _Here(local):
    """What this thread does: kernels inside of a plain one are plain too."""

    plain = False
    spent = 0.0


_HERE = _Here()


def _elements(argument: object) -> int:
    if isinstance(argument, np.ndarray):
        return int(argument.size)
    return sum(map(_elements, argument)) if isinstance(argument, tuple) else 0


def _copied(argument: Any) -> Any:
    """What must be put back if a call is to be repeated."""
    if isinstance(argument, np.ndarray):
        return argument.copy() if argument.flags.writeable else None
    if isinstance(argument, np.random.Generator):
        return argument.bit_generator.state
    return tuple(map(_copied, argument)) if isinstance(argument, tuple) else None


def _restore(argument: Any, was: Any) -> None:
    if isinstance(was, np.ndarray):
        argument[...] = was
    elif isinstance(argument, np.random.Generator):
        argument.bit_generator.state = was
    elif isinstance(was, tuple):
        for each, before in zip(argument, was, strict=True):
            _restore(each, before)


@dataclass(frozen=True)
class _Form:
    """What Numba has to know of an array."""

    dtype: np.dtype[Any]
    dimensions: int
    layout: str
    writeable: bool

    @classmethod
    def of(cls, argument: Any) -> Any:
        """The form of an array, of all arrays of a tuple; other arguments as they are."""
        if isinstance(argument, np.ndarray):
            flags = argument.flags
            layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
            return cls(argument.dtype, argument.ndim, layout, flags.writeable)
        if isinstance(argument, tuple):
            made = map(cls.of, argument)
            return type(argument)(*made) if hasattr(argument, "_fields") else tuple(made)
        return argument

    @classmethod
    def filled(cls, form: Any) -> Any:
        """An argument of that form."""
        if isinstance(form, cls):
            array = np.zeros((4,) * form.dimensions, form.dtype, order="F" if form.layout == "F" else "C")
            if form.layout == "A":
                array = array[(slice(None, None, 2),) * form.dimensions]
            array.setflags(write=form.writeable)
            return array
        if isinstance(form, tuple):
            made = map(cls.filled, form)
            return type(form)(*made) if hasattr(form, "_fields") else tuple(made)
        return form


class Compiler:
    """A second process that compiles what it is asked for, one after the other, while this one works on."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.owner, self.is_refused = os.getpid(), False
        self.turn = Lock()

    def ask(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
        """Ask for a function to be compiled for such arguments; whether somebody is there to do so."""
        return self._send((function.__module__, function.__qualname__, _Form.of(arguments)))

    def rehearse(self, function: Callable[[str], None], what: str) -> bool:
        """Have a function called there, so that what it needs is compiled."""
        return self._send((function.__module__, function.__qualname__, what))

    def _send(self, asked: tuple[Any, ...]) -> bool:
        if self.is_refused or not _may_have_company() or self.owner != os.getpid():
            return False
        message = pickle.dumps(asked)
        with self.turn:
            try:
                process = self.process = self.process or self._begun()
                if process.stdin is not None:
                    process.stdin.write(len(message).to_bytes(4, "big") + message)
                    process.stdin.flush()
            except OSError:
                self.is_refused = True
        return self.is_there

    @property
    def is_there(self) -> bool:
        """Whether it still works."""
        return not self.is_refused and self.process is not None and self.process.poll() is None

    def _begun(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            # -P: no module of the folder we are in
            [sys.executable, "-P", "-c", "from cloven.compiled import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "CLOVEN_KERNELS": "early"},
            start_new_session=True,  # Ctrl-C is for us
        )
        atexit.register(self._end, process)
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        if self.owner == os.getpid():
            process.kill()
            process.wait()


def _may_have_company() -> bool:
    """Whether there is a second core for a second process, and a Python to start."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores > 1 and bool(sys.executable) and not getattr(sys, "frozen", False)


@cache
def _compiler() -> Compiler:
    return Compiler()


def rehearsed(function: Callable[[str], None], what: str, *early: Callable[..., Any]) -> None:
    """Have a second process call a function, unless these kernels are compiled, and no other way is wished for."""
    if os.environ.get("CLOVEN_KERNELS", "auto") == "auto" and not all(
        cast("Kernel", each).is_cached for each in early
    ):
        _compiler().rehearse(function, what)


def is_awaited(function: Callable[..., Any] | None) -> bool:
    """Whether a second process is to compile this one and has not yet."""
    return isinstance(function, Kernel) and _compiler().is_there and not function.is_cached


def serve() -> None:
    """Compile what is asked for until nobody is left to ask."""
    asked = sys.stdin.buffer
    while length := asked.read(4):
        with suppress(Exception):  # whoever asked compiles it then, and tells what is wrong
            module, name, given = pickle.loads(asked.read(int.from_bytes(length, "big")))  # noqa: S301
            found = getattr(import_module(module), name)
            if isinstance(found, Kernel):
                load_numba()
                import numba

                found.dispatcher.compile(tuple(map(numba.typeof, map(_Form.filled, given))))
            else:
                found(given)
