"""Plausible data sets and certain supports, from a published release alone."""

from __future__ import annotations

from cloven.kinds.disassociated.reconstruction.evidence import chunk_records, lower_bound_supports
from cloven.kinds.disassociated.reconstruction.worlds import reconstruct, reconstruct_many
from cloven.kinds.tables.reconstruction import reconstruct_table

__all__ = ["chunk_records", "lower_bound_supports", "reconstruct", "reconstruct_many", "reconstruct_table"]
