"""What a verdict says."""

from __future__ import annotations

import json

import pytest

from cloven.errors import GuaranteeError
from cloven.verification import verify

from .releases import build, cluster


def broken():
    return verify(build([cluster(2, [[["a\nb"]] * 2], "c")], seeded=True))


def test_broken_verdict_raises_one_line():
    with pytest.raises(GuaranteeError) as caught:
        broken().raise_if_broken()
    message = str(caught.value)
    assert message.startswith("cluster size: cluster 0 has 2 records, k is 3 (3 of 20 checks failed)")
    assert "\n" not in message


def test_every_detail_is_one_line_whatever_items_are_called():
    verdict = broken()
    assert all("\n" not in check.detail for check in verdict.checks)
    assert len(str(verdict).splitlines()) == 1 + len(verdict.checks)
    assert r"{'a\nb'} is held by 2 rows" in str(verdict)


def test_to_dict_is_plain_json():
    plain = json.loads(json.dumps(broken().to_dict()))
    assert plain["level"] == "release"
    assert plain["ok"] is False
    assert plain["checks"][0] == {
        "name": "arrays",
        "level": "release",
        "passed": True,
        "examined": 3,
        "detail": "3 rows, all lengths and ranges sound",
        "decided": True,
    }
