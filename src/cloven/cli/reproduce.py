"""``cloven reproduce EXPERIMENT``."""

import json as json_text
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from cloven.cli.console import progress, say
from cloven.cli.ending import endings
from cloven.cli.options import takes
from cloven.errors import ParameterError

app = typer.Typer(help="Run the experiments behind the tables in the documentation.", no_args_is_help=True)

Out = Annotated[
    Path, typer.Option("--out", "-o", help="Folder for the page and the figures; files are replaced.")
]
Data = Annotated[
    Path | None, typer.Option(help="Folder of the public data sets; default CLOVEN_DATA, ../shared/data.")
]

CHECKOUT = Path(__file__).resolve().parents[3]
Quick = Annotated[bool, typer.Option("--quick", help="Small samples, to see that it runs.")]


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


@app.command("datasets")
@takes()
def datasets(out: Out, data: Data = None) -> None:
    """Every public data set anonymised, verified and measured with the defaults. Takes about a minute."""
    from experiments.disassociation import datasets as experiment
    from experiments.harness.data import data_folder

    with progress("read") as report:
        page, runs = experiment(data_folder(data), report)
    _write(out, "datasets", page, [run.to_dict() for run in runs])


@app.command("disassociation")
@takes()
def disassociation(
    out: Out,
    data: Data = None,
    quick: Quick = False,
) -> None:
    """Time and utility against k, m, cluster size, strategy and refining. Takes about half an hour."""
    from experiments.disassociation import disassociation as experiment
    from experiments.harness.data import data_folder

    with progress("read") as report:
        page, runs = experiment(data_folder(data), report, quick=quick)
    figures = {name: [run.to_dict() for run in found] for name, found in runs.items()}
    _write(out, "disassociation", page, figures)


@app.command("thesis")
@takes()
def thesis(
    out: Out,
    data: Data = None,
    quick: Quick = False,
) -> None:
    """The semantic attack of the thesis on three corpora, beside chance and control. Takes a quarter of an hour."""
    from experiments.thesis import thesis as experiment

    _run(experiment, "thesis", out, data, quick)


@app.command("cover")
@takes()
def cover(
    out: Out,
    data: Data = None,
    quick: Quick = False,
) -> None:
    """What covers give away against cluster size, and what their repair costs. Takes some minutes."""
    from experiments.cover import cover as experiment

    _run(experiment, "cover", out, data, quick)


@app.command("tuning")
@takes()
def tuning(
    out: Out,
    data: Data = None,
    quick: Quick = False,
) -> None:
    """Settings that beat the default on three public data sets, if there are any. Takes about half an hour."""
    from experiments.tuning import tuning as experiment

    _run(experiment, "tuning", out, data, quick)


@app.command("generalisation")
@takes()
def generalisation(
    out: Out,
    data: Data = None,
    quick: Quick = False,
) -> None:
    """The attacks on set-generalised data on five data sets, beside what no knowledge gets. Takes some minutes."""
    from experiments.generalisation import generalisation as experiment

    _run(experiment, "generalisation", out, data, quick)


@app.command("slicing")
@takes()
def slicing(
    out: Out,
    data: Data = None,
    quick: Quick = False,
) -> None:
    """Slicing and the upper/lower-level method under the composition attack. Takes about ten minutes."""
    from experiments.slicing import slicing as experiment

    _run(experiment, "slicing", out, data, quick)


@app.command("known-person")
@takes()
def known_person(
    out: Out,
    data: Data = None,
    quick: Quick = False,
) -> None:
    """What is told of people of whom something is known, setting by setting. Takes about half an hour."""
    from experiments.known_person import known_person as experiment

    _run(experiment, "known-person", out, data, quick)


@app.command("table-readers")
@takes()
def table_readers(
    out: Out,
    data: Data = None,
    quick: Quick = False,
) -> None:
    """What every reader tells of people in and out of tables, by nine methods. Takes about half an hour."""
    from experiments.table_readers import table_readers as experiment

    _run(experiment, "table-readers", out, data, quick)


def _run(
    experiment: Callable[..., dict[str, str]], name: str, out: Path, data: Path | None, quick: bool
) -> None:
    """Run an experiment that gives files by name, write them, and say where its page is."""
    from experiments.harness.data import data_folder

    with progress("read") as report:
        files = experiment(data_folder(data), report, quick=quick)
    for file, text in files.items():
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (out / file).write_text(text, encoding="utf-8")
    say(f"{out / name}.md")


def _write(out: Path, name: str, page: str, figures: Any) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.md").write_text(page, encoding="utf-8")
    (out / f"{name}.json").write_text(json_text.dumps(figures, indent=1) + "\n", encoding="utf-8")
    say(f"{out / name}.md")
