"""Pages of *Tune*: a search for settings, a chart that grows, and every point of it as a form to take up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException

from cloven.audit.decision import MAX_RISK
from cloven.data.defaults import K, L, M
from cloven.errors import ParameterError
from cloven.escapes import visible
from cloven.studio import charts
from cloven.studio.data_views import data_of, desk_of, see
from cloven.studio.forms import form_of
from cloven.studio.pages import shown, steps
from cloven.values import real, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from cloven.studio.records import DataSet, Search

MOST_TRIALS = 500


async def form(request: Request) -> Response:
    """What is promised and accepted, and how many settings are tried; or the search itself, once that is sent."""
    data = data_of(request)
    if not data.ready:
        return see(f"/data/{data.number}")
    typed, errors = _usual(data), dict[str, str]()
    if request.method == "POST":
        async with request.form(max_files=0, max_fields=20, max_part_size=1_000) as sent:
            typed |= {name: str(sent.get(name, "")).strip() for name in typed}
        wanted, errors = _wanted(typed)
        if not errors:
            search = desk_of(request).workspace.add_search(data.number, wanted)
            desk_of(request).start("searches", search.number)
            return see(f"/searches/{search.number}")
    return shown(
        "tune.html",
        422 if errors else 200,
        data=data,
        steps=steps("Protect", data),
        title=f"Tune {data.name}",
        typed=typed,
        errors=errors,
        searches=desk_of(request).workspace.searches_of(data.number),
    )


def _usual(data: DataSet) -> dict[str, str]:
    promised = {"k": str(K), "m": str(M)}
    if data.summary["shape"] == "table":
        promised = {"k": str(K), "l": str(max(2, min(L, data.summary["sure_l"] or L)))}
    return {**promised, "trials": "12", "max_risk": f"{100 * MAX_RISK:g}", "min_utility": "0"}


def _wanted(typed: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    kinds = {"k": whole(2), "m": whole(1), "l": whole(2), "trials": whole(1, MOST_TRIALS)}
    kinds |= dict.fromkeys(("max_risk", "min_utility"), real(0, 100))
    found: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, text in typed.items():
        try:
            value: Any = (kinds[name].parse or str)(text.removesuffix("%").strip())
            found[name] = value if isinstance(value, int) else value / 100
        except ParameterError as error:
            errors[name] = visible(str(error), 200)
    return found, errors


async def search_page(request: Request) -> Response:
    """What was tried so far, and what of it is best."""
    search, data = search_of(request)
    return shown(
        "search.html", **_shown(search, data), steps=steps("Protect", data), title=f"Tune {data.name}"
    )


async def live(request: Request) -> Response:
    """The part of the page that changes."""
    return shown("search_live.html", **_shown(*search_of(request)))


def _shown(search: Search, data: DataSet) -> dict[str, Any]:
    wanted = search.wanted
    rows = [{**each, "query": form_of(each["setting"])} for each in search.found.get("rows", ())]
    return {
        "search": search,
        "data": data,
        "chart": charts.searched(search.found, wanted["max_risk"], wanted["min_utility"]),
        "rows": sorted(rows, key=lambda each: (not each["front"], each["broken"], each["risk"] or 0)),
        "open": search.active,
    }


async def delete(request: Request) -> Response:
    """Delete a search for good."""
    search, data = search_of(request)
    await desk_of(request).delete_search(search.number)
    return see(f"/data/{data.number}/tune")


def search_of(request: Request) -> tuple[Search, DataSet]:
    """The search that an address names, and its data."""
    workspace = desk_of(request).workspace
    search = workspace.search(int(request.path_params["number"]))
    data = None if search is None else workspace.data(search.data)
    if search is None or data is None:
        raise HTTPException(404)
    return search, data
