"""Plausible data sets and certain supports, from a disassociated release alone."""

from cloven.kinds.disassociated.reconstruction.worlds import worlds_of

__all__ = ["worlds_of"]
