"""``cloven reproduce cover``: the cover problem by cluster size, beside data without associations, and its repair."""

from experiments.cover.page import page, picture
from experiments.cover.runs import run
from experiments.harness.page import Experiment

EXPERIMENT = Experiment("cover", run, page, picture)
