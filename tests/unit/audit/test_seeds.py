"""What is compared draws its lots from the seed, what is published never does."""

from __future__ import annotations

import numpy as np
import pytest

import cloven as cv
from cloven.audit.run import Run

DATA = cv.sample("clinic").take(np.arange(120))
METHOD = cv.Disassociation(k=3, safe="cover")


@pytest.mark.parametrize("published", [True, False])
def test_only_what_is_not_published_is_seeded(published):
    audit = cv.Audit(METHOD, effort=cv.Effort().quick(), threats=(), advise=False)
    release = audit.evaluate(DATA, METHOD, Run(), published=published).result.release
    assert bool(release.parameters.get("seeded", False)) is not published
