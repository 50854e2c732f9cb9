"""Combinations that no exchange of values may make.

From the data: two values of different attributes that never meet in the original, numbers taken in bins. From the
owner: rules that say which values cannot meet, such as a husband who is female. BinJubier et al. (2022, section
3.4.2) ask for "no nonsensical combinations" and list none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.model.table import Table

    Rule = Mapping[str, Collection[str]]
    """Values that cannot meet in one row, by attribute, such as {"relationship": ["Wife"], "sex": ["Male"]}."""


class Meeting(NamedTuple):
    """Values that meet one attribute in the original.

    Attributes:
        attribute: position of the attribute.
        coarse_of_value: value of the attribute -> its bin.
        keys: for each other attribute in turn, ascending ``bin * width + other bin`` of all that meet.
        offsets: where the keys of each attribute of the table start; none for the attribute itself.
        widths: number of bins of each attribute.
    """

    attribute: int
    coarse_of_value: NDArray[np.int32]
    keys: NDArray[np.int64]
    offsets: NDArray[np.int64]
    widths: NDArray[np.int64]


class Rules(NamedTuple):
    """The owner's rules: a row breaks a rule if it meets each of its terms.

    Attributes:
        offsets: where the terms of each rule start.
        attribute: attribute of each term.
        member_offsets: where the flags of each term start.
        member: for each value of the attribute of each term, whether it meets the term.
    """

    offsets: NDArray[np.int64]
    attribute: NDArray[np.int64]
    member_offsets: NDArray[np.int64]
    member: NDArray[np.bool_]


def meeting(table: Table, coarse: NDArray[np.int32], attribute: int) -> Meeting:
    """What meets an attribute; ``coarse`` are the codes of the table with numbers in bins."""
    widths = coarse.max(axis=0).astype(np.int64) + 1
    coarse_of_value = np.full(len(table.attributes[attribute]), -1, np.int32)
    coarse_of_value[table.codes[:, attribute]] = coarse[:, attribute]
    keys = [
        np.empty(0, np.int64)
        if other == attribute or described.role == "ignored"
        else np.unique(coarse[:, attribute] * widths[other] + coarse[:, other])
        for other, described in enumerate(table.attributes)
    ]
    offsets = np.cumsum([0] + [len(found) for found in keys]).astype(np.int64)
    return Meeting(attribute, coarse_of_value, np.concatenate(keys).astype(np.int64), offsets, widths)


def compile_rules(table: Table, rules: Sequence[Rule]) -> Rules:
    """Rules as numbers; an attribute that the table does not have is an error, a value is one that nobody has."""
    places = {attribute.name: place for place, attribute in enumerate(table.attributes)}
    offsets, attributes, flags = [0], [], [np.empty(0, np.bool_)]
    for rule in rules:
        if len(rule) < 2:
            message = f"a rule names at least two attributes that cannot meet, got {_shown(rule)}"
            raise ParameterError(message)
        for name, values in rule.items():
            if name not in places:
                message = f"a rule names the attribute {name!r}; the table has {', '.join(places)}"
                raise ParameterError(message)
            known = {value: code for code, value in enumerate(table.attributes[places[name]].values)}
            met = np.zeros(len(known), np.bool_)
            met[[known[value] for value in values if value in known]] = True
            attributes.append(places[name])
            flags.append(met)
        offsets.append(len(attributes))
    starts = np.cumsum([len(met) for met in flags]).astype(np.int64)
    return Rules(np.array(offsets, np.int64), np.array(attributes, np.int64), starts, np.concatenate(flags))


def _shown(rule: Rule) -> str:
    return ", ".join(f"{name}={'|'.join(values)}" for name, values in rule.items()) or "nothing"
