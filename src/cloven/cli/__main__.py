"""``python -m cloven.cli`` is ``cloven``."""

from cloven.cli import main

main()
