"""An engine that calls the functions of ``parts`` one after another: records in memory, releases in parts on disk."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import cloven as cv
from cloven.engines.engine import Planned
from cloven.kinds.disassociated.parts.folder import PartsFolder
from cloven.storage.fingerprint import fingerprint
from tests.unit.io.divided import in_parts


@dataclass(frozen=True)
class InParts:
    """Parts of a release have so many clusters, and so many rows of the root. What is read is read when it is used."""

    clusters: int = 7
    rows: int = 1 << 20

    def read(self, source, **how):
        path = Path(source)
        return partial(cv.read, next(path.glob("*.parquet")) if path.is_dir() else path, **how)

    def anonymise(self, method, data, progress=None):
        return Planned(method, data, progress or (lambda _step, _share: None))

    def write(self, result, out):
        data = result.data()
        cv.write_release(result.method.anonymise(data), out, original=data)
        in_parts(Path(out), self.clusters, self.rows)
        result.report("verify", 0.0)

    def verify(self, path, *, original=None, private=None):
        return cv.verify_folder(path, original=original, private=private)

    @contextmanager
    def opened(self, method, data, scratch):
        yield Held(self, method, data(), scratch)


@dataclass(frozen=True, eq=False)
class Held:
    """Records in memory, as a trial wants them (``parts.people.Large``); over them go pieces of a hundred."""

    engine: InParts
    method: cv.Disassociation
    data: cv.Transactions
    scratch: Path

    names = property(lambda self: self.data.vocabulary)
    held = property(lambda self: self.data.holders)
    records = property(lambda self: len(self.data))
    numbers = property(lambda self: int(self.data.source_rows.max(initial=-1)) + 1)

    def known_by(self, receipt):
        return receipt["input_sha256"] == fingerprint(self.data)

    def parts(self, release):
        return PartsFolder(release, lambda function, given: list(map(function, given)), self.scratch)

    def some(self, numbers):
        found = self.data.take(np.flatnonzero(np.isin(self.data.source_rows, numbers)))
        code = np.searchsorted(self.names, found.vocabulary)
        return found.source_rows, found.lengths, code[found.codes]

    def over(self, work, *, sums=False):
        offsets = self.data.offsets
        for first in range(0, self.records, 100):
            last = min(first + 100, self.records)
            codes = self.data.codes[offsets[first] : offsets[last]]
            yield work(self.data.source_rows[first:last], offsets[first : last + 1] - offsets[first], codes)

    def publish_without(self, numbers, place):
        rest = self.data.take(np.flatnonzero(~np.isin(self.data.source_rows, numbers)))
        self.engine.write(self.engine.anonymise(self.method, lambda: rest), place)
