"""Pages of the fourth step, *Decide*: the verdict, runs side by side, and what may be taken home."""

from __future__ import annotations

import asyncio
import shutil
import zipfile
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from cloven.errors import InputError
from cloven.intake.files import open_plain, text
from cloven.intake.trees import tree_of
from cloven.report.page import view
from cloven.storage.atomic import PRIVATE_FILE
from cloven.studio import charts
from cloven.studio.beside import against, hand_out, handed_out, held, judged, on_different_data
from cloven.studio.data_views import desk_of, see
from cloven.studio.forms import form_of
from cloven.studio.pages import shown, steps
from cloven.studio.records import number_in
from cloven.studio.run_views import run_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from cloven.studio.records import Run

REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
)
"""A report is one page with its look inside, and nothing else."""
MOST_COMPARED = 12
NO_DATE = (1980, 1, 1, 0, 0, 0)
PUBLIC = 0o644
"""Mode of the files of a release once it is unpacked."""


async def run_page(request: Request) -> Response:
    """The verdict; a run that is not finished is still attacked."""
    run, data = run_of(request)
    if run.state != "done":
        return see(f"/runs/{run.number}/attack")
    workspace = desk_of(request).workspace
    beside = handed_out(workspace, run)
    document = held(await asyncio.to_thread(document_of, run), against(run, beside))
    return await asyncio.to_thread(
        shown,
        "decide.html",
        run=run,
        data=data,
        steps=steps("Decide", data, run),
        better=_better(document),
        beside=beside,
        noted=workspace.noted(run.number),
        siblings=judged(
            workspace, (each for each in workspace.runs_of(run.data) if each.number != run.number)
        ),
        inspect=not run.headline["sampled"],
        **view(document),
    )


def document_of(run: Run) -> dict[str, Any]:
    """The document of a finished run; it is read once.

    Raises:
        InputError: it is damaged.
    """
    place = run.private / "audit.json"
    if not place.is_file():
        raise HTTPException(404)
    try:
        return _read(str(place), place.stat().st_mtime_ns)
    except (ValueError, KeyError) as error:
        message = (
            f"The figures of this run are damaged; put a copy of {place} back, or delete it and make it anew."
        )
        raise InputError(message) from error


@lru_cache(maxsize=16)
def _read(place: str, _changed: int) -> dict[str, Any]:
    found: dict[str, Any] = tree_of(text(Path(place)))
    if not isinstance(found, dict) or found.get("format") is None:
        raise KeyError(place)
    return found


def _better(document: Mapping[str, Any]) -> dict[str, str] | None:
    """A setting that was tried and found better: its name, and the form that holds it."""
    for name in document["decision"]["better"][:1]:
        query = form_of(name)
        return None if query is None else {"setting": name, "query": query}
    return None


async def all_runs(request: Request) -> Response:
    """All runs, to choose some and see them side by side."""
    workspace = desk_of(request).workspace
    names = {each.number: each.name for each in workspace.all_data()}
    return shown(
        "runs.html", runs=judged(workspace, workspace.all_runs()), names=names, steps=None, title="Runs"
    )


async def compare(request: Request) -> Response:
    """Some runs side by side."""
    workspace = desk_of(request).workspace
    numbers = [number_in(each) for each in request.query_params.getlist("run")][:MOST_COMPARED]
    found = [run for number in dict.fromkeys(numbers) if (run := workspace.run(number)) is not None]
    runs = judged(workspace, (run for run in found if run.state == "done"))
    names = {each.number: each.name for each in workspace.all_data()}
    documents = {run.number: await asyncio.to_thread(document_of, run) for run in runs}
    return shown(
        "compare.html",
        runs=runs,
        names=names,
        chart=charts.side_by_side(runs),
        threats=_by_threat(runs, documents),
        measures=_by_measure(runs, documents),
        several=on_different_data(runs),
        steps=None,
        title="Runs side by side",
    )


def _by_threat(runs: list[Run], documents: Mapping[int, Any]) -> dict[str, list[Any]]:
    """What each attacker reaches in each run; None where it was not tried."""
    found = {
        run.number: {
            risk["threat"]: risk["excess"] or risk["attacker"] for risk in documents[run.number]["risks"]
        }
        for run in runs
    }
    every = dict.fromkeys(name for each in found.values() for name in each)
    return {name: [found[run.number].get(name) for run in runs] for name in every}


def _by_measure(runs: list[Run], documents: Mapping[int, Any]) -> dict[str, list[float | None]]:
    found = {
        run.number: {each["name"]: each["score"] for each in documents[run.number]["utility"]["measures"]}
        for run in runs
    }
    every = dict.fromkeys(name for each in found.values() for name in each)
    return {name: [found[run.number].get(name) for run in runs] for name in every}


# What may be taken home.


async def owners_report(request: Request) -> Response:
    """The owner's report, as the command line writes it."""
    run, _ = run_of(request)
    return _report(run.private / "report.html")


async def public_report(request: Request) -> Response:
    """The report that can be shared."""
    run, _ = run_of(request)
    return _report(run.folder / "release" / "report.html")


def _report(place: Path) -> Response:
    if not place.is_file():
        raise HTTPException(404)
    return FileResponse(
        place, media_type="text/html; charset=utf-8", headers={"content-security-policy": REPORT_POLICY}
    )


async def document(request: Request) -> Response:
    """The document of the audit, for other programs of its owner."""
    run, _ = run_of(request)
    place = run.private / "audit.json"
    if not place.is_file():
        raise HTTPException(404)
    return FileResponse(place, media_type="application/json", filename=f"run-{run.number}-audit.json")


async def release_file(request: Request) -> Response:
    """The published folder, packed."""
    run, _ = run_of(request)
    if not run.published.is_dir():
        raise HTTPException(404)
    if request.method == "HEAD":  # who asks whether it is there does not get it
        return Response(media_type="application/zip")
    answer = await _packed(request, run.folder / "release", "release.zip", PUBLIC)
    hand_out(desk_of(request).workspace, run)
    return answer


async def key_page(request: Request) -> Response:
    """What a key is, before it leaves the studio."""
    run, data = run_of(request)
    if not run.private.is_dir():
        raise HTTPException(404)
    return shown("key.html", run=run, data=data, steps=None, title="Download the key?")


async def key_file(request: Request) -> Response:
    """The private folder, packed; that it was handed out is noted."""
    run, _ = run_of(request)
    async with request.form(max_files=0, max_fields=5, max_part_size=1_000) as form:
        if form.get("understood") != "yes":
            return see(f"/runs/{run.number}/key")
    if not run.private.is_dir():
        raise HTTPException(404)
    answer = await _packed(request, run.private, "key-PRIVATE.zip", PRIVATE_FILE)
    desk_of(request).workspace.note(run.number, "key")
    return answer


async def _packed(request: Request, folder: Path, name: str, mode: int) -> Response:
    place = desk_of(request).workspace.passing / token_hex(16)
    await asyncio.to_thread(_pack, folder, place, mode)
    return _Passing(place, media_type="application/zip", filename=name)


class _Passing(FileResponse):
    """A file that is gone once it was sent, or could not be: it may be the key."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            Path(self.path).unlink(missing_ok=True)


def _pack(folder: Path, place: Path, mode: int) -> None:
    """All files of a folder; on the way nothing is left of what could not be packed, for it may be the key.

    Equal files make equal archives: dates and modes of this machine would tell recipients when and where it was made.
    """
    place.touch(PRIVATE_FILE)
    try:
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.rglob("*")):
                if file.is_file() and not file.is_symlink():
                    member = zipfile.ZipInfo(f"{folder.name}/{file.relative_to(folder).as_posix()}", NO_DATE)
                    member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, mode << 16
                    member.file_size = file.stat().st_size  # large files need another form
                    with open_plain(file) as content, archive.open(member, "w") as packed:
                        shutil.copyfileobj(content, packed)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
