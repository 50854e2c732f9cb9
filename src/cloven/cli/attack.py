"""``cloven attack RELEASE`` and ``cloven attack compose RELEASE RELEASE``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import typer

from cloven.cli import attack_generalised as eliminating
from cloven.cli.attack_generalised import ELIMINATING, Eliminating
from cloven.cli.console import names, progress, say, say_json, table
from cloven.cli.options import Branching, Group, takes
from cloven.cli.places import refuse_places, release_at
from cloven.cli.reading import JsonFlag, ReleasePath, SeedOption, items_in
from cloven.cli.score import interval
from cloven.cli.table_options import SchemaFile
from cloven.cli.values import one_of, whole
from cloven.errors import ParameterError
from cloven.figures import many, percent
from cloven.kinds.disassociated.attack.named import RECORD_METHODS, TERM_METHODS, attack_named
from cloven.kinds.disassociated.attack.selection import SELECTIONS
from cloven.kinds.disassociated.guesses import Answer, Guesses
from cloven.kinds.disassociated.release import Disassociated, Kind
from cloven.kinds.generalised.attack.elimination import ELIMINATIONS
from cloven.kinds.generalised.guesses import Eliminations
from cloven.kinds.generalised.release import SetGeneralised
from cloven.kinds.tables.guesses import Found, ValueGuesses
from cloven.kinds.tables.score.score import TableFindings
from cloven.protocols import Attack, Relatedness

# ``cloven attack compose RELEASE RELEASE --known TABLE --schema FILE``.


HEADER = ("row", "values left", "likeliest", "confidence", "which are left")


@takes()
def compose(
    releases: Annotated[
        list[Path],
        typer.Argument(help="Published tables, two or more.", metavar="RELEASE", show_default=False),
    ],
    known: Annotated[Path, typer.Option(metavar="TABLE", help="Persons whose quasi-identifiers are known.")],
    schema: SchemaFile,
    attribute: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What to find out; default: the only sensitive attribute."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="New CSV file: what is left of each person."),
    ] = None,
    score: Annotated[
        bool, typer.Option("--score", help="TABLE holds the true values too: tell how many are found.")
    ] = False,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Intersect what several releases say about persons that they share (composition attack).

    Of every person in TABLE only the quasi-identifiers are used; with --score the true values are compared at the end.
    """
    import numpy as np

    from cloven.kinds.tables.attack.values import Composition
    from cloven.kinds.tables.guesses import Known
    from cloven.kinds.tables.score.score import score_values
    from cloven.kinds.tables.score.truth import true_values
    from cloven.reading.schema_file import read_schema
    from cloven.reading.tables import read_table
    from cloven.storage.release import read_table_release

    if len(releases) < 2:
        message = f"a composition attack needs at least two releases, got {len(releases)}; name another one"
        raise ParameterError(message)
    if out is not None:
        refuse_places(out)
    with progress("read"):
        published = [read_table_release(release_at(each), "`cloven attack compose`") for each in releases]
        roles = read_schema(schema)
        looks = tuple(each for each in roles.columns if each.role == "quasi-identifier")
        persons = read_table(known, roles if score else replace(roles, columns=looks))
        guesses = Composition(attribute).guess(published, Known.of(persons))
        found = None
        if score:
            truth = true_values(persons, guesses.attribute)
            found = score_values(guesses, truth, rng=np.random.default_rng(seed))
        if out is not None:
            _write(guesses, persons.source_rows.tolist(), out)
    _tell_values(guesses, found, json=json)


def _tell_values(guesses: ValueGuesses, found: TableFindings | None, *, json: bool) -> None:
    from cloven.kinds.tables.score.score import GUESSING, VALUE_MEASURES

    left = guesses.candidate.sum(axis=1)
    figures: dict[str, Any] = {
        "attribute": guesses.attribute,
        "persons": len(guesses),
        "found_in_all": int((guesses.found == Found.EVERYWHERE).sum()),
        "found_nowhere": int((guesses.found == Found.NOWHERE).sum()),
        "one_value_left": int((left == 1).sum()),
        "mean_values_left": float(left.mean()) if len(left) else 0.0,
    }
    if json:
        say_json(figures | ({} if found is None else {"findings": found.to_dict()}))
        return
    say(
        f"{guesses.attribute} of {many(len(guesses), 'person')}: {figures['found_in_all']:,} fit every release,"
        f" {figures['mean_values_left']:.1f} values are left on average, a single one of"
        f" {many(figures['one_value_left'], 'person')}"
    )
    if found is not None:
        rows = [
            (
                each.measure,
                interval(each.value, each.low, each.high),
                interval(each.chance),
                VALUE_MEASURES[each.measure],
            )
            for each in found
        ]
        say(table(rows, ("measure", "attacker", "guessing", "what it means")))
        say(f"guessing is {GUESSING}")


def _write(guesses: ValueGuesses, rows: list[int], out: Path) -> None:
    """One line for each person, by the row of TABLE from 0; of those who fit nothing, nothing is said."""
    import csv
    import io

    from cloven.figures import escape_formula
    from cloven.storage.atomic import staged, write_bytes

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for person, row in enumerate(rows):
        left = guesses.candidates(person)
        best, sure = next(iter(left.items()), ("", None))
        writer.writerow(
            (
                row,
                len(left),
                escape_formula(best),
                "" if sure is None else f"{sure:.4f}",
                escape_formula(" | ".join(left)),
            )
        )
    with staged(out) as (place,):
        write_bytes(place, text.getvalue().encode())


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
        from cloven.relatedness.combination import Skipping
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

    from cloven.kinds.disassociated.guesses_files import write_guesses
    from cloven.kinds.transactions import control_of
    from cloven.storage.release import read_set_release

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


attack.command_class = Attacking  # type: ignore[attr-defined]


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


# The links that an attack on a disassociated release is surest of, for people to look at.


SHOWN = 10
KINDS = {Kind.RECORD: "record chunk", Kind.SHARED: "shared chunk", Kind.TERM: "term chunk"}


def surest(guesses: Guesses, release: Disassociated, most: int = SHOWN) -> list[dict[str, Any]]:
    """The guessed links with the highest confidence: hidden items, the row they are put on, and how sure that is.

    Rows that show nothing are left out: to put something there joins nothing. Where every candidate holds a part
    there is nothing to guess, so that is left out too.
    """
    asked = guesses.questions
    target = asked.pair_target
    open_question = np.diff(asked.offsets)[target] > asked.target_copies[target]
    links = np.flatnonzero(guesses.chosen & (asked.slot_anchor[asked.slots] >= 0) & open_question)
    best = links[np.argsort(-guesses.confidence[links], kind="stable")][:most]
    starts, items = asked.items(release)
    found = []
    for pair in best.tolist():
        part, anchor = int(target[pair]), int(asked.slot_anchor[asked.slots[pair]])
        hidden = items[starts[part] : starts[part + 1]]
        beside = release.row_items[release.row_offsets[anchor] : release.row_offsets[anchor + 1]]
        found.append(
            {
                "confidence": float(guesses.confidence[pair]),
                "from": KINDS[Kind(int(asked.target_kind[part]))],
                "hidden": [release.vocabulary[code] for code in hidden.tolist()],
                "beside": [release.vocabulary[code] for code in beside.tolist()],
                "cluster": int(release.row_cluster[anchor]),
            }
        )
    return found


def surest_table(found: list[dict[str, Any]]) -> str:
    """The same as a table."""
    rows = [
        (
            percent(each["confidence"]),
            each["from"],
            f"{each['cluster']}",
            f"{names(each['hidden'], 40)}  with  {names(each['beside'], 40)}",
        )
        for each in found
    ]
    return table(rows, ("confidence", "from", "cluster", "these go together"))
