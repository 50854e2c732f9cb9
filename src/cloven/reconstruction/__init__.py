"""Plausible data sets and certain supports, from a published release alone."""

from __future__ import annotations

from cloven.reconstruction.bounds import lower_bound_supports
from cloven.reconstruction.chunks import chunk_records
from cloven.reconstruction.tables import reconstruct_table
from cloven.reconstruction.worlds import reconstruct, reconstruct_many

__all__ = ["chunk_records", "lower_bound_supports", "reconstruct", "reconstruct_many", "reconstruct_table"]
