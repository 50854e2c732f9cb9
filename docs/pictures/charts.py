"""Draw the pictures of the charts gallery and of the report anew: ``python docs/pictures/charts.py``."""

from __future__ import annotations

from pathlib import Path

import gallery

import cloven as cv
from cloven.audit.loop import Audit
from cloven.threats import Knowledge

PICTURES = Path(__file__).resolve().parent


def main() -> None:
    """Audit the sample, beside other settings; write all pictures."""
    method = cv.Disassociation(k=5, m=2)
    rivals = [
        cv.Disassociation(k=5, m=2, max_cluster_size=size, safe=safe)
        for size in (30, 60, 120, 250)
        for safe in ("no", "cover")
    ]
    audit = Audit(
        method,
        rivals=tuple(rival for rival in rivals if rival != method),
        knowledge=Knowledge(cv.relatedness.Vectors.sample()),
        seed=1,
        title="sample clinic",
    )
    document = audit.run(cv.sample("clinic")).to_dict()
    drawn = {f"chart-{name}": picture for name, picture in gallery.pictures(document).items()}
    for name, picture in (drawn | {"report": gallery.first_screen(document)}).items():
        (PICTURES / f"{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
