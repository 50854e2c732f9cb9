"""The picture of the code: which part of ``src/cloven`` stands on which. A test holds it against the imports."""

from __future__ import annotations

from drawing import BLUE, GREY, INK, LINE, ORANGE, PALE, PALE_BLUE, PALE_ORANGE, Card

LAYERS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("commands", "what people type", {"cli": "one file for each command"}),
    ("studio", "what people see", {"studio": "a local web app, its workers behind a gate"}),
    ("uses", "of an audit", {"tuning": "search for settings", "report": "page, charts, frame"}),
    (
        "the loop",
        "start here",
        {
            "audit": "loop, decision, document",
            "reconstruction": "plausible data",
            "engines": "local, Spark",
        },
    ),
    ("kinds", "a room each", {"kinds": ""}),
    (
        "attackers",
        "what they know",
        {"threats": "knowledge, effort, threat", "standards": "clauses and answers"},
    ),
    (
        "tools",
        "for every kind",
        {
            "reading": "files in",
            "text": "documents",
            "datasets": "samples",
            "statistics": "intervals",
            "relatedness": "of words",
            "storage": "on disk",
            "verification": "verdicts",
            "settings": "in words",
        },
    ),
    (
        "types",
        "no algorithms",
        {
            "data": "sets, tables",
            "disclosure": "who reads what",
            "protocols": "extension points",
            "registry": "rooms by name",
            "attacks": "all by name",
        },
    ),
)
"""From the top: each part imports only what stands below it. Beneath all are errors, figures and the like."""
ROOMS = ("disassociated", "generalised", "tables")
INSIDE = (("methods", "verify"), ("attack", "key"), ("release", "words"))
LEFT, RIGHT, GAP = 148, 740, 22


def architecture() -> Card:
    """Layers of packages, and the walls inside a room."""
    card = Card(
        "architecture",
        "The parts of the code in layers: each imports only what stands below it",
        760,
        806,
        about="From the top: cli; studio; tuning and report; audit, reconstruction and engines; kinds with one room"
        " each for disassociated, generalised and tables; threats and standards; reading, text, datasets, statistics,"
        " relatedness, storage, verification and settings; data, disclosure, protocols, registry and attacks. Inside a"
        " room verify never reaches methods, and attack never names the key. The report is made from the document of"
        " an audit alone.",
    )
    top = 20
    for name, about, parts in LAYERS:
        height = 186 if name == "kinds" else 98 if len(parts) > 5 else 46
        card.text(20, top + 20, name, bold=True)
        card.text(20, top + 38, about, size=11, colour=GREY)
        if name == "kinds":
            _rooms(card, top, height)
        else:
            _parts(card, top, parts, start=name == "the loop")
        if name == "uses":
            _document(card, top + height)
        else:
            card.line(LEFT + 296, top + height + 3, LEFT + 296, top + height + GAP - 3, arrow=True)
        top += height + GAP
    card.box(LEFT, top, RIGHT - LEFT, 30, fill="#ffffff", dashed=True)
    card.text(20, top + 20, "ground", bold=True)
    ground = "errors, escapes, intake, figures, compiled, names: for everybody, and standing on nothing"
    card.text((LEFT + RIGHT) / 2, top + 20, ground, size=12, colour=GREY, anchor="middle")
    return card


def _parts(card: Card, top: float, parts: dict[str, str], *, start: bool) -> None:
    """Parts of a layer side by side; more than five stand in two rows."""
    in_row = 4 if len(parts) > 5 else len(parts)
    even = (RIGHT - LEFT - 8 * (in_row - 1)) / in_row
    for number, (name, about) in enumerate(parts.items()):
        row, place = divmod(number, in_row)
        x, y, width, here = LEFT + (even + 8) * place, top + 52 * row, even, start and number == 0
        if start:  # the first is what everything is about
            x, width = (LEFT, even + 120) if here else (x + 120, even - 120)
        card.box(
            x,
            y,
            width,
            46,
            fill=PALE_BLUE if here else PALE,
            edge=BLUE if here else LINE,
            thick=2 if here else 1,
        )
        card.text(x + width / 2, y + 20, name, anchor="middle", bold=True, colour=BLUE if here else INK)
        card.text(x + width / 2, y + 37, about, size=11, colour=GREY, anchor="middle")


def _document(card: Card, bottom: float) -> None:
    """Tuning imports the audit; the report gets its document, and imports nothing of it."""
    card.line(LEFT + 148, bottom + 3, LEFT + 148, bottom + GAP - 3, arrow=True)
    card.line(LEFT + 360, bottom + GAP - 3, LEFT + 360, bottom + 3, dashed=True, arrow=True)
    card.text(LEFT + 372, bottom + 15, "one JSON document", size=11, colour=GREY)


def _rooms(card: Card, top: float, height: float) -> None:
    """Three rooms with the same names in each, and two walls."""
    width = (RIGHT - LEFT - 16) / 3
    for number, name in enumerate(ROOMS):
        x = LEFT + (width + 8) * number
        card.box(x, top, width, height - 34, fill=PALE_ORANGE, edge=ORANGE)
        card.text(x + width / 2, top + 22, name, anchor="middle", bold=True, colour=ORANGE)
        for row, pair in enumerate(INSIDE):
            y = top + 34 + 40 * row
            for place, inner in enumerate(pair):
                card.piece(x + 10 + (width - 12) / 2 * place, y, (width - 28) / 2, inner, fill="#ffffff")
            if row < 2:
                card.line(x + width / 2, y - 4, x + width / 2, y + 30, colour=ORANGE, thick=3)
    words = "the same names in every room; no room imports another; thick lines are walls"
    card.text((LEFT + RIGHT) / 2, top + height - 14, words, size=11, colour=GREY, anchor="middle")


DRAWN = (architecture,)
