"""Methods that papers compare with and describe too briefly to build: stand-ins, for tables of experiments alone."""

from __future__ import annotations

from typing import Any

from cloven.settings import parse_setting
from experiments.stand_ins.composition_like import CompositionLike
from experiments.stand_ins.hybrid import Hybrid
from experiments.stand_ins.merging_like import MergingLike
from experiments.stand_ins.probabilistic_like import ProbabilisticLike

STAND_INS: dict[str, Any] = {
    "hybrid": Hybrid,
    "merging-like": MergingLike,
    "composition-like": CompositionLike,
    "probabilistic-like": ProbabilisticLike,
}


def method_from(setting: str) -> Any:
    """The method of a setting such as ``merging-like:k=6,l=6``: a stand-in with whole numbers, or one of Cloven's."""
    name, _, rest = setting.partition(":")
    if name not in STAND_INS:
        return parse_setting(setting)
    return STAND_INS[name](
        **{key: int(value) for key, value in (each.split("=") for each in rest.split(","))}
    )
