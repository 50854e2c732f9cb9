"""Measures of relatedness written as one line of text, for command lines and notes.

=====================  =====================================================================================
``NAME:FILE``          a measure by name (``cloven.relatedness.spec``), with its file or folder
``shuffled:SPEC``      the control: the same scores between permuted items
``0.7*SPEC+0.3*SPEC``  weighted mean of z-scores
``SPEC|SPEC``          the first, and the second where the first has no score
``(SPEC)``             brackets; ``shuffled:`` binds closest, then weights, then ``|``
=====================  =====================================================================================

A file name ends at ``|``, at a closing bracket of an open one, and at ``+`` before a weight; in double quotes it may
hold these, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from cloven import relatedness as measures
from cloven.errors import ParameterError, shorten
from cloven.registry import entry_points
from cloven.relatedness.counts import count_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.protocols import Relatedness


_NAME = re.compile(r"[A-Za-z][\w-]*")
_WEIGHT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*\*")
_AND_WEIGHT = re.compile(r"\+\s*(?=(?:\d+(?:\.\d*)?|\.\d+)\s*\*)")
_QUOTED = re.compile(r'"([^"]*)"')
_COMPOUND = ("shuffled:SPEC", "0.7*SPEC+0.3*SPEC", "SPEC|SPEC", "(SPEC)")


def parse(
    text: str,
    *,
    wordnet: str | Path | None = None,
    release: Disassociated | SetGeneralised | None = None,
    seed: int = 0,
) -> Relatedness:
    """Make the measure that a text names.

    Args:
        text: the text.
        wordnet: folder or tar file of WordNet, for words that a file of vectors lacks.
        release: release that is attacked, for ``learned``.
        seed: which permutation ``shuffled`` takes.

    >>> parse("shuffled:sample").name
    'shuffled-vectors'
    """
    reader = _Reader(text, forms(), Surroundings(wordnet, release), seed)
    try:
        measure = reader.back_filled()
    except RecursionError:
        reader.fail("nested too deeply")
    if reader.more():
        reader.fail("expected the end, '|', or weights on both sides of '+'")
    return measure


def paths(text: str) -> tuple[Path, ...]:
    """Files and folders that a text names, without reading them; what it says must make sense.

    >>> paths("sample")
    ()
    """
    found: list[Path] = []

    def noted(argument: str | None, _surroundings: Surroundings) -> Relatedness:
        found.extend([] if argument is None else [Path(argument)])
        return measures.Vectors.sample()  # some measure: only the text around it matters

    noting = {name: replace(form, make=noted) for name, form in forms().items()}
    _Reader(text, noting, Surroundings(), 0).back_filled()
    return tuple(found)


@dataclass
class _Reader:
    """Reads a text from left to right; ``at`` is where it is."""

    text: str
    forms: dict[str, Form]
    surroundings: Surroundings
    seed: int
    at: int = 0
    brackets: int = 0

    def fail(self, what: str, at: int | None = None) -> NoReturn:
        """Raise with the position, and all that could be there."""
        place = self.at if at is None else at
        rest = "the end" if place >= len(self.text) else shorten(self.text[place:], 30)
        known = ", ".join([form.usage for form in self.forms.values()] + list(_COMPOUND))
        message = (
            f"relatedness {shorten(self.text)}: {what} at character {place + 1} ({rest}); forms are {known}"
        )
        raise ParameterError(message)

    def more(self) -> bool:
        """Whether there is something left to read."""
        self._skip()
        return self.at < len(self.text)

    def back_filled(self) -> Relatedness:
        """Measures with ``|`` between them."""
        measure = self._weighted()
        while self._accept("|"):
            measure = measures.BackFilled(measure, self._weighted())
        return measure

    def _weighted(self) -> Relatedness:
        self._skip()
        start = self.at
        if not _WEIGHT.match(self.text, self.at):
            return self._single()
        parts, weights = [], []
        while found := _WEIGHT.match(self.text, self.at):
            weights.append(float(found[1]))
            if weights[-1] == 0:
                self.fail("a weight must be above 0")
            self.at = found.end()
            parts.append(self._single())
            self._skip()
            if not (more := _AND_WEIGHT.match(self.text, self.at)):
                break
            self.at = more.end()
        if len(parts) < 2:
            self.fail("a weight needs a second one, as in 0.7*SPEC+0.3*SPEC", start)
        return measures.Combined(tuple(parts), tuple(weights))

    def _single(self) -> Relatedness:
        self._skip()
        start = self.at
        if self._accept("("):
            self.brackets += 1
            measure = self.back_filled()
            if not self._accept(")"):
                self.fail(f"the bracket of character {start + 1} is not closed")
            self.brackets -= 1
            self._skip()
            return measure
        found = _NAME.match(self.text, self.at)
        if found is None:
            self.fail("expected a measure")
        self.at = found.end()
        if found[0] == "shuffled":
            return self._shuffled()
        if found[0] not in self.forms:
            self.fail(f"no measure is called {found[0]!r}", start)
        return self._make(self.forms[found[0]], start)

    def _shuffled(self) -> Relatedness:
        if not self._accept(":"):
            self.fail("expected ':' and a measure to shuffle")
        return measures.Shuffled(self._single(), self.seed)

    def _make(self, form: Form, start: int) -> Relatedness:
        argument, place = None, self.at
        if self._accept(":"):
            place = self.at
            argument = self._argument()
        if form.takes_path and not argument:
            self.fail(f"expected {form.usage}", start)
        if argument is not None and ":" not in form.usage:
            self.fail(f"{form.usage!r} takes no file", place)
        if form.takes_path:
            argument = str(Path(str(argument)).expanduser())
            if not Path(argument).exists():
                self.fail(f"there is no file or folder {argument!r}", place)
        try:
            return form.make(argument, self.surroundings)
        except OSError as fault:
            message = (
                f"relatedness {shorten(self.text)}: cannot read {argument!r} ({fault.strerror or fault})"
            )
            raise ParameterError(message) from fault

    def _argument(self) -> str:
        """What stands after a colon: quoted, or up to the next sign that means something."""
        self._skip()
        if quoted := _QUOTED.match(self.text, self.at):
            self.at = quoted.end()
            self._skip()
            return quoted[1]
        start = self.at
        while self.at < len(self.text) and not self._ends():
            self.at += 1
        return self.text[start : self.at].strip()

    def _ends(self) -> bool:
        sign = self.text[self.at]
        if sign == "+":
            return _AND_WEIGHT.match(self.text, self.at) is not None
        return sign == "|" or (sign == ")" and self.brackets > 0)

    def _accept(self, sign: str) -> bool:
        self._skip()
        if self.text.startswith(sign, self.at):
            self.at += len(sign)
            return True
        return False

    def _skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1


# Which measures of relatedness can be named in a text such as ``vectors:glove.txt``.
#
# A package joins by an entry point of group ``cloven.relatedness``: its name is the word before the colon, its value a
# function that takes what stands after the colon (or None) and returns a measure. One that cannot be loaded raises: a
# measure that vanishes silently would be worse than none.


@dataclass(frozen=True)
class Surroundings:
    """What a measure may be made from besides its text.

    Attributes:
        wordnet: folder or tar file of WordNet, for words that a file of vectors lacks.
        release: release that is attacked, for measures learned from it.
    """

    wordnet: str | Path | None = None
    release: Disassociated | SetGeneralised | None = None


@dataclass(frozen=True)
class Form:
    """One named form.

    Attributes:
        usage: how it is written, such as ``vectors:FILE``.
        about: what it is, in a few words.
        make: makes the measure from what stands after the colon, None if there is nothing.
        takes_path: whether that must be a file or folder that exists.
    """

    usage: str
    about: str
    make: Callable[[Any, Surroundings], Relatedness]
    takes_path: bool = True


# Every measure is loaded when it is made: the package finds its module by name.
_BUILT_IN = (
    Form(
        "vectors:FILE", "word vectors, such as GloVe", lambda path, near: measures.Vectors(path, near.wordnet)
    ),
    Form("corpus:FILE", "vectors trained on a corpus", lambda path, _: measures.Corpus.load(path)),
    Form(
        "ngd:FILE",
        "Google distance from document counts",
        lambda path, _: measures.GoogleDistance(count_source(path)),
    ),
    Form(
        "centred-ngd:FILE",
        "the same without the level of rare words",
        lambda path, _: measures.CentredDistance(count_source(path)),
    ),
    Form(
        "npmi:FILE",
        "mutual information from document counts",
        lambda path, _: measures.MutualInformation(count_source(path)),
    ),
    Form(
        "open-ngd:FILE",
        "ngd without a score for items never together",
        lambda path, _: measures.GoogleDistance(count_source(path), never="unknown"),
    ),
    Form(
        "open-npmi:FILE",
        "npmi without a score for items never together",
        lambda path, _: measures.MutualInformation(count_source(path), never="unknown"),
    ),
    Form("wordnet:PATH", "Wu-Palmer similarity", lambda path, _: measures.WordNet(path)),
    Form("sample", "vectors for the built-in sample", lambda *_: measures.Vectors.sample(), takes_path=False),
    Form("learned", "learned from the release itself", lambda _, near: _learned(near), takes_path=False),
)


def forms() -> dict[str, Form]:
    """All forms by name: the built-in ones, then those of other packages.

    >>> list(forms())[:3]
    ['vectors', 'corpus', 'ngd']
    """
    found = {form.usage.partition(":")[0]: form for form in _BUILT_IN}
    for point in entry_points(group="cloven.relatedness"):
        if point.name in found or point.name == "shuffled":
            message = f"two measures are called {point.name!r}; uninstall the package of {point.value!r} or rename it"
            raise ParameterError(message)
        found[point.name] = _foreign(point.name, point.load())
    return found


def _foreign(name: str, make: Callable[[str | None], Relatedness]) -> Form:
    return Form(
        f"{name}[:ARGUMENT]", "of another package", lambda argument, _: make(argument), takes_path=False
    )


def _learned(surroundings: Surroundings) -> Relatedness:
    if surroundings.release is None:
        message = "'learned' needs a release to learn from; it is for attacks, name another measure here"
        raise ParameterError(message)
    return measures.Learned.of_release(surroundings.release)
