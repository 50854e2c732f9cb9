"""Disassociation (Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 5(10), 2012)."""

from cloven.kinds.disassociated.methods.disassociation import Disassociation

__all__ = ["Disassociation"]
