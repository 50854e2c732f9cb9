"""What the parts of a release are called: sets of items have records and groups, tables rows and buckets or classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cloven.report.words import contents

if TYPE_CHECKING:
    from collections.abc import Mapping


EXTREMES = ("smallest_group", "largest_group")


@dataclass(frozen=True)
class Speech:
    """Nouns of one kind of release.

    Attributes:
        records: what a person has.
        groups: what hides persons among each other.
        not_there: what a public page never shows.
        counts: nouns for counts of the release that are called otherwise in the document.
    """

    records: str = "records"
    groups: str = "groups"
    not_there: str = "No guess, no record, no item."
    counts: Mapping[str, str] = field(default_factory=dict)

    def published(self, counted: Mapping[str, int]) -> str:
        """Counts of a release in words; the extreme sizes of groups have a chart of their own.

        >>> Speech(counts={"records": "rows"}).published({"records": 200, "columns": 3, "largest_group": 20})
        '200 rows and 3 columns'
        """
        shown = {name: number for name, number in counted.items() if name not in EXTREMES}
        return contents({self.counts.get(name, name): number for name, number in shown.items()})


def speech(document: Mapping[str, Any]) -> Speech:
    """How to speak of the release of a document."""
    if document["family"] != "tables":
        return Speech()
    groups = "buckets" if "columns" in document["published"] else "classes"
    counts = {"records": "rows", "groups": groups, "cells": "different_cells"}
    return Speech("rows", groups, "No guess, no row of the original.", counts)
