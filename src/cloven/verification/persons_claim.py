"""Does a release that says it counts persons know any, and one that counts records have none to count?

What a release says about persons cannot be seen in it: whose records its rows are is not published. The original tells
whether there are persons at all; whether k of them stand behind each count is a matter of the other checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.model.arrays import distinct
from cloven.model.counted import counted
from cloven.verification.verdict import NOT_CHECKED, Check

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.key import Key
    from cloven.model.key_generalised import GeneralisedKey
    from cloven.model.set_generalised import SetGeneralised
    from cloven.model.transactions import Transactions
    from cloven.verification.verdict import Level

NAME = "persons counted"


def check_persons_claim(
    release: Disassociated | SetGeneralised,
    original: Transactions | None,
    key: Key | GeneralisedKey | None,
    *,
    counted_at: Level,
) -> list[Check]:
    """The claim against original and key; no check where neither it nor they speak of persons.

    Args:
        release: the release.
        original: the data it was made from, if known.
        key: the owner's key, if known.
        counted_at: the level at which other checks count persons.
    """
    claimed = release.parameters.get("persons") is True
    if original is None:
        return [
            _undecided("release", 0, f"give the original with its persons (level {counted_at})")
        ] * claimed
    level: Level = "original" if key is None else "key"
    told = {"the original": original.persons} | ({} if key is None else {"the key": key.persons})
    known = [persons for persons in told.values() if persons is not None]
    if claimed:
        missing = [where for where, persons in told.items() if persons is None]
        return [_where_claimed(release, level, known, missing, counted_at)]
    return [_where_not_claimed(release, level, known[0])] if known else []


def _where_claimed(
    release: Disassociated | SetGeneralised,
    level: Level,
    known: list[NDArray[np.int64]],
    missing: list[str],
    counted_at: Level,
) -> Check:
    """The key must know persons; the original too, unless the key does."""
    if not known or "the key" in missing:
        said = "the release says that persons were counted, and " + " and ".join(missing)
        detail = f"{said} names none; tell their column with --person if there is one"
        return Check(NAME, level, passed=False, examined=release.records, detail=detail)
    persons = len(distinct(known[0]))
    if level == "original" and counted_at == "key":
        return _undecided(
            level, persons, f"the original names {counted(persons, 'persons')}; give the key too"
        )
    return Check(NAME, level, passed=True, examined=persons, detail=counted(persons, "persons are known"))


def _where_not_claimed(
    release: Disassociated | SetGeneralised, level: Level, persons: NDArray[np.int64]
) -> Check:
    """Counting records will do if nobody has two of them."""
    count = len(distinct(persons))
    wrong = count < len(persons)
    detail = f"{count:,} persons with one record each: records may be counted"
    if wrong:
        detail = (
            f"the release counts records, but the {len(persons):,} records are of {count:,} persons;"
            " anonymise with --person"
        )
    return Check(NAME, level, passed=not wrong, examined=release.records, detail=detail)


def _undecided(level: Level, examined: int, how: str) -> Check:
    detail = f"{NOT_CHECKED}: that k persons, not only k records, stand behind each count; {how}"
    return Check(NAME, level, passed=True, examined=examined, detail=detail, decided=False)
