"""The command line: ``cloven --help``. One file for each command; nothing here does any work of its own."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the ``cloven`` command."""
    from cloven.cli.ending import run

    sys.exit(run())
