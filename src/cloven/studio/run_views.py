"""Pages of the third step, *Attack*: whom to fear, what to accept, and what attackers reach while they try."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException

from cloven.audit.decision import MAX_RISK
from cloven.disclosure.risk import MAX_TAIL
from cloven.errors import ClovenError, ParameterError
from cloven.escapes import visible
from cloven.registry import family_of
from cloven.report import drawing, rows, words
from cloven.settings import told
from cloven.studio.data_views import desk_of, see
from cloven.studio.forms import made, methods_for
from cloven.studio.pages import shown, steps
from cloven.studio.records import number_in
from cloven.threats import Knowledge
from cloven.values import real

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from cloven.studio.records import DataSet, Run, Shape

USUAL: Mapping[str, Any] = {
    "max_risk": MAX_RISK,
    "max_tail": MAX_TAIL,
    "min_utility": 0.0,
    "quick": False,
    "advise": True,
    "relatedness": "",
    "rivals": [],
    "left_out": [],
    "runs": [],
}


async def attack_page(request: Request) -> Response:
    """The form of a run that has not begun; what attackers reach of one that has."""
    run, data = run_of(request)
    if run.state == "draft":
        return _form(request, run, data, {**USUAL, **run.wanted}, {})
    return shown("attack.html", **_live(run, data), steps=steps("Attack", data, run), title=run.name)


def _form(
    request: Request, run: Run, data: DataSet, wanted: Mapping[str, Any], errors: Mapping[str, str]
) -> Response:
    shape = "sets" if data.reading is None else data.reading.shape
    method, _ = made(shape, run.method, run.parameters)
    if method is None:
        return see(f"/data/{data.number}/protect?from={run.number}")
    every = family_of(method).threats(method, Knowledge())
    return shown(
        "threats.html",
        422 if errors else 200,
        run=run,
        data=data,
        steps=steps("Attack", data, run),
        title=run.name,
        threats=every,
        others=_others(request, run),
        names={each.number: each.name for each in desk_of(request).workspace.all_data()},
        rivals=[name for name in methods_for(shape) if name != run.method],
        wanted=wanted,
        errors=errors,
        sample=data.place is None,
    )


def _others(request: Request, run: Run) -> list[Run]:
    """Runs whose release attackers can have, too: of the same data, or of others of this shape if it was downloaded.

    Other data can be the same people: the same file under another name, or that of last year.
    """
    workspace, alike = desk_of(request).workspace, methods_for(_shape_of(run))
    gone = workspace.handed_out()
    return [
        each
        for each in workspace.all_runs()
        if each.state == "done"
        and each.number != run.number
        and not each.headline["sampled"]
        and (each.data == run.data or (each.number in gone and each.method in alike))
    ]


def _shape_of(run: Run) -> Shape:
    """Of the data when the run was planned; they may be read another way by now."""
    return "sets" if run.method in methods_for("sets") else "table"


async def start(request: Request) -> Response:
    """Begin a run with what its owner wants."""
    run, data = run_of(request)
    if run.state != "draft":
        return see(f"/runs/{run.number}/attack")
    async with request.form(max_files=0, max_fields=100, max_part_size=100_000) as form:
        wanted, errors = _wanted(form)
    known = {each.number for each in _others(request, run)}
    if gone := [number for number in wanted["runs"] if number not in known]:
        errors["runs"] = f"run {gone[0]} has no release that attackers could have; choose again"
    if errors:
        return _form(request, run, data, wanted, errors)
    now = desk_of(request).workspace.run(run.number)
    if now is None or now.state != "draft":  # it was started, or deleted, while this form came in
        return see(f"/runs/{run.number}/attack")
    desk_of(request).workspace.change_work("runs", run.number, wanted=wanted)
    desk_of(request).start("runs", run.number)
    return see(f"/runs/{run.number}/attack")


def _wanted(form: FormData) -> tuple[dict[str, Any], dict[str, str]]:
    from cloven.relatedness.spec import paths

    found: dict[str, Any] = {
        "quick": form.get("effort") == "quick",
        "advise": form.get("advise") == "yes",
        "relatedness": str(form.get("relatedness", "")).strip(),
        "rivals": [str(each) for each in form.getlist("rival")],
        "runs": [number_in(str(each)) for each in form.getlist("other")],
    }
    tried = {str(each) for each in form.getlist("threat")}
    found["left_out"] = [str(each) for each in form.getlist("known-threat") if str(each) not in tried]
    errors: dict[str, str] = {}
    for name in ("max_risk", "max_tail", "min_utility"):
        text = str(form.get(name, "")).strip().removesuffix("%").strip()
        try:
            found[name] = float((real(0, 100).parse or float)(text)) / 100
        except ParameterError:
            found[name] = USUAL[name]
            errors[name] = f"must be a share from 0 to 100 %, got {visible(text, 30)!r}"
    if found["relatedness"]:
        try:
            paths(found["relatedness"])
        except (ClovenError, OSError) as error:
            errors["relatedness"] = str(error)
    return found, errors


# A run at work.


def _live(run: Run, data: DataSet) -> dict[str, Any]:
    """What is known so far, drawn as the report draws it."""
    wanted = {**USUAL, **run.wanted}
    method, _ = made(_shape_of(run), run.method, run.parameters)
    document = {
        "risks": list(run.found.values()),
        "limits": {name: wanted[name] for name in ("max_risk", "max_tail", "min_utility")},
        "parameters": {} if method is None else told(method),
    }
    return {
        "run": run,
        "data": data,
        "document": document,
        "gauges": _gauges(document),
        "told": [{"found": each, "chart": drawing.told(each)} for each in rows.told(document)],
        "open": run.active,
    }


def _gauges(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    drawn = drawing.gauges(document)
    limits = document["limits"]
    return [
        {
            "name": name,
            "risk": risk,
            "sign": words.of_risk(risk, rows.limit_of(document, risk), limits),
            "chart": drawn.get(name),
        }
        for name, risk in rows.threats(document)
    ]


async def live(request: Request) -> Response:
    """The part of the page that changes."""
    run, data = run_of(request)
    return shown("live.html", **_live(run, data))


async def rename(request: Request) -> Response:
    """Another name."""
    run, _ = run_of(request)
    async with request.form(max_files=0, max_fields=5, max_part_size=10_000) as form:
        name = visible(str(form.get("name", "")).strip(), 80)
    if name:
        desk_of(request).workspace.change_work("runs", run.number, name=name)
    return see(f"/runs/{run.number}")


async def delete_run(request: Request) -> Response:
    """Delete a run for good, after asking once more."""
    run, data = run_of(request)
    if request.method == "POST":
        await desk_of(request).delete_run(run.number)
        return see(f"/data/{data.number}")
    gone = run.number in desk_of(request).workspace.handed_out()
    title = f"Delete {run.name}?"
    return shown("delete_run.html", run=run, data=data, handed_out=gone, steps=None, title=title)


def run_of(request: Request) -> tuple[Run, DataSet]:
    """The run that an address names, and its data."""
    workspace = desk_of(request).workspace
    run = workspace.run(int(request.path_params["number"]))
    data = None if run is None else workspace.data(run.data)
    if run is None or data is None:
        raise HTTPException(404)
    return run, data
