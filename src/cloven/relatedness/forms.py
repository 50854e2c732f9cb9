"""Which measures of relatedness can be named in a text such as ``vectors:glove.txt``.

A package joins by an entry point of group ``cloven.relatedness``: its name is the word before the colon, its value a
function that takes what stands after the colon (or None) and returns a measure. One that cannot be loaded raises: a
measure that vanishes silently would be worse than none.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.model.disassociated import Disassociated
    from cloven.model.set_generalised import SetGeneralised
    from cloven.protocols import CountSource, Relatedness


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
    make: Callable[[str | None, Surroundings], Relatedness]
    takes_path: bool = True


def forms() -> dict[str, Form]:
    """All forms by name: the built-in ones, then those of other packages.

    >>> list(forms())[:3]
    ['vectors', 'corpus', 'ngd']
    """
    found = {form.usage.partition(":")[0]: form for form in _built_in()}
    for point in entry_points(group="cloven.relatedness"):
        if point.name in found or point.name == "shuffled":
            message = f"two measures are called {point.name!r}; uninstall the package of {point.value!r} or rename it"
            raise ParameterError(message)
        found[point.name] = _foreign(point.name, point.load())
    return found


def count_source(path: str | Path) -> CountSource:
    """Counts of documents, told apart by what is there: index of a corpus, closed index, or counts file."""
    path = Path(path)
    if path.is_dir():
        from cloven.relatedness.counts_tantivy import TantivyIndex

        return TantivyIndex.open(path)
    with path.open("rb") as file:
        start = file.read(4)
    if start == b"PK\x03\x04":
        from cloven.relatedness.counts_closed import ClosedIndex

        return ClosedIndex.load(path)
    from cloven.relatedness.counts_file import CountsFile

    return CountsFile(path)


def _built_in() -> tuple[Form, ...]:
    return (
        Form("vectors:FILE", "word vectors, such as GloVe", _vectors),
        Form("corpus:FILE", "vectors trained on a corpus", _corpus),
        Form("ngd:FILE", "Google distance from document counts", _google),
        Form("centred-ngd:FILE", "the same without the level of rare words", _centred),
        Form("npmi:FILE", "mutual information from document counts", _mutual),
        Form("open-ngd:FILE", "ngd without a score for items never together", _open_google),
        Form("open-npmi:FILE", "npmi without a score for items never together", _open_mutual),
        Form("wordnet:PATH", "Wu-Palmer similarity", _wordnet),
        Form("sample", "vectors for the built-in sample", _sample, takes_path=False),
        Form("learned", "learned from the release itself", _learned, takes_path=False),
    )


def _foreign(name: str, make: Callable[[str | None], Relatedness]) -> Form:
    return Form(
        f"{name}[:ARGUMENT]", "of another package", lambda argument, _: make(argument), takes_path=False
    )


def _vectors(argument: str | None, surroundings: Surroundings) -> Relatedness:
    from cloven.relatedness.vectors import Vectors

    return Vectors(str(argument), surroundings.wordnet)


def _corpus(argument: str | None, _: Surroundings) -> Relatedness:
    from cloven.relatedness.corpus import Corpus

    return Corpus.load(str(argument))


def _google(argument: str | None, _: Surroundings) -> Relatedness:
    from cloven.relatedness.ngd import GoogleDistance

    return GoogleDistance(count_source(str(argument)))


def _open_google(argument: str | None, _: Surroundings) -> Relatedness:
    from cloven.relatedness.ngd import GoogleDistance

    return GoogleDistance(count_source(str(argument)), never="unknown")


def _centred(argument: str | None, _: Surroundings) -> Relatedness:
    from cloven.relatedness.centred import CentredDistance

    return CentredDistance(count_source(str(argument)))


def _mutual(argument: str | None, _: Surroundings) -> Relatedness:
    from cloven.relatedness.npmi import MutualInformation

    return MutualInformation(count_source(str(argument)))


def _open_mutual(argument: str | None, _: Surroundings) -> Relatedness:
    from cloven.relatedness.npmi import MutualInformation

    return MutualInformation(count_source(str(argument)), never="unknown")


def _wordnet(argument: str | None, _: Surroundings) -> Relatedness:
    from cloven.relatedness.wordnet import WordNet

    return WordNet(str(argument))


def _sample(_argument: str | None, _: Surroundings) -> Relatedness:
    from cloven.relatedness.vectors import Vectors

    return Vectors.sample()


def _learned(_argument: str | None, surroundings: Surroundings) -> Relatedness:
    from cloven.relatedness.learned import Learned

    if surroundings.release is None:
        message = "'learned' needs a release to learn from; it is for attacks, name another measure here"
        raise ParameterError(message)
    return Learned.of_release(surroundings.release)
