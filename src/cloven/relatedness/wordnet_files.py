"""WordNet's own database files, read without any other library.

A folder, or a ``.tar`` packed or not, that holds ``data.noun``, ``index.noun``, ``noun.exc`` and the same for verbs,
adjectives and adverbs, as distributed with WordNet 3.0 and 3.1 (format: the manual page ``wndb(5WN)``; base forms:
``morphy(7WN)``; Miller, "WordNet: a lexical database for English", CACM 38(11), 1995). Files are read when they are
first needed. Lemmas are in lower case with ``_`` for spaces, as in the index files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cloven.errors import InputError, ParameterError
from cloven.intake.files import content as content_of
from cloven.intake.packing import TAR, Budget, entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from cloven.compiled import Longs

    T = TypeVar("T")

MOST_BYTES = 1 << 30
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
            content = (
                self._members[name] if self.path.is_file() else content_of(self.path / name, within=self.path)
            )
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
        if not self.path.name.lower().endswith(TAR):
            message = "cannot be read as a tar file; name WordNet's folder or its .tar.gz"
            raise InputError(message, source=str(self.path))
        budget = Budget(str(self.path), MOST_BYTES)
        found = ((Path(entry.name).name, entry.content) for entry in entries(self.path, budget))
        return {name: content for name, content in found if name in wanted}


# Lines of WordNet's database files (manual page ``wndb(5WN)``) as arrays and dictionaries.
#
# A line of a data file: byte offset, number of the lexicographer file, type, number of words (hexadecimal), words each
# with a number, number of pointers, pointers (symbol, offset, part of speech, source and target), a bar, the gloss.
# A line of an index file: lemma, part of speech, number of synsets, number of pointer symbols, the symbols, two more
# numbers, byte offsets of the synsets. Lines that start with a space are the licence.


_ABOVE = ("@", "@i")  # hypernym, and class of an instance (a city of cities)
_SYNTACTIC_MARKER = re.compile(r"\((?:a|p|ip)\)$")


@dataclass(frozen=True, eq=False, repr=False)
class Synsets:
    """Synsets of one part of speech, numbered in the order of the file.

    Attributes:
        offsets: byte offset of each synset, ascending; its name in the files.
        words: words of each synset, in the case and with the underscores of the file.
        above_starts: where the hypernyms of each synset start in ``above``, and where the last ones end.
        above: hypernyms and classes of instances.
    """

    offsets: Longs
    words: tuple[tuple[str, ...], ...]
    above_starts: Longs
    above: Longs

    def __len__(self) -> int:
        return len(self.offsets)

    def at(self, offsets: Sequence[int], source: str) -> list[int]:
        """Positions of synsets that the index names by their byte offsets."""
        places = np.searchsorted(self.offsets, np.asarray(offsets, np.int64))
        known = self.offsets[np.minimum(places, len(self) - 1)] == offsets
        if not np.all(known):
            lost = str(offsets[int(np.argmin(known))])
            message = (
                "the index names a synset that the data file lacks; take all files from one copy of WordNet"
            )
            raise InputError(message, source=source, value=lost)
        found: list[int] = places.tolist()
        return found

    def hypernyms(self, synset: int) -> list[int]:
        """Synsets directly above one."""
        found: list[int] = self.above[self.above_starts[synset] : self.above_starts[synset + 1]].tolist()
        return found


def parse_synsets(text: str, source: str) -> Synsets:
    """Read a data file."""

    def parse(line: str) -> tuple[int, tuple[str, ...], list[int]]:
        fields = line.partition("|")[0].split()
        words = _words(fields)
        pointers = 5 + 2 * len(words)
        symbols = fields[pointers : pointers + 4 * int(fields[pointers - 1]) : 4]
        above = [int(fields[pointers + 4 * i + 1]) for i, s in enumerate(symbols) if s in _ABOVE]
        return int(fields[0]), words, above

    rows = list(_parsed(text, source, parse))
    at = np.array([offset for offset, _, _ in rows], np.int64)
    if len(at) == 0 or (np.diff(at) <= 0).any():
        message = "no synsets, or not in the order of their offsets; get the file anew"
        raise InputError(message, source=source)
    starts = np.concatenate(([0], np.cumsum([len(above) for _, _, above in rows], dtype=np.int64)))
    synsets = Synsets(at, tuple(words for _, words, _ in rows), starts, np.empty(0, np.int64))
    above = synsets.at([offset for _, _, targets in rows for offset in targets], source)
    return replace(synsets, above=np.array(above, np.int64))


def synset_texts(text: str, source: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Words and gloss of each line of a data file."""

    def parse(line: str) -> tuple[tuple[str, ...], str]:
        head, gloss = line.split(" | ", 1)
        return _words(head.split()), gloss.strip()

    return _parsed(text, source, parse)


def parse_index(text: str, source: str) -> dict[str, tuple[int, ...]]:
    """Read an index file: byte offsets of the synsets of each lemma."""

    def parse(line: str) -> tuple[str, tuple[int, ...]]:
        fields = line.split()
        offsets = tuple(map(int, fields[6 + int(fields[3]) :]))
        if len(offsets) != int(fields[2]) or not offsets:
            raise ValueError(line)
        return fields[0], offsets

    return dict(_parsed(text, source, parse))


def parse_exceptions(text: str, source: str) -> dict[str, tuple[str, ...]]:
    """Read an exception list: an irregular form and its base forms in each line."""
    found: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        form, *bases = line.split() or [""]
        if form and not bases:
            raise _malformed(source, number, line)
        if form:
            found[form] = (*found.get(form, ()), *bases)
    return found


def _words(fields: Sequence[str]) -> tuple[str, ...]:
    """Words of a line of a data file."""
    written = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
    return tuple(_SYNTACTIC_MARKER.sub("", word) for word in written)


def _parsed(text: str, source: str, parse: Callable[[str], T]) -> Iterator[T]:
    """What each line holds that is not part of the licence; one that cannot be parsed raises."""
    for number, line in enumerate(text.split("\n"), 1):
        if line and line[0] != " ":
            try:
                yield parse(line)
            except (ValueError, IndexError) as error:
                raise _malformed(source, number, line) from error


def _malformed(source: str, number: int, line: str) -> InputError:
    message = "not a line of a WordNet database file; get the file anew"
    return InputError(message, source=source, line=number, value=line)


# Rules that cut the endings of regular English words, as WordNet's manual page ``morphy(7WN)`` lists them.


_ENDINGS = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}


def detached(word: str, part: str) -> list[str]:
    """Candidates for the base form of a word, in the order of the rules; most of them are no words.

    Nouns of one or two letters and those in ``-ss`` have no ending to cut; of those in ``-ful`` the part before it is
    cut (``boxesful``).

    >>> detached("biopsies", "noun")
    ['biopsie', 'biopsy']
    >>> detached("boxesful", "noun")
    ['boxeful', 'boxful']
    """
    kept = ""
    if part == "noun":
        if len(word) <= 2 or word.endswith("ss"):
            return []
        if word.endswith("ful"):
            word, kept = word[:-3], "ful"
    return [
        word.removesuffix(ending) + instead + kept
        for ending, instead in _ENDINGS[part]
        if word.endswith(ending) and len(word) > len(ending)
    ]
