"""Pages of the first step, *Data*: choose it, say how it is read, see who can be singled out."""

from __future__ import annotations

import asyncio
import re
import shutil
import tomllib
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse

from cloven.errors import ClovenError
from cloven.escapes import signed
from cloven.reading.options import FORMATS, ReadOptions
from cloven.reading.schema_file import schema_of
from cloven.studio import charts
from cloven.studio.beside import judged
from cloven.studio.pages import shown, steps
from cloven.studio.records import DataSet, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from cloven.studio.desk import Desk

LONGEST_NAME = 100
ENDING = re.compile(r"(\.[a-z0-9]{1,8}){1,2}$")
OPTIONS = ("format", "delimiter", "column", "id_column", "item_column", "item_delimiter", "person")
FORMAT_WORDS = tuple(FORMATS)
NOT_HERE = "no such file on this machine; give its whole path, such as /home/you/data.csv"


def see(path: str) -> RedirectResponse:
    """After a change: a page that can be loaded again."""
    return RedirectResponse(path, 303)


def plain_name(given: str) -> str:
    r"""What a file is called, whatever a browser says: never a path, on one line, of a sane length.

    >>> plain_name("../../etc/passwd"), plain_name(r"C:\data\my file.csv"), plain_name("")
    ('passwd', 'my file.csv', 'data')
    """
    last = signed(re.split(r"[/\\]", given)[-1].strip())
    return (last if len(last) <= LONGEST_NAME else f"{last[:LONGEST_NAME]}…") or "data"


async def home(request: Request) -> Response:
    """Where one begins: data sets and runs."""
    workspace = desk_of(request).workspace
    runs = judged(workspace, workspace.all_runs())
    data = workspace.all_data()
    names = {each.number: each.name for each in data}
    return shown("home.html", data=data, runs=runs, names=names, steps=None, title="Studio")


async def choose(request: Request, errors: Mapping[str, str] | None = None, path: str = "") -> Response:
    """Which data."""
    return shown(
        "choose.html",
        422 if errors else 200,
        steps=steps("Data"),
        title="Choose your data",
        errors=errors or {},
        path=path,
        most=request.app.state.most_upload,
    )


async def take_sample(request: Request) -> Response:
    """The built-in sample."""
    desk = desk_of(request)
    data = desk.workspace.add_data("Sample clinic", None, own=False, reading=Reading("sets"))
    desk.read(data)
    return see(f"/data/{data.number}")


async def take_upload(request: Request) -> Response:
    """A file that the browser sends; it is kept under a name of ours."""
    desk = desk_of(request)
    async with request.form(max_files=1, max_fields=5) as form:
        given = form.get("file")
        if not isinstance(given, UploadFile) or not given.filename:
            return await choose(request, {"file": "choose a file first"})
        name = plain_name(given.filename)
        ending = ENDING.search(given.filename.lower())
        if ending is None:
            wanted = (
                "its name has no ending that says what it is; call it .csv, .txt, .json, .parquet or the like"
            )
            return await choose(request, {"file": wanted})
        passing = desk.workspace.passing / token_hex(16)
        try:
            await asyncio.to_thread(_copy, given, passing)
            if passing.stat().st_size == 0:
                return await choose(request, {"file": "the file is empty; choose one that holds records"})
            data = desk.workspace.add_data(name, None, own=True)
            data = desk.workspace.move_in(data, passing, ending[0])
        finally:
            passing.unlink(missing_ok=True)
    desk.read(data)
    return see(f"/data/{data.number}")


def _copy(given: UploadFile, place: Path) -> None:
    with place.open("xb") as file:
        place.chmod(0o600)
        shutil.copyfileobj(given.file, file)


async def take_file(request: Request) -> Response:
    """A file on this machine; it is read where it is."""
    desk = desk_of(request)
    async with request.form(max_files=0, max_fields=5) as form:
        path = str(form.get("path", "")).strip()
    place = Path(path).expanduser()
    if not path or not place.is_absolute() or not await asyncio.to_thread(_is_file, place):
        return await choose(request, {"path": NOT_HERE}, path)
    data = desk.workspace.add_data(plain_name(place.name), place, own=False)
    desk.read(data)
    return see(f"/data/{data.number}")


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False


async def data_page(request: Request) -> Response:
    """A data set: being read, to be confirmed, or described."""
    data = data_of(request)
    return _data_page(data, request)


def _data_page(
    data: DataSet,
    request: Request,
    errors: Mapping[str, str] | None = None,
    typed: Mapping[str, str] | None = None,
) -> Response:
    given: dict[str, Any] = {
        "data": data,
        "steps": steps("Data", data),
        "title": data.name,
        "errors": errors or {},
    }
    workspace = desk_of(request).workspace
    runs = judged(workspace, workspace.runs_of(data.number))
    if data.state == "ready" and request.query_params.get("read") != "again" and not errors:
        return shown("described.html", **given, **_pictures(data.summary), runs=runs)
    if data.state in ("reading", "failed") and not errors:
        return shown("waiting.html", **given, runs=runs)
    return shown(
        "reading.html",
        422 if errors else 200,
        **given,
        chosen=_chosen(data, typed),
        formats=FORMAT_WORDS,
        runs=runs,
    )


def _pictures(summary: Mapping[str, Any]) -> dict[str, Any]:
    if summary["shape"] == "sets":
        return {
            "summary": summary,
            "chart": charts.singled_out(summary),
            "lengths": charts.lengths(summary),
            "known": charts.known,
        }
    return {"summary": summary, "chart": charts.looks(summary), "alike": charts.alike(summary)}


def _chosen(data: DataSet, typed: Mapping[str, str] | None) -> dict[str, str]:
    """What stands in the form: what was typed, what was settled before, or the likeliest way."""
    if typed is not None:
        return {**dict.fromkeys((*OPTIONS, "schema"), ""), "shape": "sets", **typed}
    looked, reading = data.looked, data.reading
    table = looked.get("table") or {}
    first = (looked.get("ways") or [{"options": {}}])[0]["options"]
    found = {**dict.fromkeys(OPTIONS, ""), **first, "schema": table.get("toml", "")}
    found["shape"] = looked.get("likely", "sets")
    if reading is not None:
        found |= {**dict.fromkeys(OPTIONS, ""), **reading.options} if reading.shape == "sets" else {}
        found |= {"schema": reading.schema} if reading.shape == "table" else {}
        found["shape"] = reading.shape
    return found


async def settle_reading(request: Request) -> Response:
    """How the file is read."""
    data = data_of(request)
    async with request.form(max_files=0, max_fields=40, max_part_size=1_000_000) as form:
        typed = {name: str(value) for name, value in form.items()}
    reading, errors = _reading(typed)
    if reading is None:
        return _data_page(data, request, errors, typed)
    active = [run for run in desk_of(request).workspace.runs_of(data.number) if run.active]
    if active:
        message = "a run works on these data; wait for it or cancel it first"
        return _data_page(data, request, {"": message}, typed)
    desk_of(request).read(data, reading)
    return see(f"/data/{data.number}")


def _reading(typed: Mapping[str, str]) -> tuple[Reading | None, dict[str, str]]:
    if typed.get("shape") == "table":
        text = typed.get("schema", "").replace("\r\n", "\n")
        try:
            roles = {each.role for each in schema_of(tomllib.loads(text)).columns}
        except (ClovenError, ValueError, RecursionError) as error:
            return None, {"schema": f"this schema cannot be read: {error}"}
        if "quasi-identifier" not in roles:
            message = 'no column has the role "quasi-identifier": say which ones others may know of somebody'
            return None, {"schema": message}
        return Reading("table", {}, text), {}
    given: dict[str, Any] = {name: typed[name].strip() for name in OPTIONS if typed.get(name, "").strip()}
    try:
        ReadOptions(**given)
    except ClovenError as error:
        about = next((name for name in given if name in str(error)), "format")
        return None, {about: str(error)}
    return Reading("sets", given), {}


async def delete_data(request: Request) -> Response:
    """Delete a data set for good, after asking once more."""
    data = data_of(request)
    if request.method == "POST":
        await desk_of(request).delete_data(data.number)
        return see("/")
    runs = desk_of(request).workspace.runs_of(data.number)
    gone = not desk_of(request).workspace.handed_out().isdisjoint(run.number for run in runs)
    title = f"Delete {data.name}?"
    return shown("delete_data.html", data=data, runs=runs, handed_out=gone, steps=None, title=title)


# What views are given.


def desk_of(request: Request) -> Desk:
    """The desk of this server."""
    desk: Desk = request.app.state.desk
    return desk


def data_of(request: Request) -> DataSet:
    """The data set that an address names."""
    from starlette.exceptions import HTTPException

    found = desk_of(request).workspace.data(int(request.path_params["number"]))
    if found is None:
        raise HTTPException(404)
    return found
