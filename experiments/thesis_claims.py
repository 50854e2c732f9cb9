"""One row for each claim that the thesis draws from its figures: confirmed, refuted, or not to be told from chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments import thesis_claims_density, thesis_claims_k, thesis_claims_size

if TYPE_CHECKING:
    from experiments.thesis_figures import Figures
    from experiments.thesis_judging import Claim

CLAIMS = (
    *thesis_claims_size.CLAIMS[:2],
    *thesis_claims_k.CLAIMS,
    *thesis_claims_density.CLAIMS,
    *thesis_claims_size.CLAIMS[2:],
)


def claims(figures: Figures) -> list[Claim]:
    """All claims, judged."""
    return [claim(figures) for claim in CLAIMS]
