"""Pictures of ideas: what can be linked, what is promised, how a risk is read; and the sign of the site."""

from __future__ import annotations

from drawing import BLUE, GREY, INK, LINE, ORANGE, PALE, PALE_BLUE, PALE_ORANGE, Card


def threat_models() -> Card:
    """Record, attribute and table linkage, and probabilistic attacks."""
    card = Card("threat-models", "Four things that an attacker can link to a person", 760, 250)
    panels = (
        ("Record linkage", "which row is theirs?"),
        ("Attribute linkage", "what else is theirs?"),
        ("Table linkage", "are they in the data?"),
        ("Probabilistic", "how sure can one be?"),
    )
    for number, (name, asks) in enumerate(panels):
        left = 20 + 184 * number
        card.box(left, 20, 168, 210, fill="#ffffff")
        card.text(left + 84, 46, name, bold=True, anchor="middle")
        card.text(left + 84, 66, asks, size=11, colour=GREY, anchor="middle")
    for left in (20, 204, 388):
        card.person(left + 30, 128)
    for row in range(4):
        found = row == 2
        card.box(
            100, 94 + 30 * row, 72, 22, fill=PALE_ORANGE if found else PALE, edge=ORANGE if found else LINE
        )
    card.line(70, 150, 94, 164, arrow=True)
    for row, item in enumerate(("asthma", "diabetes", "insulin")):
        known = row == 0
        card.piece(
            282,
            96 + 38 * row,
            78,
            item,
            fill=PALE_BLUE if known else PALE_ORANGE,
            edge=BLUE if known else ORANGE,
        )
    card.text(288, 219, "one known, two learned", size=11, colour=GREY, anchor="middle")
    card.line(254, 142, 276, 114, arrow=True)
    card.line(254, 148, 276, 147, dashed=True, arrow=True)
    card.line(254, 154, 276, 182, dashed=True, arrow=True)
    card.box(464, 100, 78, 104, edge=ORANGE, fill=PALE_ORANGE)
    for row in range(1, 4):
        card.line(464, 100 + 26 * row, 542, 100 + 26 * row, colour=LINE)
    card.text(503, 160, "?", size=28, colour=ORANGE, anchor="middle", bold=True)
    card.line(438, 150, 458, 150, arrow=True)
    for left, name, tall, colour in ((596, "before", 22, GREY), (668, "after", 74, ORANGE)):
        card.box(left, 200 - 96, 44, 96, fill="#ffffff")
        card.box(left, 200 - tall, 44, tall, fill=colour, edge=colour)
        card.text(left + 22, 219, name, size=12, colour=GREY, anchor="middle")
    card.line(644, 152, 664, 152, arrow=True)
    return card


def promise() -> Card:
    """Two levels: data sets that agree with the release, and those that the method turns into it."""
    card = Card(
        "promise", "What is published, and the data sets that could be behind it, at two levels", 760, 300
    )
    card.text(30, 36, "what is published", bold=True)
    card.text(30, 56, "5 records, k = 3, m = 2", size=12, colour=GREY)
    for row, item in enumerate(("a", "a", "a")):
        card.piece(30, 74 + 32 * row, 56, item)
    for row, item in enumerate(("b", "b", "b")):
        card.piece(100, 74 + 32 * row, 56, item)
    card.box(170, 74, 60, 90, dashed=True, fill="#ffffff")
    for row, item in enumerate(("c", "d", "e")):
        card.text(200, 96 + 28 * row, item, size=13, anchor="middle")
    for x, words in ((58, "chunk 0"), (128, "chunk 1"), (200, "term chunk")):
        card.text(x, 188, words, size=11, colour=GREY, anchor="middle")
    card.text(30, 226, "Somebody is known to have a and b.", size=13)
    card.text(30, 246, "Promise: some data set behind this", size=13)
    card.text(30, 266, "has 3 such records.", size=13)
    card.line(240, 120, 274, 120, arrow=True)
    card.box(284, 16, 460, 268, fill=PALE_BLUE, edge=BLUE, round=10, thick=1.5)
    card.text(300, 40, "release level: agrees with the pieces", size=13, colour=BLUE, bold=True)
    card.text(300, 60, "promised and verified", size=12, colour=BLUE)
    card.box(424, 76, 308, 196, fill="#ffffff", edge=ORANGE, round=10, dashed=True, thick=1.5)
    card.text(440, 98, "method level: is also cut like this", size=13, colour=ORANGE, bold=True)
    card.text(440, 116, "not promised; measured", size=12, colour=ORANGE)
    _world(card, 304, 128, ("a b", "a b", "a b", "c d", "e"))
    _world(card, 454, 128, ("a b c", "a b", "a", "b d", "e"))
    _world(card, 602, 128, ("a b c", "a d", "a", "b", "b e"))
    return card


def _world(card: Card, x: float, y: float, rows: tuple[str, ...]) -> None:
    """A small table of records; those that hold the known pair stand out."""
    for number, row in enumerate(rows):
        held = row.startswith("a b")
        card.box(
            x,
            y + 27 * number,
            100,
            23,
            fill=PALE_ORANGE if held else "#ffffff",
            edge=ORANGE if held else LINE,
        )
        card.text(x + 50, y + 16 + 27 * number, row, size=13, anchor="middle")


def reading() -> Card:
    """An attack between what guessing gets and the limit."""
    card = Card(
        "how-to-read-a-risk",
        "One risk on a scale: guessing, control, attack with its interval, limit",
        760,
        230,
    )
    left, wide, most = 150, 570, 25.0

    def at(percent: float) -> float:
        return left + wide * percent / most

    for tick in range(0, 26, 5):
        card.line(at(tick), 44, at(tick), 180, colour=LINE, thick=1)
        card.text(at(tick), 200, f"{tick} %", size=12, colour=GREY, anchor="middle")
    card.text(at(12.5), 221, "share of right guesses", size=12, colour=GREY, anchor="middle")
    for y, name, value, colour in ((76, "guessing", 9.9, GREY), (112, "shuffled (control)", 10.4, GREY)):
        card.text(left - 12, y + 5, name, size=13, anchor="end")
        card.line(at(0), y, at(value), y, colour=LINE, thick=10)
        card.text(at(value) + 10, y + 5, f"{value} %", size=13, colour=colour)
    card.text(left - 12, 153, "attack", size=13, anchor="end", bold=True)
    card.line(at(0), 148, at(12.0), 148, colour=BLUE, thick=10)
    card.line(at(9.3), 148, at(15.3), 148, colour=INK, thick=2)
    for end in (9.3, 15.3):
        card.line(at(end), 141, at(end), 155, colour=INK, thick=2)
    card.text(at(9.3), 172, "12.0 % [9.3 - 15.3]", size=13, colour=BLUE, bold=True)
    card.line(at(20), 34, at(20), 180, colour=ORANGE, thick=2.5)
    card.text(at(20), 27, "limit: 20 %", size=13, colour=ORANGE, anchor="middle", bold=True)
    return card


def favicon() -> Card:
    """Two halves of a record, apart."""
    card = Card("favicon", "Cloven", 32, 32)
    for x, colour in ((5, BLUE), (18, ORANGE)):
        for y in (6, 13, 20):
            card.box(x, y, 9, 5, fill=colour, edge=colour, round=1)
    return card


DRAWN = (threat_models, promise, reading, favicon)
