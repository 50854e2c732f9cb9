"""Long lists in pages, and what is said of an address that asks for what is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE = 25
"""Lines of one page."""
Lines = TypeVar("Lines", bound=Any)


class NotThereError(ParameterError):
    """What an address asks for is not in the release."""


def page_of(lines: Lines, page: int) -> tuple[Lines, int]:
    """Lines of one page, from 1 on, and how many pages there are; an empty list has one.

    Raises:
        NotThereError: there is no such page.

    >>> page_of(range(60), 3)
    (range(50, 60), 3)
    """
    pages = max(1, -(-len(lines) // PAGE))
    if not 1 <= page <= pages:
        message = f"there is no page {page:,}; there are {pages:,}, from 1 on"
        raise NotThereError(message)
    return lines[(page - 1) * PAGE : page * PAGE], pages


def refuse_order(by: str, orders: Iterable[str], what: str = "groups") -> None:
    """Take one of some orders alone.

    Raises:
        ParameterError: it is another one.
    """
    if by not in orders:
        message = f"{what} cannot be put in the order {by!r}; there are {', '.join(orders)}"
        raise ParameterError(message)
