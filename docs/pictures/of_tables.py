"""Pictures of published tables: how slicing and the upper/lower-level method cut one, and what two of them tell."""

from __future__ import annotations

from drawing import BLUE, GREY, LINE, ORANGE, PALE, PALE_BLUE, PALE_ORANGE, Card

PEOPLE = (
    ("23", "State", "gout"),
    ("29", "Local", "flu"),
    ("31", "Private", "burn"),
    ("36", "Private", "flu"),
)


def slicing() -> Card:
    """A bucket of four rows, its columns sorted each for itself, and one exchange with another bucket."""
    card = Card(
        "slicing",
        "Rows of a bucket are cut into columns that are sorted each for itself; rare values are exchanged",
        760,
        286,
    )
    card.text(24, 36, "the table", bold=True)
    card.text(24, 56, "who is in which row is known", size=12, colour=GREY)
    for row, (age, work, illness) in enumerate(PEOPLE):
        y = 72 + 36 * row
        card.box(20, y - 4, 204, 34, fill="#ffffff")
        card.piece(26, y, 40, age)
        card.piece(72, y, 76, work)
        card.piece(154, y, 64, illness, fill=PALE_BLUE, edge=BLUE)
    card.line(232, 140, 262, 140, arrow=True)
    card.text(276, 36, "sliced: one bucket", bold=True)
    card.text(276, 56, "which parts belong together is hidden", size=12, colour=GREY)
    columns = (
        (276, 40, ("23", "29", "31", "36")),
        (336, 76, ("Local", "Private", "Private", "State")),
        (432, 64, ("burn", "flu", "flu", "gout")),
    )
    for number, (left, wide, values) in enumerate(columns):
        card.box(left - 6, 66, wide + 12, 146, fill="#ffffff", dashed=True)
        for row, value in enumerate(values):
            secret = number == 2
            fill, edge = (PALE_BLUE, BLUE) if secret else (PALE, LINE)
            card.piece(left, 72 + 36 * row, wide, value, fill=fill, edge=edge)
    card.line(508, 140, 536, 140, arrow=True)
    card.text(542, 36, "upper/lower level", bold=True)
    card.text(542, 56, "rare values are exchanged too", size=12, colour=GREY)
    for row, value in enumerate(("Federal", "Private", "Private", "State")):
        new = row == 0
        card.piece(
            548,
            72 + 36 * row,
            76,
            value,
            fill=PALE_ORANGE if new else PALE,
            edge=ORANGE if new else LINE,
            bold=new,
        )
    card.piece(664, 72, 72, "Local", fill=PALE_ORANGE, edge=ORANGE, bold=True)
    card.line(660, 80, 630, 80, colour=ORANGE, arrow=True)
    card.line(628, 92, 658, 92, colour=ORANGE, arrow=True)
    card.text(700, 118, "in another bucket,", size=11, colour=GREY, anchor="middle")
    card.text(700, 134, "same rank group", size=11, colour=GREY, anchor="middle")
    words = "Which of the four illnesses has somebody of 29 who works for the town? Half of them are flu:"
    card.text(24, 246, words, size=13)
    card.text(
        24, 268, "this bucket has l = 2 and no more, as no value may have more than 1/l.", size=13, bold=True
    )
    return card


def two_tables() -> Card:
    """The values that two releases leave of one person, and what is in both."""
    card = Card(
        "two-tables", "Each of two releases leaves four illnesses of a person; only one is in both", 760, 232
    )
    card.person(52, 84, colour=BLUE)
    card.text(52, 140, "29, works", size=12, anchor="middle")
    card.text(52, 156, "for the town", size=12, anchor="middle")
    sides = (
        (120, "first hospital leaves", ("burn", "cold", "flu", "gout")),
        (340, "second hospital leaves", ("asthma", "flu", "mumps", "ulcer")),
    )
    for left, name, values in sides:
        card.text(left + 90, 36, name, size=13, anchor="middle", bold=True)
        card.box(left, 48, 180, 148, fill="#ffffff")
        for row, value in enumerate(values):
            both = value == "flu"
            card.piece(
                left + 40,
                56 + 34 * row,
                100,
                value,
                fill=PALE_ORANGE if both else PALE,
                edge=ORANGE if both else LINE,
                bold=both,
            )
    card.text(320, 130, "and", size=13, colour=GREY, anchor="middle")
    card.line(530, 122, 566, 122, arrow=True)
    card.text(654, 36, "so", size=13, anchor="middle", bold=True)
    card.piece(594, 109, 120, "flu", fill=PALE_ORANGE, edge=ORANGE, bold=True)
    card.text(654, 158, "certain, though each", size=12, colour=GREY, anchor="middle")
    card.text(654, 174, "release keeps l = 4", size=12, colour=GREY, anchor="middle")
    card.text(
        24, 220, "Neither publisher knows what the other publishes, or that they share a patient.", size=13
    )
    return card


DRAWN = (slicing, two_tables)
