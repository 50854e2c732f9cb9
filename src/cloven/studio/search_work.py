"""The job behind *Tune*: a search for settings, told after every one that was tried, with its study on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.audit.decision import Limits
from cloven.studio.reading_work import read_as
from cloven.studio.records import Reading
from cloven.threats import Knowledge
from cloven.tuning.tune import Tune

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.studio.worker import Teller
    from cloven.tuning.result import Tuned


def search(job: Mapping[str, Any], tell: Teller) -> dict[str, Any]:
    """Try one setting after the other; the study remembers them, so that a search that was stopped goes on."""
    wanted, folder = job["wanted"], Path(job["folder"])
    tell.progress("read the data", 0.0)
    place = None if job["place"] is None else Path(job["place"])
    data, _ = read_as(place, Reading(**job["reading"]), folder / "schema.toml")
    whole = tune_of(job)
    told: dict[str, Any] = {}
    for number in range(1, wanted["trials"] + 1):
        begun = number - 1

        def progress(step: str, share: float, begun: int = begun) -> None:
            del share  # of one setting
            tell.progress(step, begun / wanted["trials"])

        tuned = replace(whole, trials=number).run(data, folder / "study", progress)
        told = found(tuned)
        tell(tried=told, share=number / wanted["trials"])
        if tuned.exhausted:
            break
    return told


def tune_of(job: Mapping[str, Any]) -> Tune:
    """The search that a job asks for; vectors for the words of the built-in sample come with it."""
    from cloven.relatedness.spec import parse

    wanted = job["wanted"]
    promised: dict[str, Any] = {name: int(wanted[name]) for name in ("k", "m", "l") if name in wanted}
    known = Knowledge(parse("sample")) if job["place"] is None else Knowledge()
    return Tune(limits=Limits(wanted["max_risk"], wanted["min_utility"]), knowledge=known, **promised)


def found(tuned: Tuned) -> dict[str, Any]:
    """What the page shows of a search: every setting that was tried on all records, and what is best so far."""
    plain = tuned.to_dict()
    front = set(plain["front"])
    rows = [
        {
            "number": number,
            "setting": each["name"],
            "risk": each["risk"],
            "utility": each["utility"],
            "broken": trial.outcome.broken,
            "front": each["name"] in front,
            "holds": not each["faults"],
        }
        for number, (each, trial) in enumerate(zip(plain["trials"], tuned.trials, strict=True), 1)
        if trial.outcome is not None
    ]
    return {
        "sentence": plain["sentence"],
        "chosen": plain["chosen"] if plain["satisfied"] else None,
        "measure": plain["limits"]["measure"],
        "counts": plain["counts"],
        "rows": rows,
    }
