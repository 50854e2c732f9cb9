"""Functions over arrays: the same whether compiled or not, compiled beside the work, and without a cache."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from importlib import import_module
from pkgutil import walk_packages
from types import SimpleNamespace
from typing import NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import cloven
from cloven import compiled as subject
from cloven.audit import run
from cloven.compiled import Compiler, compiled, compiled_early, compiled_only
from cloven.kinds.disassociated.methods.growth import popcount
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.tables.methods.slicing_kernel import Round, lot
from cloven.statistics.sums import deviation, exponentials, total


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


@compiled
def spoil(values, rng):
    """Changes what it is given before plain Python gives up: numbers of 32 bits overflow there."""
    values[0] += 6
    drawn = rng.random()
    return values[1] * values[1], drawn


@compiled
def joined(pair, by):
    return pair.first[0] + pair.second[1, 0] * by


@pytest.fixture(autouse=True)
def auto(monkeypatch, tmp_path):
    """Nothing is compiled yet, and nobody helps."""
    monkeypatch.setenv("CLOVEN_KERNELS", "alone")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(subject, "SMALL", 200_000)


def fresh(function):
    """The function as nobody has called it yet."""
    return subject.Kernel(function.function, function.plain)


def test_small_data_runs_without_the_compiler():
    kernel = fresh(sum_of_squares)
    assert kernel(np.arange(4)) == 14
    assert "dispatcher" not in kernel.__dict__
    assert kernel(values=np.arange(3)) == 5


@pytest.mark.parametrize("wish", ["compiled", "large"])
def test_kernels_call_each_other_compiled(monkeypatch, wish):
    monkeypatch.setenv("CLOVEN_KERNELS", "compiled" if wish == "compiled" else "alone")
    monkeypatch.setattr(subject, "SMALL", 2)
    kernel = fresh(sum_of_squares)
    assert kernel(np.arange(4)) == 14
    assert kernel.dispatcher.signatures


def test_a_constant_is_compiled_as_any_number(monkeypatch):
    @compiled
    def shifted(value, by):
        return value + by

    @compiled
    def both(value):
        return shifted(value, 0) + shifted(value, 1) + shifted(value, value)

    monkeypatch.setenv("CLOVEN_KERNELS", "compiled")
    assert both(3) == 3 + 4 + 6
    assert len(shifted.dispatcher.signatures) == 1


def test_attacks_whose_kernel_is_on_its_way_come_last(monkeypatch):
    threats = {"slow": SimpleNamespace(kernel="awaited"), "quick": SimpleNamespace(kernel=None)}
    assert run.ready_first(threats) == ["slow", "quick"], "nobody compiles"
    monkeypatch.setattr(run, "is_awaited", lambda kernel: kernel == "awaited")
    assert run.ready_first(threats) == ["quick", "slow"]


def test_what_takes_longer_than_compiling_is_compiled():
    kernel = fresh(sum_of_squares)
    kernel.spent = kernel.price + 1
    assert kernel(np.arange(4)) == 14
    assert kernel.dispatcher.signatures


def test_some_are_never_run_in_plain_python(monkeypatch):
    def told(values):
        return values.sum()

    only, early = compiled_only(told), compiled_early(told)
    assert early(np.arange(3)) == 3
    monkeypatch.setenv("CLOVEN_KERNELS", "plain")
    assert only(np.arange(3)) == 3
    assert only.dispatcher.signatures
    assert early.dispatcher.signatures, "worth it from the first call on"


def test_what_plain_python_cannot_do_is_repeated_as_if_it_had_not_been_tried():
    kernel, rng = fresh(spoil), np.random.default_rng(5)
    values = np.array([1, 2_000_000_000], np.int32)
    product, drawn = kernel(values, rng)
    assert product == 4_000_000_000_000_000_000
    assert (drawn, rng.random()) == tuple(np.random.default_rng(5).random(2))
    assert values.tolist() == [7, 2_000_000_000]
    assert kernel.dispatcher.signatures


@pytest.mark.parametrize("layout", ["C", "F", "A", "readonly"])
def test_a_second_process_compiles_for_the_same_arguments(layout):
    table = np.arange(16.0).reshape(4, 4)
    shown = {"C": table, "F": table.T.copy().T, "A": table[::2, ::2], "readonly": table.copy()}[layout]
    shown.setflags(write=layout != "readonly")
    arguments = (Pair(np.arange(3), shown), 3)
    form = subject._Form.of(arguments)
    filled = subject._Form.filled(form)
    assert [numba.typeof(each) for each in filled] == [numba.typeof(each) for each in arguments]


def test_a_second_process_takes_over(monkeypatch):
    """Asked by the first call that takes long; called compiled once that is done."""
    monkeypatch.setenv("CLOVEN_KERNELS", "auto")
    monkeypatch.setattr(subject, "WORTH_ASKING", -1.0)
    compiler = Compiler()
    monkeypatch.setattr(subject, "_compiler", lambda: compiler)
    kernel = subject.Kernel(popcount.function, popcount.plain)
    assert kernel(np.uint64(255)) == 8
    assert kernel.asked
    end = time.monotonic() + 120  # it takes a second or two; a machine may be busy
    while not kernel.is_cached and time.monotonic() < end:
        time.sleep(0.05)
    assert kernel.is_cached
    assert kernel(np.uint64(255)) == 8
    assert "dispatcher" in kernel.__dict__


def test_modules_of_the_folder_one_is_in_are_not_run(tmp_path, monkeypatch):
    """Whoever gets a release from a stranger works in a folder that a stranger filled."""
    for name in ("numba", "numpy", "cloven"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'trapped')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLOVEN_KERNELS", "auto")
    compiler = Compiler()
    assert compiler.ask(popcount.function, (np.uint64(255),))
    compiler.process.stdin.close()
    assert compiler.process.wait(timeout=120) == 0
    assert not (tmp_path / "trapped").exists()


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
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", "True"]


def test_threads_do_not_wait_for_each_other_for_ever():
    """One compiles a kernel that the other compiles as part of its own."""
    code = """
import os, threading
import numpy as np
os.environ["CLOVEN_KERNELS"] = "compiled"
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


@pytest.mark.parametrize("wrong", [OSError(38, "Function not implemented")])
def test_where_nothing_can_be_locked_it_still_runs(monkeypatch, wrong):
    import fcntl

    def refuse(*_arguments):
        raise wrong

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setenv("CLOVEN_KERNELS", "compiled")
    assert fresh(sum_of_squares)(np.arange(4)) == 14


def test_without_a_compiler_at_all_it_still_runs():
    code = "import numpy as np; from cloven.statistics.sums import total; print(total(np.arange(3.0)))"
    environment = {**subject.os.environ, "NUMBA_DISABLE_JIT": "1", "CLOVEN_KERNELS": "compiled"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "3.0"


def test_a_copy_of_the_process_asks_nobody(monkeypatch):
    compiler = Compiler()
    monkeypatch.setattr(compiler, "owner", -1)
    assert not compiler.ask(popcount.function, (np.uint64(1),))
    assert compiler.process is None


def test_nobody_is_asked_twice_who_has_gone():
    compiler = Compiler()
    assert compiler.ask(popcount.function, (np.uint64(1),))
    compiler.process.kill()
    compiler.process.wait()
    assert not compiler.ask(popcount.function, (np.uint64(1),))


def test_the_compiler_is_loaded_by_the_first_call_only():
    code = """
import os, sys
os.environ["CLOVEN_KERNELS"] = "compiled"
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

    monkeypatch.setenv("CLOVEN_KERNELS", "compiled")
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
        "CLOVEN_KERNELS": "compiled",
        "PYTHONPATH": subject.os.pathsep.join([str(folder), *sys.path]),
        "PYTHONDONTWRITEBYTECODE": "1",  # Python itself may take a file for unchanged that is within the second
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
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
def test_a_word_in_the_file_of_the_kernel_counts(tmp_path):
    """Numba looks at that file itself."""
    write(tmp_path, inner=INNER, middle=MIDDLE, outer=OUTER)
    assert call(tmp_path) == anew(47)
    write(tmp_path, outer=f"{OUTER}# only a word")
    assert call(tmp_path) == anew(47)


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
    monkeypatch.setenv("CLOVEN_KERNELS", "compiled")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert fresh(square)(3) == 9
    assert fresh(square).is_cached
    (tmp_path / "_version.py").write_text("another")
    monkeypatch.setattr(subject, "_version_of_numba", lambda: tmp_path / "_version.py")
    assert not fresh(square).is_cached


def test_where_numba_cannot_be_told_of_fields_nothing_is_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("CLOVEN_KERNELS", "compiled")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.delattr(numba.core.caching.Cache, "_index_key")
    assert fresh(square)(3) == 9
    assert not fresh(square).is_cached
    assert not [*tmp_path.rglob("*.nb?")]


def test_what_would_read_beyond_an_array_is_not_done_compiled(monkeypatch):
    monkeypatch.setenv("CLOVEN_KERNELS", "plain")
    beyond = fresh(compiled(lambda values: values[5]))
    with pytest.raises(IndexError):
        beyond(np.arange(3))


def test_what_is_not_known_is_never_found_in_the_cache():
    for unknown in (object(), json, [1], (1, {}), Kind, Compiler):
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


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted_alike(word):
    assert popcount.dispatcher(np.uint64(word)) == popcount.plain(np.uint64(word)) == word.bit_count()


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**40), st.integers(0, 2))
def test_lots_are_alike(secret, number, use):
    lots = Round(np.array([secret], np.uint64), number)
    assert int(lot.dispatcher(lots, 0, use)) == int(lot.plain(lots, 0, use))


@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(-600, 600, width=64)))
def test_sums_are_alike_to_the_last_bit(values):
    for kernel in (total, deviation, exponentials):
        assert np.array_equal(kernel.dispatcher(values), kernel.plain(values))


@pytest.mark.slow
@pytest.mark.parametrize("family", ["disassociation", "generalisation", "tables"])
def test_audits_are_alike(family):
    """Every figure of every method's audit, compiled and not."""
    code = f"""
import json
from dataclasses import replace
from cloven.audit import rehearsal
from cloven.audit.loop import Audit
made = []
run = Audit.run
def kept(self, data):
    seeded = replace(self, method=replace(self.method, seed=7)) if hasattr(self.method, "seed") else self
    found = run(seeded, data)
    made.append({{k: v for k, v in found.to_dict("owner", "").items() if k not in ("seconds", "outcomes")}})
    return found
Audit.run = kept
rehearsal.rehearse({family!r})
print(json.dumps(made, sort_keys=True, default=str))
"""

    def figures(wish):
        environment = {**subject.os.environ, "CLOVEN_KERNELS": wish}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    plain = figures("plain")
    assert len(plain) > 1_000
    assert plain == figures("compiled")
