"""The options of a search for settings, written once: what to accept, what to vary, how long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cloven.audit.decision import MAX_RISK, Limits
from cloven.cli.audit_options import OTHER_DATA, OTHER_RELEASE, knowledge_in, refuse_lone_data
from cloven.cli.options import Group
from cloven.cli.table_options import refuse_methods, refuse_of_sets
from cloven.cli.values import number, whole
from cloven.data.defaults import K, L, M
from cloven.disclosure.risk import MAX_TAIL
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from cloven.data.taxonomy import Taxonomy
    from cloven.reading.schema_file import Rules
    from cloven.threats import Effort
    from cloven.tuning import Tune


@dataclass(frozen=True)
class Search:
    """What an owner asks of a search."""

    max_risk: float
    max_tail: float
    min_utility: float
    utility_measure: str
    k: int
    m: int | None
    l: int | None
    methods: str | None
    vary: str | None
    fix: str | None
    objective: str
    relatedness: str | None
    other_release: Path | None
    other_data: Path | None
    trials: int
    seconds: float | None

    def __post_init__(self) -> None:
        refuse_lone_data(self.other_release, self.other_data)

    def of_sets(self, *, sample: bool, taxonomy: Taxonomy | None, seed: int | None) -> Tune:
        """The search for sets of items; vectors for the words of the built-in sample come with it."""
        from cloven.registry import anonymisers
        from cloven.tuning.tune import trial_effort

        promise = {"k": self.k, "m": M if self.m is None else self.m}
        fixed = self._fixed(promise, anonymisers()) | self._taxonomy(taxonomy)
        spec = self.relatedness or ("sample" if sample else None)
        return self._tune(promise, fixed, spec, trial_effort(taxonomy), seed)

    def of_table(self, rules: Rules, seed: int | None) -> Tune:
        """The search for a table; methods that heed rules get them, and rows that break one are counted of all."""
        from cloven.registry import table_anonymisers
        from cloven.tuning.tune import trial_effort

        refuse_of_sets(TUNING.given({"m": self.m}))
        makers = table_anonymisers()
        named = makers if self.methods is None else _names(self.methods)
        refuse_methods(named)
        promise = {"k": self.k, "l": L if self.l is None else self.l}
        heeded = rules and any(hasattr(makers.get(name), "rules") for name in named)
        fixed = self._fixed(promise, makers) | ({"rules": rules} if heeded else {})
        return self._tune(promise, fixed, self.relatedness, replace(trial_effort(), rules=rules), seed)

    def _tune(
        self,
        promise: dict[str, int],
        fixed: dict[str, Any],
        relatedness: str | None,
        effort: Effort,
        seed: int | None,
    ) -> Tune:
        from cloven.tuning import Tune
        from cloven.tuning.objectives import objective

        return Tune(
            None if self.methods is None else _names(self.methods),
            k=promise["k"],
            m=promise.get("m", M),
            l=promise.get("l", L),
            limits=Limits(self.max_risk, self.min_utility, self.utility_measure, self.max_tail),
            knowledge=knowledge_in(relatedness, self.other_release),
            effort=effort,
            objective=objective(self.objective),
            trials=self.trials,
            seconds=self.seconds,
            fix=fixed,
            vary=None if self.vary is None else _names(self.vary),
            seed=seed,
        )

    def _taxonomy(self, taxonomy: Taxonomy | None) -> dict[str, Any]:
        """The taxonomy, if a method works on one."""
        from cloven.registry import anonymisers

        named = [] if self.methods is None else _names(self.methods)
        known = anonymisers()
        needy = [name for name in named if hasattr(known.get(name), "taxonomy")]
        if needy and taxonomy is None:
            message = f"{needy[0]} needs a taxonomy of the items; give --taxonomy FILE"
            raise ParameterError(message)
        return {"taxonomy": taxonomy} if needy else {}

    def _fixed(self, promise: dict[str, int], known: Iterable[str]) -> dict[str, Any]:
        """Values of --fix; each is read as a setting of the first method that has such a parameter."""
        from cloven.settings import parse_setting

        methods = tuple(known) if self.methods is None else _names(self.methods)
        out: dict[str, Any] = {}
        for part in _names(self.fix or ""):
            name = part.partition("=")[0].strip().replace("-", "_")
            errors = []
            for method in methods:
                try:
                    out[name] = getattr(parse_setting(f"{method}:{part}", **{**promise, **out}), name)
                    break
                except ParameterError as error:
                    errors.append(str(error))
            else:
                message = f"--fix: {errors[0]}"
                raise ParameterError(message)
        return out


def _names(text: str) -> tuple[str, ...]:
    return tuple(word for word in (each.strip() for each in text.replace(";", ",").split(",")) if word)


_METHODS = (
    "Methods to search: disassociation (default), coat, pcta, apriori-km; of a table mondrian, slicing, ul (default:"
    " these three), anatomy, ..."
)
_OBJECTIVE = "Risk to minimise: worst, worst-value, mean, threat:NAME."
_FIX = "Parameters that stay: name=value,name=value."
_RELATEDNESS = "Attack with word meanings: vectors:FILE, corpus:FILE, ngd:FILE, ..."

TUNING = Group(
    "What to accept, and what to search",
    {
        "max_risk": (number(0, 1), MAX_RISK, "Largest share of right guesses, or of people told more, to accept.", ()),
        "max_tail": (number(0, 1), MAX_TAIL, "Largest share of people told as good as certainly to accept.", ()),
        "min_utility": (number(0, 1), 0.0, "Least utility to accept, from 0 to 1.", ()),
        "utility_measure": (str, "", "Measure of utility; default: the family's first.", ()),
        "k": (whole(2), K, "Everybody keeps at least this many candidates; more is tried too.", ("-k",)),
        "m": (whole(1), None, f"How many items an attacker may know; more is tried too; default {M}.", ("-m",)),
        "l": (whole(2), None, "Of a table: a chance of 1/l, or l values; more is tried too; default 2.", ("-l",)),
        "methods": (str | None, None, _METHODS, ()),
        "vary": (str | None, None, "Parameters to vary, by name; default: all that are declared.", ()),
        "fix": (str | None, None, _FIX, ()),
        "objective": (str, "worst", _OBJECTIVE, ()),
        "relatedness": (str | None, None, _RELATEDNESS, ()),
        "other_release": OTHER_RELEASE,
        "other_data": OTHER_DATA,
        "trials": (whole(1), 40, "Settings to try, with those of earlier runs of the study.", ()),
        "seconds": (number(0), None, "Begin no further setting after this time.", ()),
    },
    Search,
)  # fmt: skip
