"""A card to draw on: SVG by plain strings, on white, so that it can be read on a light and on a dark page."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Literal

INK, GREY, PALE, LINE = "#1f2933", "#616e7c", "#f2f4f7", "#cbd2d9"
BLUE, ORANGE, PALE_BLUE, PALE_ORANGE = "#1f5f9e", "#b35300", "#dcebf8", "#fdebd7"
FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

Anchor = Literal["start", "middle", "end"]


@dataclass
class Card:
    """One picture.

    Attributes:
        name: of the file, without its ending.
        title: what it shows, for those who do not see it.
        about: the same at length, where a title does not do.
    """

    name: str
    title: str
    width: int
    height: int
    parts: list[str] = field(default_factory=list)
    about: str = ""

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: int = 14,
        colour: str = INK,
        anchor: Anchor = "start",
        bold: bool = False,
        struck: bool = False,
    ) -> None:
        """One line of words; ``y`` is the line they stand on."""
        style = (' font-weight="600"' if bold else "") + (' text-decoration="line-through"' if struck else "")
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{style}>'
            f"{escape(words)}</text>"
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = PALE,
        edge: str = LINE,
        round: float = 4,
        dashed: bool = False,
        thick: float = 1,
    ) -> None:
        """A rectangle."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round:g}" fill="{fill}"'
            f' stroke="{edge}" stroke-width="{thick:g}"{dash}/>'
        )

    def piece(
        self,
        x: float,
        y: float,
        width: float,
        words: str,
        *,
        fill: str = PALE,
        edge: str = LINE,
        colour: str = INK,
        bold: bool = False,
        dashed: bool = False,
    ) -> None:
        """A published piece of a record: a box of one line with words in it."""
        self.box(x, y, width, 26, fill=fill, edge=edge, dashed=dashed)
        self.text(x + width / 2, y + 18, words, size=13, colour=colour, anchor="middle", bold=bold)

    def line(
        self,
        x: float,
        y: float,
        to_x: float,
        to_y: float,
        *,
        colour: str = GREY,
        thick: float = 1.5,
        dashed: bool = False,
        arrow: bool = False,
    ) -> None:
        """A line, with a head if asked."""
        style = (' stroke-dasharray="5 4"' if dashed else "") + (' marker-end="url(#head)"' if arrow else "")
        self.parts.append(
            f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}" fill="none" stroke="{colour}"'
            f' stroke-width="{thick:g}"{style}/>'
        )

    def ellipse(
        self, x: float, y: float, wide: float, high: float, *, fill: str, edge: str, dashed: bool = False
    ) -> None:
        """An ellipse around a point."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(
            f'<ellipse cx="{x:g}" cy="{y:g}" rx="{wide:g}" ry="{high:g}" fill="{fill}" stroke="{edge}"'
            f' stroke-width="1.5"{dash}/>'
        )

    def person(self, x: float, y: float, *, colour: str = INK) -> None:
        """A head and shoulders, 28 wide and 34 high, centred on ``x``."""
        self.parts.append(f'<circle cx="{x:g}" cy="{y + 8:g}" r="7.5" fill="{colour}"/>')
        self.parts.append(
            f'<path d="M{x - 14:g} {y + 34:g}a14 15 0 0 1 28 0z" fill="{colour}"/>',
        )

    def cross(self, x: float, y: float, width: float, height: float, *, colour: str = ORANGE) -> None:
        """Strike a rectangle out."""
        self.line(x, y, x + width, y + height, colour=colour, thick=2.5)
        self.line(x, y + height, x + width, y, colour=colour, thick=2.5)

    def svg(self) -> str:
        """The whole picture."""
        start = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}"'
            f' width="{self.width}" height="{self.height}" role="img" font-family="{FONT}">'
        )
        head = (
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
            f' orient="auto"><path d="M0 0L8 4L0 8z" fill="{GREY}"/></marker></defs>'
        )
        card = (
            f'<rect x="0.5" y="0.5" width="{self.width - 1}" height="{self.height - 1}" rx="8" fill="#ffffff"'
            f' stroke="{LINE}"/>'
        )
        told = [f"<title>{escape(self.title)}</title>"]
        told += [f"<desc>{escape(self.about)}</desc>"] if self.about else []
        return "\n".join([start, *told, head, card, *self.parts, "</svg>", ""])
