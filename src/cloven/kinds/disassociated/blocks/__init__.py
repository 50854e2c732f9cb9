"""Disassociation block by block, for engines that do not hold all records at once.

``splits`` finds the blocks by counting, ``clusters`` works on one of them with the kernels of ``methods``, ``parts``
writes what lies on disk, ``refusal`` says what cannot be done so. All of it works on Arrow tables; which engine moves
them, Spark (``spark``) or one machine with its disk (``spilled``), makes no difference to what is published.
"""
