"""Disassociation on Spark: counts and blocks are distributed, the kernels are those of ``methods``.

``pipeline`` shows the way from a frame to two folders, ``counting`` counts over a frame, ``clusters`` works on one
block, ``parts`` writes what lies on disk. Records are never collected: the driver sees items, counts and
names of files.
"""
