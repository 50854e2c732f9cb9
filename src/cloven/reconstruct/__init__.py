"""Plausible data sets and certain supports, from a published release alone."""

from __future__ import annotations

from cloven.reconstruct.bounds import lower_bound_supports
from cloven.reconstruct.chunks import chunk_records
from cloven.reconstruct.worlds import reconstruct, reconstruct_many

__all__ = ["chunk_records", "lower_bound_supports", "reconstruct", "reconstruct_many"]
