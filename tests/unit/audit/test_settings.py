"""Settings as words, and back."""

from __future__ import annotations

import pytest

import cloven as cv
from cloven.errors import ParameterError
from cloven.settings import parse_setting, setting, split_settings


@pytest.mark.parametrize(
    "method",
    [
        cv.Disassociation(),
        cv.Disassociation(k=3, m=1, max_cluster_size=None),
        cv.Disassociation(refine=False, safe="cover", small_clusters="suppress"),
        cv.Disassociation(min_item_support=5, reading="strict"),
    ],
)
def test_round_trip(method):
    assert parse_setting(setting(method)) == method


def test_shared_values_fill_what_is_not_named():
    assert parse_setting("disassociation:m=1", k=7, m=3) == cv.Disassociation(k=7, m=1)


def test_words_are_read_by_what_they_set():
    assert parse_setting("disassociation:refine=no").refine is False
    assert parse_setting("disassociation:safe=no").safe == "no"
    assert parse_setting("disassociation:max-cluster-size=unlimited").max_cluster_size is None


def test_several_settings_in_one_text():
    assert split_settings(" a:k=1;b  c:m=2,k=3 ") == ["a:k=1", "b", "c:m=2,k=3"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("disassociate", "unknown method 'disassociate' .* known are .*disassociation"),
        ("disassociation:q=3", "'q=3' .* is no parameter of disassociation; .* k, "),
        ("disassociation:safe", "'safe' .* write name=value"),
        ("disassociation:k=1", "k must be a whole number of at least 2"),
        ("disassociation:k=five", "k"),
    ],
)
def test_bad_settings_say_what_is_wrong(text, message):
    with pytest.raises(ParameterError, match=message):
        parse_setting(text)
