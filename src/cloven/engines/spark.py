"""The engine for data that one machine does not hold: PySpark 4, ``pip install 'cloven[spark]'``.

Disassociation runs here (``kinds/disassociated/spark``); other methods say that they do not. Nothing is computed before
it is written: ``anonymise`` looks at the method and at the types of columns, ``write`` does the work, in a folder
beside the target that only its owner can read. Driver and workers must see that folder under the same path: a shared
file system, or one machine.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.engines.engine import Planned, expect_sizes
from cloven.engines.frames import SparkSets, of_file, of_frame
from cloven.errors import ClovenError, InputError, OutputError, ParameterError, shorten
from cloven.intake.urls import file_url
from cloven.registry import rooms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from cloven.verification.verdict import Verdict

    Report = Callable[[str, float], None]

PART_CLUSTERS = 16_384
PART_ROWS = 1 << 20


@dataclass(frozen=True)
class Spark:
    """Work on a Spark cluster: ``cv.Disassociation().anonymise(frame, engine=cv.Spark(session))``.

    Attributes:
        session: a ``SparkSession``; None makes one on this machine.
        part_clusters: most clusters of a part of a release; fewer where they are large.
        part_rows: most rows of a part of the root, and about how many the key has in each of its parts.

    Where parts end depends on these numbers and on what is published, so that files tell nothing of partitions.
    """

    session: Any = None
    part_clusters: int = PART_CLUSTERS
    part_rows: int = PART_ROWS

    def __post_init__(self) -> None:
        expect_sizes(part_clusters=self.part_clusters, part_rows=self.part_rows)
        if self.session is None:
            object.__setattr__(self, "session", session_at("local[*]"))
        elif not hasattr(self.session, "sparkContext") or not hasattr(self.session, "createDataFrame"):
            message = f"session must be a SparkSession, got {type(self.session).__name__}; make one with its builder"
            raise ParameterError(message)
        _use_this_python(self.session.sparkContext)

    def read(self, source: Any, **how: Any) -> SparkSets:
        """Sets of items from a Spark DataFrame, a table by ``spark.table(name)``, or the path of a file.

        Args:
            source: a frame, or the path of Parquet, CSV with a header, or lines of items.
            how: ``column`` (lists), or ``id_column`` and ``item_column`` (one item per row); of lines of items
                ``format`` (lines, fimi or spmf) and ``delimiter``.
        """
        if isinstance(source, str | os.PathLike):
            with _in_words():
                return of_file(self.session, os.fspath(source), **how)
        return of_frame(source, **how)

    def anonymise(self, method: Any, data: Any, progress: Report | None = None) -> Planned:
        """A plan that ``write`` carries out; data that is a frame or a path is read first."""
        _room(method, "refusal").refuse(method)
        known = data if isinstance(data, SparkSets) else self.read(data)
        return Planned(method, known, progress or (lambda _step, _share: None))

    def write(self, result: Planned, out: str | os.PathLike[str]) -> None:
        """Make the release of a plan, verify it, and write it to ``out`` and its key to ``out.private``."""
        from cloven.storage.atomic import staged
        from cloven.storage.release import places

        room = _room(result.method, "pipeline")
        public, private = places(Path(out))
        file_url(public)  # refuses what Spark could not name
        with staged(private, public) as (private_place, public_place), _in_words():
            work = private_place.parent / "work"
            sizes = room.Sizes(self.part_clusters, self.part_rows)
            run = room.Pipeline(self.session, result.method, sizes, work, result.report)
            run.run(result.data, public_place, private_place)
            result.report("verify", 0.0)
            self._verified(public_place, work, private_place).raise_if_broken()
            shutil.rmtree(work)

    def verify(
        self,
        path: str | os.PathLike[str],
        *,
        original: Any = None,
        private: str | os.PathLike[str] | None = None,
    ) -> Verdict:
        """Verify a release folder: its parts by the workers, what holds of all of them by counts.

        With the original (what ``read`` gives) and the private folder also that nothing was lost or invented. A release
        that does not lie in parts, or needs to be seen whole, is verified here, in memory, without them.
        """
        from cloven.storage.atomic import staging_folder
        from cloven.storage.inspection import part_checks_of, verify_folder

        if (original is None) != (private is None):
            message = "give the original and the private folder, or neither: here both are compared at once"
            raise ParameterError(message)
        path, checks = Path(path), part_checks_of(Path(path))
        if original is None or private is None:
            return verify_folder(path) if checks is None else checks.verify_parts(path, self.spread)
        if checks is None:
            message = f"{path}: does not lie in parts; compare it with its original in memory"
            raise ParameterError(message)
        data = original if isinstance(original, SparkSets) else self.read(original)
        with staging_folder(Path(private).absolute().parent) as place, _in_words():
            more = _frame_checks(checks)
            known = more.recognised(self.session, data, place)
            found = self._verified(path, place, Path(private))
            return replace(found, checks=(*found.checks, *more.receipt_checks(path, Path(private), known)))

    def opened(self, method: Any, data: Any, scratch: Path) -> AbstractContextManager[Any]:
        """The records of the data as codes in ``scratch``, which workers see."""
        opened: AbstractContextManager[Any] = _room(method, "trial").opened(self, method, data, scratch)
        return opened

    def _verified(self, path: Path, work: Path, private: Path) -> Verdict:
        """The same with the original as it was kept in a working folder."""
        from cloven.storage.inspection import part_checks_of

        parts = part_checks_of(path)
        found: Verdict = parts.verify_parts(path, self.spread)
        if not found.ok:
            return found
        checks = _frame_checks(parts).against(self.session, work, path, private)
        return replace(found, level="key", checks=(*found.checks, *checks))

    def spread(self, function: Callable[[str], str], given: Sequence[str]) -> list[str]:
        """Have the workers call a function with texts; what it gives, in the same order."""
        import pyarrow as pa

        def called(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                told = [function(each) for each in batch.column("given").to_pylist()]
                yield pa.RecordBatch.from_arrays([batch.column("at"), pa.array(told)], ["at", "told"])

        frame = self.session.createDataFrame(list(enumerate(given)), "at bigint, given string")
        rows = frame.repartition(len(given)).mapInArrow(
            lambda batches: called(batches), "at bigint, told string"
        )
        return [row["told"] for row in sorted(rows.collect(), key=lambda row: row["at"])]


def _frame_checks(checks: Any) -> Any:
    """How a kind, of which these are the checks of parts, holds them against their original on Spark."""
    return import_module(f"{checks.__name__.rpartition('.parts.')[0]}.spark.checks")


def _room(method: Any, what: str) -> Any:
    """What a kind of release does on Spark: its module of this name."""
    room = rooms().get(getattr(method, "family", ""), "")
    name = f"{room}.spark"
    if not room or find_spec(name) is None:
        message = f"{type(method).__name__} does not run on Spark, only Disassociation does; work in memory"
        raise ParameterError(message)
    return import_module(f"{name}.{what}")


class _in_words:  # noqa: N801 - reads like a function
    """Faults of workers as the errors that they are, in one line."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None or isinstance(error, ClovenError):
            return
        from py4j.protocol import Py4JNetworkError
        from pyspark.errors import PySparkException

        text = str(error)
        for kind in (InputError, ParameterError):
            _, found, said = text.partition(f"cloven.errors.{kind.__name__}: ")
            if found:
                raise kind(said.splitlines()[0]) from error
        # Java has ended, and nobody answers.
        gone = isinstance(error, ConnectionError | EOFError | Py4JNetworkError)
        if gone or isinstance(error, PySparkException) or type(error).__module__.startswith("py4j"):
            reason = "Java has ended" if gone else shorten(" ".join(text.split()), 300)
            message = f"Spark could not do it, and nothing was written: {reason}; look at its log"
            raise OutputError(message) from error


def _use_this_python(context: Any) -> None:
    """Workers of this machine use this Python, where nobody named another one for them."""
    local = str(getattr(context, "master", "")).startswith("local")
    if local and getattr(context, "pythonExec", "") == "python3" and "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable


def session_at(master: str, *, quiet: bool = False, scratch: Path | None = None) -> Any:
    """A session on this master, whose workers find this Python and the compiled kernels.

    On this machine Spark keeps what it shuffles in ``scratch``, if that is given: records pass through there.
    """
    if find_spec("pyspark") is None:
        message = "the engine spark needs PySpark, which is not installed; pip install 'cloven[spark]'"
        raise ParameterError(message)
    if (
        shutil.which("java") is None
        and not (Path(os.environ.get("JAVA_HOME", "")) / "bin" / "java").is_file()
    ):
        message = "the engine spark needs Java, and there is none; install a JDK 17 or set JAVA_HOME"
        raise ParameterError(message)
    from py4j.protocol import Py4JNetworkError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    cache = os.environ.get("NUMBA_CACHE_DIR")
    builder = SparkSession.builder.master(master).appName("cloven").config("spark.ui.enabled", "false")
    if quiet:
        builder = builder.config("spark.log.level", "OFF").config("spark.ui.showConsoleProgress", "false")
    place = "" if scratch is None else str(scratch.absolute())
    if place and master.startswith("local") and not set(place) & set(',"\\'):  # they would end the path
        builder = builder.config("spark.local.dir", place)
        builder = builder.config("spark.driver.extraJavaOptions", f'"-Djava.io.tmpdir={place}"')
    if cache:
        builder = builder.config("spark.executorEnv.NUMBA_CACHE_DIR", cache)
    try:
        session = builder.getOrCreate()
    except (PySparkException, Py4JNetworkError, RuntimeError, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        if isinstance(error, OSError | Py4JNetworkError) or "JAVA_GATEWAY_EXITED" in reason:
            message = (
                f"Java ended before Spark had begun ({reason}); look at Java, and at the memory there is"
            )
            raise OutputError(message) from error
        message = f"no session of Spark at {master} ({reason}); look at the master, and at Java"
        raise ParameterError(message) from error
    if quiet:
        _quieten(session.sparkContext)
    return session


def _quieten(context: Any) -> None:
    """Where Java dies, one line is said by whoever waits for it, instead of what each thread has to say."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)
    logging.getLogger().addFilter(_is_not_of_gateway)  # which does not name itself
    server = getattr(context, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda *_: None


def _is_not_of_gateway(record: logging.LogRecord) -> bool:
    return Path(record.pathname).name != "java_gateway.py"


def end(session: Any) -> None:
    """Stop a session, whether or not its Java is still there."""
    from py4j.protocol import Py4JError

    with suppress(OSError, EOFError, Py4JError):
        session.stop()
