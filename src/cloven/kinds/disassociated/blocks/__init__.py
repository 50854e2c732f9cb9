"""Disassociation block by block, for engines that do not hold all records at once.

``splits`` finds the blocks by counting, ``clusters`` works on one of them with the kernels of ``methods``, ``parts``
writes what lies on disk, ``refusal`` says what cannot be done so. All of it works on Arrow tables, which
Spark moves (``spark``); what is published is what comes of it in memory.
"""
