"""Forms from dataclasses: what a method says of its parameters (``values.option``) becomes fields, and back.

A message on what was typed stands beside its field; what only the method itself can judge stands there too if its
message names the parameter, and above the form otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

from cloven.data.defaults import M
from cloven.errors import ParameterError
from cloven.registry import anonymiser, anonymisers, table_anonymisers
from cloven.settings import parse_setting, setting
from cloven.values import FLAG, Option, options_of, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cloven.studio.records import Shape

Control = Literal["number", "text", "choice", "flag", "lines"]
NOT_ASKED = ("seed", "block_records")
"""For experiments, or for machines; what is published draws its lots from the operating system."""
NEEDS_FILES: Mapping[str, str] = {"apriori-km": "needs a taxonomy of all items"}
"""Methods that work on a file of their own, which the command line takes; and what that is."""
ELSEWHERE: Mapping[str, str] = {
    "utility_groups": "groups of items to keep together (`--utility`)",
    "policy": "a policy of your own, and groups to merge items in (`--policy`, `--group-taxonomy`, `--groups-related`)",
    "constraints": "further limits on sensitive values (`--entropy-l`, `--recursive-l`, `--t-closeness`)",
    "rules": "values that cannot meet (`--rules`)",
}
"""Parameters without a field, and how the command line takes them."""
ABOUT_M = "How many items of one record an attacker may know."
UNLIMITED = "unlimited"
ABOUT: Mapping[str, str] = {
    "disassociation": "Splits records into chunks, so that nobody who knows a few items finds the rest",
    "coat": "Merges rare items with others until k people share what could be known",
    "pcta": "The same with the cheapest merges: slower, often better",
    "mondrian": "Makes rows coarser until everybody looks like others",
    "slicing": "Keeps values exact, and hides which of them belong together",
    "ul": "Slicing, and rare values exchanged",
    "anatomy": "Publishes sensitive values apart from all others, in groups",
    "diffgen": "Noisy counts of coarse classes: differentially private",
}


LABELS: Mapping[str, str] = {
    "max_cluster_size": "largest group",
    "small_clusters": "groups that are too small",
    "reading": "combinations to protect",
    "refine": "share leftovers between groups",
    "root_chunks": "leftovers above all groups",
    "sensitive": "items to cut from all others",
    "min_item_support": "people an item needs",
    "join_terms": "what joining weighs",
    "safe": "repair",
    "max_suppressed": "suppressed items, at most",
    "swap_rate": "swap rate",
}
"""What parameters are called where their own names say little."""


@dataclass(frozen=True)
class Field:
    """One field of a form.

    Attributes:
        name: of the parameter.
        label: how people call it.
        help: one sentence.
        control: what is typed or chosen.
        default: as text.
        choices: the words of a choice.
        further: whether it stands among those that few need.
    """

    name: str
    label: str
    help: str
    control: Control
    default: str
    choices: tuple[str, ...] = ()
    further: bool = False


@dataclass(frozen=True)
class Typed:
    """What was typed into a form.

    Attributes:
        values: by field, as text.
        errors: messages by field; that of an empty name is about the form.
    """

    values: Mapping[str, str]
    errors: Mapping[str, str]


def methods_for(shape: Shape) -> dict[str, Callable[..., Any]]:
    """Methods that take such data, by name."""
    found = anonymisers() if shape == "sets" else table_anonymisers()
    return {name: maker for name, maker in found.items() if name not in NEEDS_FILES}


def not_offered(shape: Shape) -> dict[str, str]:
    """Methods that take such data but have no form, and why."""
    found = anonymisers() if shape == "sets" else table_anonymisers()
    return {name: why for name, why in NEEDS_FILES.items() if name in found}


def elsewhere(maker: Any) -> list[str]:
    """What a method can be told that has no field here, in words."""
    named = {each.name for each in fields(maker)} if is_dataclass(maker) else set[str]()
    return [words for name, words in ELSEWHERE.items() if name in named]


FIRST = ("k", "m", "l", "eps", "max_cluster_size", "rare_items", "mode", "safe", "refine")
"""What most people look at; the rest stands below."""


def fields_of(maker: Any) -> list[Field]:
    """The form of a method."""
    found = [
        _field(name, asked)
        for name, asked in options_for(maker).items()
        if name not in NOT_ASKED and asked.value.content in (None, "items")
    ]
    return sorted(found, key=lambda each: FIRST.index(each.name) if each.name in FIRST else len(FIRST))


def options_for(maker: Any) -> dict[str, Option]:
    """What a method asks for; m also of those that make a policy of it."""
    if not is_dataclass(maker):
        return {}
    found = options_of(maker)
    if "m" not in found and "m" in {each.name for each in fields(maker)}:
        found |= {"m": Option(M, whole(1), ABOUT_M)}
    return found


def _field(name: str, asked: Option) -> Field:
    label = LABELS.get(name, name.replace("_", " "))
    label = label if len(label) <= len("eps") else f"{label[0].upper()}{label[1:]}"
    control: Control
    if asked.value.content == "items":
        control = "lines"
    elif asked.value.choices:
        control = "choice"
    elif asked.value == FLAG:
        control = "flag"
    else:
        control = "number" if asked.value.metavar == "N" else "text"
    return Field(
        name, label, asked.help, control, _text(asked.default), asked.value.choices, name not in FIRST
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    return str(value)


def defaults(shape: Shape, summary: Mapping[str, Any], method: str) -> dict[str, str]:
    """What stands in the fields first: what the data suggest, or what is usual."""
    maker = methods_for(shape)[method]
    usual = {each.name: each.default for each in fields_of(maker)}
    proposed = dict(summary.get("suggested", {}))
    if "setting" in proposed:
        made = parse_setting(proposed["setting"])
        known = {each.name: getattr(made, each.name, None) for each in fields_of(type(made))}
        proposed = {"method": made.parameters["method"], **known}
    if proposed.get("method") == method:
        usual |= {name: _text(value) for name, value in proposed.items() if name in usual}
    largest = summary.get("sure_l")
    if largest and usual.get("l", "").isdigit() and method != "mondrian":
        usual["l"] = str(max(2, min(int(usual["l"]), largest)))
    return usual


def suggested_method(summary: Mapping[str, Any]) -> str:
    """The method that the data suggest."""
    proposed = summary["suggested"]
    return str(proposed["method"] if "method" in proposed else proposed["setting"].partition(":")[0])


def values_in(maker: Any, typed: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Values of the parameters from what was typed, and what is wrong with it, by field."""
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, asked in options_for(maker).items():
        if name in NOT_ASKED or asked.value.content not in (None, "items"):
            continue
        try:
            text = typed.get(name, "").strip()
            if asked.value.content is not None:
                if text:
                    values[name] = frozenset(line.strip() for line in text.split("\n") if line.strip())
            elif asked.value == FLAG:
                values[name] = text in ("yes", "on", "true")
            elif text or asked.default is not None:
                values[name] = _value(asked, text)
        except ParameterError as error:
            errors[name] = str(error)
    return values, errors


def _value(asked: Option, text: str) -> Any:
    if isinstance(asked.default, int) and asked.value.kind is str:  # a number, or no limit
        return None if text in (UNLIMITED, "") else (whole(2).parse or int)(text)
    if not text:
        message = "must not be empty"
        raise ParameterError(message)
    return text if asked.value.parse is None else asked.value.parse(text)


_UNSAFE = (
    "small_clusters as chosen give the promise up; choose another way, or for experiments `cloven anonymise` with"
    " `--allow-unsafe`"
)


def made(shape: Shape, method: str, typed: Mapping[str, str]) -> tuple[Any, Typed]:
    """The method that was described, or None and what is wrong with it."""
    maker = methods_for(shape).get(method)
    if maker is None:
        return None, Typed(typed, {"": f"no method {method!r} for such data; choose one of the list"})
    values, errors = values_in(maker, typed)
    if errors:
        return None, Typed(typed, errors)
    try:
        built = anonymiser(method, **values)
        if built.parameters.get("unsafe"):
            raise ParameterError(_UNSAFE)
        return built, Typed(typed, {})
    except ParameterError as error:
        return None, Typed(typed, {_about(str(error), values): str(error)})


def _about(message: str, names: Mapping[str, Any]) -> str:
    """The field that a message speaks of; its first word, mostly."""
    words = re.findall(r"\w+", message.replace("--", "").replace("-", "_"))
    return next((word for word in words[:3] if word in names), "")


def form_of(name: str) -> str | None:
    """The query of the form that holds a setting; None if it cannot be typed there.

    >>> form_of("coat:k=4")
    'method=coat&k=4&m=2&max_suppressed=0.0&reading=subsets-too&ignore_unknown='
    """
    known = {**methods_for("sets"), **methods_for("table")}
    method = name.partition(":")[0]
    if method not in known:
        return None
    try:
        built = parse_setting(name)
    except ParameterError:
        return None
    values = {each.name: getattr(built, each.name, None) for each in fields_of(known[method])}
    unlimited = {"max_cluster_size": UNLIMITED} if values.get("max_cluster_size", "") is None else {}
    written = dict(part.split("=", 1) for part in name.partition(":")[2].split(",") if "=" in part)
    typed = {
        key: written.get(key, "") if isinstance(value, frozenset | tuple) else _text(value)
        for key, value in values.items()
    } | unlimited
    again, _ = made("sets" if method in methods_for("sets") else "table", method, typed)
    if again is None or setting(again) != setting(built):  # another setting than the one that was tried
        return None
    return urlencode({"method": method, **typed})
