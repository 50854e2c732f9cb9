"""The independent checker: is a release what it says it is? It shares no code with the anonymisers.

``checker`` runs the checks; every other module holds one kind of check.
"""

from cloven.verification.checker import verify
from cloven.verification.verdict import Check, Verdict

__all__ = ["Check", "Verdict", "verify"]
