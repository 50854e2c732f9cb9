"""Draw the pictures of the explanation pages anew: ``python docs/pictures/make.py [FOLDER]``."""

from __future__ import annotations

import sys
from pathlib import Path

import of_architecture
import of_attacks
import of_ideas
import of_tables

DRAWN = (*of_ideas.DRAWN, *of_attacks.DRAWN, *of_tables.DRAWN, *of_architecture.DRAWN)


def main(folder: Path) -> None:
    """Write every picture to a folder."""
    for draw in DRAWN:
        card = draw()
        (folder / f"{card.name}.svg").write_text(card.svg(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
