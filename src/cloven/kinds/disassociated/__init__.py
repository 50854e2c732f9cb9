"""Disassociated releases: records split into chunks (Terrovitis et al., PVLDB 5(10), 2012)."""
