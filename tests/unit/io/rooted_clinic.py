"""The data of the golden releases with a root.

Leftovers that two clusters share, that many hold, that few hold, and a record of nothing else.
"""

from __future__ import annotations

from cloven.kinds.disassociated.methods import Disassociation

DATA = (
    {"cough", "flu", "salt", "naïve 🦊"},
    {"cough", "flu", "salt"},
    {"cough", "flu", "rash"},
    {"cough", "tea"},
    {"knee", "pain", "salt"},
    {"knee", "pain", 'fox, "red"'},
    {"knee", "pain", "tea"},
    {"knee", "salt", "=1+1"},
    {"eyes", "tea"},
    {"eyes", "שלום"},
    {"eyes", "rash"},
    {"a\nb"},
    {"hip", "gait", "ice"},
    {"hip", "gait", "ice"},
    {"hip", "gait"},
    {"hip"},
    {"arm", "cast", "ice"},
    {"arm", "cast", "ice"},
    {"arm", "cast"},
    {"arm"},
)
METHOD = Disassociation(k=3, m=2, max_cluster_size=5, rare_items="withhold", refine=True)
LISTED = Disassociation(k=3, m=2, max_cluster_size=5, rare_items="list", refine=False)
