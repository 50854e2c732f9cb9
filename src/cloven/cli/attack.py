"""``cloven attack RELEASE``."""

from pathlib import Path
from typing import Annotated

import typer

from cloven.attack.disassociated.named import RECORD_METHODS, TERM_METHODS, attack_named
from cloven.attack.disassociated.selection import SELECTIONS
from cloven.cli.command import Group, takes
from cloven.cli.console import many, percent, progress, say, say_json
from cloven.cli.places import refuse_places, release_at
from cloven.cli.reading import JsonFlag, ReleasePath, SeedOption, items_in
from cloven.cli.values import one_of, whole
from cloven.errors import ParameterError
from cloven.model.disassociated import Disassociated
from cloven.model.guesses import Answer, Guesses
from cloven.protocols import Attack, Relatedness

RELATEDNESS = "vectors:FILE, corpus:FILE, ngd:FILE, learned, sample, ...; see `cloven relatedness forms`."


class Chosen:
    """What the options of an attack say; it becomes an attack once the relatedness is known."""

    def __init__(
        self,
        method: str | None,
        record_method: str | None,
        term_method: str | None,
        relatedness: str | None,
        skip: Path | None,
        selection: str,
        grow_anchors: bool,
        tries: int,
    ) -> None:
        self.record_method = record_method or method or "aba"
        self.term_method = term_method or ("random" if method == "vpa" else method) or "aba"
        self.relatedness, self.skip = relatedness, skip
        self._options = {"selection": selection, "grow_anchors": grow_anchors, "tries": tries}

    def knowledge(self, release: Disassociated) -> Relatedness | None:
        """The relatedness that was named; ``learned`` is learned from the release."""
        from cloven.relatedness.skipping import Skipping
        from cloven.relatedness.spec import parse

        if self.relatedness is None:
            return None
        known = parse(self.relatedness, release=release)
        # The list of `cloven text --typos` has a second column, for what was meant.
        skipped = frozenset() if self.skip is None else {line.split("\t")[0] for line in items_in(self.skip)}
        return Skipping(known, frozenset(skipped)) if skipped else known

    def attack(self, relatedness: Relatedness | None) -> Attack:
        """The attack that was chosen."""
        needed = {self.record_method, self.term_method} - {"vpa", "random"}
        if needed and relatedness is None:
            message = (
                f"method {min(needed)} needs to know how related words are: give --relatedness, such as"
                " vectors:glove.txt or corpus:FILE; without any knowledge there are --method vpa and --method random"
            )
            raise ParameterError(message)
        return attack_named(self.record_method, self.term_method, relatedness, **self._options)  # type: ignore[arg-type]


ATTACK = Group(
    "The attack",
    {
        "method": (
            one_of(*RECORD_METHODS), None, f"Sets both methods below: {', '.join(RECORD_METHODS)}; default aba.", (),
        ),
        "record_method": (one_of(*RECORD_METHODS), None, "For sub-records of record and shared chunks.", ()),
        "term_method": (one_of(*TERM_METHODS), None, f"For term chunks: {', '.join(TERM_METHODS)}.", ()),
        "relatedness": (str | None, None, RELATEDNESS, ()),
        "skip": (Path | None, None, "Items not to ask about, such as the list of `cloven text --typos`.", ()),
        "selection": (one_of(*SELECTIONS), "best", f"How rows are chosen: {', '.join(SELECTIONS)}.", ()),
        "grow_anchors": (bool, False, "What was placed helps to place the rest.", ("--grow-anchors",)),
        "tries": (whole(1), 200, "vpa: arrangements tried for one chunk.", ()),
    },
    Chosen,
)  # fmt: skip


@takes(chosen=ATTACK)
def attack(
    release: ReleasePath,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="GUESSES", help="New folder for the guesses.")],
    chosen: Chosen,
    control: Annotated[
        bool, typer.Option("--control/--no-control", help="Also attack with shuffled words, to compare.")
    ] = True,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Put the records of a release back together, from the release and what words mean alone.

    The guesses, each with a confidence, go to a new folder; `cloven score` compares them with the key.
    """
    import numpy as np

    from cloven.io.guesses import write_guesses
    from cloven.io.release import read_release
    from cloven.scoring.control import control_of

    refuse_places(out)
    with progress("read") as report:
        published = read_release(release_at(release))
        relatedness = chosen.knowledge(published)
        rng = np.random.default_rng(seed)
        attacker = chosen.attack(relatedness)
        guesses = attacker.guess(published, rng, report)
        other = control_of(attacker) if control else None
        shuffled = None if other is None else other.guess(published, rng, report)
        report("write", 0.0)
        write_guesses(guesses, published, out, control=shuffled)
    facts = summary(guesses)
    if json:
        say_json({"guesses": str(out), "attack": dict(guesses.attack), "notes": dict(guesses.notes), **facts})
        return
    for line in told(guesses, facts):
        say(line)
    say(f"guesses {out}; `cloven score` says how many are right")


def summary(guesses: Guesses) -> dict[str, int]:
    """How much was asked and answered."""
    answer = guesses.answer
    return {
        "targets": len(guesses.questions),
        "candidates": len(guesses.questions.slots),
        "links": int(guesses.chosen.sum()),
        "without_anchor": int((answer == Answer.NO_ANCHOR).sum()),
        "without_score": int((answer == Answer.NO_SCORE).sum()),
    }


def told(guesses: Guesses, facts: dict[str, int]) -> list[str]:
    """The same in sentences."""
    lines = [
        f"{many(facts['targets'], 'hidden part')} with {many(facts['candidates'], 'candidate row')};"
        f" {many(facts['links'], 'link')} guessed"
    ]
    if facts["without_anchor"] or facts["without_score"]:
        lines.append(
            f"no information about {facts['without_anchor']:,} whose clusters show no record chunk,"
            f" and {facts['without_score']:,} of which the attack knows nothing"
        )
    parts = (guesses.notes, guesses.notes.get("record", {}), guesses.notes.get("term", {}))
    coverage = next((part["coverage"] for part in parts if "coverage" in part), None)
    if coverage and coverage["items"]:
        known = 1 - coverage["unknown"] / coverage["items"]
        ways = ", ".join(
            f"{way} {many_items:,}" for way, many_items in coverage["rungs"].items() if many_items
        )
        lines.append(f"{percent(known)} of {many(coverage['items'], 'item')} known: {ways}")
    return lines
