"""Attacks on disassociated releases."""
