"""Read set-valued data from files: delimited lines, FIMI, SPMF, long and list tables, JSON and Parquet."""

from cloven.reading.options import ReadOptions, ReadReport, UnplacedError
from cloven.reading.reader import read, read_reported

__all__ = ["ReadOptions", "ReadReport", "UnplacedError", "read", "read_reported"]
