"""Compiled functions where no cache can be written."""

from __future__ import annotations

import numpy as np

from cloven import compiled as module


def double(values):
    return 2 * values.sum()


def test_without_a_place_for_the_cache_it_still_runs(monkeypatch):
    real = module.njit

    def no_locator(**options):
        if options.get("cache"):
            message = "cannot cache function: no locator available"
            raise RuntimeError(message)
        return real(**options)

    monkeypatch.setattr(module, "njit", no_locator)
    assert module.compiled(double)(np.arange(4)) == 12
