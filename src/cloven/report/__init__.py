"""What an audit found, for people: the page, its charts, a frame, and the schema of the document they are made from.

Everything here works on the one JSON document of an audit (``cloven.audit/1``) and on nothing else, so that a page can
be made again from ``audit.json``, for any family.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of the document, for the owner's flavour and the public one.

    >>> schema()["$schema"]
    'https://json-schema.org/draft/2020-12/schema'
    """
    text = files("cloven.report").joinpath("audit.schema.json").read_text(encoding="utf-8")
    plain: dict[str, Any] = json.loads(text)
    return plain
