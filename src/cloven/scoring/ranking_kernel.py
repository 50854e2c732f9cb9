"""One pass over the candidates of every target: how well do the scores tell true slots from false ones?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints


@compiled
def _outranked(score: NDArray[np.float64], holds: Flags, best: NDArray[np.float64]) -> float:
    """Pairs of a true slot (scores ``best``, ascending) and a false one that the true slot wins; a tie is a half."""
    won, n = 0.0, len(best)
    for i in range(len(score)):
        if not holds[i]:
            below = np.searchsorted(best, score[i], "left") if n > 1 else int(best[0] < score[i])
            above = np.searchsorted(best, score[i], "right") if n > 1 else int(best[0] <= score[i])
            won += n - above + 0.5 * (above - below)
    return won


@compiled
def _expected_true(score: NDArray[np.float64], holds: Flags, threshold: float, places: int) -> float:
    """True slots among the best ``places``, of which the last has this score; lots decide between equal scores."""
    above, level, true_above, true_level = 0, 0, 0, 0
    for i in range(len(score)):
        if score[i] > threshold:
            above += 1
            true_above += holds[i]
        elif score[i] == threshold:
            level += 1
            true_level += holds[i]
    return true_above + true_level * (places - above) / level


@compiled
def rank_targets(
    offsets: Ints,
    score: NDArray[np.float64],
    confidence: NDArray[np.float32],
    holds: Flags,
    asked: Flags,
) -> NDArray[np.float64]:
    """For each asked target, six numbers.

    True links, those with a false rival, sum of the shares they outrank, hits, probability that the best guess is
    right, squared distances between confidence and truth.
    """
    found = np.zeros((len(offsets) - 1, 6))
    for t in range(len(offsets) - 1):
        first, last = offsets[t], offsets[t + 1]
        if not asked[t] or first == last:
            continue
        true = 0
        for i in range(first, last):
            true += holds[i]
            found[t, 5] += (confidence[i] - holds[i]) ** 2
        if true == 0:
            continue
        here, marks = score[first:last], holds[first:last]
        n = last - first
        found[t, 0] = true
        if true < n:
            found[t, 1] = true
            found[t, 2] = _outranked(here, marks, np.sort(here[marks])) / (n - true)
        top = here.max()
        found[t, 4] = _expected_true(here, marks, top, 1)
        # The last of the best places: after sorting, or the maximum where there is one place.
        threshold = top if true == 1 else np.partition(here, n - true)[n - true]
        found[t, 3] = _expected_true(here, marks, threshold, true)
    return found


@compiled
def find_links(offsets: Ints, score: NDArray[np.float64], holds: Flags) -> NDArray[np.float64]:
    """For each true link, in order: probability that its slot is among as many best slots as hold the target."""
    found, at = np.zeros(np.count_nonzero(holds)), 0
    for t in range(len(offsets) - 1):
        here, marks = score[offsets[t] : offsets[t + 1]], holds[offsets[t] : offsets[t + 1]]
        true = np.count_nonzero(marks)
        if true == 0:
            continue
        n = len(here)
        threshold = here.max() if true == 1 else np.partition(here, n - true)[n - true]
        above, level = 0, 0
        for value in here:
            above += value > threshold
            level += value == threshold
        for i in range(n):
            if marks[i]:
                found[at] = 1.0 if here[i] > threshold else 0.0
                if here[i] == threshold:
                    found[at] = (true - above) / level
                at += 1
    return found


@compiled
def sort_into_bins(
    offsets: Ints, kind: Ints, confidence: NDArray[np.float32], holds: Flags, asked: Flags, bins: int
) -> NDArray[np.float64]:
    """For each kind and bin of confidence: candidates, sum of confidences, true links, squared distances."""
    sums = np.zeros((3, bins, 4))
    for t in range(len(offsets) - 1):
        if asked[t]:
            for i in range(offsets[t], offsets[t + 1]):
                value, true = np.float64(confidence[i]), np.float64(holds[i])
                # float32 puts 0.3 a little above or below 0.3: decimal edges belong to the upper bin.
                cell = sums[kind[t], min(int(value * bins + 1e-6), bins - 1)]
                cell[0] += 1
                cell[1] += value
                cell[2] += true
                cell[3] += (value - true) ** 2
    return sums
