"""``cloven reproduce EXPERIMENT``."""

import typer

app = typer.Typer(help="Run the experiments behind the tables in the documentation.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Run the experiments behind the tables in the documentation."""
