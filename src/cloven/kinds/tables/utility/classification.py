"""What can still be learned: accuracy of a simple model that is trained on the release and tested on real rows.

Naive Bayes needs nothing but how often each value goes with each class, which a release tells in expectation (see
``pairs``), so nothing is drawn. A decision tree (scikit-learn) also uses what three and more attributes have in
common; it is trained on one table that the release may stand for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import Buckets, positions_of, published_shares
from cloven.kinds.tables.cells import shown_release, understood_by
from cloven.kinds.tables.utility.draw import drawn_rows
from cloven.kinds.tables.utility.pairs import published_joint
from cloven.statistics.intervals import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.kinds.tables.release import GeneralisedTable, Sliced

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
    release: GeneralisedTable | Sliced,
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


def _test_codes(buckets: Buckets, test: Table) -> NDArray[np.int64]:
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


def _bayes(buckets: Buckets, codes: NDArray[np.int64], place: int, features: list[int]) -> NDArray[np.int64]:
    """Likeliest class of each row; one row is added to every count, so that nothing is impossible."""
    rows = len(buckets.cells)
    score = np.log(published_shares(buckets, place) * rows + 1.0)[None, :] + np.zeros((len(codes), 1))
    for feature in features:
        counts = published_joint(buckets, feature, place) * rows + 1.0
        logs = np.log(counts / counts.sum(axis=0))
        known = codes[:, feature] >= 0
        score[known] += logs[codes[known, feature]]
    found: NDArray[np.int64] = score.argmax(axis=1)
    return found


def _tree(
    release: GeneralisedTable | Sliced,
    codes: NDArray[np.int64],
    place: int,
    features: list[int],
    rng: np.random.Generator | None,
) -> NDArray[np.int64]:
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
