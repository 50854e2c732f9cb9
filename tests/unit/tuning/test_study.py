"""A search on disk: goes on where it stopped, knows its data, is the owner's alone."""

from __future__ import annotations

import json
import stat

import pytest
from tuning_toys import DONE

from cloven.audit.decision import Limits
from cloven.errors import OutputError, ReleaseError
from cloven.tuning import Tune

TOY = {"methods": ("toy",), "seed": 1}


def plain(tuned):
    rows = tuned.to_dict()["trials"]
    for row in rows:
        for figures in (row["outcome"], row["sample"]):
            if figures is not None:
                figures.pop("seconds")
    return rows


def test_a_second_run_goes_on_without_repeating_anything(data, tmp_path):
    study = tmp_path / "study"
    Tune(**TOY, trials=8).run(data, study)
    assert len(DONE) == 8
    tuned = Tune(**TOY, trials=20).run(data, study)
    assert len(DONE) == 20
    again = Tune(**TOY, trials=20, limits=Limits(max_risk=0.9)).run(data, study)  # other limits, same figures
    assert len(DONE) == 20
    at_once = Tune(**TOY, trials=20).run(data)
    assert plain(tuned) == plain(at_once)
    assert [row["outcome"] for row in plain(again)] == [row["outcome"] for row in plain(tuned)]
    assert [trial.method for trial in again.finished] == [trial.method for trial in tuned.finished]


@pytest.mark.parametrize("at", [2, 14])
def test_an_interrupted_search_goes_on_as_if_it_had_not_been(large, tmp_path, monkeypatch, at):
    from cloven.tuning.tune import Measuring

    measure = Measuring._measure

    def interrupted(self, *rest):
        if len(DONE) == at:
            raise KeyboardInterrupt
        return measure(self, *rest)

    monkeypatch.setattr(Measuring, "_measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Tune(**TOY, trials=12, margin=0.002).run(large, tmp_path / "study")
    monkeypatch.setattr(Measuring, "_measure", measure)
    tuned = Tune(**TOY, trials=12, margin=0.002).run(large, tmp_path / "study")
    assert plain(tuned) == plain(Tune(**TOY, trials=12, margin=0.002).run(large))


def test_it_is_the_owners_alone(data, tmp_path):
    study = tmp_path / "deep" / "study"
    Tune(**TOY, trials=1).run(data, study)
    assert stat.S_IMODE(study.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in study.iterdir()} == {0o600}
    assert b"i1" not in (study / "journal.log").read_bytes()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"vary": ("size",)}, "space was"),
        ({"fix": {"care": True}}, "space was"),
        ({"k": 6}, "space was"),
        ({"seed": 2}, "seed was 1 and is now 2"),
        ({"limits": Limits(measure="half")}, 'utility_measure was "" and is now "half"'),
    ],
)
def test_another_search_is_refused(data, tmp_path, change, words):
    Tune(**TOY, trials=1).run(data, tmp_path / "study")
    with pytest.raises(ReleaseError, match=words):
        Tune(**{**TOY, **change}, trials=1).run(data, tmp_path / "study")


def test_a_folder_that_is_no_study(data, tmp_path):
    (tmp_path / "mine.txt").touch()
    with pytest.raises(ReleaseError, match=r"is no study, but holds 'mine.txt'"):
        Tune(**TOY, trials=1).run(data, tmp_path)
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.json").write_text(json.dumps({"format": "else"}))
    with pytest.raises(ReleaseError, match="is no note of a study"):
        Tune(**TOY, trials=1).run(data, tmp_path / "study")
    with pytest.raises(OutputError, match="the study cannot be written"):
        Tune(**TOY, trials=1).run(data, tmp_path / "mine.txt")


def test_damaged_lines_are_set_aside_and_the_rest_is_used(data, tmp_path):
    study = tmp_path / "study"
    at_once = Tune(**TOY, trials=4).run(data, study)
    journal = study / "journal.log"
    lines = journal.read_bytes().splitlines(keepends=True)
    spoilt = lines[1].replace(b"finished", b"finishes")
    journal.write_bytes(b"rub\rbish\n" + lines[0] + spoilt + b"".join(lines[2:]))
    DONE.clear()
    tuned = Tune(**TOY, trials=4).run(data, study)
    assert len(DONE) == 1
    assert tuned.doubts == (
        f"{journal}: 2 lines damaged, set aside in journal.log.damaged; what they told is done again",
    )
    assert (study / "journal.log.damaged").read_bytes() == b"rub\rbish\n" + spoilt
    assert stat.S_IMODE((study / "journal.log.damaged").stat().st_mode) == 0o600
    assert {trial.name for trial in at_once.trials[:1] + at_once.trials[2:]} <= {t.name for t in tuned.trials}
    assert Tune(**TOY, trials=4).run(data, study).doubts == ()


@pytest.mark.parametrize(
    "damaged",
    [
        lambda _note: b'{"format": "clo',
        lambda note: note.replace(b'"data": "', b'"data": "0'),  # it is no note of other data
        lambda note: note.replace(b'"seed": ', b'"seed": 1'),
    ],
)
def test_a_damaged_note_is_set_aside_with_its_journal(damaged, data, tmp_path):
    study = tmp_path / "study"
    Tune(**TOY, trials=2).run(data, study)
    before = (study / "study.json").read_bytes()
    (study / "study.json").write_bytes(damaged(before))
    assert (study / "study.json").read_bytes() != before
    DONE.clear()
    tuned = Tune(**TOY, trials=2).run(data, study)
    assert len(DONE) == 2
    assert tuned.doubts[0].endswith("study.json.damaged and journal.log.damaged, and begun anew")
    assert Tune(**TOY, trials=2).run(data, study).doubts == ()


def test_many_interruptions_leave_a_study_that_can_be_opened(large, tmp_path, monkeypatch):
    """Once, a trial that was left behind twice could never be told again."""
    from cloven.tuning.tune import Measuring

    measure, plan = Measuring._measure, iter([True, True, False, False, False] * 50)

    def interrupted(self, *rest):
        if next(plan):
            raise KeyboardInterrupt
        return measure(self, *rest)

    monkeypatch.setattr(Measuring, "_measure", interrupted)
    for _ in range(40):
        try:
            tuned = Tune(**TOY, trials=5, margin=0.002).run(large, tmp_path / "study")
            break
        except KeyboardInterrupt:
            continue
    monkeypatch.setattr(Measuring, "_measure", measure)
    assert plain(tuned) == plain(Tune(**TOY, trials=5, margin=0.002).run(large))


def test_not_inside_a_release(data, tmp_path):
    for name in ("manifest.json", "chunks.parquet"):
        (tmp_path / name).touch()
    with pytest.raises(OutputError, match="lies inside the release"):
        Tune(**TOY, trials=1).run(data, tmp_path / "study")


def test_a_journal_that_is_gone_is_told_of_and_begun_anew(data, tmp_path):
    study = tmp_path / "study"
    Tune(**TOY, trials=2).run(data, study)
    (study / "journal.log").unlink()
    DONE.clear()
    tuned = Tune(**TOY, trials=2).run(data, study)
    assert len(DONE) == 2
    assert tuned.doubts == (f"{study / 'journal.log'}: is gone; what it told is done again",)
    assert Tune(**TOY, trials=2).run(data, study).doubts == ()
