"""Fixtures shared by all tests."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.effort import tries

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # workers share the cores already

# Tests and types of kernels live to the end; to look through them again and again costs a twentieth of compiling.
gc.set_threshold(20_000, 20, 50)

settings.register_profile(
    "cloven",
    max_examples=tries(100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("cloven")

REPOSITORY = Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in a browser come last: a page that waits for a kernel to be compiled waits for others' work, too."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def pytest_collection_finish() -> None:
    """What was collected stays until the end; nobody has to look whether it is still needed."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Some libraries complain at the end of what is left."""
    gc.unfreeze()


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
