"""Pictures of attacks: known items, word meanings, the method, covers, two releases."""

from __future__ import annotations

from drawing import BLUE, GREY, INK, LINE, ORANGE, PALE, PALE_BLUE, PALE_ORANGE, Card

ROWS = (
    "blood, cancer, lung",
    "blood, cancer, treatment",
    "blood, lung, treatment",
    "cancer, lung, treatment",
)


def known_items() -> Card:
    """Candidates of somebody who knows two items, and of somebody who knows three."""
    card = Card("known-items", "Two known items leave two candidates, three leave one", 760, 262)
    cases = (
        (
            20,
            "knows cancer and biopsy (m = 2)",
            ("cancer",),
            ("biopsy",),
            "3 rows, 2 rows: at most 2 records",
        ),
        (390, "knows blood, cancer, lung (m + 1)", ("blood", "cancer", "lung"), (), "1 row: found"),
    )
    for left, knows, first, second, result in cases:
        card.box(left, 18, 350, 226, fill="#ffffff")
        card.person(left + 30, 30, colour=BLUE)
        card.text(left + 54, 54, knows, size=13, bold=True)
        for row, words in enumerate(ROWS):
            hit = all(item in words for item in first)
            card.piece(
                left + 14,
                82 + 32 * row,
                186,
                words,
                fill=PALE_ORANGE if hit else PALE,
                edge=ORANGE if hit else LINE,
            )
        for row in range(2):
            hit = bool(second)
            card.piece(
                left + 214,
                82 + 32 * row,
                122,
                "biopsy, tumor",
                fill=PALE_ORANGE if hit else PALE,
                edge=ORANGE if hit else LINE,
            )
        card.text(left + 214, 172, "and in the term chunk:", size=11, colour=GREY)
        card.text(left + 214, 190, "catheterisation,", size=12, colour=GREY)
        card.text(left + 214, 206, "radiotherapy, vessel", size=12, colour=GREY)
        card.text(left + 14, 234, result, size=13, colour=ORANGE, bold=True)
    return card


def term_chunk() -> Card:
    """A cluster whose records all hold one diagnosis and whose term chunk names the people."""
    card = Card(
        "term-chunk", "A term chunk names just the people of whom the cluster tells everything", 760, 290
    )
    for left, title, names in (
        (20, "the papers' way", ("name 512", "name 513", "name 515", "...")),
        (390, "withheld, the default", ()),
    ):
        card.box(left, 18, 350, 196, fill="#ffffff")
        card.text(left + 14, 42, title, bold=True)
        card.text(left + 14, 66, "record chunk: 120 rows", size=12, colour=GREY)
        for row in range(4):
            words = "asthma" if row < 3 else "..."
            card.piece(
                left + 14,
                76 + 32 * row,
                130,
                words,
                fill=PALE_ORANGE if names else PALE,
                edge=ORANGE if names else LINE,
            )
        card.text(left + 200, 66, "term chunk", size=12, colour=GREY)
        if not names:
            card.box(left + 200, 76, 130, 122, fill="#ffffff", dashed=True)
            card.text(left + 265, 142, "there is none", size=12, colour=GREY, anchor="middle")
        for row, name in enumerate(names):
            hit = row == 0
            card.piece(
                left + 200,
                76 + 32 * row,
                130,
                name,
                fill=PALE_BLUE if hit else PALE,
                edge=BLUE if hit else LINE,
                bold=hit,
            )
    card.line(216, 89, 170, 89, colour=ORANGE, thick=2, arrow=True)
    card.text(
        20,
        244,
        "All 120 candidates have it, so name 512 has.",
        size=13,
        colour=ORANGE,
        bold=True,
    )
    card.text(390, 244, "Nobody is named, so nobody can be looked up.", size=13, bold=True)
    card.text(
        20,
        270,
        "k^m-anonymity holds on both sides: it counts candidates, not what they have in common.",
        size=13,
    )
    return card


def semantic_attack() -> Card:
    """The sub-record of chunk 1 is compared by meaning with each row of chunk 0."""
    card = Card(
        "semantic-attack",
        "A hidden part is compared by meaning with every row that it may belong to",
        760,
        262,
    )
    card.text(30, 34, "rows of chunk 0", size=13, bold=True)
    card.text(240, 34, "how related", size=13, bold=True)
    card.text(630, 34, "hidden: whose is it?", size=13, bold=True, anchor="middle")
    card.piece(560, 116, 140, "biopsy, tumor", fill=PALE_BLUE, edge=BLUE, bold=True)
    card.text(630, 160, "2 copies", size=12, colour=GREY, anchor="middle")
    scores, truth, chosen = (
        (0.453, 0.428, 0.437, 0.493),
        (True, True, False, False),
        (True, False, False, True),
    )
    for row, words in enumerate(ROWS):
        y = 50 + 44 * row
        card.piece(30, y, 190, words)
        card.box(
            240, y + 5, 170 * scores[row] / 0.5, 16, fill=BLUE if chosen[row] else LINE, edge="none", round=2
        )
        card.text(248, y + 18, f"{scores[row]:.3f}", size=12, colour="#ffffff" if chosen[row] else INK)
        card.line(
            556,
            130,
            424,
            y + 13,
            colour=BLUE if chosen[row] else LINE,
            thick=2 if chosen[row] else 1,
            dashed=not chosen[row],
        )
        if chosen[row]:
            card.text(
                240,
                y + 36,
                "guessed, and right" if truth[row] else "guessed, and wrong",
                size=11,
                colour=BLUE if truth[row] else ORANGE,
                anchor="start",
                bold=True,
            )
        elif truth[row]:
            card.text(240, y + 36, "missed", size=11, colour=ORANGE, bold=True)
    card.text(
        30,
        246,
        "Averages of word vectors (aba). Of two guesses one is right: drawing lots gets as much.",
        size=13,
    )
    return card


def method_attack() -> Card:
    """Six placements of e, of which the method would have cut one otherwise."""
    card = Card(
        "method-attack", "Six ways to place e on four rows; the method rules one of them out", 760, 290
    )
    card.text(24, 36, "published, k = 2", bold=True)
    rows = ("a", "a b c", "a b c", "b")
    for row, words in enumerate(rows):
        card.piece(24, 52 + 34 * row, 74, words)
    for row in range(2):
        card.piece(118, 52 + 34 * row, 40, "e", fill=PALE_BLUE, edge=BLUE)
    card.text(61, 206, "chunk 0", size=11, colour=GREY, anchor="middle")
    card.text(138, 206, "chunk 1", size=11, colour=GREY, anchor="middle")
    card.text(196, 36, "six ways to put e on two of the rows", bold=True)
    places = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    for number, place in enumerate(places):
        left = 196 + 93 * number
        ruled_out = place == (1, 2)
        card.box(left, 48, 86, 144, fill="#ffffff", edge=ORANGE if ruled_out else LINE, thick=1.5)
        for row, words in enumerate(rows):
            card.text(left + 10, 70 + 34 * row, words, size=13)
            if row in place:
                card.box(left + 56, 55 + 34 * row, 22, 22, fill=PALE_BLUE, edge=BLUE)
                card.text(left + 67, 71 + 34 * row, "e", size=13, anchor="middle", bold=True)
        if ruled_out:
            card.cross(left + 4, 52, 78, 136)
    card.text(
        24,
        236,
        "On both rows with a b c, every pair of a, b, c, e would be there twice, and e would stand in chunk 0.",
        size=13,
    )
    card.text(
        24,
        262,
        "Five ways are left: e is on each row with a b c in 2 of 5, on a and on b in 3 of 5.",
        size=13,
        bold=True,
    )
    return card


def cover_problem() -> Card:
    """Cancer comes only with Oncologist and Treatment; so Surgery did not meet it three times."""
    card = Card(
        "cover-problem",
        "Cancer is covered by Oncologist and Treatment, so Surgery met it fewer than three times",
        760,
        318,
    )
    columns = ("Oncologist", "Treatment", "Cancer")
    card.text(24, 34, "chunk 0", bold=True)
    card.text(432, 34, "chunk 1", bold=True)
    for column, name in enumerate(columns):
        card.text(
            74 + 104 * column,
            56,
            name,
            size=12,
            colour=ORANGE if column == 2 else INK,
            anchor="middle",
            bold=True,
        )
    held = ((1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 0, 0), (0, 1, 0))
    for row, items in enumerate(held):
        for column, here in enumerate(items):
            covered = column == 2 and here
            fill, edge = (PALE_ORANGE, ORANGE) if covered else (PALE if here else "#ffffff", LINE)
            card.box(26 + 104 * column, 64 + 24 * row, 96, 20, fill=fill, edge=edge, dashed=not here)
    card.box(20, 60, 318, 100, fill="none", edge=ORANGE, round=6, thick=2)
    card.text(20, 232, "Whoever has Cancer has the other two: they cover it.", size=12, colour=ORANGE)
    for column, name in enumerate(("Surgery", "Side Effects")):
        card.text(482 + 112 * column, 56, name, size=12, anchor="middle", bold=True)
        for row in range(4):
            here = column == 0 or row < 3
            card.box(
                432 + 112 * column,
                64 + 24 * row,
                100,
                20,
                fill=PALE_BLUE if here else "#ffffff",
                edge=BLUE if here else LINE,
                dashed=not here,
            )
    card.line(428, 112, 346, 112, arrow=True, dashed=True)
    card.text(400, 178, "Surgery with Cancer in 3 records? Then also with", size=12)
    card.text(400, 196, "Oncologist and Treatment in these 3: frequent enough,", size=12)
    card.text(400, 214, "and Surgery would stand in chunk 0. It does not.", size=12)
    card.box(24, 256, 712, 18, fill=PALE_BLUE, edge=BLUE, round=2)
    card.box(24, 256, 712 * 24 / 60, 18, fill=BLUE, edge=BLUE, round=2)
    card.text(30, 270, "24 that the method cuts like this", size=12, colour="#ffffff")
    card.text(728, 270, "of 60 ways to put the pieces together", size=12, colour=BLUE, anchor="end")
    card.text(24, 300, "In all 24 Surgery meets Cancer exactly twice, and k is 3.", size=13, bold=True)
    return card


def composition() -> Card:
    """Two releases; what rose by one is the newcomer."""
    card = Card(
        "composition",
        "Two releases, a month apart: the items whose counts rose belong to the one who joined",
        760,
        286,
    )
    card.text(24, 36, "who has it", bold=True)
    card.text(292, 36, "January: 7 records", anchor="middle", size=13, bold=True)
    card.text(492, 36, "February: 8 records", anchor="middle", size=13, bold=True)
    card.text(672, 36, "so", anchor="middle", size=13, bold=True)
    counts = (
        ("asthma", 3, 4),
        ("cough", 2, 2),
        ("fever", 3, 3),
        ("flu", 3, 4),
        ("inhaler", 2, 2),
        ("rest", 2, 3),
    )
    for row, (name, before, after) in enumerate(counts):
        y, rose = 52 + 32 * row, after > before
        card.text(150, y + 18, name, size=14, anchor="end", bold=rose)
        for x, count in ((210, before), (410, after)):
            for number in range(count):
                last = rose and number == count - 1 and x > 300
                card.box(
                    x + 34 * number,
                    y + 4,
                    28,
                    18,
                    fill=ORANGE if last else PALE_BLUE,
                    edge=ORANGE if last else BLUE,
                )
            card.text(x + 150, y + 18, str(count), size=13, colour=GREY)
        if rose:
            card.piece(620, y, 104, name, fill=PALE_ORANGE, edge=ORANGE, bold=True)
    card.text(
        24,
        270,
        "Each release keeps k = 2 and m = 2. Together they give the record of the eighth person.",
        size=13,
        bold=True,
    )
    return card


DRAWN = (known_items, term_chunk, semantic_attack, method_attack, cover_problem, composition)
