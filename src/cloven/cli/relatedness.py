"""``cloven relatedness``: look at measures of relatedness, compare them with people, and make their files."""

import typer

from cloven.cli import (
    relatedness_counts,
    relatedness_evaluate,
    relatedness_index,
    relatedness_show,
    relatedness_train,
)
from cloven.cli.command import Command

app = typer.Typer(
    help="How related words are: look, compare with people, train, count.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    """How related words are: look, compare with people, train, count."""


for name, command, short in (
    ("forms", relatedness_show.forms, "Every way to name a measure, and what is missing for it."),
    ("show", relatedness_show.show, "Scores of a few words, and how each was found."),
    ("evaluate", relatedness_evaluate.evaluate, "Agreement of a measure with people."),
    ("table-4-1", relatedness_evaluate.table_4_1, "Table 4.1 of the thesis computed again, ours beside it."),
    ("cache", relatedness_train.cache, "Vectors as a file that opens at once."),
    ("train", relatedness_train.train, "Vectors from documents of your own."),
    ("index", relatedness_index.index, "Which documents hold which words, to count them."),
    ("counts", relatedness_counts.counts, "A counts file for some items, from an index or a web search."),
):
    app.command(name, cls=Command, short_help=short)(command)
