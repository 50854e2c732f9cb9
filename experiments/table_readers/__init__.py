"""``cloven reproduce table-readers``: what can be inferred of people in and out of tables, by nine methods."""

from experiments.harness.page import Experiment
from experiments.table_readers.page import page, picture
from experiments.table_readers.runs import run

EXPERIMENT = Experiment("table-readers", run, page, picture)
