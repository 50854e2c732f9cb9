"""The command line: ``cloven --help``. One file for each command; nothing here does any work of its own."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Entry point of the ``cloven`` command."""
    # Threads of OpenBLAS sum up in other orders, so that figures would depend on the number of cores; and they wait in
    # loops, beside our own.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from cloven.cli.ending import ignore_signals, run, stop_on_signals
    except KeyboardInterrupt:
        sys.exit(130)
    stop_on_signals()
    code = run()
    ignore_signals()
    sys.exit(code)
