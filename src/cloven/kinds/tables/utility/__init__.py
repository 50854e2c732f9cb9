"""All measures of what a published table keeps, on one scale: totals over all rows, for everybody to see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from cloven.disclosure.outcome import Measured, Utility
from cloven.errors import ParameterError
from cloven.figures import percent
from cloven.kinds.tables.buckets import Buckets, cell_sizes, positions_of, published_shares
from cloven.kinds.tables.cells import shown_release, understood_by
from cloven.kinds.tables.reconstruction import drawn_rows
from cloven.kinds.tables.utility.pairs import invalid_tuples, mean_distance, pair_distances, published_joint
from cloven.kinds.tables.utility.queries import Workload, query_errors
from cloven.statistics.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cloven.compiled import Floats, Longs
    from cloven.data.table import Table
    from cloven.kinds.tables.release import CellDomain, TableRelease
    from cloven.kinds.tables.utility.pairs import Rule
    from cloven.kinds.tables.utility.queries import QueryError


QUERY_ERROR, SENSITIVE_ERROR = "query error", "query error with sensitive values"
COUNTS, SENSITIVE_COUNTS = "agreement of counts", "agreement of counts with sensitive values"
"""Headlines: errors have no upper end, so a few rare counts would put every coarse table at the bottom of the scale."""


def table_utility(
    table: Table,
    release: TableRelease,
    rng: np.random.Generator,
    *,
    suppressed: int = 0,
    workload: Workload | None = None,
    rules: Sequence[Rule] = (),
    target: str | None = None,
    test: Table | None = None,
) -> Utility:
    """Measure a release against its original; give ``untouched(table)`` for the reference.

    Args:
        table: the original.
        release: what was published of it.
        rng: random numbers for queries, drawn tables and intervals.
        suppressed: persons who are not published.
        workload: queries; left out, up to five quasi-identifiers, with and without the sensitive attribute.
        rules: combinations that cannot be; see ``invalid_tuples``.
        target: attribute that a model is to tell, if that is to be measured.
        test: rows to test the model on, not in the release.

    >>> from cloven.kinds.tables.reconstruction import untouched
    >>> from cloven.data.table import Attribute, Table
    >>> ages = Attribute("age", "quasi-identifier", ("20", "30"), np.array([20.0, 30.0]))
    >>> sex = Attribute("sex", "quasi-identifier", ("f", "m"))
    >>> table = Table((ages, sex), np.array([[0, 0], [1, 1], [1, 0]], np.int32), np.arange(3))
    >>> table_utility(table, untouched(table), np.random.default_rng(1)).score()
    1.0
    """
    release = understood_by(release, table)
    asked = workload or usual_workload(table)
    errors = query_errors(table, release, asked.draw(table, rng), rng)
    distances = pair_distances(table, release)
    invalid = invalid_tuples(table, release, rng, rules=rules)
    coarse = distortion(table, release, suppressed)
    rows = len(table)
    lowest = discernibility(release, suppressed) / (rows * rows) if rows else 0.0
    found = [
        _agreement(COUNTS, errors, sensitive=False),
        _agreement(SENSITIVE_COUNTS, errors, sensitive=True),
        _error(QUERY_ERROR, errors, sensitive=False),
        _error(SENSITIVE_ERROR, errors, sensitive=True),
        _plain(
            "pair distance",
            mean_distance(distances),
            "mean distance of pair distributions from the original's",
        ),
        _plain("invalid rows", invalid.pairs, "rows as read with two values that never meet in the original"),
        _plain("absent rows", invalid.quasi_identifiers, "rows as read whose quasi-identifiers nobody has"),
        _plain("rows against rules", invalid.against_rules, "rows as read that break a rule"),
        _plain(
            "distortion",
            coarse,
            "share of all values that coarse cells stand for; exchanged values cost nothing",
        ),
        _plain(
            "certainty penalty",
            certainty_penalty(table, release, suppressed),
            "mean share of the domain that a cell spans",
        ),
        _plain("discernibility", lowest, "rows that a row cannot be told from, as a share of all"),
    ]
    if target is not None and test is not None:
        told = classification(release, test, target)
        sentence = f"rows whose {target} naive Bayes tells; the most common value reaches {told.majority:.3f}"
        found.append(Measured("classification", told.accuracy, told.low, told.high, 1.0, 0.0, sentence))
    kept = tuple(each for each in found if each.value is not None)
    return Utility(_headline(kept), kept)


def usual_workload(table: Table) -> Workload:
    """Queries about up to five quasi-identifiers, as far as there are so many, with and without sensitive values."""
    most = min(5, len(table.positions("quasi-identifier")))
    asks = "both" if table.positions("sensitive") else "without"
    return Workload(tuple(range(1, most + 1)), sensitive=asks, queries=100)


def _headline(found: tuple[Measured, ...]) -> str:
    """What methods are compared by: counts that ask about the sensitive attribute, if there is one."""
    names = [each.name for each in found]
    return next((name for name in (SENSITIVE_COUNTS, COUNTS) if name in names), names[0])


def _agreement(name: str, errors: tuple[QueryError, ...], *, sensitive: bool) -> Measured:
    """Mean agreement over dimensions; its interval is that of independent kinds of queries."""
    found = [each.agreement for each in errors if each.sensitive == sensitive and each.agreement is not None]
    if not found:
        return Measured(name, None, None, None, 1.0, 0.0, "")
    means, low, high = np.array(found).T
    value, spread = float(means.mean()), float(np.sqrt((((high - low) / 2) ** 2).sum()) / len(found))
    sentence = "smaller over larger of the counts of original and release, as a mean over the same queries"
    return Measured(
        name, value, max(0.0, value - spread), min(1.0, value + spread), 1.0, 0.0, sentence, "public"
    )


def _error(name: str, errors: tuple[QueryError, ...], *, sensitive: bool) -> Measured:
    """Mean of the mean errors over dimensions; its interval is that of independent kinds of queries."""
    kinds = [each for each in errors if each.sensitive == sensitive and each.mean is not None]
    if not kinds:
        return Measured(name, None, None, None, 0.0, 1.0, "")
    means = np.array([each.mean or 0.0 for each in kinds])
    half = np.array([((each.high or 0.0) - (each.low or 0.0)) / 2 for each in kinds])
    value, spread = float(means.mean()), float(np.sqrt((half**2).sum()) / len(kinds))
    share = float(np.mean([each.selectivity or 0.0 for each in kinds]))
    what = "and the sensitive attribute" if sensitive else "alone"
    few, most = kinds[0].dimensions, kinds[-1].dimensions
    number = f"{few} to {most}" if most > few else str(few)
    sentence = (
        f"mean relative error of counts by {number} quasi-identifier{'s' if most > 1 else ''} {what};"
        f" a query means {percent(share)} of the rows"
    )
    return Measured(name, value, max(0.0, value - spread), value + spread, 0.0, 1.0, sentence, "public")


def _plain(name: str, value: float | None, sentence: str) -> Measured:
    return Measured(name, value, None, None, 0.0, 1.0, sentence, "public")


# How coarse the cells are: distortion, certainty penalty, discernibility.
#
# - ``distortion``: generalised distortion ratio (BinJubier et al. 2022, equations 2 and 3). A value that was exchanged
# inside its rank group costs nothing, so a method that only exchanges values keeps 100 % by this measure whatever it
# destroys; that is why query error and pair distance stand beside it.
# - ``certainty_penalty``: normalised certainty penalty (Xu, Wang, Pei, Wang, Shi, Fu, KDD 2006).
# - ``discernibility``: each row costs the number of rows it cannot be told from (Bayardo, Agrawal, ICDE 2005).


def distortion(
    table: Table, release: TableRelease, suppressed: int = 0, attributes: Sequence[str] | None = None
) -> float:
    """Share of values that cells of several values stand for: sum of |cell| / |domain| by the number of cells.

    Args:
        table: the original. A release that was read from a file knows only the values that it shows; how many numbers
            lie inside its ranges, and in the domain, only the original tells.
        release: what was published of it.
        suppressed: rows that are not published; they count as fully generalised.
        attributes: quasi-identifiers to count; left out, all.
    """
    return _mean_penalty(understood_by(release, table), suppressed, attributes, _leaves)


def data_utility(
    table: Table, release: TableRelease, suppressed: int = 0, attributes: Sequence[str] | None = None
) -> float:
    """Data utility in per cent as printed: 100 - 100 x distortion."""
    return 100.0 - 100.0 * distortion(table, release, suppressed, attributes)


def certainty_penalty(
    table: Table, release: TableRelease, suppressed: int = 0, attributes: Sequence[str] | None = None
) -> float:
    """Mean over cells of the share of the domain they span: by width for numbers, by values for others."""
    return _mean_penalty(understood_by(release, table), suppressed, attributes, _span)


def discernibility(release: TableRelease, suppressed: int = 0) -> int:
    """Sum over classes (or buckets) of their squared size; a suppressed row costs as much as there are rows.

    It goes by the sizes of groups alone, so that it needs no original.
    """
    sizes = Buckets.of(release).sizes
    rows = int(sizes.sum()) + suppressed
    return int((sizes * sizes).sum()) + suppressed * rows


def _leaves(domain: CellDomain) -> Floats:
    sizes = cell_sizes(domain)
    return np.where(sizes > 1, sizes / len(domain.values), 0.0)


def _span(domain: CellDomain) -> Floats:
    if domain.numbers is None or len(domain.numbers) < 2:
        return _leaves(domain)
    first, last = domain.member_offsets[:-1], domain.member_offsets[1:] - 1
    width = domain.numbers[domain.members[last]] - domain.numbers[domain.members[first]]
    out: Floats = width / (domain.numbers[-1] - domain.numbers[0])
    return out


def _mean_penalty(
    release: TableRelease,
    suppressed: int,
    attributes: Sequence[str] | None,
    penalty: Callable[[CellDomain], Floats],
) -> float:
    buckets = Buckets.of(release)
    places = (
        buckets.quasi_identifiers
        if attributes is None
        else tuple(buckets.position(name) for name in attributes)
    )
    cells = (len(buckets.cells) + suppressed) * len(places)
    if not cells:
        return 0.0
    total = sum(float(penalty(buckets.domains[place])[buckets.cells[:, place]].sum()) for place in places)
    return (total + suppressed * len(places)) / cells


# What can still be learned: accuracy of a simple model that is trained on the release and tested on real rows.
#
# Naive Bayes needs nothing but how often each value goes with each class, which a release tells in expectation (see
# ``pairs``), so nothing is drawn. A decision tree (scikit-learn) also uses what three and more attributes have in
# common; it is trained on one table that the release may stand for.


Model = Literal["bayes", "tree"]


@dataclass(frozen=True)
class Classification:
    """How well a class is told.

    Attributes:
        target: the attribute whose value is the class.
        model: ``bayes`` or ``tree``.
        accuracy: share of test rows told right; low, high: its 95 % interval.
        balanced: mean over the classes of the share of their rows told right.
        majority: accuracy of always saying the class most common in the release.
        rows: test rows.
    """

    target: str
    model: str
    accuracy: float
    low: float
    high: float
    balanced: float
    majority: float
    rows: int


def classification(
    release: TableRelease,
    test: Table,
    target: str,
    model: Model = "bayes",
    rng: np.random.Generator | None = None,
) -> Classification:
    """Train on a release, test on rows that were not in it.

    Args:
        release: what the model learns from; all published attributes but the target are features.
        test: rows with true values.
        target: the class.
        model: ``bayes``, or ``tree`` (needs scikit-learn and ``rng``).
        rng: random numbers for the table that the tree is trained on.
    """
    if model not in get_args(Model):
        message = f"model must be one of {', '.join(get_args(Model))} (got {model!r})"
        raise ParameterError(message)
    release = understood_by(shown_release(release), test)  # the same from a file as in memory
    buckets = Buckets.of(release).with_rows()
    place = buckets.position(target)
    if not len(test):
        message = "there are no rows to test on; keep some rows out of the release"
        raise ParameterError(message)
    codes = _test_codes(buckets, test)
    features = [number for number in range(len(buckets.domains)) if number != place]
    bayes = model == "bayes"
    told = _bayes(buckets, codes, place, features) if bayes else _tree(release, codes, place, features, rng)
    truth = codes[:, place]
    right = told == truth
    low, high = wilson(int(right.sum()), len(right))
    majority = int(published_shares(buckets, place).argmax())
    each = [float(right[truth == code].mean()) for code in np.unique(truth).tolist()]
    return Classification(
        target,
        model,
        float(right.mean()),
        low,
        high,
        float(np.mean(each)),
        float((truth == majority).mean()),
        len(test),
    )


def _test_codes(buckets: Buckets, test: Table) -> Longs:
    """Rows x published attributes: positions in the domains of the release; negative where it does not know a value."""
    names = [attribute.name for attribute in test.attributes]
    columns = []
    for domain in buckets.domains:
        if domain.name not in names:
            message = (
                f"the release shows {domain.name!r} and the test rows do not; test on rows of the same table"
            )
            raise ParameterError(message)
        place = names.index(domain.name)
        at = np.append(positions_of(test.attributes[place].values, domain.values), -1)
        columns.append(at[test.codes[:, place]])
    return np.column_stack(columns)


def _bayes(buckets: Buckets, codes: Longs, place: int, features: list[int]) -> Longs:
    """Likeliest class of each row; one row is added to every count, so that nothing is impossible."""
    rows = len(buckets.cells)
    score = np.log(published_shares(buckets, place) * rows + 1.0)[None, :] + np.zeros((len(codes), 1))
    for feature in features:
        counts = published_joint(buckets, feature, place) * rows + 1.0
        logs = np.log(counts / counts.sum(axis=0))
        known = codes[:, feature] >= 0
        score[known] += logs[codes[known, feature]]
    found: Longs = score.argmax(axis=1)
    return found


def _tree(
    release: TableRelease, codes: Longs, place: int, features: list[int], rng: np.random.Generator | None
) -> Longs:
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ImportError as error:
        message = 'a decision tree needs scikit-learn: pip install "cloven[text]"'
        raise ParameterError(message) from error
    if rng is None:
        message = "a decision tree is trained on a drawn table; give rng"
        raise ParameterError(message)
    rows = drawn_rows(release, rng)
    tree = DecisionTreeClassifier(max_leaf_nodes=64, random_state=0)
    tree.fit(rows[:, features], rows[:, place])
    common = [int(np.bincount(rows[:, feature]).argmax()) for feature in features]
    told = codes[:, features]
    return np.asarray(tree.predict(np.where(told >= 0, told, common)), np.int64)
