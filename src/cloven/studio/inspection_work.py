"""The job behind *Look inside*: open every kind of page of a release once, so that what takes long is kept.

What a page needs that is not kept is read off the release at once; functions that it calls are compiled by then, too.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER, write_bytes
from cloven.storage.release import read_key, read_release
from cloven.studio.inspection.drawer import READY, Drawer
from cloven.studio.inspection.words import keep_words
from cloven.studio.inspector import pages_of
from cloven.studio.inspector_address import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cloven.protocols import Relatedness
    from cloven.studio.inspector import Pages
    from cloven.studio.worker import Teller


def inspect(job: Mapping[str, Any], tell: Teller) -> dict[str, Any]:
    """Fill the drawer of a run; gives nothing but what lies there."""
    folder = Path(job["folder"])
    shutil.rmtree(folder, ignore_errors=True)  # of another version, or of a worker that was killed
    folder.mkdir(PRIVATE_FOLDER)
    tell.progress("read the release", 0.0)
    release = read_release(Path(job["published"]))
    key = read_key(Path(job["private"]), release)
    drawer = Drawer(folder)
    pages = pages_of(release, key, None, drawer)
    looks = _looks(pages)
    if job["meanings"] and pages.meaningful:
        looks["look up what the items mean"] = lambda: keep_words(
            drawer, lambda: meanings(job["meanings"]), pages.meaningful
        )
    for number, (step, look) in enumerate(looks.items(), 1):
        tell.progress(step, number / (len(looks) + 1))
        with suppress(ParameterError):  # not every release has every page
            look()
    write_bytes(folder / READY, job["stamp"].encode(), PRIVATE_FILE)
    return {}


def meanings(text: str) -> Relatedness:
    """What words mean, by its specification. It can be a file of gigabytes: never to be opened in the server."""
    from cloven.relatedness.spec import parse

    return parse(text)


def _looks(pages: Pages) -> dict[str, Callable[[], Any]]:
    """What is opened, in words."""
    truth = (("truth", "1"),)
    rebuilt = Address("", query=(*truth, ("rebuild", "1")))
    return {
        "look for what is told of the people in each group": lambda: pages.overview(Address("")),
        "learn from the release, and put a group together": lambda: pages.group(rebuilt, 0),
        "hold what an attack puts together against the truth": lambda: pages.overview(
            Address("", query=truth)
        ),
        "look for the people of whom most is told": lambda: pages.people(Address("", query=truth)),
    }
