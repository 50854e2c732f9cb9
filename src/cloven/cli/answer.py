"""What an audit answers on a terminal: the verdict, why, what passed, what stays useful, what to do next, and where.

At most 24 lines. Everything else that was found is printed by ``--verbose`` and stands in the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from cloven.cli.console import dot, say
from cloven.escapes import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_LINES = 24
MOST_NOTES = 3
MOST_WIDTH = 40
"""Letters of a name, so that one long name does not push all figures aside."""


@dataclass(frozen=True)
class Figure:
    """One line of an answer.

    Attributes:
        mark: ``x`` above its limit, ``v`` within it, ``.`` not judged.
        name: of the attack; empty for a sentence that stands for itself.
        text: the figure with its comparison and its limit.
        part: which part of the attack it is about, where it is not about all of it.
        times: how many times its limit it is at its upper end; 0 where it is not judged.
    """

    mark: Literal["x", "v", "."]
    name: str
    text: str
    part: str = ""
    times: float = 0.0

    def title(self, before: Figure | None) -> str:
        """What stands before the text, below another line: a part below its attack needs not repeat its name."""
        if not self.part:
            return self.name
        return f"  {self.part}" if before and before.name == self.name else f"{self.name}, {self.part}"


@dataclass(frozen=True)
class Step:
    """Something to do next.

    Attributes:
        what: in a few words.
        command: to be pasted; empty if it takes none.
    """

    what: str
    command: str = ""


@dataclass(frozen=True)
class Answer:
    """What a command answers.

    Attributes:
        publish: whether the release may be published.
        about: what was audited, how, and how long it took.
        figures: what was measured, and what else speaks against publishing.
        utility: what the release is good for.
        uncovered: what no attack of it speaks of, in a sentence.
        notes: what to know before publishing.
        steps: what to do next.
        places: what lies where.
    """

    publish: bool
    about: tuple[str, ...]
    figures: Sequence[Figure]
    utility: str = ""
    uncovered: str = ""
    notes: Sequence[str] = ()
    steps: Sequence[Step] = ()
    places: Sequence[tuple[str, str]] = ()

    def lines(self) -> list[str]:
        """All lines, the verdict first."""
        reasons = [each for each in self.figures if each.mark == "x"]
        passed = [each for mark in ("v", ".") for each in self.figures if each.mark == mark]
        head = f"{'PUBLISH' if self.publish else 'DO NOT PUBLISH'}   {f' {dot()} '.join(self.about)}"
        ends = [
            *([f"Utility   {self.utility}"] if self.utility else []),
            *([self.uncovered] if self.publish and self.uncovered else []),
            "",
            *_titled("Before you publish", self._notes()),
            *_titled("What to do next", [_step_line(*each) for each in enumerate(self.steps, 1)]),
            *_place_lines(self.places, 0 if self.publish else 1),
        ]
        room = MOST_LINES - len([head, ""]) - len(ends)
        least = len(["Passed", "line"]) if passed else 0
        why = _titled("Why", _lines(reasons, room - least - 1, "more reasons"))
        return [head, "", *why, *_titled("Passed", _lines(passed, room - len(why) - 1, "more")), *ends]

    def _notes(self) -> list[str]:
        shown = [f"  - {note}" for note in self.notes[:MOST_NOTES]]
        left = len(self.notes) - len(shown)
        return [*shown, f"  - {left} more, see --verbose"] if left else shown


def print_answer(answer: Answer) -> None:
    """The answer, on standard output."""
    for line in answer.lines():
        say(visible(line))


def _titled(title: str, lines: Sequence[str]) -> list[str]:
    return [title, *lines] if lines else []


def _lines(found: Sequence[Figure], most: int, more: str) -> list[str]:
    """So many lines at most; the last one names what is left out."""
    shown, left = (found, ()) if len(found) <= most else (found[: most - 1], found[most - 1 :])
    titles = [each.title(before) for each, before in zip(shown, [None, *shown], strict=False)]
    width = min(MOST_WIDTH, max(map(len, titles), default=0))
    lines = [
        f"  {each.mark} {title.ljust(width)}  {each.text}" if title else f"  {each.mark} {each.text}"
        for each, title in zip(shown, titles, strict=True)
    ]
    if left:
        names = "; ".join(dict.fromkeys(each.name for each in left if each.name))
        mark = left[0].mark if len({each.mark for each in left}) == 1 else "."
        lines.append(f"  {mark} {len(left)} {more}, see --verbose: {names}".removesuffix(": "))
    return lines


def _step_line(number: int, step: Step) -> str:
    """A step; without its command where a name in it cannot be shown as it is."""
    pasted = step.command and visible(step.command) == step.command
    return f"  {number}. {step.what}:   {step.command}" if pasted else f"  {number}. {step.what}"


def _place_lines(places: Sequence[tuple[str, str]], code: int) -> list[str]:
    width = max((len(name) for name, _ in places), default=0)
    lines = [f"{name.ljust(width)}  {place}" for name, place in places]
    return [*lines[:-1], f"{lines[-1]}    exit code {code}"] if lines else []
