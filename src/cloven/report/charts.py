"""Charts of an audit by name: what each shows, how to read it, when it misleads; as Altair charts for notebooks.

The page draws the same rows by hand (``drawing``), so that it needs neither Altair nor a script.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from cloven.errors import ParameterError
from cloven.escapes import signed
from cloven.report import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


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

    made = DRAW[name](library(), document)
    if made is None:
        message = f"this audit has nothing to draw the chart {name!r} from; see {', '.join(CHARTS)}"
        raise ParameterError(message)
    return made.properties(title=CHARTS[name].title) if hasattr(made, "properties") else made


# The charts as Altair charts, from the same rows as those of the page. Needs the extra ``charts``.


COLOURS = {"attacker": "#c2570c", "adds": "#e08a4f", "guessing": "#8b96a3", "shuffled": "#3b78b8"}
KEPT, LIMIT, INK = "#17635a", "#a61b3c", "#1f2933"
WIDTH = 420


def library() -> Any:
    """Altair, or an error that says how to get it."""
    try:
        import altair
    except ImportError as error:
        message = 'charts need the library altair; pip install "cloven[charts]"'
        raise ParameterError(message) from error
    return altair


def risks(alt: Any, document: Mapping[str, Any]) -> Any:
    """Bars with whiskers, one row for each attacker, and the limit."""
    found = rows.reached(document)
    if not found:
        return None
    bars = _bars(alt, found, "threat")
    limit = alt.Chart(_data(alt, [{"limit": document["limits"]["max_risk"]}]))
    rule = limit.mark_rule(color=LIMIT, strokeDash=[4, 3]).encode(x="limit:Q")
    return alt.layer(bars, rule)


def kinds(alt: Any, document: Mapping[str, Any]) -> Any:
    """The same for each kind of part, one column for each attacker."""
    found = rows.reached_by_kind(document)
    if not found:
        return None
    names = list(dict.fromkeys(row.threat for row in found))
    each = [_bars(alt, [row for row in found if row.threat == name], "kind").properties(
        title=signed(name), width=WIDTH // 2) for name in names]  # fmt: skip
    return alt.concat(*each, columns=2).resolve_scale(x="shared")


def utility(alt: Any, document: Mapping[str, Any]) -> Any:
    """One bar for each measure."""
    found = rows.kept(document)
    if not found:
        return None
    y = alt.Y("measure:N", sort=None, title=None)
    made = alt.Chart(_data(alt, found)).encode(y=y)
    colour = alt.condition(alt.datum.headline, alt.value(KEPT), alt.value("#7fb3ab"))
    x = alt.X(
        "score:Q", title="kept of the original", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])
    )
    bars = made.mark_bar(height=12).encode(x=x, color=colour)
    whiskers = made.mark_rule(color=INK).encode(x="low:Q", x2="high:Q").transform_filter("isValid(datum.low)")
    return alt.layer(bars, whiskers).properties(width=WIDTH)


def trade_off(alt: Any, document: Mapping[str, Any]) -> Any:
    """One point for each setting, a line along those that no other one beats, and the limit."""
    found = [row for row in rows.tried(document) if not row.given_up]
    if not found:
        return None
    table = [
        asdict(row)
        | {"promise": "broken" if row.broken else "kept"}
        | {"role": "this release" if row.main else "recommended" if row.better else "tried"}
        for row in found
    ]
    made = alt.Chart(_data(alt, table))
    x = alt.X(
        "utility:Q",
        title=f"utility: {document['limits']['measure']}",
        axis=alt.Axis(format="%"),
        scale=alt.Scale(zero=False, padding=20),
    )
    y = alt.Y("risk:Q", title="risk, upper end", axis=alt.Axis(format="%"))
    dash = alt.StrokeDash("promise:N", legend=None)
    front = made.mark_line(color=KEPT).encode(x=x, y=y, strokeDash=dash).transform_filter("datum.front")
    points = made.mark_point(filled=True, size=120, opacity=1).encode(
        x=x,
        y=y,
        shape=alt.Shape("promise:N", scale=alt.Scale(domain=["kept", "broken"], range=["circle", "square"])),
        color=alt.Color(
            "role:N",
            scale=alt.Scale(domain=["this release", "recommended", "tried"], range=[INK, KEPT, "#8b96a3"]),
            title=None,
        ),
        tooltip=["number:N", "setting:N", "risk:Q", "utility:Q", "broken:Q"],
    )
    numbers = made.mark_text(dx=12).encode(x=x, y=y, text="number:N")
    limit = alt.Chart(_data(alt, [{"limit": document["limits"]["max_risk"]}]))
    rule = limit.mark_rule(color=LIMIT, strokeDash=[4, 3]).encode(y="limit:Q")
    return alt.layer(front, rule, points, numbers).properties(width=WIDTH, height=280)


def calibration(alt: Any, document: Mapping[str, Any]) -> Any:
    """Points against the diagonal, one plot for each attacker."""
    found = rows.sure(document)
    if not found:
        return None
    high = max(max(row.confidence, row.right) for row in found)
    scale = alt.Scale(domain=[0, high])
    names = list(dict.fromkeys(row.threat for row in found))
    diagonal = alt.Chart(_data(alt, [{"x": 0, "y": 0}, {"x": high, "y": high}]))
    line = diagonal.mark_line(color="#7b8794", strokeDash=[2, 4], strokeWidth=1).encode(x="x:Q", y="y:Q")

    def plot(name: str) -> Any:
        mine = [row for row in found if row.threat == name]
        points = alt.Chart(_data(alt, mine)).mark_point(color=COLOURS["attacker"], strokeWidth=2)
        points = points.encode(
            x=alt.X("confidence:Q", title="said by the attacker", axis=alt.Axis(format="%"), scale=scale),
            y=alt.Y("right:Q", title="really right", axis=alt.Axis(format="%"), scale=scale),
            size=alt.Size("guesses:Q", scale=alt.Scale(type="log", range=[20, 160]), legend=None),
            fill=alt.condition(alt.datum.enough, alt.value(COLOURS["attacker"]), alt.value("transparent")),
            tooltip=["confidence:Q", "right:Q", "guesses:Q"],
        )
        return alt.layer(line, points).properties(width=200, height=200, title=signed(name))

    return alt.concat(*map(plot, names), columns=3)


def sizes(alt: Any, document: Mapping[str, Any]) -> Any:
    """One column for each range of sizes."""
    found = rows.sizes(document)
    if not found:
        return None
    table = [asdict(row) | {"end": row.high + 1} for row in found]
    made = alt.Chart(_data(alt, table)).mark_bar(color=COLOURS["shuffled"])
    x = alt.X("low:Q", title="records in the group", scale=alt.Scale(zero=False, nice=False), bin="binned")
    return made.encode(x=x, x2="end:Q", y=alt.Y("groups:Q", title="groups")).properties(
        width=WIDTH, height=200
    )


DRAW: Mapping[str, Callable[[Any, Mapping[str, Any]], Any]] = {
    "risks": risks,
    "utility": utility,
    "trade-off": trade_off,
    "kinds": kinds,
    "calibration": calibration,
    "sizes": sizes,
}


def _bars(alt: Any, found: Sequence[rows.Reached], by: str) -> Any:
    """Attacker, guessing and control below each other, with whiskers."""
    made = alt.Chart(_data(alt, found)).encode(
        y=alt.Y(f"{by}:N", sort=None, title=None), yOffset=alt.YOffset("who:N", sort=list(COLOURS))
    )
    colour = alt.Color(
        "who:N",
        sort=list(COLOURS),
        title=None,
        scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())),
    )
    x = alt.X("value:Q", title="share of right guesses", axis=alt.Axis(format="%"))
    bars = made.mark_bar().encode(x=x, color=colour, tooltip=["who:N", "value:Q", "low:Q", "high:Q"])
    whiskers = made.mark_rule(color=INK).encode(x="low:Q", x2="high:Q").transform_filter("isValid(datum.low)")
    return alt.layer(bars, whiskers).properties(width=WIDTH)


def _data(alt: Any, found: Sequence[Any]) -> Any:
    """Rows as values of a chart; what cannot be seen in names is made visible."""
    plain = [row if isinstance(row, dict) else asdict(row) for row in found]
    values = [
        {key: signed(value) if isinstance(value, str) else value for key, value in row.items()}
        for row in plain
    ]
    return alt.Data(values=values)
