"""The studio needs the packages of its extra."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="starlette is not installed (extra `studio`)")
pytest.importorskip("python_multipart", reason="python-multipart is not installed (extra `studio`)")
pytest.importorskip("httpx2", reason="httpx2 is not installed (group `test`)")
