"""Functions over arrays are compiled at their first call, kept, and compiled anew when they change."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pkgutil import walk_packages
from typing import NamedTuple

import numba
import numpy as np
import pytest

import cloven
from cloven import compiled as subject
from cloven.compiled import compiled
from cloven.kinds.disassociated.release import Kind


class Pair(NamedTuple):
    first: object
    second: object


def double(values):
    return 2 * values.sum()


@compiled
def square(value):
    return value * value


@compiled
def sum_of_squares(values):
    total = 0
    for value in values:
        total += square(value)
    return total


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch, tmp_path):
    """Nothing is compiled yet."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))


def fresh(function):
    """The function as nobody has called it yet."""
    return subject.Kernel(function.function)


def test_a_constant_is_compiled_as_any_number(monkeypatch):
    @compiled
    def shifted(value, by):
        return value + by

    @compiled
    def both(value):
        return shifted(value, 0) + shifted(value, 1) + shifted(value, value)

    assert both(3) == 3 + 4 + 6
    assert len(shifted.dispatcher.signatures) == 1


def test_settings_in_the_folder_one_is_in_are_not_read(tmp_path):
    """Numba reads them where PyYAML is installed; they could name a cache that a stranger filled."""
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: /stranger\n")
    code = """
import sys, types
sys.modules["yaml"] = mine = types.ModuleType("yaml")
mine.load = mine.safe_load = lambda *_, **__: {"cache_dir": "/stranger"}
from cloven.compiled import load_numba
load_numba()
from numba.core import config
print(config.CACHE_DIR == "", sys.modules["yaml"] is mine)
"""
    environment = {name: value for name, value in subject.os.environ.items() if name != "NUMBA_CACHE_DIR"}
    given = [sys.executable, "-P", "-c", code]
    done = subprocess.run(given, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


def test_threads_do_not_wait_for_each_other_for_ever():
    """One compiles a kernel that the other compiles as part of its own."""
    code = """
import os, threading
import numpy as np
from cloven import compiled as subject
from cloven.statistics.sums import deviation, total
inner = threading.Event()
locked = subject._alone
def slowly(place):
    if "total" in place.name:
        inner.set()
        inner.wait(0.2)
    return locked(place)
subject._alone = slowly
values = np.arange(5.0)
threads = [threading.Thread(target=each, args=(values,), daemon=True) for each in (total, deviation)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(100)
print(any(thread.is_alive() for thread in threads))
os._exit(0)
"""
    done = subprocess.run(
        [sys.executable, "-u", "-c", code], capture_output=True, text=True, timeout=250, check=True
    )
    assert done.stdout.strip() == "False"


def test_where_nothing_can_be_locked_it_still_runs(monkeypatch):
    import fcntl

    def refuse(*_arguments):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    assert fresh(sum_of_squares)(np.arange(4)) == 14


def test_there_is_no_other_way_to_run():
    code = "import numpy as np; from cloven.statistics.sums import total; print(total(np.arange(3.0)))"
    environment = {**subject.os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "NUMBA_DISABLE_JIT is set, and Cloven runs its functions compiled alone; unset it" in done.stderr


def test_the_compiler_is_loaded_by_the_first_call_only():
    code = """
import os, sys
from cloven.compiled import compiled
double = compiled(lambda value: 2 * value)
print("numba" in sys.modules, double(3), "numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "6", "True"]


def test_without_a_place_for_the_cache_it_still_runs(monkeypatch):
    real = numba.njit

    def no_locator(**options):
        if options.get("cache"):
            message = "cannot cache function: no locator available"
            raise RuntimeError(message)
        return real(**options)

    monkeypatch.setattr(numba, "njit", no_locator)
    assert compiled(double)(np.arange(4)) == 12


HEAD = "from typing import NamedTuple\nfrom cloven.compiled import compiled\n"
INNER = HEAD + "@compiled\ndef inner(value):\n    return value + 1\n"
MIDDLE = HEAD + "from inner import inner\n@compiled\ndef middle(value):\n    return inner(value) * 10\n"
OUTER = HEAD + "from middle import middle\n@compiled\ndef outer(value):\n    return middle(value) + 7\n"


def write(folder, **modules):
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)


def call(folder, arguments="3", before_the_call=""):
    """Call a kernel in a process of its own: was it in the cache, the result, is it there now, how many compiled."""
    code = f"""
import json, os, outer
was = outer.outer.is_cached
{before_the_call}
result = outer.outer({arguments})
misses = outer.outer.dispatcher.stats.cache_misses
print(json.dumps([was, int(result), outer.outer.is_cached, sum(misses.values())]))
"""
    environment = {
        **subject.os.environ,
        "PYTHONPATH": subject.os.pathsep.join([str(folder), *sys.path]),
        "PYTHONDONTWRITEBYTECODE": "1",  # Python itself may take a file for unchanged that is within the second
    }
    given = [sys.executable, "-c", code]
    done = subprocess.run(given, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def known(result):
    return [True, result, True, 0]


def anew(result):
    return [False, result, True, 1]


def test_what_a_kernel_calls_in_other_files_is_compiled_anew_when_it_changes(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    write(tmp_path, inner=INNER, middle=MIDDLE, outer=OUTER, unrelated="")
    assert call(tmp_path) == anew(47)
    write(tmp_path, inner=INNER.replace("+ 1", "+ 2"))
    assert call(tmp_path) == anew(57), "over two files"
    write(tmp_path, unrelated="changed = True")
    (tmp_path / "inner.py").touch()
    assert call(tmp_path) == known(57)
    assert len({*tmp_path.rglob("outer.outer-*.nbi")}) == 1, "what nobody can use is not kept"


@pytest.mark.slow
@pytest.mark.parametrize("aged", [0, -1_000_000])
def test_a_file_of_another_time_is_another_one_by_its_content(tmp_path, aged):
    write(tmp_path, inner=INNER, middle=MIDDLE, outer=OUTER)
    assert call(tmp_path) == anew(47)
    was = (tmp_path / "inner.py").stat().st_mtime_ns
    write(tmp_path, inner=INNER.replace("+ 1", "+ 111"))
    subject.os.utime(tmp_path / "inner.py", ns=(was, was + aged * 10**9))
    assert call(tmp_path) == anew(1147)
    write(tmp_path, inner=INNER)
    subject.os.utime(tmp_path / "inner.py", ns=(was, was))
    assert call(tmp_path) == anew(47)


@pytest.mark.slow
def test_what_is_edited_under_a_running_process_does_not_spoil_the_cache(tmp_path):
    """It compiles what it has loaded, not what lies there by now."""
    write(tmp_path, inner=INNER, middle=MIDDLE, outer=OUTER)
    changed = INNER.replace("+ 1", "+ 2")
    for early in ("", "del outer.outer.__dict__['_index'], outer.outer.__dict__['stamp']"):
        edited = f"open('inner.py', 'w').write({changed!r}); open('outer.py', 'a').write('#'); {early}"
        write(tmp_path, inner=INNER)
        assert call(tmp_path, before_the_call=edited)[1] == 47
        assert call(tmp_path) == anew(57)


@pytest.mark.slow
def test_constants_of_other_files_count(tmp_path):
    limits = "import numpy as np\nFIVE = 5\nLIMIT = np.uint8(FIVE)\n"
    outer = HEAD + "from limits import LIMIT\n@compiled\ndef outer(value):\n    return value + LIMIT\n"
    write(tmp_path, limits=limits, outer=outer)
    assert call(tmp_path) == anew(8)
    assert call(tmp_path) == known(8)
    write(tmp_path, limits=limits.replace("5", "6"))
    assert call(tmp_path) == anew(9)


@pytest.mark.slow
def test_arrays_defaults_and_fields_of_other_files_count(tmp_path):
    table = "import numpy as np\nTABLE = np.arange(5000)\n"
    shape = HEAD + "class Pair(NamedTuple):\n    first: int\n    second: int\n"
    outer = (
        HEAD
        + "from table import TABLE\nfrom shape import Pair\n"
        + "@compiled\ndef outer(value, by=TABLE[2]):\n    return TABLE[2500] + Pair(value, 90_000).first + by\n"
    )
    write(tmp_path, table=table, shape=shape, outer=outer)
    assert call(tmp_path) == anew(2505)
    write(tmp_path, table=f"{table}TABLE[2500] = 0")
    assert call(tmp_path) == anew(5), "in the middle of a long array"
    write(tmp_path, table=f"{table}TABLE[2] = 0")
    assert call(tmp_path) == anew(2503), "what is taken where nothing is given"
    write(tmp_path, shape=shape.replace("first", "x").replace("second", "first"))
    assert call(tmp_path) == anew(92_500)


@pytest.mark.slow
def test_the_order_of_fields_that_are_given_counts(tmp_path):
    """The kernel does not name the class; Numba takes two for the same whose fields are swapped."""
    shape = HEAD + "class Pair(NamedTuple):\n    first: int\n    second: int\n"
    outer = HEAD + "import shape\n@compiled\ndef outer(pairs):\n    return pairs[0].first\n"
    write(tmp_path, shape=shape, outer=outer)
    given = "(outer.shape.Pair(3, 4),)"
    assert call(tmp_path, given) == anew(3)
    assert call(tmp_path, given) == known(3)
    write(tmp_path, shape=shape.replace("first", "x").replace("second", "first"))
    assert call(tmp_path, given)[1] == 4


@pytest.mark.slow
def test_files_may_call_each_other(tmp_path):
    """Two files, each with a kernel that calls one of the other."""
    inner = (
        HEAD
        + "import middle\n@compiled\ndef inner(value):\n    return value + 1\n"
        + "middle.late()\n@compiled\ndef back(value):\n    return low(value) + 1\nfrom middle import low\n"
    )
    middle = (
        HEAD
        + "@compiled\ndef low(value):\n    return value * 2\n"
        + "def late():\n    global inner\n    from inner import inner\n"
        + "@compiled\ndef high(value):\n    return inner(value) * 10\n"
    )
    outer = HEAD + "from inner import back\nfrom middle import high\n"
    outer += "@compiled\ndef outer(value):\n    return high(value) + back(value)\n"
    write(tmp_path, inner=inner, middle=middle, outer=outer)
    assert call(tmp_path) == anew(47)
    assert call(tmp_path) == known(47)
    write(tmp_path, middle=middle.replace("* 2", "* 3"))
    assert call(tmp_path) == anew(50)


def test_what_another_numba_compiled_is_not_in_the_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert fresh(square)(3) == 9
    assert fresh(square).is_cached
    (tmp_path / "_version.py").write_text("another")
    monkeypatch.setattr(subject, "_version_of_numba", lambda: tmp_path / "_version.py")
    assert not fresh(square).is_cached


def test_where_numba_cannot_be_told_of_fields_nothing_is_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.delattr(numba.core.caching.Cache, "_index_key")
    assert fresh(square)(3) == 9
    assert not fresh(square).is_cached
    assert not [*tmp_path.rglob("*.nb?")]


def test_what_is_not_known_is_never_found_in_the_cache():
    for unknown in (object(), json, [1], (1, {}), Kind):
        assert subject._told(unknown) != subject._told(unknown)
    alike = (1, None, np.float32(1), np.arange(3), Pair, Pair(1, 2), square, double, max, np.exp, np)
    assert subject._told(alike) == subject._told(alike)
    assert subject._told(np.float32(1)) != subject._told(np.float64(1)) != subject._told(1.0)


def test_all_that_kernels_name_is_known():
    """Else they are compiled anew in every process."""
    found = [
        import_module(each.name)
        for each in walk_packages(cloven.__path__, "cloven.")
        if "__" not in each.name
    ]
    kernels = {each for module in found for each in vars(module).values() if isinstance(each, subject.Kernel)}
    assert len(kernels) > 400
    assert not [each.__qualname__ for each in kernels if fresh(each).made_of != fresh(each).made_of]


def test_two_processes_number_what_they_compile_apart():
    """Code of both may meet in a third process, which joins it by these numbers."""
    code = (
        "from tests.unit.test_compiled import square; square.dispatcher\n"
        "from numba.core.bytecode import FunctionIdentity; print(next(FunctionIdentity._unique_ids))"
    )
    begun = [
        int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    assert abs(begun[0] - begun[1]) > 1_000_000
