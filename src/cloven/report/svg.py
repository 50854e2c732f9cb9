"""The charts as SVG, from rows and scales, and the few elements they are made of; all words are escaped here."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from itertools import product
from math import cos, log10, pi, sin
from textwrap import wrap
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from cloven.escapes import signed
from cloven.figures import counted, ends, percent
from cloven.report.rows import scale

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cloven.report.rows import Beside, Ends, Scale, Sizes, Sure, Tried


Place = float | int | str
"""Pixels, or a text such as ``41.2%``."""


def across(share: float) -> str:
    """A place in percent of the width or height.

    >>> across(0.12345)
    '12.35%'
    """
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def element(name: str, *inside: Markup, **attributes: Place) -> Markup:
    """One element; ``class_`` and ``font_size`` are written ``class`` and ``font-size``.

    >>> str(element("rect", x=across(0.5), class_='a"b'))
    '<rect x="50%" class="a&#34;b"></rect>'
    """
    parts = [
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _written(value))
        for key, value in attributes.items()
    ]
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), Markup().join(parts), Markup().join(inside))  # noqa: S704


def words(text: str, x: Place, y: Place, css: str = "", **more: Place) -> Markup:
    """One line of words; ``y`` is the line they stand on."""
    return element("text", escape(signed(text)), x=x, y=y, class_=css or "words", **more)


def folded(text: str, letters: int) -> list[str]:
    """A text in lines of at most so many letters; longer words stay whole.

    >>> folded("agreement of counts with sensitive values", 22), folded("", 22)
    (['agreement of counts', 'with sensitive values'], [''])
    """
    return wrap(text, letters, break_long_words=False) or [text]


def tip(text: str) -> Markup:
    """What a pointer that rests on the element around it is told."""
    return element("title", escape(signed(text)))


def line(x1: Place, y1: Place, x2: Place, y2: Place, css: str) -> Markup:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=css)


def drawing(label: str, height: int, parts: Iterable[Markup]) -> Markup:
    """All of a chart; the label says what it shows to those who do not see it."""
    shown = signed(label)
    return element("svg", *parts, width="100%", height=height, class_="drawing", role="img", aria_label=shown)


def _written(value: Place) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


# The frame of charts with two axes, and the chart of settings: risk against utility.


PLOT_HEIGHT = 320
MOST_NUMBERED = 15
PLOT_NAME, PLOT_LINE = 36, 15
"""Letters in a line of the name of an axis, and how far lines are apart."""


def frame(x: Scale, y: Scale, names: tuple[str, str], aside: str = "") -> list[Markup]:
    """Grid, marks and names of both axes; the name of the upright one stands on top of it."""
    parts = []
    for mark in x.marks:
        at = across(x.at(mark))
        parts += [
            line(at, 0, at, "100%", "grid"),
            words(f"{100 * mark:g} %", at, "100%", "words mark middle", dy=18),
        ]
    for mark in y.marks:
        at = across(1 - y.at(mark))
        parts += [
            line(0, at, "100%", at, "grid"),
            words(f"{100 * mark:g} %", -14, at, "words mark end", dy=4),
        ]
    parts += [line(0, "100%", "100%", "100%", "baseline"), line(0, 0, 0, "100%", "baseline")]
    return [
        *parts,
        *_name_across(names[0], aside),
        words(names[1], -40, 0, "words axis", dy=-14),
    ]


def _name_across(name: str, aside: str) -> list[Markup]:
    """In lines that fit a phone; what is said aside is left out there."""
    *before, last = [escape(signed(text)) for text in folded(name, PLOT_NAME)]
    if aside:
        last += element("tspan", escape(f" {aside}"), class_="aside")
    return [
        element(
            "text",
            text,
            x="100%",
            y="100%",
            class_=f"words axis end{' second' * (number > 0)}",
            dy=36 + PLOT_LINE * number,
        )
        for number, text in enumerate((*before, last))
    ]


def settings(
    rows: Sequence[Tried], x: Scale, y: Scale, limits: tuple[float, float], names: tuple[str, str]
) -> Markup:
    """Every setting as a point; those that no other one beats are joined; limits of risk and utility are lines."""
    risk, utility = limits
    parts = frame(x, y, names, "(100 %: nothing is lost)")
    parts.append(line(0, across(1 - y.at(risk)), "100%", across(1 - y.at(risk)), "limit"))
    note = beside_line(f"limit {100 * risk:.3g} %", 1 - y.at(risk), [_share(row, x, y) for row in rows])
    if utility > x.low:
        parts.append(line(across(x.at(utility)), 0, across(x.at(utility)), "100%", "limit"))
    for broken in (True, False):
        front = sorted(
            (row for row in rows if row.front and bool(row.broken) == broken), key=lambda row: row.utility
        )
        css = "front broken" if broken else "front"
        parts += [
            line(*_place(one, x, y), *_place(other, x, y), css) for one, other in itertools.pairwise(front)
        ]
    parts += [whisker for row in rows for whisker in _whiskers(row, x, y)]
    # Those that matter most stand where they belong, and are drawn last.
    first = sorted(rows, key=lambda row: (not row.main, not row.better, not row.front, row.number))
    numbered = [row for row in first if len(rows) <= MOST_NUMBERED or row.front or row.main or row.better]
    named = [row.setting.partition(":")[0] for row in numbered]
    if len(rows) > MOST_NUMBERED or len(set(named)) == 1:  # too many to name, or names that tell nothing
        named = [""] * len(named)
    marks = apart([_share(row, x, y) for row in numbered], named, PLOT_HEIGHT, note)
    parts += [_dot(row, x, y) for row in first if row not in numbered]
    parts += reversed([
        _point(row, x, y, mark, name) for row, mark, name in zip(numbered, marks, named, strict=True)
    ])  # fmt: skip
    parts.append(
        _written_note(note)
    )  # on top of all: where there is no free place, a point must not cover it
    label = f"Risk against utility of {len(rows)} settings; the table below has the same figures"
    return drawing(label, PLOT_HEIGHT, parts)


def _share(row: Tried, x: Scale, y: Scale) -> tuple[float, float]:
    return x.at(row.utility), 1 - y.at(row.risk)


def _place(row: Tried, x: Scale, y: Scale) -> tuple[str, str]:
    left, top = _share(row, x, y)
    return across(left), across(top)


def _written_note(note: Note) -> Markup:
    end = ("0%", "words note", 4) if note.left else ("100%", "words note end", -4)
    return words(note.words, end[0], across(note.at), end[1], dx=end[2], dy=13 if note.below else -5)


def _whiskers(row: Tried, x: Scale, y: Scale) -> list[Markup]:
    """Intervals of risk, downwards from its upper end, and of utility; thin, so that many points stay apart."""
    left, top = _place(row, x, y)
    css = "range main" if row.main else "range"
    out = []
    if row.risk_low is not None:
        out.append(line(left, top, left, across(1 - y.at(row.risk_low)), css))
    if row.utility_low is not None and row.utility_high is not None:
        out.append(line(across(x.at(row.utility_low)), top, across(x.at(row.utility_high)), top, css))
    return out


def _point(row: Tried, x: Scale, y: Scale, mark: Mark, name: str) -> Markup:
    """A numbered mark; one that was moved has a dot at its place and a line to it."""
    parts = [_about(row)]
    if mark.dx or mark.dy:
        parts += [line(0, 0, mark.dx, mark.dy, "leader"), element("circle", cx=0, cy=0, r=3, class_="at")]
    parts += [
        _shape(row, mark.dx, mark.dy, 11),
        words(str(row.number), mark.dx, mark.dy, "words number middle", dy=4),
    ]
    if name:
        side = ("words name end", mark.dx - GAP) if mark.left else ("words name", mark.dx + GAP)
        parts.append(words(name, side[1], mark.dy, side[0], dy=4))
    return _placed(row, x, y, parts)


def _dot(row: Tried, x: Scale, y: Scale) -> Markup:
    return _placed(row, x, y, [_about(row), _shape(row, 0, 0, 4)])


def _about(row: Tried) -> Markup:
    return tip(f"{row.number}. {row.setting}: risk {percent(row.risk)}, utility {percent(row.utility)}")


def _placed(row: Tried, x: Scale, y: Scale, parts: list[Markup]) -> Markup:
    left, top = _place(row, x, y)
    css = "point main" if row.main else "point better" if row.better else "point"
    return element("svg", *parts, x=left, y=top, overflow="visible", class_=css)


def _shape(row: Tried, x: float, y: float, size: float) -> Markup:
    if not row.broken:
        return element("circle", cx=x, cy=y, r=size, class_="shape")
    side = 1.7 * size  # a square, so that it is told apart without colour
    return element("rect", x=x - side / 2, y=y - side / 2, width=side, height=side, rx=2, class_="shape")


# Keep the marks of a chart apart: a mark that would cover another one stands beside its place, with a line to it.
#
# Charts are as wide as the page, so overlaps are judged at a usual width; on a narrow screen names are not shown.


USUAL_WIDTH, NARROW_WIDTH = 700, 270
"""Pixels from axis to end at a desk, and on a phone."""
RADIUS = 12
"""Half the width of a mark, with room around it."""
GAP = 16
"""From the middle of a mark to its name."""
LETTER, LABEL_LINE = 6.4, 15
"""Usual width of a letter, and height of a line."""
RINGS = (0, 27, 42, 58, 76, 96)


@dataclass(frozen=True)
class Mark:
    """Where a mark stands, from its place, in pixels; and on which side its name does."""

    dx: float
    dy: float
    left: bool = False


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float
    height: float

    def meets(self, other: _Box) -> bool:
        return (
            abs(self.x - other.x) * 2 < self.width + other.width
            and abs(self.y - other.y) * 2 < self.height + other.height
        )


@dataclass(frozen=True)
class Note:
    """What is written beside a line across a chart.

    Attributes:
        words: what it says.
        at: where the line is, as a share of the height from the top.
        left: whether it stands at the left end, not the right one.
        below: whether it stands under the line, not above.
    """

    words: str
    at: float
    left: bool = False
    below: bool = False

    def box(self, width: int, height: int) -> _Box:
        """What it takes of a chart of this size."""
        wide = LETTER * len(self.words)
        middle = 4 + wide / 2
        moved = LABEL_LINE / 2 + 1.5 if self.below else -LABEL_LINE / 2 - 1.5
        return _Box(
            middle if self.left else width - middle, self.at * height + moved, wide, float(LABEL_LINE)
        )


def beside_line(text: str, at: float, places: Sequence[tuple[float, float]]) -> Note:
    """A note where the fewest marks are, at a desk and on a phone; above the line and to the right if it can be.

    >>> beside_line("limit 20 %", 0.5, [(0.9, 0.47)])
    Note(words='limit 20 %', at=0.5, left=True, below=False)
    """
    tries = [Note(text, at, left, below) for below in (False, True) for left in (False, True)]
    inside = [note for note in tries if not note.below or note.at * PLOT_HEIGHT + LABEL_LINE < PLOT_HEIGHT]
    return min(
        inside, key=lambda note: sum(_meeting(note, width, places) for width in (USUAL_WIDTH, NARROW_WIDTH))
    )


def _meeting(note: Note, width: int, places: Sequence[tuple[float, float]]) -> int:
    here = note.box(width, PLOT_HEIGHT)
    marks = (_Box(x * width, y * PLOT_HEIGHT, 2 * RADIUS, 2 * RADIUS) for x, y in places)
    return sum(here.meets(mark) for mark in marks)


def apart(
    places: Sequence[tuple[float, float]],
    names: Sequence[str],
    height: int,
    note: Note | None = None,
) -> list[Mark]:
    """Marks for some places (shares of width and height, from the top), the first ones where they belong.

    A note beside a line, such as a limit, is left free.

    >>> apart([(0.5, 0.5), (0.5, 0.5), (0.9, 0.1)], ["", "", ""], 300)
    [Mark(dx=0.0, dy=0.0, left=False), Mark(dx=27.0, dy=0.0, left=False), Mark(dx=0.0, dy=0.0, left=False)]
    """
    taken: list[_Box] = []
    if note is not None:
        taken.append(note.box(USUAL_WIDTH, height))
    out = []
    for (x, y), name in zip(places, names, strict=True):
        at = x * USUAL_WIDTH, y * height
        free = (mark for mark in _tries() if _fits(_boxes(at, mark, name), taken, height))
        mark = next(free, Mark(0.0, 0.0))
        taken += _boxes(at, mark, name)
        out.append(mark)
    return out


def _tries() -> Iterator[Mark]:
    """Nearest first; to the sides rather than above and below."""
    for ring in RINGS:
        for step, left in product((0, 4, 1, 7, 3, 5, 2, 6) if ring else (0,), (False, True)):
            yield Mark(round(ring * cos(step * pi / 4), 1), round(ring * sin(step * pi / 4), 1), left)


def _boxes(at: tuple[float, float], mark: Mark, name: str) -> list[_Box]:
    x, y = at[0] + mark.dx, at[1] + mark.dy
    found = [_Box(x, y, 2 * RADIUS, 2 * RADIUS)]
    if name:
        width = LETTER * len(name)
        middle = x + (-1 if mark.left else 1) * (GAP + width / 2)
        found.append(_Box(middle, y, width, LABEL_LINE))
    return found


def _fits(boxes: list[_Box], taken: list[_Box], height: int) -> bool:
    inside = all(
        box.x - box.width / 2 >= -4
        and box.x + box.width / 2 <= USUAL_WIDTH + 12
        and -8 <= box.y <= height - 4
        for box in boxes[1:]
    )
    return inside and not any(box.meets(other) for box in boxes for other in taken)


# Bars with whiskers, in groups, on one axis: what attacker, guessing and control reach, and what is kept.


ROW, THICK, TITLE, AXIS, NOTE = 17, 10, 24, 22, 14
BAR_NAME, BAR_LINE = 22, 13
"""Letters in a line of a name, for which the style sheet leaves room; and how far lines are apart."""


@dataclass(frozen=True)
class Bar:
    """One bar: what it is called, its value with the ends of its interval, and its class in the style sheet."""

    label: str
    value: float
    low: float | None
    high: float | None
    css: str

    @property
    def lines(self) -> list[str]:
        """What it is called, in lines."""
        return folded(self.label, BAR_NAME)

    @property
    def height(self) -> int:
        """Pixels from this bar to the next one."""
        return ROW + BAR_LINE * (len(self.lines) - 1)


@dataclass(frozen=True)
class Group:
    """Bars that belong together, under a title or none."""

    title: str
    bars: tuple[Bar, ...]


def bars(
    label: str,
    groups: Sequence[Group],
    scale: Scale,
    *,
    limit: float | None = None,
    note: str = "",
    axis: bool = True,
) -> Markup:
    """A chart of bars; ``limit`` is drawn as a line across, with a note on top of it."""
    top = NOTE if limit is not None else 2
    height = top + sum(
        sum(bar.height for bar in group.bars) + (TITLE if group.title else 0) for group in groups
    )
    parts = [
        line(across(scale.at(mark)), top, across(scale.at(mark)), height, "grid") for mark in scale.marks
    ]
    y = top
    for group in groups:
        if group.title:
            parts.append(words(group.title, 0, y + 16, "words title"))
            y += TITLE
        for bar in group.bars:
            parts.append(_bar(bar, y, scale))
            y += bar.height
    parts.append(line(0, top, 0, height, "baseline"))
    if limit is not None:
        parts.append(_limit(scale.at(limit), note, height))
    if axis:
        parts += [_mark(number, height, scale) for number in range(len(scale.marks))]
    return drawing(label, height + (AXIS if axis else 2), parts)


def _bar(bar: Bar, y: int, scale: Scale) -> Markup:
    middle, shown = y + bar.height / 2, ends(bar.value, bar.low, bar.high)
    parts = [
        tip(f"{bar.label}: {percent(bar.value)} {shown}".strip()),
        *_name(bar.lines, middle),
        element(
            "rect", x=0, y=middle - THICK / 2, width=across(scale.at(bar.value)), height=THICK, class_="bar"
        ),
    ]
    if bar.low is not None and bar.high is not None:
        low, high = across(scale.at(bar.low)), across(scale.at(bar.high))
        parts.append(line(low, middle, high, middle, "whisker"))
        parts += [line(end, middle - 3, end, middle + 3, "whisker") for end in (low, high)]
    inside = [escape(percent(bar.value))]
    if shown:
        inside.append(element("tspan", escape(shown), dx="0.4em", class_="interval"))
    parts.append(element("text", *inside, x="100%", dx=8, y=middle + 4, class_="words value"))
    return element("g", *parts, class_=bar.css)


def _limit(at: float, note: str, height: int) -> Markup:
    css = "words note end" if at > 0.7 else "words note"
    moved = -4 if at > 0.7 else 4
    return element(
        "g",
        line(across(at), 2, across(at), height, "limit"),
        words(note, across(at), 10, css, dx=moved),
    )


def _name(lines: list[str], middle: float) -> list[Markup]:
    first = middle + 4 - BAR_LINE * (len(lines) - 1) / 2
    return [words(text, -8, first + BAR_LINE * number, "words end") for number, text in enumerate(lines)]


def _mark(number: int, height: int, scale: Scale) -> Markup:
    """Every other mark is spare: it is not shown where there is little room."""
    mark = scale.marks[number]
    css = "words mark middle spare" if number % 2 else "words mark middle"
    return words(f"{100 * mark:g} %", across(scale.at(mark)), height + 16, css)


# Columns: how many groups of records have which size, and of how many people how much is told.


COLUMNS_HEIGHT = 180
MOST_MARKS = 6


@dataclass(frozen=True)
class Column:
    """One column: what stands below it, how tall it is, and what a pointer that rests on it is told."""

    label: str
    count: int
    tip: str


def columns(rows: Sequence[Sizes], records: str = "records", groups: str = "groups") -> Markup:
    """One column for each range of sizes; records and groups may be called otherwise."""
    found = [
        Column(_range(row), row.groups, f"{counted(row.groups, groups)} of {_range(row)} {records}")
        for row in rows
    ]
    return histogram(f"Sizes of the {groups} of {records}", found, f"{records} in each", groups)


def histogram(label: str, rows: Sequence[Column], below: str, beside: str, css: str = "control") -> Markup:
    """Columns side by side; ``below`` and ``beside`` name the axes."""
    y = scale(0, max(1, *(row.count for row in rows), 1), steps=4)
    parts = []
    for mark in y.marks:
        if mark != int(mark):
            continue
        at = across(1 - y.at(mark))
        parts += [line(0, at, "100%", at, "grid"), words(f"{int(mark):,}", -8, at, "words mark end", dy=4)]
    width, every = 1 / len(rows), -(-len(rows) // MOST_MARKS)
    for number, row in enumerate(rows):
        tall = y.at(row.count)
        bar = element("rect", tip(row.tip), x=across(width * (number + 0.06)), y=across(1 - tall),
                      width=across(width * 0.88), height=across(tall), class_="bar")  # fmt: skip
        parts.append(element("g", bar, class_=css))
        if number % every == 0:
            parts.append(words(row.label, across(width * (number + 0.5)), "100%", "words mark middle", dy=18))
    parts += [
        line(0, "100%", "100%", "100%", "baseline"),
        words(below, "100%", "100%", "words axis end", dy=36),
        words(beside, -40, 0, "words axis", dy=-14),
    ]
    return drawing(label, COLUMNS_HEIGHT, parts)


def _range(row: Sizes) -> str:
    return f"{row.low:,}" if row.low == row.high else f"{row.low:,}-{row.high:,}"


# Dots with intervals, two in each row: people in the release beside people outside it.


DOT_ROW, DOT_AXIS, APART, DOT_NAME, DOT_LINE = 34, 22, 7, 20, 13
SIZE = 4.5


def dots(label: str, rows: Sequence[Beside], scale: Scale) -> Markup:
    """One row for each way of knowing: members a round dot, outsiders a hollow square below it."""
    names = [folded(row.label, DOT_NAME) for row in rows]
    tall = [max(DOT_ROW, DOT_LINE * len(lines) + 8) for lines in names]
    height = sum(tall) + 4
    parts = [line(across(scale.at(mark)), 2, across(scale.at(mark)), height, "grid") for mark in scale.marks]
    for number, row in enumerate(rows):
        middle = 2 + sum(tall[:number]) + tall[number] / 2
        parts.append(_row(row, names[number], middle, scale))
    parts.append(line(0, 2, 0, height, "baseline"))
    for number, mark in enumerate(scale.marks):
        css = "words mark middle spare" if number % 2 else "words mark middle"
        parts.append(words(f"{100 * mark:g} %", across(scale.at(mark)), height + 16, css))
    return drawing(label, height + DOT_AXIS, parts)


def _row(row: Beside, lines: Sequence[str], middle: float, scale: Scale) -> Markup:
    first = middle + 4 - DOT_LINE * (len(lines) - 1) / 2
    parts = [words(text, -8, first + DOT_LINE * number, "words end") for number, text in enumerate(lines)]
    parts += [
        _person_mark("members", row.members, middle - APART, scale),
        _person_mark("outsiders", row.outsiders, middle + APART, scale),
    ]
    return element("g", *parts, class_="beside" if row.judged else "beside aside-row")


def _person_mark(who: str, figure: Ends, y: float, scale: Scale) -> Markup:
    value, low, high = figure
    at = across(scale.at(value))
    parts = [tip(f"{who}: {percent(value)} {ends(value, low, high)}".strip())]
    if low is not None and high is not None:
        parts.append(line(across(scale.at(low)), y, across(scale.at(high)), y, "whisker"))
    if who == "members":
        parts.append(element("circle", cx=at, cy=y, r=SIZE, class_="shape"))
    else:
        parts.append(
            element("rect", x=at, y=y - SIZE + 0.5, width=2 * SIZE - 1, height=2 * SIZE - 1,
                    class_="shape", transform=f"translate({0.5 - SIZE} 0)")
        )  # fmt: skip
    parts.append(words(percent(value), "100%", y + 4, "words value", dx=8))
    return element("g", *parts, class_=who)


# Confidence against truth of one attack: on the diagonal it knows how much it knows.


RELIABILITY_HEIGHT = 220


def reliability(threat: str, rows: Sequence[Sure], scale: Scale) -> Markup:
    """One point for guesses of about the same confidence; hollow where there are few."""
    parts = frame(scale, scale, ("said by the attacker", "really right"))
    parts.append(line(0, "100%", "100%", 0, "diagonal"))
    parts += [_sure_point(row, scale) for row in rows]
    return drawing(f"Confidence of the attack ({threat}) against truth", RELIABILITY_HEIGHT, parts)


def _sure_point(row: Sure, scale: Scale) -> Markup:
    said, right = across(scale.at(row.confidence)), across(1 - scale.at(row.right))
    size = 3 + 1.2 * log10(max(row.guesses, 1))
    text = f"{counted(row.guesses, 'guesses')}: said {percent(row.confidence)}, right {percent(row.right)}"
    css = "point attacker" if row.enough else "point attacker few"
    return element("g", tip(text), element("circle", cx=said, cy=right, r=size, class_="shape"), class_=css)
