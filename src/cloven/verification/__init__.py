"""The independent checker: is a release what it says it is? It shares no code with the anonymisers.

``verify`` finds the checker of a release: ``checker`` runs the checks of disassociated ones, ``generalisation`` those
of set-generalised ones; every other module holds one kind of check.
"""

from cloven.verification.kinds import verify
from cloven.verification.verdict import Check, Verdict

__all__ = ["Check", "Verdict", "verify"]
