"""The words and exit codes that errors become."""

from __future__ import annotations

import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

from cloven.cli import reading
from cloven.cli.console import say_json
from cloven.cli.ending import Stopped, _unheard, endings, shell_words, stop_on_signals
from cloven.errors import GuaranteeError, InputError, ParameterError, ReleaseError

OPTIONS = ("k", "m", "format", "delimiter", "column", "id_column", "max_record_length", "max_bytes")


def ended(error: BaseException, capsys) -> tuple[int, str]:
    with pytest.raises(typer.Exit) as caught, endings(OPTIONS):
        raise error
    return caught.value.exit_code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (GuaranteeError("broken"), 1, "broken"),
        (ParameterError("k must be 2"), 2, "-k must be 2"),
        (InputError("bad", source="a", line=3, value="x"), 3, "a:3: bad (got 'x')"),
        (ReleaseError("r: no"), 3, "r: no"),
        (MemoryError(), 4, "out of memory"),
        (PermissionError(13, "Permission denied", "/x"), 4, "/x: Permission denied"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (Stopped(signal.SIGTERM), 143, "terminated"),
    ],
)
def test_codes(error, code, words, capsys):
    found, err = ended(error, capsys)
    assert found == code
    assert words in err
    assert err.count("\n") == 1


def test_a_fault_of_ours_does_not_look_like_a_broken_promise(capsys):
    code, err = ended(ZeroDivisionError("oh"), capsys)
    assert code == 70
    assert "ZeroDivisionError: oh" in err
    assert err.endswith(
        "cloven: this is a fault of Cloven, not of your data; please report the lines above\n"
    )


def test_a_stop_inside_compiled_code_is_a_stop(capsys):
    """Compiled functions wrap what a signal handler raises in a SystemError."""
    wrapped = SystemError("returned a result with an exception set")
    wrapped.__cause__ = Stopped(signal.SIGINT)
    assert ended(wrapped, capsys) == (130, "cloven: interrupted; no half-written output is left\n")


def test_a_stop_that_a_library_swallowed_is_a_stop(capsys):
    """A package that is being loaded can turn it into an error of its own, without a trace of what came first."""
    before = signal.getsignal(signal.SIGTERM)
    stop_on_signals()
    try:
        with pytest.raises(Stopped):
            signal.raise_signal(signal.SIGTERM)
        lost = AttributeError("partially initialized module")
        assert ended(lost, capsys) == (143, "cloven: terminated; no half-written output is left\n")
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def test_lack_of_memory_is_told_whatever_raises_it(capsys):
    lacking = ImportError("libarrow.so: failed to map segment from shared object")
    for error in (MemoryError(), lacking, RuntimeError("can't start new thread")):
        code, err = ended(error, capsys)
        assert (code, err.count("\n")) == (4, 1)
        assert "out of memory" in err


@pytest.mark.parametrize(
    "lost", [SystemError("error return without exception set"), SyntaxError("expected ':'")]
)
@pytest.mark.parametrize(("limit", "code"), [(1 << 40, 4), (-1, 70)])
def test_python_may_lose_that_memory_was_lacking_where_it_is_limited(limit, code, lost, capsys, monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (limit, limit))
    found, err = ended(lost, capsys)
    assert found == code
    assert ("out of memory" in err) == (code == 4)


def test_names_of_options_become_flags_and_values_stay():
    error = InputError(
        "pass delimiter=';' or raise max_bytes; no column 'max_bytes'",
        source="max_bytes.csv",
        line=2,
        value="max_bytes delimiter=x",
    )
    assert shell_words(error, OPTIONS) == (
        "max_bytes.csv:2: pass --delimiter ';' or raise --max-bytes; no column 'max_bytes'"
        " (got 'max_bytes delimiter=x')"
    )
    assert shell_words(ParameterError("column must be named"), OPTIONS) == "--column must be named"
    assert shell_words(ParameterError("the column format is"), OPTIONS) == "the column format is"
    typed = "'foo:column=5,format=3' is no method"
    assert shell_words(ParameterError(typed), OPTIONS) == typed


def test_json_of_a_name_that_is_no_text(capsys):
    """File names on Unix may be any bytes; Python shows them as halves of surrogate pairs."""
    import json

    say_json({"published": "caf\udce9"})
    assert json.loads(capsys.readouterr().out) == {"published": "caf\udce9"}


def test_items_of_a_file_are_split_at_line_feeds_only(tmp_path: Path):
    (tmp_path / "items.txt").write_text("\ufeffa\u2028b\r\n\n c \x0bd", encoding="utf-8")
    assert reading.items_in(tmp_path / "items.txt") == ["a\u2028b", "c \x0bd"]


def test_a_stop_that_a_callback_of_a_library_loses_is_not_told_as_an_error(capsys):
    """ctypes prints what is raised in a callback and goes on; the request is raised again at the next step."""
    _unheard(SimpleNamespace(exc_value=Stopped(15)))
    assert capsys.readouterr().err == ""
    lost = SimpleNamespace(
        exc_type=ValueError, exc_value=ValueError("lost"), exc_traceback=None, err_msg=None, object=None
    )
    with pytest.raises(TypeError):  # any other goes to Python's own hook, which wants its own kind of object
        _unheard(lost)
