"""Search for settings: as little risk as possible, as much utility as possible, no promise broken.

``tune`` is the search itself, ``tuned`` what it found; ``space`` says what is searched, ``objectives`` what is
minimised, ``search`` is where Optuna proposes and where a search is kept.
"""

from cloven.tuning.tune import Tune
from cloven.tuning.tuned import Tuned

__all__ = ["Tune", "Tuned"]
