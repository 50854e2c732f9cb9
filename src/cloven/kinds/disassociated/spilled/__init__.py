"""Disassociation of data that memory does not hold, on one machine with its disk.

``pipeline`` shows the way from a file to two folders of parts. ``gathering`` reads the file piece by piece,
``ordering`` sorts what does not fit, ``counting`` counts over it, ``publication`` writes parts and key; ``room`` says
who may use how much memory. What works on one block or one part is in ``blocks``.
"""
