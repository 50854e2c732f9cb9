"""Run the pages of the documentation: what they show is what happens.

Fenced blocks of a page are run in order, in one folder and one Python namespace:

* ``python``: plain code is executed; with ``>>>`` prompts the printed results are compared.
* ``console``: each ``$ cloven ...`` line is run and what it prints is compared; ``$ echo $?`` shows the exit code of
  the command before it, which otherwise must be 0.
* any block that says ``file=NAME`` after its language is written to that file first.

Other languages (``sh``, ``text``, ``json``) are for reading only. In an expected output ``...`` stands for anything.
What is drawn (a command that takes a seed, Python after a generator was made) is compared without its figures behind a
decimal point: they move with lots of the operating system and with versions of NumPy.

``python tests/docs/doc_pages.py [PAGE ...]`` runs the pages and writes what was printed into them. Read the
difference before you keep it.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(?P<language>\w+)(?P<rest>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# What differs from run to run, or with the versions of libraries: seconds, measures on random data sets, hashes.
VARYING = (
    (re.compile(r"\b\d+\.\d s\b|(?<=· )\d+ s$", re.MULTILINE), "(seconds)"),
    (re.compile(r"\d\.\d{3} \[\d\.\d{3} - \d\.\d{3}\]"), "(sampled)"),
    (re.compile(r"\d+\.\d % \[\d+\.\d - \d+\.\d\]"), "(sampled)"),
    (re.compile(r"relative error of \d+ pair"), "relative error of (some) pair"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "(hash)"),
)


DRAWN = (
    (re.compile(r"\d[\d,]*\.\d+"), "(drawn)"),
    (re.compile(r"\b1 in \d+ guessed links is"), "1 in (drawn) guessed links is"),
)
DRAWS = re.compile(r"default_rng|\bseed=|--seed|^cloven (audit|tune)\b", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: where its text stands in the page, and what it is."""

    start: int
    language: str
    file: str | None
    text: str


@dataclass(frozen=True)
class Difference:
    """An output that is not what the page shows."""

    command: str
    shown: str
    got: str

    def __str__(self) -> str:
        return f"{self.command}\n--- the page shows\n{self.shown}\n--- it prints\n{self.got}"


def pages() -> list[Path]:
    """Every page whose blocks are run."""
    return [
        REPOSITORY / "README.md",
        REPOSITORY / "CONTRIBUTING.md",
        *sorted(REPOSITORY.glob("docs/**/*.md")),
    ]


def blocks_of(page: str) -> list[Block]:
    """Fenced blocks that stand at the beginning of a line."""
    found = []
    for match in FENCE.finditer(page):
        file = re.search(r"\bfile=(\S+)", match["rest"])
        found.append(Block(match.start("text"), match["language"], file[1] if file else None, match["text"]))
    return found


def agree(shown: str, got: str, *, drawn: bool = False) -> bool:
    """Whether an output is what the page shows, apart from what may differ."""
    masks = (*VARYING, *DRAWN) if drawn else VARYING
    return doctest.OutputChecker().check_output(_settled(shown, masks), _settled(got, masks), FLAGS)


def _settled(text: str, masks: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    for pattern, name in masks:
        text = pattern.sub(name, text)
    return text.strip() + "\n"


class Run:
    """One page being run in the current folder."""

    def __init__(self) -> None:
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.exit_code = 0
        self.draws = False
        self.differences: list[Difference] = []

    def block(self, block: Block) -> str:
        """Run one block; gives its text with the outputs as they are now."""
        if block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")
        if block.language == "console":
            return self._console(block.text)
        if block.language == "python":
            return self._prompts(block.text) if ">>>" in block.text else self._plain(block.text)
        return block.text

    def _plain(self, text: str) -> str:
        self.draws |= bool(DRAWS.search(text))
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, "page", "exec"), self.names)  # noqa: S102  our own pages
        return text

    def _prompts(self, text: str) -> str:
        out = []
        for part in doctest.DocTestParser().parse(text):
            if isinstance(part, str):
                out.append(part)
                continue
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(part.source, "page", "single"), self.names)  # noqa: S102  our own pages
            self.draws |= bool(DRAWS.search(part.source))
            first, *rest = part.source.splitlines()
            source = "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in rest)])
            shown = self._compare(source, part.want, printed.getvalue(), drawn=self.draws)
            out.append(f"{source}\n{shown}")
        return "".join(out)

    def _console(self, text: str) -> str:
        out = []
        found = list(
            re.finditer(r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", text, re.MULTILINE)
        )
        for number, step in enumerate(found):
            got = self._command(step["command"])
            told = number + 1 < len(found) and found[number + 1]["command"] == "echo $?"
            if self.exit_code and not told and step["command"] != "echo $?":
                self.differences.append(
                    Difference(step["command"], "exit code 0", f"{self.exit_code}: {got}")
                )
            drawn = bool(DRAWS.search(step["command"]))
            shown = self._compare(step["command"], step["shown"], got, drawn=drawn)
            out.append(f"$ {step['command']}\n{shown}")
        return "".join(out)

    def _command(self, line: str) -> str:
        from typer.testing import CliRunner

        from cloven.cli.app import app

        if line == "echo $?":
            return f"{self.exit_code}\n"
        program, *arguments = shlex.split(line.replace("\\\n", " "))
        if program != "cloven":
            message = f"pages run `cloven` only, not {program!r}; use a block of another language"
            raise ValueError(message)
        result = CliRunner().invoke(app, arguments)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        self.exit_code = result.exit_code
        return result.output

    def _compare(self, command: str, shown: str, got: str, *, drawn: bool) -> str:
        """What the page should show: as it is if that agrees. Drawn figures are shown as they are now."""
        if agree(shown, got):
            return shown
        if not agree(shown, got, drawn=drawn):
            self.differences.append(Difference(command, shown, got))
        return got


@contextlib.contextmanager
def _inside(folder: str):
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run_page(text: str, folder: Path) -> tuple[str, list[Difference]]:
    """Run a page in a folder; gives the page with its outputs as they are now, and where they differ."""
    run, out, end = Run(), [], 0
    with _inside(str(folder)):
        for block in blocks_of(text):
            fresh = replace(block, text=run.block(block))
            out += [text[end : block.start], fresh.text]
            end = block.start + len(block.text)
    return "".join([*out, text[end:]]), run.differences


def main(names: list[str]) -> None:
    """Write the outputs of today into the pages."""
    for page in [Path(name).resolve() for name in names] or pages():
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            fresh, differences = run_page(text, Path(folder))
        sys.stdout.write(f"{page.name}: {len(differences)} outputs changed\n")
        if fresh != text:
            page.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
