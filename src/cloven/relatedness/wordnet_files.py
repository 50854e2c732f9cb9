"""WordNet's own database files, read without any other library.

A folder, or a ``.tar`` packed or not, that holds ``data.noun``, ``index.noun``, ``noun.exc`` and the same for verbs,
adjectives and adverbs, as distributed with WordNet 3.0 and 3.1 (format: the manual page ``wndb(5WN)``; base forms:
``morphy(7WN)``; Miller, "WordNet: a lexical database for English", CACM 38(11), 1995). Files are read when they are
first needed. Lemmas are in lower case with ``_`` for spaces, as in the index files.
"""

from __future__ import annotations

import tarfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cloven.errors import InputError, ParameterError
from cloven.relatedness.wordnet_morphy import detached
from cloven.relatedness.wordnet_parsing import parse_exceptions, parse_index, parse_synsets, synset_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from cloven.relatedness.wordnet_parsing import Synsets

    T = TypeVar("T")

PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")


@dataclass(frozen=True, eq=False)
class WordNetFiles:
    """WordNet in a folder or a tar file.

    Synsets are named by their position in the data file of their part of speech.

    Attributes:
        path: the folder or the tar file.
    """

    path: Path
    _parsed: dict[tuple[str, str], Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))
        if not self.path.exists():
            message = "no such folder or tar file; name where the files of WordNet (data.noun, ...) are"
            raise InputError(message, source=str(self.path))

    def index(self, part: str = "noun") -> Mapping[str, tuple[int, ...]]:
        """Byte offsets of the synsets of each lemma, the most frequent sense first."""
        return self._once("index", part, parse_index)

    def synsets(self, part: str = "noun") -> Synsets:
        """All synsets of a part of speech."""
        return self._once("data", part, parse_synsets)

    def exceptions(self, part: str = "noun") -> Mapping[str, tuple[str, ...]]:
        """Base forms of irregular words."""
        return self._once("exc", part, parse_exceptions)

    def senses(self, lemma: str, part: str = "noun") -> list[int]:
        """Synsets of a lemma, the most frequent sense first; none if it is not in the index."""
        offsets = self.index(part).get(lemma, ())
        return self.synsets(part).at(offsets, str(self.path)) if offsets else []

    def morphy(self, word: str, parts: Sequence[str] = PARTS_OF_SPEECH) -> list[str]:
        """Base forms of a word that WordNet knows, without repeats: the word itself, irregular forms, endings cut.

        Rules for endings are used only if the word is not irregular.
        """
        word = word.lower().replace(" ", "_")
        found = dict.fromkeys(
            form
            for part in parts
            for form in (word, *(self.exceptions(part).get(word) or detached(word, part)))
            if form in self.index(part)
        )
        return list(found)

    def documents(self, parts: Sequence[str] = PARTS_OF_SPEECH) -> Iterator[str]:
        """One short text for each synset: its words, then its gloss."""
        for part in parts:
            for words, gloss in synset_texts(*self._text("data", part)):
                yield f"{', '.join(words)}: {gloss}".replace("_", " ")

    def _once(self, kind: str, part: str, parse: Callable[[str, str], T]) -> T:
        if (kind, part) not in self._parsed:
            self._parsed[kind, part] = parse(*self._text(kind, part))
        found: T = self._parsed[kind, part]
        return found

    def _text(self, kind: str, part: str) -> tuple[str, str]:
        """Content of a file and its name, for messages."""
        if part not in PARTS_OF_SPEECH:
            message = f"unknown part of speech {part!r}; known are {', '.join(PARTS_OF_SPEECH)}"
            raise ParameterError(message)
        name = f"{part}.exc" if kind == "exc" else f"{kind}.{part}"
        source = f"{self.path}/{name}"
        try:
            content = self._members[name] if self.path.is_file() else (self.path / name).read_bytes()
            return content.decode("utf-8"), source
        except (KeyError, FileNotFoundError) as error:
            message = "missing; a copy of WordNet needs data, index and exception (.exc) files for each part of speech"
            raise InputError(message, source=source) from error
        except (OSError, UnicodeDecodeError) as error:
            message = f"cannot be read ({error}); get WordNet anew"
            raise InputError(message, source=source) from error

    @cached_property
    def _members(self) -> dict[str, bytes]:
        """Files of a tar by their last name; unpacked once, since a packed tar can only be read through."""
        wanted = {f"{kind}.{part}" for kind in ("data", "index") for part in PARTS_OF_SPEECH}
        wanted |= {f"{part}.exc" for part in PARTS_OF_SPEECH}
        try:
            with tarfile.open(self.path) as archive:
                return {
                    Path(member.name).name: stream.read()
                    for member in archive
                    if Path(member.name).name in wanted and (stream := archive.extractfile(member))
                }
        except (tarfile.TarError, EOFError, OSError) as error:
            message = f"cannot be read as a tar file ({error}); name WordNet's folder or its .tar.gz"
            raise InputError(message, source=str(self.path)) from error
