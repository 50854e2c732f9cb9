"""Disassociation (Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 5(10), 2012)."""

from cloven.anonymise.disassociation.method import Disassociation

__all__ = ["Disassociation"]
