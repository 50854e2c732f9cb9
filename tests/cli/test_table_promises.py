"""What is said of a published table is what it promises: combinations, different values, made-up rows."""

from __future__ import annotations

import pytest

JOINT = "only the combination of illness and second is hidden, so whoever finds somebody there knows it"


@pytest.fixture
def joint(tmp_path):
    """Every combination is as common as any other, and the second attribute follows from age."""
    rows = [f"{20 + n},{'fm'[n % 2]},{'abcde'[n % 5]},{'yes' if n < 30 else 'no'}" for n in range(60)]
    (tmp_path / "joint.csv").write_text("\n".join(["age,sex,illness,second", *rows, ""]))
    (tmp_path / "two.toml").write_text(
        '[columns]\nage = "quasi-identifier"\nsex = "quasi-identifier"\nillness = "sensitive"\nsecond = "sensitive"\n'
    )
    return tmp_path / "joint.csv", "--schema", tmp_path / "two.toml"


@pytest.fixture
def skewed(tmp_path):
    """Nine of ten have the same illness."""
    rows = [f"{20 + n},{'fm'[n % 2]},{'HIV' if n % 10 else 'flu'}" for n in range(80)]
    (tmp_path / "skewed.csv").write_text("\n".join(["age,sex,illness", *rows, ""]))
    (tmp_path / "one.toml").write_text(
        '[columns]\nage = "quasi-identifier"\nsex = "quasi-identifier"\nillness = "sensitive"\n'
    )
    return tmp_path / "skewed.csv", "--schema", tmp_path / "one.toml"


def promise(ended):
    return ended.out.splitlines()[0]


@pytest.mark.parametrize("method", ["slicing", "ul", "mondrian"])
def test_combinations_are_promised_and_single_attributes_are_not(cloven, joint, tmp_path, method):
    out = tmp_path / "out"
    made = cloven("anonymise", method, *joint, "-k", 4, "-l", 3, "--together", "jointly", "-o", out)
    assert made.code == 0, made.err
    assert f"a single value of second: {JOINT}; take --together separately" in made.err
    assert "a single value of illness" not in made.err
    for given in ((), ("--original", joint[0], *joint[1:])):
        checked = cloven("verify", out, *given)
        assert checked.code == 0
        assert promise(checked).endswith(f"; single attributes are not promised ({method})")
    alone = cloven("anonymise", method, *joint, "-k", 4, "-l", 2, "-o", tmp_path / "alone")
    assert "a single value" not in alone.err
    assert "single attributes" not in cloven("verify", tmp_path / "alone").out


def test_an_audit_tells_of_single_values_too(cloven, joint, tmp_path):
    given = ("--methods", "slicing:k=4,l=3,together=jointly", "--max-risk", 1, "--quick", "--json")
    ended = cloven("audit", *joint, *given, "-o", tmp_path / "out")
    assert any(JOINT in caution for caution in ended.json["cautions"]), ended


def test_a_sensitive_column_that_nothing_protects_is_counted(cloven, skewed, tmp_path):
    bare = cloven("anonymise", "mondrian", *skewed, "-k", 4, "-o", tmp_path / "bare", "--json").json
    (told,) = (each for each in bare["cautions"] if "single value" in each)
    assert told.endswith(
        "a single value of illness: whoever finds somebody there knows it; give -l 2 or more"
    )
    kept = cloven("anonymise", "mondrian", *skewed, "-k", 4, "-l", 2, "-o", tmp_path / "kept")
    assert "single value" not in kept.err
    assert "with no limit on how common one is" in promise(cloven("verify", tmp_path / "kept"))


def test_ul_that_exchanges_nothing_says_so(cloven, joint, tmp_path):
    for rate, told in (("0.1%", True), ("20%", False)):
        out = tmp_path / str(told)
        made = cloven(
            "anonymise", "ul", *joint, "-k", 4, "-l", 2, "--swap-rate", rate, "--protected", "age", "-o", out
        )
        assert made.code == 0, made.err
        assert ("no cell was exchanged at swap rate 0.1 %: this is plain slicing" in made.err) == told
        assert ("exchanged between persons" in made.err) != told
