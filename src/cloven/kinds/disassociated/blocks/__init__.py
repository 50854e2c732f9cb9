"""Disassociation block by block, for engines that do not hold all records at once.

``clusters`` works on one block with the kernels of ``methods``, ``parts`` writes what lies on disk. All of it works on
Arrow tables, which Spark moves (``spark``); what is published is what comes of it in memory.
"""
