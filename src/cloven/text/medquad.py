"""MedQuAD: question and answer pages of the National Institutes of Health, one XML file each.

A page becomes one document: the text of its answers; its focus is the title. Pages without an answer (three parts of
the collection hold questions only) are dropped and counted.

The files are read with expat, which fetches nothing from outside. A page with a document type declaration is refused,
and entities cannot be declared in any other place, so none can grow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.parsers import expat

from cloven.errors import InputError
from cloven.text.documents import Document, DocumentOptions, Dropped
from cloven.text.files import matching_texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WANTED = ("Focus", "Answer")


def read_medquad(path: Path, options: DocumentOptions) -> Iterator[Document | Dropped]:
    """One document for each page with an answer."""
    pattern = "*.xml" if options.pattern == "*" else options.pattern
    for name, place, page in matching_texts(path, options, pattern, "utf-8"):
        texts = _texts(page, place)
        answers = [answer for answer in (text.strip() for text in texts["Answer"]) if answer]
        title = " ".join(" ".join(texts["Focus"]).split()) or None
        yield Document(name, "\n\n".join(answers), title) if answers else Dropped("page without an answer")


def _texts(page: str, place: str) -> dict[str, list[str]]:
    """What stands in the elements that are wanted, in order."""
    found: dict[str, list[str]] = {name: [] for name in _WANTED}
    inside: list[str] = []

    def start(name: str, _attributes: dict[str, str]) -> None:
        if name in found:
            inside.append(name)
            found[name].append("")

    def end(name: str) -> None:
        if inside and inside[-1] == name:
            inside.pop()

    def data(text: str) -> None:
        if inside:
            found[inside[-1]][-1] += text

    def refuse(*_: object) -> None:
        message = "holds a document type declaration, which pages of this collection do not have; remove it"
        raise InputError(message, source=place)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = data, refuse
    try:
        parser.Parse(page, True)  # noqa: FBT003 - the last piece
    except expat.ExpatError as error:
        message = f"not XML: {expat.errors.messages[error.code]}"
        raise InputError(message, source=place, line=error.lineno) from error
    return found
