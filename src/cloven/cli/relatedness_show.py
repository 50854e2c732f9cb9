"""``cloven relatedness forms`` and ``show``; and how a measure is named on the command line."""

from dataclasses import dataclass
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cloven.cli.console import names, say, say_json, table, visible
from cloven.cli.options import Group, takes
from cloven.cli.places import release_at
from cloven.cli.reading import JsonFlag
from cloven.errors import InputError, ParameterError

if TYPE_CHECKING:
    from cloven.protocols import Related, Relatedness

Spec = Annotated[
    str,
    typer.Argument(
        help="A measure, such as vectors:glove.txt; see `forms`.", metavar="SPEC", show_default=False
    ),
]
PACKAGES = {
    "simplemma": ("simplemma", "lemmas"),
    "HanTa": ("HanTa", "nouns and phrases"),
    "sklearn": ("scikit-learn", "topics"),
    "tantivy": ("tantivy", "indexes of large corpora"),
}
"""Modules of the extra ``cloven[text]``: how the package is called, and what it is for."""
COMPOUND = {
    "shuffled:SPEC": "the control: the same scores between the wrong items",
    "0.7*SPEC+0.3*SPEC": "weighted mean of measures",
    "SPEC|SPEC": "the first, and the second where it has no score",
    "(SPEC)": "brackets; | binds least, shuffled: most",
}
WIDEST = 16


@dataclass(frozen=True)
class Knowledge:
    """What a measure may be made from besides its text.

    Attributes:
        wordnet: folder or tar file of WordNet.
        release: release to learn from.
    """

    wordnet: Path | None = None
    release: Path | None = None

    def measure(self, spec: str) -> "Relatedness":
        """The measure that a text names."""
        from cloven.relatedness.spec import parse
        from cloven.storage.release import read_set_release

        if self.wordnet is not None and not self.wordnet.exists():
            message = "there is no such file or folder; name the folder or tar file of WordNet"
            raise InputError(message, source=str(self.wordnet))
        published = (
            None if self.release is None else read_set_release(release_at(self.release), "relatedness")
        )
        return parse(spec, wordnet=self.wordnet, release=published)


KNOWLEDGE = Group(
    "What else is known",
    {
        "wordnet": (Path | None, None, "WordNet, folder or tar: finds more words in vectors.", ()),
        "release": (Path | None, None, "Release that `learned` learns from.", ()),
    },
    Knowledge,
)


@takes()
def forms(json: JsonFlag = False) -> None:
    """Every way to name a measure of relatedness, and which optional packages are missing."""
    from cloven.relatedness.spec import forms as known

    listed = {form.usage: form.about for form in known().values()} | COMPOUND
    missing = missing_packages()
    if json:
        say_json({"forms": listed, "missing_packages": missing})
        return
    say(table(list(listed.items())))
    lacking = [f"{package} ({use})" for package, use in missing.items()]
    if lacking:
        say(f'\nnot installed: {", ".join(lacking)}; pip install "cloven[text]"')
    else:
        say("\nall optional packages are installed")


def missing_packages() -> dict[str, str]:
    """Packages of the extra that are not installed, and what needs them."""
    return {package: use for module, (package, use) in PACKAGES.items() if find_spec(module) is None}


@takes(knowledge=KNOWLEDGE)
def show(
    spec: Spec,
    words: Annotated[list[str], typer.Argument(help="Words or phrases.", metavar="WORD", show_default=False)],
    knowledge: Knowledge,
    json: JsonFlag = False,
) -> None:
    """How related a few words are by a measure, and how each of them was found.

    Measures from counts have a scale of the vocabulary: with other words beside them, scores change.
    """
    import numpy as np

    items = list(dict.fromkeys(words))
    if not all(item.strip() for item in items):
        message = "a word must not be blank; name words or phrases"
        raise ParameterError(message)
    measure = knowledge.measure(spec)
    related = measure.relate(items)
    places = np.arange(len(items))
    scores = [
        [None if isnan(score) else score for score in row] for row in related.block(places, places).tolist()
    ]
    found = ways(measure, related, items)
    if json:
        say_json({"measure": measure.name, "found": found, "items": items, "scores": scores})
        return
    say(visible(spec))
    cells = [
        (visible(item, WIDEST), *("-" if score is None else f"{score:.3f}" for score in row), found[item])
        for item, row in zip(items, scores, strict=True)
    ]
    say(table(cells, ("", *(visible(item, WIDEST) for item in items), "found by")))
    if related.coverage.unknown:
        say(f"\nno score: {names(related.coverage.unknown)}")


def ways(measure: "Relatedness", related: "Related", items: list[str]) -> dict[str, str]:
    """How each item was found; an item always takes the same way, whatever stands beside it."""
    unknown = set(related.coverage.unknown)
    return {item: "not found" if item in unknown else _way(measure, related, items, item) for item in items}


def _way(measure: "Relatedness", related: "Related", items: list[str], item: str) -> str:
    """The rung of one item: asked for alone, or else what changes when it is left out."""
    try:
        rungs = measure.relate([item]).coverage.rungs
        return next(rung for rung, served in rungs.items() if served)
    except ParameterError:  # part of a measure that knows nothing of what it is asked for refuses
        others = [other for other in items if other != item]
    try:
        rest = measure.relate(others).coverage.rungs
        return next(rung for rung, served in related.coverage.rungs.items() if served > rest.get(rung, 0))
    except ParameterError:
        return "found"
