"""``cloven attack RELEASE``; ``compose`` has ``cloven attack compose``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from cloven.attack.disassociated.named import RECORD_METHODS, TERM_METHODS, attack_named
from cloven.attack.disassociated.selection import SELECTIONS
from cloven.attack.generalised.named import METHODS as ELIMINATIONS
from cloven.cli import eliminating
from cloven.cli.command import Branching, Group, takes
from cloven.cli.compose import compose
from cloven.cli.console import many, percent, progress, say, say_json
from cloven.cli.eliminating import ELIMINATING, Eliminating
from cloven.cli.places import refuse_places, release_at
from cloven.cli.reading import JsonFlag, ReleasePath, SeedOption, items_in
from cloven.cli.surest import surest, surest_table
from cloven.cli.values import one_of, whole
from cloven.errors import ParameterError
from cloven.model.added import Eliminations
from cloven.model.disassociated import Disassociated
from cloven.model.guesses import Answer, Guesses
from cloven.model.set_generalised import SetGeneralised
from cloven.protocols import Attack, Relatedness

FOR_GENERALISED = tuple(name for name in ("ra", *ELIMINATIONS) if name not in RECORD_METHODS)
METHODS = (*RECORD_METHODS, *FOR_GENERALISED)
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
        self.method = method
        self.given: dict[str, Any] = {"record_method": record_method, "term_method": term_method}
        self.given |= {"selection": selection, "grow_anchors": grow_anchors, "tries": tries}
        self.record_method = record_method or method or "aba"
        self.term_method = term_method or ("random" if method == "vpa" else method) or "aba"
        self.relatedness, self.skip = relatedness, skip
        self.methods_given = any(each is not None for each in (method, record_method, term_method))
        self._options = {"selection": selection, "grow_anchors": grow_anchors, "tries": tries}

    def knowledge(self, release: Disassociated | SetGeneralised) -> Relatedness | None:
        """The relatedness that was named; ``learned`` is learned from the release."""
        from cloven.relatedness.skipping import Skipping
        from cloven.relatedness.spec import parse

        if self.relatedness is None and self.methods_given:
            return None
        known = parse(self.relatedness or "learned", release=release)
        # The list of `cloven text --typos` has a second column, for what was meant.
        skipped = frozenset() if self.skip is None else {line.split("\t")[0] for line in items_in(self.skip)}
        return Skipping(known, frozenset(skipped)) if skipped else known

    def attack(self, relatedness: Relatedness | None) -> Attack:
        """The attack that was chosen."""
        if self.method in FOR_GENERALISED:
            message = f"--method {self.method} is for set-generalised releases; for this one there are "
            raise ParameterError(message + ", ".join(RECORD_METHODS))
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
            one_of(*METHODS), None,
            f"Sets both methods below: {', '.join(RECORD_METHODS)}; default aba. On a set-generalised release:"
            f" {', '.join(FOR_GENERALISED)}; default rba.",
            (),
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


@takes(chosen=ATTACK, eliminations=ELIMINATING)
def attack(
    release: ReleasePath,
    chosen: Chosen,
    eliminations: Eliminating,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="GUESSES", help="New folder for the guesses; default: only show some."
        ),
    ] = None,
    control: Annotated[
        bool, typer.Option("--control/--no-control", help="Also attack with shuffled words, to compare.")
    ] = True,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Put the records of a release back together, from the release and what words mean.

    Without --relatedness and --method the attacker learns from the release alone what goes together.

    In a disassociated release: which part belongs to which record; in a set-generalised one: which items of a
    generalised item were added. The guesses, each with a confidence, go to a new folder with -o; `cloven score`
    compares them with the key. Without -o the surest are shown. Published tables are attacked by `cloven attack
    compose`.
    """
    import numpy as np

    from cloven.io.guesses import write_guesses
    from cloven.io.release import read_set_release
    from cloven.scoring.control import control_of

    if out is not None:
        refuse_places(out)
    with progress("read") as report:
        published = read_set_release(release_at(release), "`cloven attack`")
        relatedness = chosen.knowledge(published)
        rng = np.random.default_rng(seed)
        if isinstance(published, SetGeneralised):
            refuse_given(ATTACK, chosen.given, "disassociated")
            eliminator = eliminations.attack(chosen.method, relatedness)
            found = eliminating.attack_generalised(published, eliminator, out, rng, report, control=control)
            report("tell", 1.0)
            _tell(out, eliminating.summary(found), found, [], json=json)
            return
        refuse_given(ELIMINATING, eliminations.given, "set-generalised")
        attacker = chosen.attack(relatedness)
        guesses = attacker.guess(published, rng, report)
        if out is not None:
            other = control_of(attacker) if control else None
            shuffled = None if other is None else other.guess(published, rng, report)
            report("write", 0.0)
            write_guesses(guesses, published, out, control=shuffled)
    _tell(out, summary(guesses), guesses, surest(guesses, published) if out is None else [], json=json)


class Attacking(Branching):
    """``cloven attack``, and the attacks that have a command of their own."""

    further: ClassVar = {"compose": (compose, "Intersect what several tables say about one person.")}


def _tell(
    out: Path | None,
    facts: dict[str, int],
    guesses: Guesses | Eliminations,
    shown: list[dict[str, Any]],
    *,
    json: bool,
) -> None:
    if json:
        place = {"guesses": None, "surest": shown} if out is None else {"guesses": str(out)}
        say_json({**place, "attack": dict(guesses.attack), "notes": dict(guesses.notes), **facts})
        return
    lines = told(facts) if isinstance(guesses, Guesses) else eliminating.told(facts)
    for line in [*lines, *coverage_words(guesses.notes)]:
        say(line)
    if out is not None:
        say(f"guesses {out}; `cloven score` says how many are right")
        return
    if shown:
        say(surest_table(shown))
    say("nothing is written: keep all guesses with -o FOLDER, and `cloven score` says how many are right")


def refuse_given(group: Group, given: Mapping[str, Any], kind: str) -> None:
    """Refuse options that mean nothing for this kind of release, rather than pass them over."""
    for flag in group.given(given):
        message = f"{flag} is for {kind} releases, and this one is not; leave it out"
        raise ParameterError(message)


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


def told(facts: dict[str, int]) -> list[str]:
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
    return lines


def coverage_words(notes: Mapping[str, Any]) -> list[str]:
    """How many of the items the relatedness knows."""
    parts = (notes, notes.get("record", {}), notes.get("term", {}))
    coverage = next((part["coverage"] for part in parts if "coverage" in part), None)
    if not coverage or not coverage["items"]:
        return []
    known = 1 - coverage["unknown"] / coverage["items"]
    ways = ", ".join(f"{way} {many_items:,}" for way, many_items in coverage["rungs"].items() if many_items)
    return [f"{percent(known)} of {many(coverage['items'], 'item')} known: {ways}"]
