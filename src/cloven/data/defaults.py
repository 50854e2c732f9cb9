"""What is usual, each number once: it stands wherever an owner names nothing."""

from __future__ import annotations

K = 5
"""Who knows what is assumed to be known is left with so many candidates: the usual least."""
M = 2
"""An attacker knows so many items of somebody: the usual assumption."""
L = 2
"""A class shows so many sensitive values: less would show one."""
CLUSTER = 120
"""Records of a cluster, at most: larger ones hide better, smaller ones keep more pairs."""
SEED = 1
"""For what is measured and compared, never for what is published: the same command says the same sentence."""
