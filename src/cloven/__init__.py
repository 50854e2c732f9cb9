"""Cloven: anonymise sets of items, attack the result, publish only what holds.

The map of the package, in the order in which a data owner thinks:

==========================  ==================================================================================
read data                   ``read``, ``from_frame``, ``sample``, ``Transactions``
look at it                  ``describe``
anonymise                   ``Disassociation`` -> ``Anonymised`` (``release`` for the world, ``key`` for the owner)
prove                       ``verify``, ``verify_folder``
publish and read back       ``write_release``, ``read_release``, ``read_key``
what is it worth            ``utility``, ``reconstruct``, ``lower_bound_supports``, ``Taxonomy``
what does it give away      ``candidates``
all at once                 ``Audit``
==========================  ==================================================================================

>>> import cloven as cv
>>> data = cv.sample("clinic")
>>> result = cv.Disassociation(k=5, m=2).anonymise(data)
>>> cv.verify(result.release, original=data, key=result.key).ok
True

Names are loaded when they are first used, so that importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cloven._version import __version__

if TYPE_CHECKING:
    from cloven.anonymise.disassociation import Disassociation
    from cloven.attack.disassociated.link import candidates
    from cloven.audit import Audit, AuditReport
    from cloven.datasets import sample
    from cloven.errors import (
        ClovenError,
        GuaranteeError,
        InputError,
        OutputError,
        ParameterError,
        ReleaseError,
    )
    from cloven.io.checked import verify_folder
    from cloven.io.frames import from_frame
    from cloven.io.key import read_key
    from cloven.io.readers import read
    from cloven.io.release import read_release, write_release
    from cloven.measure.describe import describe
    from cloven.measure.utility import utility
    from cloven.model.disassociated import Disassociated
    from cloven.model.key import Anonymised, Key
    from cloven.model.taxonomy import Taxonomy, read_taxonomy
    from cloven.model.transactions import Transactions
    from cloven.reconstruction import lower_bound_supports, reconstruct
    from cloven.verification import Verdict, verify

__all__ = [
    "Anonymised",
    "Audit",
    "AuditReport",
    "ClovenError",
    "Disassociated",
    "Disassociation",
    "GuaranteeError",
    "InputError",
    "Key",
    "OutputError",
    "ParameterError",
    "ReleaseError",
    "Taxonomy",
    "Transactions",
    "Verdict",
    "__version__",
    "candidates",
    "describe",
    "from_frame",
    "lower_bound_supports",
    "read",
    "read_key",
    "read_release",
    "read_taxonomy",
    "reconstruct",
    "sample",
    "utility",
    "verify",
    "verify_folder",
    "write_release",
]

_HOME = {
    "Anonymised": "cloven.model.key",
    "Audit": "cloven.audit",
    "AuditReport": "cloven.audit",
    "ClovenError": "cloven.errors",
    "Disassociated": "cloven.model.disassociated",
    "Disassociation": "cloven.anonymise.disassociation",
    "GuaranteeError": "cloven.errors",
    "InputError": "cloven.errors",
    "Key": "cloven.model.key",
    "OutputError": "cloven.errors",
    "ParameterError": "cloven.errors",
    "ReleaseError": "cloven.errors",
    "Taxonomy": "cloven.model.taxonomy",
    "Transactions": "cloven.model.transactions",
    "Verdict": "cloven.verification",
    "candidates": "cloven.attack.disassociated.link",
    "describe": "cloven.measure.describe",
    "from_frame": "cloven.io.frames",
    "lower_bound_supports": "cloven.reconstruction",
    "read": "cloven.io.readers",
    "read_key": "cloven.io.key",
    "read_release": "cloven.io.release",
    "read_taxonomy": "cloven.model.taxonomy",
    "reconstruct": "cloven.reconstruction",
    "sample": "cloven.datasets",
    "utility": "cloven.measure.utility",
    "verify": "cloven.verification",
    "verify_folder": "cloven.io.checked",
    "write_release": "cloven.io.release",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        message = f"module 'cloven' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
