"""How pages are made: templates of the studio beside those of the report, all of which escape what they are given."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import escape
from starlette.responses import HTMLResponse

from cloven._version import __version__
from cloven.report.page import environment as of_the_report
from cloven.report.words import VERDICTS
from cloven.studio.forms import ABOUT

if TYPE_CHECKING:
    from jinja2 import Environment

    from cloven.studio.records import DataSet, Run

STATES = {
    "draft": ("quiet", "not started"),
    "waiting": ("change", "waiting"),
    "running": ("change", "running"),
    "failed": ("bad", "failed"),
    "cancelled": ("quiet", "cancelled"),
    "interrupted": ("quiet", "interrupted"),
    "reading": ("change", "being read"),
    "unsure": ("change", "to be confirmed"),
    "ready": ("good", "ready"),
}


@cache
def environment() -> Environment:
    """Templates with the filters of the report."""
    from jinja2 import ChoiceLoader, PackageLoader

    loader = ChoiceLoader([PackageLoader("cloven.studio"), PackageLoader("cloven.report")])
    made = of_the_report().overlay(loader=loader)
    made.filters = {**made.filters, "day": _day, "spent": _spent, "verbatim": escape}
    made.globals = {
        **made.globals,
        "version": __version__,
        "states": STATES,
        "verdicts": VERDICTS,
        "about": ABOUT,
    }
    return made


def shown(template: str, status: int = 200, **given: Any) -> HTMLResponse:
    """A page."""
    return HTMLResponse(environment().get_template(template).render(given, template=template), status)


def steps(
    here: str, data: DataSet | None = None, run: Run | None = None
) -> list[tuple[str, str, str | None, bool]]:
    """The four steps: name, what is done there, the address if one can go there, and whether this is it."""
    number = data.number if data is not None else None
    ready = data is not None and data.ready
    protect = f"/data/{number}/protect" if ready else None
    if run is not None:
        protect = f"/data/{number}/protect?from={run.number}"
    return [
        ("Data", "What it is", "/data" if number is None else f"/data/{number}", here == "Data"),
        ("Protect", "How to hide it", protect, here == "Protect"),
        (
            "Attack",
            "Who gets through",
            None if run is None else f"/runs/{run.number}/attack",
            here == "Attack",
        ),
        (
            "Decide",
            "Publish or not",
            None if run is None or run.state != "done" else f"/runs/{run.number}",
            here == "Decide",
        ),
    ]


@cache
def stylesheet() -> str:
    """The look of the report, and what the studio adds."""
    of_report = [
        asset(name, "cloven.report", "templates") for name in ("colours.css", "style.css", "charts.css")
    ]
    return "\n".join([*of_report, asset("studio.css")])


@cache
def asset(name: str, package: str = "cloven.studio", folder: str = "assets") -> str:
    """A file that goes with the pages."""
    return (files(package) / folder / name).read_text(encoding="utf-8")


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).astimezone().strftime("%-d %b %Y, %H:%M")


def _spent(seconds: float) -> str:
    """How long something took, in words.

    >>> _spent(4.2), _spent(75)
    ('4 s', '1 min 15 s')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
