"""The composition attack: intersect what independent releases say about the people they share.

(Ganta, Kasiviswanathan, Smith, KDD 2008.) In each release the attacker finds the classes or buckets that a person's
quasi-identifiers fit, and the sensitive values there. Only values that are possible in every release are left. With
p_i(s) from release i and the published distribution q(s), independent releases together say p_1(s) p_2(s) / q(s), up to
a factor; a release that holds nothing that fits says nothing, and a release that is given twice is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.tables.attack.matching import NOTHING, Weight, check_weight, match
from cloven.kinds.tables.buckets import Buckets, places_of, published_shares
from cloven.kinds.tables.guesses import Found, MembershipGuesses, ValueGuesses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloven.compiled import Flags, Floats, Longs
    from cloven.kinds.tables.guesses import Known
    from cloven.kinds.tables.release import TableRelease


_NEVER = 1e-12  # below this a probability is rounding, not a possibility


@dataclass(frozen=True)
class Composition:
    """The composition attack.

    Attributes:
        attribute: what is to be found out; the only sensitive attribute that all releases show if left out.
        weight: how buckets are weighted inside a release; see ``matching``.

    >>> from cloven.kinds.tables.guesses import Known
    >>> Composition("disease").parameters["name"]
    'composition'
    """

    attribute: str | None = None
    weight: Weight = "rows"

    def __post_init__(self) -> None:
        check_weight(self.weight)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "composition", "attribute": self.attribute, "weight": self.weight}

    def guess(self, releases: Sequence[TableRelease], known: Known) -> ValueGuesses:
        """Guess the value of every person from two releases or more."""
        if len(releases) < 2:
            message = f"a composition attack needs at least two releases (got {len(releases)})"
            raise ParameterError(message)
        return self.combine(releases, known, self.parameters)

    def combine(
        self, releases: Sequence[TableRelease], known: Known, attack: Mapping[str, Any]
    ) -> ValueGuesses:
        """What any number of releases say together; ``attack`` is the name that the answer bears."""
        views = [Buckets.of(known.reads(release)) for release in _distinct(releases)]
        attribute = to_find_out(views, self.attribute, known)
        values, numbers = _all_values(views, attribute)
        chances, priors, matched = [], [], []
        for view in views:
            place = view.position(attribute)
            matches = match(view, known, place, self.weight)
            at = places_of(view.domains[place].values, values, numbers=numbers)
            chances.append(_at(matches.values, at, len(values)))
            priors.append(_at(published_shares(view, place)[None], at, len(values))[0] * len(view.cells))
            matched.append(matches.buckets)
        weight = np.sum(priors, axis=0)
        prior = weight / weight.sum() if weight.sum() > 0 else np.full(len(values), 1.0 / len(values))
        notes = {"releases": len(views)}
        return combined(attribute, values, np.stack(chances), prior, np.column_stack(matched), attack, notes)


def combined(
    attribute: str,
    values: tuple[str, ...],
    chances: Floats,
    prior: Floats,
    matched: Longs,
    attack: Mapping[str, Any],
    notes: Mapping[str, Any] | None = None,
) -> ValueGuesses:
    """Put the chances of each value together.

    Args:
        attribute: what is to be found out.
        values: its values.
        chances: releases x persons x values.
        prior: published distribution of the values.
        matched: persons x releases: buckets that fit.
        attack: name and parameters.
        notes: what the attack has to say about itself.
    """
    seen = (matched > 0).T
    somewhere: Flags = np.any(seen, axis=0, keepdims=True).T
    candidate: Flags = np.all((chances > _NEVER) | ~seen[:, :, None], axis=0) & somewhere
    safe = np.where(prior > 0, prior, 1.0)
    factor = np.where(seen[:, :, None], chances / safe, 1.0)
    belief = np.where(candidate, prior * factor.prod(axis=0), 0.0)
    total = belief.sum(axis=1, keepdims=True)
    contradicted: Flags = somewhere & ~np.any(candidate, axis=1, keepdims=True)
    mean = chances.sum(axis=0) / np.maximum(1, seen.sum(axis=0))[:, None]
    fallback = np.where(contradicted, mean, prior)
    confidence = np.where(total > 0, belief / np.where(total > 0, total, 1.0), fallback)
    found = np.where(seen.all(axis=0), Found.EVERYWHERE, Found.SOMEWHERE)
    found = np.where(somewhere[:, 0], found, Found.NOWHERE)
    found = np.where(contradicted[:, 0], Found.CONTRADICTED, found).astype(np.int8)
    return ValueGuesses(
        attribute, values, candidate, confidence, prior, matched, found, dict(attack), dict(notes or {})
    )


def to_find_out(views: Sequence[Buckets], attribute: str | None, known: Known) -> str:
    """Name of the attribute to be found out, checked against what releases show and what is known."""
    if attribute is None:
        shown = [{view.names[place] for place in view.sensitive} for view in views]
        shared = sorted(set.intersection(*shown))
        if not shared:
            told = [", ".join(sorted(names)) or "none" for names in shown]
            each = "; ".join(f"number {number} shows {names}" for number, names in enumerate(told, 1))
            message = (
                f"the releases share no sensitive attribute ({each}); take releases that share one, or say"
                " attribute=NAME of one that all show"
            )
            raise ParameterError(message)
        if len(shared) > 1:
            message = (
                f"the releases share {len(shared)} sensitive attributes ({', '.join(shared)}); say which is to be found"
                f" out, such as attribute={shared[0]!r}"
            )
            raise ParameterError(message)
        attribute = shared[0]
    for view in views:
        view.position(attribute)
    if attribute in known.names:
        message = f"{attribute!r} is to be found out, so it cannot be known; leave it out of what is known"
        raise ParameterError(message)
    return attribute


def _all_values(views: Sequence[Buckets], attribute: str) -> tuple[tuple[str, ...], bool]:
    """Values of all releases, and whether they are numbers; the order of a single domain, else of numbers or of texts.

    One number is one value, however a release writes it; the shortest way to write it is taken.
    """
    domains = [view.domains[view.position(attribute)] for view in views]
    numbers = all(domain.numbers is not None for domain in domains)
    if all(domain.values == domains[0].values for domain in domains):
        return domains[0].values, numbers
    union = {value for domain in domains for value in domain.values}
    if not numbers:
        return tuple(sorted(union)), False
    shortest = {float(value): value for value in sorted(union, key=lambda text: (-len(text), text))}
    return tuple(shortest[number] for number in sorted(shortest)), True


def _at(values: Floats, places: Longs, width: int) -> Floats:
    out = np.zeros((len(values), width))
    out[:, places] = values
    return out


def _distinct(releases: Sequence[TableRelease]) -> list[TableRelease]:
    """Releases without those that say the same as an earlier one."""
    out: list[TableRelease] = []
    for release in releases:
        if not any(_same(release, other) for other in out):
            out.append(release)
    return out


def _same(one: TableRelease, other: TableRelease) -> bool:
    first, second = Buckets.of(one), Buckets.of(other)
    return (
        first.names == second.names
        and first.columns == second.columns
        and all(
            (a.values, a.labels) == (b.values, b.labels)
            for a, b in zip(first.domains, second.domains, strict=True)
        )
        and np.array_equal(first.offsets, second.offsets)
        and np.array_equal(first.cells, second.cells)
    )


# What a single published table gives away: a person's sensitive value, and whether the person is in it.
#
# Attribute disclosure is p(t,s) of slicing (Li, Li, Zhang, Molloy, IEEE TKDE 2012, section 4). Membership goes by the
# number of rows to be expected with exactly the person's values: many buckets that fit a little are no evidence.


@dataclass(frozen=True)
class AttributeDisclosure:
    """Find out a value from one release.

    Attributes:
        attribute: what is to be found out; the only sensitive attribute if left out.
        weight: how buckets are weighted; see ``matching``.
    """

    attribute: str | None = None
    weight: Weight = "rows"

    def __post_init__(self) -> None:
        check_weight(self.weight)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "attribute disclosure", "attribute": self.attribute, "weight": self.weight}

    def guess(self, release: TableRelease, known: Known) -> ValueGuesses:
        """Guess the value of every person."""
        return Composition(self.attribute, self.weight).combine((release,), known, self.parameters)


@dataclass(frozen=True)
class Membership:
    """Find out who is in a release."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "membership"}

    def guess(self, release: TableRelease, known: Known) -> MembershipGuesses:
        """Guess for every person whether they are there."""
        buckets = Buckets.of(known.reads(release))
        matches = match(buckets, known, NOTHING, "rows")
        rows = matches.rows / buckets.rate
        return MembershipGuesses(matches.buckets, rows, -np.expm1(-rows), self.parameters)
