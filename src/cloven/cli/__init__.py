"""The command line: ``cloven --help``. One file for each command; nothing here does any work of its own."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the ``cloven`` command."""
    try:
        from cloven.cli.ending import ignore_signals, run, stop_on_signals
    except KeyboardInterrupt:
        sys.exit(130)
    stop_on_signals()
    code = run()
    ignore_signals()
    sys.exit(code)
