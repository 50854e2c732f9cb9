"""A drawer for what takes long to find out about a release: a worker fills it, and the server only looks into it."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

from cloven.errors import InputError
from cloven.intake.files import content
from cloven.intake.packing import arrays_in
from cloven.intake.trees import tree_of
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.relatedness.learned import Learned

T = TypeVar("T")
READY = "ready"
"""The file that says that all is here, and about which release."""


@dataclass(frozen=True)
class Drawer:
    """A folder of what was found out, or none: then everything is found out where it is asked for.

    Attributes:
        folder: where; only its owner may enter, for the truth can lie in it.
    """

    folder: Path | None = None

    def kept(
        self, name: str, make: Callable[[], T], plain: Callable[[T], Any], back: Callable[[Any], T]
    ) -> T:
        """What lies here under a name; made now and put here if it does not, or is damaged.

        Args:
            name: what it is called.
            make: finds it out.
            plain: as JSON values.
            back: from these; a ``ValueError``, ``TypeError`` or ``KeyError`` says that they are damaged.
        """
        if self.folder is None:
            return make()
        place = self.folder / f"{name}.json"
        with suppress(OSError, ValueError, TypeError, KeyError):
            digest, _, written = content(place).partition(b"\n")
            if digest == _digest(written):  # a figure that changed on the disk would be believed
                return back(tree_of(written))
        found = make()
        written = json.dumps(plain(found)).encode()
        self._put(place, lambda new: new.write_bytes(_digest(written) + b"\n" + written))
        return found

    def learned(self, make: Callable[[], Learned]) -> Learned:
        """The same for what was learned from a release: vectors are many, and are no JSON."""
        from cloven.relatedness.learned import Learned

        if self.folder is None:
            return make()
        place = self.folder / "learned.npz"
        with suppress(InputError):
            return Learned.load(place)
        found = make()
        self._put(place, found.save)
        return found

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Arrays that lie here under a name; the archive has a checksum for each.

        Raises:
            OSError: there are none.
            ValueError: they are damaged.
        """
        if self.folder is None:
            raise FileNotFoundError(name)
        return arrays_in(self.folder / f"{name}.npz")

    def put_arrays(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Put arrays here."""
        import numpy as np

        if self.folder is None:
            return
        with BytesIO() as written:
            np.savez(written, **arrays)  # type: ignore[arg-type]
            self._put(self.folder / f"{name}.npz", lambda new: new.write_bytes(written.getbuffer()))

    def forget(self) -> None:
        """Have all of it found out anew by a worker, when the inspector is opened the next time."""
        if self.folder is not None:
            (self.folder / READY).unlink(missing_ok=True)

    @staticmethod
    def _put(place: Path, write: Callable[[Path], Any]) -> None:
        """Write a private file; whoever reads sees the old one, or all of the new one."""
        place.parent.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        unfinished = place.with_name(f".{place.name}")
        write(unfinished)
        unfinished.chmod(PRIVATE_FILE)
        unfinished.replace(place)


def _digest(written: bytes) -> bytes:
    return hashlib.sha256(written).hexdigest().encode()
