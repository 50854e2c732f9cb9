"""Changes that any nesting of parts allows: leave out, repeat, move, exchange, join.

Holders are lists or sets whose parts may go elsewhere; those of one family lie beside each other, as rows of a chunk
do. Lists hold parts by identity, so that whoever points at one still finds it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

Holder = list[Any] | set[Any]
NEAR = 0.6
"""How often a part stays in its family."""


@dataclass(frozen=True)
class Nesting:
    """One level of parts.

    Attributes:
        name: of a part.
        families: holders that lie beside each other.
        copy: another part with the same content.
        gone: is told of parts that are left out.
    """

    name: str
    families: Sequence[Sequence[Holder]]
    copy: Callable[[Any], Any] = lambda part: part
    gone: Callable[[list[Any]], None] = lambda _parts: None

    def change(self, rng: Random) -> str:
        """Change one place; says what was done, or nothing where it was not possible."""
        full = [(family, holder) for family in self.families for holder in family if holder]
        if not full:
            return ""
        family, holder = rng.choice(full)
        others = family if rng.random() < NEAR else [each for group in self.families for each in group]
        other, part = rng.choice(others), rng.choice(_parts(holder))
        match rng.randrange(5):
            case 0:
                return self._left_out(holder, part, rng)
            case 1:
                target = other if isinstance(holder, set) or rng.random() < 0.3 else holder
                for _ in range(rng.choice((1, 1, 2))):
                    _put(target, self.copy(part))
                return f"{self.name} repeated"
            case _ if other is holder:
                return ""
            case 2:
                _take(holder, part)
                _put(other, part)
                return f"{self.name} moved"
            case 3 if other:
                back = rng.choice(_parts(other))
                _take(holder, part)
                _take(other, back)
                _put(holder, back)
                _put(other, part)
                return f"{self.name} exchanged"
            case _:
                for each in _parts(holder):
                    _put(other, each)
                holder.clear()
                return f"every {self.name} of one place moved to another"

    def _left_out(self, holder: Holder, part: Any, rng: Random) -> str:
        """One part, or all that look like it where there are such."""
        alike = [each for each in _parts(holder) if _look(each) == _look(part)]
        out = alike if rng.random() < 0.3 else [part]
        for each in out:
            _take(holder, each)
        self.gone(out)
        return f"{len(out)} {self.name} left out"


def _look(part: Any) -> str:
    return repr(sorted(part.items)) if hasattr(part, "items") else repr(part)


def _parts(holder: Holder) -> list[Any]:
    return sorted(holder) if isinstance(holder, set) else list(holder)


def _take(holder: Holder, part: Any) -> None:
    if isinstance(holder, set):
        holder.discard(part)
    else:
        holder[:] = [each for each in holder if each is not part]


def _put(holder: Holder, part: Any) -> None:
    if isinstance(holder, set):
        holder.add(part)
    else:
        holder.append(part)
