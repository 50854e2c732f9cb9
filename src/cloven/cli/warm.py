"""``cloven warm``."""

import os
import subprocess
import sys
from time import perf_counter
from typing import Annotated

import typer

from cloven.cli.console import progress, say
from cloven.cli.options import takes
from cloven.errors import ClovenError
from cloven.registry import ROOMS

FAMILIES = tuple(ROOMS)


@takes()
def warm(
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes at once; default: one for each core.")
    ] = None,
) -> None:
    """Compile what audits need, before the first one: for images and machines that many use.

    Without it small data runs uncompiled at first, and what takes longer is compiled while the work goes on. What is
    compiled is kept beside the code, or in the folder that NUMBA_CACHE_DIR names.
    """
    start, waiting, running = perf_counter(), [*FAMILIES], dict[str, subprocess.Popen[bytes]]()
    with progress("compile") as report:
        try:
            while waiting or running:
                while waiting and len(running) < (jobs or os.cpu_count() or 1):
                    family = waiting.pop(0)
                    running[family] = _rehearsal(family)
                family, process = next(iter(running.items()))
                report(f"compile for {', '.join(running)}", 1 - (len(waiting) + len(running)) / len(FAMILIES))
                if process.wait() != 0:
                    message = (
                        f"{family}: the rehearsal ended with code {process.returncode}; see the lines above"
                    )
                    raise ClovenError(message)
                del running[family]
        finally:
            for process in running.values():
                process.kill()
                process.wait()
    say(f"compiled for {', '.join(FAMILIES)} in {perf_counter() - start:.0f} s")


def _rehearsal(family: str) -> subprocess.Popen[bytes]:
    command = f"from cloven.audit.rehearsal import rehearse; rehearse({family!r})"
    environment = {**os.environ, "CLOVEN_KERNELS": "compiled"}
    return subprocess.Popen([sys.executable, "-P", "-c", command], env=environment, stdout=subprocess.DEVNULL)  # noqa: S603
