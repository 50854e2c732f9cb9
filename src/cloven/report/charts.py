"""Charts of an audit by name: what each shows, how to read it, when it misleads; as Altair charts for notebooks.

The page draws the same rows by hand (``drawn``), so that it needs neither Altair nor a script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping


class About(NamedTuple):
    """A chart in words."""

    title: str
    shows: str
    reading: str
    misleads: str


CHARTS: Mapping[str, About] = {
    "risks": About(
        "What attackers reach",
        "For each attacker the share of right guesses, beside what drawing lots reaches and what the same attack"
        " reaches with its knowledge shuffled. The dashed line is the limit; the upper end of the whisker (95 %) is"
        " compared with it.",
        "First look whether the whisker stays left of the limit. Then compare the attacker with guessing: that part the"
        " release gives away by itself. What lies above guessing and above the shuffled control comes from knowledge.",
        "The axis ends shortly after the limit, not at 100 %, so a long bar can be a small risk. A short bar is about"
        " this attacker only. Attackers with other measures (picking a record, re-attaching a part) share the axis, but"
        " not the question. An attack that breaks the promise does so by what it can prove, which no bar shows.",
    ),
    "utility": About(
        "What stays useful",
        "Every measure of utility on one scale: 0 % is all lost, 100 % as good as the original. The measure that the"
        " limit is about comes first.",
        "Look for the measure that is closest to what the data is used for. Whiskers show how much it varies with the"
        " reconstruction that an analyst happens to draw.",
        "Measures that count what is lost are turned round, and an error from 0 to 2 is halved, so 50 % of one measure"
        " is not 50 % of another. A mean over many itemsets can hide that the few you need are gone.",
    ),
    "trade-off": About(
        "Risk against utility",
        "Every setting that was tried: utility across, risk upwards, at the upper end of its interval; thin lines are"
        " the intervals of both. Squares break their promise. Lines join settings that no other one beats, those that"
        " keep the promise apart from those that do not. A mark that would cover another stands beside its place.",
        "The best place is at the bottom on the right. Walk along the line: what lies off it can be exchanged for"
        " something better. Points above the dashed line are not acceptable.",
        "The utility axis is cut to where the points are, so small differences look large. Risk is the upper end of an"
        " interval; points that are closer than their intervals may change places when measured again. Only what was"
        " tried is there.",
    ),
    "kinds": About(
        "Where it breaks",
        "The share of right guesses for each kind of part that the method split off, with guessing and control.",
        "Compare each bar with guessing below it, then kinds with each other: a kind far above guessing is where"
        " the attack finds its links.",
        "A high bar beside an equally high guess says nothing about the attack: there were few places to choose"
        " from. Kinds with few parts have wide whiskers. Guessing and control have no whiskers here.",
    ),
    "calibration": About(
        "Confidence against truth",
        "Guesses with about the same confidence, as one point: how sure the attacker was, and how many were right."
        " Larger points stand for more guesses, hollow ones for fewer than 30.",
        "On the dotted line the attacker knows which guesses to use, which makes the attack more dangerous. Below"
        " it the attacker is overconfident, above it underconfident.",
        "Nearly all guesses are in the first point, so a mean over all of them looks calibrated whatever the others do."
        " Points for few guesses jump about. Guesses of one cluster hang together, so even a point for many"
        " guesses is less certain than it looks.",
    ),
    "sizes": About(
        "Sizes of groups",
        "How many groups of records (clusters) have which size.",
        "Small groups leave few places for a hidden part, so guessing is easier there. A tail on the right means"
        " that some records could not be split further.",
        "A column counts groups, not records: a few large groups can hold most of the data. With many sizes a column"
        " covers a range.",
    ),
}


def chart(name: str, document: Mapping[str, Any]) -> Any:
    """One chart of an audit document, as an Altair chart.

    Raises:
        ParameterError: there is no such chart, nothing to draw it from, or Altair is not installed.
    """
    if name not in CHARTS:
        message = f"no chart {name!r}; there are {', '.join(CHARTS)}"
        raise ParameterError(message)
    from cloven.report.altair_charts import DRAW, library

    made = DRAW[name](library(), document)
    if made is None:
        message = f"this audit has nothing to draw the chart {name!r} from; see {', '.join(CHARTS)}"
        raise ParameterError(message)
    return made.properties(title=CHARTS[name].title) if hasattr(made, "properties") else made
