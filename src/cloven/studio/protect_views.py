"""Pages of the second step, *Protect*: a method, its parameters, and what they mean on the data at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse

from cloven.escapes import signed, visible
from cloven.settings import setting
from cloven.studio.data_views import data_of, desk_of, see
from cloven.studio.forms import (
    Typed,
    defaults,
    elsewhere,
    fields_of,
    made,
    methods_for,
    not_offered,
    suggested_method,
)
from cloven.studio.meaning import sentences
from cloven.studio.pages import shown, steps
from cloven.studio.records import number_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from cloven.studio.records import DataSet, Shape


async def protect_page(request: Request) -> Response:
    """The form of a method; what the address names stands in its fields."""
    data = data_of(request)
    if not data.ready:
        return see(f"/data/{data.number}")
    asked = {
        name: value for name, value in request.query_params.items() if name not in ("method", "from", "name")
    }
    method = request.query_params.get("method", "")
    run = desk_of(request).workspace.run(number_in(request.query_params.get("from", "")))
    if run is not None and run.data == data.number and not asked:
        method, asked = method or run.method, dict(run.parameters) if method in ("", run.method) else {}
    if method not in methods_for(_shape(data)):
        method, asked = suggested_method(data.summary), {}
    typed = {**defaults(_shape(data), data.summary, method), **asked}
    built, told = made(_shape(data), method, typed)
    del built
    return _form(data, method, told, name=request.query_params.get("name", ""))


def _form(data: DataSet, method: str, typed: Typed, name: str = "", status: int = 200) -> Response:
    built, _ = made(_shape(data), method, typed.values)
    known = methods_for(_shape(data))
    every = fields_of(known[method])
    return shown(
        "protect.html",
        status,
        data=data,
        steps=steps("Protect", data),
        title=f"Protect {data.name}",
        methods=known,
        method=method,
        suggested=suggested_method(data.summary),
        reasons=data.summary["reasons"],
        first=[each for each in every if not each.further],
        further=[each for each in every if each.further],
        elsewhere=elsewhere(known[method]),
        not_offered=not_offered(_shape(data)),
        typed=typed.values,
        errors=typed.errors,
        meaning=[] if built is None else sentences(built, data.summary),
        name=name,
    )


async def meaning(request: Request) -> Response:
    """What is typed means this, or is wrong for that: for pages that ask while somebody types."""
    data = data_of(request)
    typed = dict(request.query_params)
    method = typed.pop("method", "")
    if not data.ready:
        return JSONResponse({"sentences": [], "errors": {}})
    built, told = made(_shape(data), method, typed)
    said = [] if built is None else sentences(built, data.summary)
    plain = {name: signed(message) for name, message in told.errors.items()}
    return JSONResponse({"sentences": [signed(each) for each in said], "errors": plain})


async def plan_run(request: Request) -> Response:
    """Note the method, and go on to who attacks it."""
    data = data_of(request)
    if not data.ready:
        return see(f"/data/{data.number}")
    async with request.form(max_files=0, max_fields=100, max_part_size=500_000) as form:
        typed = {name: str(value) for name, value in form.items()}
    method, name = typed.pop("method", ""), visible(typed.pop("name", "").strip(), 80)
    if method not in methods_for(_shape(data)):
        return see(f"/data/{data.number}/protect")
    built, told = made(_shape(data), method, _complete(data, method, typed))
    if built is None:
        return _form(data, method, told, name, 422)
    workspace = desk_of(request).workspace
    run = workspace.add_run(data.number, name or setting(built), method, told.values)
    return see(f"/runs/{run.number}/attack")


def _complete(data: DataSet, method: str, typed: Mapping[str, str]) -> dict[str, str]:
    """Boxes that are not ticked are not sent."""
    known: dict[str, Any] = {each.name: each for each in fields_of(methods_for(_shape(data))[method])}
    return {name: typed.get(name, "") for name in known}


def _shape(data: DataSet) -> Shape:
    return "sets" if data.reading is None else data.reading.shape
