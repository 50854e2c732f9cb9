"""The attackers that the options of ``cloven breach`` name."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

from cloven.breach.attackers import Moderate, Strong, WeakPublic, WeakWords
from cloven.breach.knowledge_file import FromFile
from cloven.cli.reading import items_in, read_data
from cloven.errors import InputError, ParameterError
from cloven.io.readers import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.breach.knowledge import Attacker
    from cloven.model.transactions import Transactions

NAMES = ("strong", "moderate", "weak")


def attackers_named(
    wanted: Sequence[str] | None,
    original: Transactions | None,
    share: float,
    wordnet: Path | None,
    public: Path | None,
) -> list[Attacker]:
    """One attacker for each name; without names, all for which enough is given."""
    possible = {"strong": True, "moderate": original is not None, "weak": bool(wordnet or public)}
    names = [name for name in NAMES if possible[name]] if not wanted else list(dict.fromkeys(wanted))
    out: list[Attacker] = []
    for name in names:
        if name == "strong":
            out.append(Strong())
        elif name == "moderate":
            if original is None:
                message = (
                    "a moderate attacker knows parts of records: give --original FILE, the data released"
                )
                raise ParameterError(message)
            out.append(Moderate(share))
        elif name == "weak":
            out += _weak(wordnet, public)
        elif Path(name).exists():
            out.append(FromFile(Path(name)))
        else:
            message = "no such file; --attacker is strong, moderate, weak, or a file with one known itemset per line"
            raise InputError(message, source=name)
    return out


def _weak(wordnet: Path | None, public: Path | None) -> list[Attacker]:
    if wordnet is None and public is None:
        message = (
            "a weak attacker knows words or what is public: give --wordnet PATH (WordNet, or a list of words) or"
            " --public FILE (data)"
        )
        raise ParameterError(message)
    out: list[Attacker] = []
    if wordnet is not None:
        out.append(WeakWords(words_at(wordnet)))
    if public is not None:
        out.append(WeakPublic(read_data(public, ReadOptions())))
    return out


def words_at(path: Path) -> list[str]:
    """All lemmas of WordNet (a folder or a tar), or the lines of a list of words."""
    if path.is_file() and not tarfile.is_tarfile(path):
        return items_in(path)
    from cloven.relatedness.wordnet_files import PARTS_OF_SPEECH, WordNetFiles

    files = WordNetFiles(path)
    return [lemma.replace("_", " ") for part in PARTS_OF_SPEECH for lemma in files.index(part)]
