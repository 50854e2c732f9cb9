"""Experiments behind the tables of the documentation, run by ``cloven reproduce``."""
