"""Plausible data sets, certain supports and documents, from a disassociated release alone."""

from cloven.kinds.disassociated.reconstruction.evidence import documents
from cloven.kinds.disassociated.reconstruction.worlds import worlds_of

__all__ = ["documents", "worlds_of"]
