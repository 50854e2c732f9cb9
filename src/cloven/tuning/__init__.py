"""Search for settings: as little risk as possible, as much utility as possible, no promise broken.

``tune`` is the loop, ``result`` what it found; ``objectives`` says what is minimised, ``search`` what is varied, where
Optuna proposes and where a search is kept.
"""

from cloven.tuning.result import Tuned
from cloven.tuning.tune import Tune

__all__ = ["Tune", "Tuned"]
