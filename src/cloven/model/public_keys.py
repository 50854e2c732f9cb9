"""Every key of the public documents of an audit. What is not declared here is not shared.

``Public`` is the usual one, ``Facts`` the one beside differential privacy. See ``public_document`` for what fills them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from cloven.model.risk import Linkage


class Shown(TypedDict):
    """A value with its interval."""

    value: float
    low: float | None
    high: float | None


class ShownTail(TypedDict):
    """People of whom very much is told."""

    name: str
    members: Shown
    outsiders: Shown
    excess: Shown
    known: str
    guesses: bool


class ShownWorst(Shown):
    """The attack that the risk of a setting comes from."""

    threat: str


class ShownKind(TypedDict):
    """Figures for one kind of part."""

    kind: str
    attacker: float
    low: float | None
    high: float | None
    guessing: float | None
    control: float | None
    count: float
    groups: int


class ShownDetails(TypedDict, total=False):
    """What else of a risk is public."""

    by_kind: list[ShownKind]


class ShownRisk(TypedDict):
    """One attacker."""

    threat: str
    knows: str
    linkage: Linkage
    measure: str
    attacker: Shown | None
    guessing: Shown | None
    control: Shown | None
    outsiders: Shown | None
    population: Shown | None
    excess: Shown | None
    gain: Shown | None
    tails: list[ShownTail]
    beats: bool | None
    counts: bool
    outside: bool
    promised: bool
    broken: int
    broken_what: str
    count: int
    units: int
    sentence: str
    meaning: str
    not_tried: str
    withheld: bool
    details: ShownDetails


class ShownMeasure(TypedDict):
    """One measure of utility."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    best: float
    worst: float
    sentence: str
    score: float | None


class ShownUtility(TypedDict):
    """What is kept."""

    headline: str
    measures: list[ShownMeasure]


class ShownOutcome(TypedDict):
    """One setting that was tried."""

    name: str
    family: str
    main: bool
    front: bool
    risk: float
    worst: ShownWorst | None
    tail: float | None
    broken: int
    utility: float
    utility_low: float | None
    utility_high: float | None


class ShownDecision(TypedDict):
    """The verdict."""

    verdict: str
    sentence: str
    reasons: list[str]
    better: list[str]
    words: str


class ShownLimits(TypedDict):
    """What the owner accepts."""

    max_risk: float
    max_tail: float
    min_utility: float
    measure: str


class ShownSample(TypedDict):
    """How many records were audited, of how many."""

    records: int
    of: int


class ShownSize(TypedDict):
    """How many groups have one size."""

    size: int
    groups: int


class Passed(TypedDict):
    """What the checker had at hand, and whether the release passed."""

    level: str
    ok: bool


class Checked(Passed):
    """The same with the number of checks."""

    checks: int


class ShownHashes(TypedDict):
    """What the release can be recognised by."""

    manifest_sha256: str | None


class Common(TypedDict):
    """What both public documents have."""

    format: str
    version: str
    audience: Literal["public"]
    family: str
    setting: str
    parameters: dict[str, Any]
    published: dict[str, int | float]
    withheld: str
    environment: dict[str, str]
    hashes: ShownHashes


class Facts(Common):
    """The public document beside differential privacy: what the manifest says."""

    verification: Passed


class Public(Common):
    """The public document."""

    limits: ShownLimits
    sample: ShownSample | None
    groups: int
    sizes: list[ShownSize]
    verification: Checked
    risks: list[ShownRisk]
    utility: ShownUtility
    decision: ShownDecision
    outcomes: list[ShownOutcome]
    cautions: list[str]
