"""Let coverage guide the bytes: ``python -m reliability.guided --seconds 60``, or with the name of one reader.

Needs atheris (dependency group ``fuzz``). Inputs that reach new code are kept and changed further, so that readers of
bytes are searched deeper than by random changes alone. What is a finding is the same as in ``reliability.fuzz``;
atheris writes the input of one to a file in the working folder and ends.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import cloven

READERS = (
    "sets baskets.csv", "sets long.csv", "sets baskets.json", "sets baskets.jsonl", "sets baskets.parquet",
    "packed baskets.csv.gz", "packed baskets.csv.zst", "packed baskets.zip", "documents notes.tar",
    "documents notes.zip", "documents notes.csv", "table people.csv", "schema",
)  # fmt: skip
"""Readers of one file that parse its bytes."""


def main() -> int:
    """Search all readers one after the other, each in a process of its own, and print one table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "reader", nargs="?", choices=READERS, help="only this one, with all that atheris tells"
    )
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if find_spec("atheris") is None:
        sys.stderr.write("atheris is not installed: nothing was tried; pip install --group fuzz\n")
        return 2
    if asked.reader is not None:
        search(asked.reader, asked.seconds, asked.seed)
    bad = 0
    for name in READERS:
        words = [sys.executable, "-m", "reliability.guided", name, "--seconds", str(asked.seconds)]
        done = subprocess.run(
            [*words, "--seed", str(asked.seed)], capture_output=True, text=True, check=False
        )
        runs = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
        covered = re.findall(r"cov: (\d+)", done.stderr)
        bad += done.returncode != 0
        sys.stdout.write(
            f"{name:<26}{int(runs[1]) if runs else 0:>12,} inputs, {covered[-1] if covered else '?'} places reached"
            f"{'' if done.returncode == 0 else ', FOUND: ' + _last(done.stderr)}\n"
        )
    return 1 if bad else 0


def _compiled() -> list[str]:
    """Modules with compiled functions: what is instrumented cannot be compiled."""
    source = Path(cloven.__file__).parent
    files = [file for file in source.rglob("*.py") if "@compiled" in file.read_text(encoding="utf-8")]
    return [
        ".".join(file.relative_to(source.parent).with_suffix("").parts).removesuffix(".__init__")
        for file in files
    ]


def _last(told: str) -> str:
    """What went wrong, in a line."""
    lines = [line.strip() for line in told.splitlines() if "Error" in line or "Exception" in line]
    return lines[-1] if lines else "see the output of this reader alone"


def search(wanted: str, seconds: int, seed: int) -> None:
    """Search one reader; atheris ends the process."""
    import atheris

    place = Path(tempfile.mkdtemp())
    (place / "seeds").mkdir()
    (place / "corpus").mkdir()
    # Whatever is loaded for the seeds, and to read one.
    with atheris.instrument_imports(include=["cloven"], exclude=_compiled()):
        from cloven.errors import ClovenError
        from reliability.fuzz import fault_of
        from reliability.readers import readers

        reader = next(each for each in readers(place / "seeds") if each.name == wanted)
        for file, content in reader.files.items():
            (place / file).write_bytes(content)
        reader.read(place)
    name = next(each for each in reader.files if each not in reader.kept)
    (place / "corpus" / "seed").write_bytes(reader.files[name])

    def one(content: bytes) -> None:
        (place / name).write_bytes(content)
        try:
            reader.read(place)
        except ClovenError as error:
            fault = fault_of(str(error))
            if fault:
                raise AssertionError(fault) from error

    limits = [f"-max_total_time={seconds}", f"-seed={seed}", "-timeout=10", "-rss_limit_mb=1024"]
    atheris.Setup([sys.argv[0], *limits, "-print_final_stats=1", str(place / "corpus")], one)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
