"""Record linkage: somebody knows a few items of one person, and asks a release of any kind which records it may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from cloven.errors import ParameterError
from cloven.model.set_generalised import SetGeneralised

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloven.attack.disassociated.link import Link
    from cloven.attack.generalised.link import GeneralisedLink
    from cloven.model.disassociated import Disassociated


@overload
def candidates(release: Disassociated, items: Iterable[str]) -> Link: ...
@overload
def candidates(release: SetGeneralised, items: Iterable[str]) -> GeneralisedLink: ...


def candidates(release: Disassociated | SetGeneralised, items: Iterable[str]) -> Link | GeneralisedLink:
    """Count the candidate records of somebody who knows these items of one person.

    In a release that keeps its promise there are at least ``k`` candidates for every set of up to ``m``
    items that one original record holds: the promise is a data set in agreement with the release in which
    ``k`` records hold them, and no such data set can have more than ``candidates``. More items may leave
    fewer. A set-generalised release may promise this for the itemsets of a policy alone.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["a", "b"], ["a", "c"], ["a", "d"], ["b", "e"], ["b", "f"]])
    >>> release = cv.Disassociation(k=3, m=2).anonymise(data).release
    >>> found = candidates(release, ["a", "b"])
    >>> found.candidates, found.certain
    (3, 1)
    """
    if isinstance(items, str):
        message = (
            f"known items must be a collection of strings, not one string; got {items!r}, use [{items!r}]"
        )
        raise ParameterError(message)
    known = tuple(sorted(set(items)))
    if not known:
        message = "no item is known; give at least one"
        raise ParameterError(message)
    if isinstance(release, SetGeneralised):
        from cloven.attack.generalised import link as generalised

        return generalised.linked(release, known)
    from cloven.attack.disassociated import link as disassociated

    return disassociated.linked(release, known)
