"""``cloven reproduce EXPERIMENT``."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from cloven.cli.console import progress, say
from cloven.cli.ending import endings
from cloven.cli.options import takes
from cloven.errors import ParameterError

app = typer.Typer(help="Run the experiments behind the tables in the documentation.", no_args_is_help=True)

Out = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        help="Folder like a checkout, for docs/results and experiments/figures; files are replaced.",
    ),
]
Data = Annotated[
    Path | None, typer.Option(help="Folder of the public data sets; default CLOVEN_DATA, ../shared/data.")
]

CHECKOUT = Path(__file__).resolve().parents[3]
Quick = Annotated[bool, typer.Option("--quick", help="Small samples, to see that it runs.")]
Kept = Annotated[
    bool,
    typer.Option("--kept", help="Make the page from the figures of the last run, which the checkout keeps."),
]


@app.callback()
def _group() -> None:
    """Run the experiments behind the tables in the documentation."""
    with endings(frozenset()):
        find_experiments("reproduce")


def find_experiments(command: str, checkout: Path = CHECKOUT) -> None:
    """Experiments are no part of the installed package; a checkout has them beside it."""
    if not (checkout / "experiments" / "__init__.py").is_file():
        message = (
            f"there are no experiments in {checkout}: the package comes without them; run this in a checkout of the"
            f" project (`make install`, then `.venv/bin/cloven {command}`)"
        )
        raise ParameterError(message)
    if str(checkout) not in sys.path:
        sys.path.append(str(checkout))


EXPERIMENTS = {
    "datasets": (
        "Every public data set with the defaults, audited, and anonymised the papers' way.",
        "some minutes",
    ),
    "disassociation": (
        "Time and utility against k, m, cluster size, strategy and refining.",
        "about half an hour",
    ),
    "thesis": (
        "The semantic attack of the thesis on three corpora, beside chance and control.",
        "a quarter of an hour",
    ),
    "cover": (
        "What covers give away against cluster size, beside data without associations, and what their repair costs.",
        "about ten minutes",
    ),
    "tuning": (
        "Settings that beat the default on three public data sets, if there are any.",
        "about half an hour",
    ),
    "generalisation": (
        "The attacks on set-generalised data on five data sets, beside what no knowledge gets.",
        "about a quarter of an hour",
    ),
    "slicing": (
        "Slicing and the upper/lower-level method under the composition attack.",
        "about ten minutes",
    ),
    "known-person": (
        "What is told of people of whom something is known, setting by setting.",
        "about half an hour",
    ),
    "likely-counts": (
        "How often the interval of a likely count holds the true one, by data set and number of records.",
        "about a quarter of an hour",
    ),
    "table-readers": (
        "What every reader tells of people in and out of tables, by nine methods.",
        "about half an hour",
    ),
    "made-elsewhere": (
        "The tables that ARX made for pyCANON's examples, audited against their originals.",
        "some minutes",
    ),
}
"""Those whose files come by name, each from the module and function of its name: what it shows, how long it takes."""


def _command(name: str, about: str) -> Callable[..., None]:
    """The command of an experiment: run it, write its files, and say where its page is."""

    @takes()
    def command(out: Out, data: Data = None, quick: Quick = False, kept: Kept = False) -> None:
        from experiments.harness.data import data_folder

        name_of_module = name.replace("-", "_")
        module = import_module(f"experiments.{name_of_module}")
        experiment = getattr(module, "EXPERIMENT", None)
        with progress("read") as report:
            if experiment is None:
                files = getattr(module, name_of_module)(data_folder(data), report, quick=quick)
            elif kept:
                files = experiment.files(experiment.kept(CHECKOUT))
            else:
                files = experiment.files(experiment.run(data_folder(data), report, quick=quick))
        for file, text in files.items():
            (out / file).parent.mkdir(parents=True, exist_ok=True)
            (out / file).write_text(text, encoding="utf-8")
        say(str(out / next(file for file in files if file.endswith(".md"))))

    command.__doc__ = about
    return command


for named, (told, spent) in EXPERIMENTS.items():
    app.command(named)(_command(named, f"{told} Takes {spent}."))
