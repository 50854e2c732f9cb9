"""The independent checker of set-generalised releases. It shares no code with the anonymisers."""

from cloven.kinds.generalised.verify.checker import verify_generalised

__all__ = ["verify_generalised"]
