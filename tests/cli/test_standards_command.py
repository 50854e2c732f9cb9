"""``cloven audit --standard``: bad input in one line, and the report to sign beside the owner's page."""

from __future__ import annotations

import json

import pytest

GOOD = 'recipient = "all"\npurpose = "study"\nrelease = "public"\ncontact = "us"\n'


@pytest.mark.parametrize(
    ("options", "text", "code", "words"),
    [
        (("--standard", "gdpr", "--context", "c.toml"), GOOD, 2, "one of wp29, ema, hipaa, iso27559, got 'gdpr'"),
        (("--standard", "ema"), GOOD, 2, "--standard ema needs --context FILE"),
        (("--context", "c.toml"), GOOD, 2, "--context is for a standard"),
        (("--standard", "ema", "--context", "none.toml"), GOOD, 3, "none.toml: no such file"),
        (("--standard", "ema", "--context", "c.toml"), "recipient = ", 3, "cannot be read as a context in TOML"),
        (("--standard", "ema", "--context", "c.toml"), GOOD + "threshold = 2", 3, "threshold must be above 0"),
        (("--standard", "ema", "--context", "c.toml"), GOOD + "threshold = 0.5", 2, "larger than the 0.09 of ema"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(
    cloven, tmp_path, monkeypatch, nothing_written, options, text, code, words
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    nothing_written()
    cloven("audit", *options, "-o", "out").refused(code, words)


def test_the_report_to_sign_is_the_owners(cloven, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.toml").write_text(GOOD, encoding="utf-8")
    ended = cloven(
        "audit", "--no-attack", "--no-advise", "--standard", "ema", "--context", "c.toml", "-o", "out"
    )
    assert ended.code == 1
    assert "Compliance record (to sign)     out.private/filing.html" in ended.out
    assert "EMA Policy 0070" in (tmp_path / "out.private/filing.html").read_text(encoding="utf-8")
    assert not (tmp_path / "out/filing.html").exists()
    section = json.loads((tmp_path / "out.private/audit.json").read_text(encoding="utf-8"))["standard"]
    assert (section["format"], section["name"], section["met"]) == ("cloven.standard/1", "ema", False)
