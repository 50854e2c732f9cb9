"""Disassociation on Spark: counts and blocks are distributed, the kernels are those of ``methods``.

``pipeline`` shows the way from a frame to two folders; ``splits`` finds the blocks, ``clusters`` works on one of them,
``parts`` writes what lies on disk. Records are never collected: the driver sees items, counts and names of files.
"""
