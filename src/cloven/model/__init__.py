"""Frozen data on NumPy arrays; no algorithms."""
