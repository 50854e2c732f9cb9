"""Search for settings: as little risk as possible, as much utility as possible, no promise broken.

``tune`` is the search itself, ``tuned`` what it found; ``varied`` says what is searched, ``objectives`` what is
minimised, ``measuring`` tries one setting, first on a sample, ``searching`` is where Optuna proposes, ``study_folder``
where a search is kept.
"""

from cloven.tuning.tune import Tune
from cloven.tuning.tuned import Tuned

__all__ = ["Tune", "Tuned"]
