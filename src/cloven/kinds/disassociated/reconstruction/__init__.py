"""Plausible data sets and certain supports, from a disassociated release alone."""
