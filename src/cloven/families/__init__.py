"""Families: all that an audit knows of one kind of release, one file each.

A method names its family (``method.family``); ``registry.family_of`` finds it. Steps later than anonymising never ask
which method it was.
"""
