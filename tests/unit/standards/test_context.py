"""Context files: read strictly, refused in one line."""

from __future__ import annotations

import datetime

import pytest

from cloven.errors import InputError, ParameterError
from cloven.standards.claim import Claim
from cloven.standards.context import KEYS, Context, context_of, read_context
from cloven.standards.standard import NAMES, standard

GOOD = {"recipient": "everybody", "purpose": "research", "release": "public", "contact": "us@clinic.example"}


def written(folder, text):
    path = folder / "context.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_is_read(tmp_path):
    path = written(
        tmp_path,
        'recipient = "a"\npurpose = "b"\nrelease = "enclave"\ncontact = "c"\ncontrols = ["d"]\n'
        'threshold = 0.05\nrisk = "average"\nreview = 2027-06-01\n',
    )
    found = read_context(path, today=datetime.date(2027, 6, 1))
    assert found == Context("a", "b", "enclave", "c", ("d",), 0.05, "average", datetime.date(2027, 6, 1))
    assert tuple(found.to_dict()) == KEYS
    assert found.to_dict()["review"] == "2027-06-01"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"recipent": "a"}, "unknown setting 'recipent'; did you mean 'recipient'?"),
        ({"colour": "a"}, "unknown setting 'colour'; there are recipient"),
        ({"recipient": " "}, "recipient must be a text that is not empty (got ' ')"),
        ({"recipient": 3}, "recipient must be a text that is not empty (got 3)"),
        ({"recipient": "a" * 2001}, "recipient has more than 2,000 characters; shorten it (got 2,001)"),
        ({"release": "open"}, "release must be one of public, agreement, enclave (got 'open')"),
        ({"controls": "none"}, "controls must be a list of texts (got 'none')"),
        ({"controls": [1]}, "controls must be a text that is not empty (got 1)"),
        ({"threshold": 0}, "threshold must be above 0 and at most 1, such as 0.09 for 9 % (got 0)"),
        ({"threshold": 1.5}, "threshold must be above 0 and at most 1"),
        ({"threshold": float("nan")}, "threshold must be above 0 and at most 1"),
        ({"threshold": True}, "threshold must be above 0 and at most 1"),
        ({"threshold": "0.09"}, "threshold must be above 0 and at most 1"),
        ({"risk": "mean"}, "risk must be one of maximum, average (got 'mean')"),
        ({"risk": "average"}, "a public release is judged by the maximum"),
        ({"review": "2027-06-01"}, "review must be a day such as 2027-06-01, without quotes"),
        ({"review": datetime.datetime(2027, 6, 1, 12, tzinfo=datetime.UTC)}, "review must be a day"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(change, words):
    with pytest.raises(InputError) as caught:
        context_of({**GOOD, **change}, source="context.toml")
    assert str(caught.value).startswith("context.toml: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", ["recipient", "purpose", "release", "contact"])
def test_what_is_missing_is_named(missing):
    with pytest.raises(InputError, match=f"does not say '{missing}'; it needs recipient, purpose"):
        context_of({name: value for name, value in GOOD.items() if name != missing})


def test_files_that_are_none(tmp_path):
    for path, words in (
        (tmp_path, "is a folder; name one file"),
        (tmp_path / "none.toml", "no such file"),
        (written(tmp_path, "recipient = \n"), "cannot be read as a context in TOML"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            read_context(path)
        assert "\n" not in str(caught.value)


def test_a_context_may_be_stricter_than_a_standard_and_never_laxer():
    assert Claim(standard("ema"), context_of({**GOOD, "threshold": 0.05})).threshold == 0.05
    for name in ("ema", "hipaa"):
        with pytest.raises(ParameterError, match=f"threshold 0.2 is larger than the 0.09 of {name}"):
            Claim(standard(name), context_of({**GOOD, "threshold": 0.2}))
    bound = {**GOOD, "release": "agreement", "risk": "average"}
    with pytest.raises(ParameterError, match="ema judges the maximum risk"):
        Claim(standard("ema"), context_of(bound))
    assert Claim(standard("hipaa"), context_of(bound)).judged == "average"


def test_an_unknown_standard_names_those_there_are():
    with pytest.raises(ParameterError, match="must be one of wp29, ema, hipaa, iso27559 \\(got 'gdpr'\\)"):
        standard("gdpr")
    assert [standard(name).name for name in NAMES] == list(NAMES)


def test_a_day_of_review_that_is_past_is_refused(tmp_path):
    text = "".join(f'{name} = "{value}"\n' for name, value in GOOD.items()) + "review = 2027-06-01\n"
    path = written(tmp_path, text)
    assert read_context(path, today=datetime.date(2027, 6, 1)).review == datetime.date(2027, 6, 1)
    with pytest.raises(InputError, match=r"review is a day that is past on 2027-06-02; .*got '2027-06-01'"):
        read_context(path, today=datetime.date(2027, 6, 2))
    with pytest.raises(InputError, match="review is a day that is past"):
        context_of({**GOOD, "review": datetime.date(2001, 1, 1)})
