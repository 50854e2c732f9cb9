"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the public data sets: ``CLOVEN_DATA``, else ``../shared/data`` beside the repository."""
    folder = Path(os.environ.get("CLOVEN_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no public data sets in {folder}; set CLOVEN_DATA to their folder")
    return folder


@pytest.fixture(autouse=True, scope="session")
def _no_ledger_of_its_own() -> None:
    """Whoever runs the tests may keep a ledger; releases of tests do not belong in it."""
    os.environ.pop("CLOVEN_LEDGER", None)
