"""Attacks on set-generalised releases: which items of a generalised item were added, which were there?"""
