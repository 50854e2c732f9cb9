"""The cluster inspector as pages: a release taken apart into its groups, for people who would rather look than type.

Every view has an address that can be kept; links and forms lead from one to the next, and no page needs a script. The
truth is shown only where the owner's key is at hand and the address asks for it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cloven.errors import ParameterError
from cloven.figures import many
from cloven.report.page import environment
from cloven.studio.inspection.drawer import Drawer
from cloven.studio.inspection.listing import NotThereError
from cloven.studio.inspector_address import Address, whole
from cloven.studio.inspector_drawing import meter, sure
from cloven.studio.inspector_rows import RowPages
from cloven.studio.inspector_sets import SetPages
from cloven.studio.inspector_tables import TablePages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment
    from starlette.requests import Request

    from cloven.protocols import Relatedness

Shown = tuple[str, dict[str, Any]]
"""The name of a template, and what it shows."""
OpenRelease = Callable[[str], "tuple[Any, Any | None] | None"]
"""The release of a run, and its key if that is there; None if there is no such run, or it made no release."""
RELEASES = 4
"""Releases that are kept arranged at once."""
REPORT = ("colours.css", "charts.css", "style.css")


class Pages(Protocol):
    """The pages of one release; each gives the name of a template and what it shows."""

    @property
    def release(self) -> Any:
        """What is looked at."""
        ...

    @property
    def key(self) -> Any:
        """The owner's key to it; None if that is not there."""
        ...

    @property
    def meaningful(self) -> tuple[str, ...]:
        """Items of which its pages ask what they mean; none where no attack goes by that."""
        ...

    def overview(self, address: Address) -> Shown:
        """All groups, the worst first."""
        ...

    def group(self, address: Address, number: int) -> Shown:
        """One group."""
        ...

    def known(self, address: Address) -> Shown:
        """What is told of somebody of whom something is known."""
        ...

    def people(self, address: Address) -> Shown:
        """The people of whom most is told."""
        ...


KINDS: Mapping[str, Callable[[Any, Any, Any, Drawer], Pages]] = {
    "disassociation": SetPages.of,
    "generalisation": RowPages.of,
    "tables": TablePages.of,
}
"""Pages by the family of a release."""


@dataclass
class Shelf:
    """Releases that were looked at lately, arranged; the least lately used goes first."""

    held: OrderedDict[str, Pages] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)

    def take(
        self, run: str, release: Any, key: Any, relatedness: Relatedness | None, drawer: Drawer
    ) -> Pages:
        """The pages of a release; made anew if the run has another release or key than before.

        Raises:
            NotThereError: nothing is there to look at such a release with.
        """
        with self.lock:
            pages = self.held.pop(run, None)
            if pages is None or pages.release is not release or pages.key is not key:
                pages = pages_of(release, key, relatedness, drawer)
            self.held[run] = pages
            while len(self.held) > RELEASES:
                self.held.popitem(last=False)
            return pages


def pages_of(release: Any, key: Any, relatedness: Relatedness | None, drawer: Drawer) -> Pages:
    """The pages of a release.

    Raises:
        NotThereError: nothing is there to look at such a release with.
    """
    make = KINDS.get(getattr(release, "family", ""))
    if make is None:
        message = "releases of this kind have no groups to look into; the report tells what was found"
        raise NotThereError(message)
    return make(release, key, relatedness, drawer)


def inspector_routes(
    open_release: OpenRelease,
    *,
    relatedness: Callable[[str], Relatedness | None] | None = None,
    drawer: Callable[[str], Drawer] | None = None,
    waiting: Callable[[str], Response | None] | None = None,
    outline: str = "inspector_outline.html",
    around: Callable[[str], Mapping[str, Any]] | None = None,
) -> list[Route]:
    """Routes of the inspector, to be mounted where the path names the run as ``{run}``.

    Args:
        open_release: gives release and key of a run.
        relatedness: what words mean for a run, if there is something to try that with.
        drawer: where a run keeps what takes long to find out.
        waiting: the page to show instead as long as that is not kept; None once it is.
        outline: template around every page, with the blocks ``head`` and ``main``; it gets a ``title``.
        around: what else the outline needs, given the run.
    """
    shelf, templates = Shelf(), _templates()

    def page(request: Request, view: Callable[[Pages, Address], Shown]) -> Response:
        address, run = _address(request), str(request.path_params.get("run", ""))
        shown = dict(around(run)) if around is not None else {}
        shown |= {"address": address, "outline": outline, "run": run}
        opened = open_release(run)
        shown["owner"] = opened is not None and opened[1] is not None
        try:
            if opened is None:
                message = "there is no such run, or it has no release yet"
                raise NotThereError(message)
            _owner_only(address, opened[1])
            words = None if relatedness is None else relatedness(run)
            kept = Drawer() if drawer is None else drawer(run)
            name, more = view(shelf.take(run, *opened, words, kept), address)
        except ParameterError as error:
            status = 404 if isinstance(error, NotThereError) else 400
            shown |= {"problem": str(error), "status": status, "title": "Nothing to show", "owner": False}
            return _answer(templates, "inspector_problem.html", shown, status)
        return _answer(templates, name, shown | more)

    async def soon(request: Request, view: Callable[[Pages, Address], Shown]) -> Response:
        run = str(request.path_params.get("run", ""))
        instead = None if waiting is None else waiting(run)
        return await asyncio.to_thread(page, request, view) if instead is None else instead

    async def overview(request: Request) -> Response:
        return await soon(request, lambda pages, address: pages.overview(address))

    async def group(request: Request) -> Response:
        number = str(request.path_params["number"])
        return await soon(
            request, lambda pages, address: pages.group(address, whole(number, "the number of a group"))
        )

    async def known(request: Request) -> Response:
        return await soon(request, lambda pages, address: pages.known(address))

    async def people(request: Request) -> Response:
        return await soon(request, lambda pages, address: pages.people(address))

    return [
        Route("/", overview, name="clusters"),
        Route("/known", known, name="known"),
        Route("/people", people, name="people"),
        Route("/inspector.css", lambda _: _sheet(templates, ("inspector.css",)), name="inspector-style"),
        Route("/page.css", lambda _: _sheet(templates, REPORT), name="page-style"),
        Route("/{number}", group, name="cluster"),
    ]


def _address(request: Request) -> Address:
    root = str(request.scope.get("root_path", ""))
    inside = str(request.scope["path"]).removeprefix(root).strip("/")
    return Address(quote(root), inside, tuple(request.query_params.multi_items()))


def _owner_only(address: Address, key: Any) -> None:
    if address.truth and key is None:
        message = (
            "the key of this run is not here, so nobody can say what is true; only the owner of the data can, with the"
            " key that was written beside the release"
        )
        raise NotThereError(message)


def _answer(templates: Environment, name: str, shown: Mapping[str, Any], status: int = 200) -> Response:
    return HTMLResponse(templates.get_template(name).render(shown, template=name), status)


def _sheet(templates: Environment, names: tuple[str, ...]) -> Response:
    text = "\n".join(templates.get_template(name).render() for name in names)
    return Response(text, media_type="text/css")


def _templates() -> Environment:
    """The templates of the report, with all that they are written with, and those of the inspector."""
    from jinja2 import ChoiceLoader, PackageLoader

    made = environment().overlay(
        loader=ChoiceLoader([PackageLoader("cloven.studio"), PackageLoader("cloven.report")])
    )
    made.filters = made.filters | {
        "base": _without_query,
        "many": many,
        "meter": meter,
        "sure": sure,
        "verbatim": _verbatim,
    }
    return made


def _without_query(address: str) -> str:
    """Where a form sends what it asks for: its fields become the query."""
    return address.partition("?")[0]


def _verbatim(text: str) -> Markup:
    """What a form sends back must be the item itself, hidden characters and all; it is escaped and never shown."""
    return escape(text)
