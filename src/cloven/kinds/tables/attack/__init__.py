"""Attacks on published tables: whom a release, or several that share people, gives away."""
