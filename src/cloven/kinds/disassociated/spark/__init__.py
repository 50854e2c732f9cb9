"""Disassociation on Spark: counts and blocks are distributed, the kernels are those of ``methods``.

``pipeline`` shows the way from a frame to two folders, ``counting`` counts over a frame; what works on one block or one
part is in ``blocks``. Records are never collected: the driver sees items, counts and names of files.
"""
