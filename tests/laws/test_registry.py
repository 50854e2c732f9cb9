"""What every registered anonymiser must do with its default parameters, built in or from another package."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from cloven import registry
from cloven.data.taxonomy import Taxonomy
from cloven.datasets import sample
from cloven.errors import ParameterError
from cloven.protocols import Anonymiser
from cloven.verification import verify


def by_first_letter():
    """A taxonomy of the sample."""
    rows = [[item, f"{item[0]} ...", "anything"] for item in sample("clinic").vocabulary]
    return {"taxonomy": Taxonomy.from_rows(rows)}


NEEDS = {"apriori-km": by_first_letter}
"""What a method cannot do without."""


@pytest.mark.parametrize("name", registry.anonymisers())
def test_every_anonymiser_keeps_the_laws(name):
    data = sample("clinic")
    method = registry.anonymiser(name, **NEEDS.get(name, dict)())
    assert isinstance(method, Anonymiser)
    assert json.loads(json.dumps(dict(method.parameters))) == dict(method.parameters)
    steps: list[tuple[str, float]] = []
    result = method.anonymise(data, lambda step, share: steps.append((step, share)))
    assert verify(result.release, original=data, key=result.key).ok
    assert method.anonymise(data).release == result.release
    assert steps
    assert all(0 <= share <= 1 for _, share in steps)


def test_what_needs_a_taxonomy_says_so():
    with pytest.raises(ParameterError, match="apriori-km needs a taxonomy of the items"):
        registry.anonymiser("apriori-km").anonymise(sample("clinic"))


def test_an_unknown_name_is_told_what_there_is():
    with pytest.raises(ParameterError, match="disassociation"):
        registry.anonymiser("magic")


def test_another_package_joins_by_an_entry_point(monkeypatch):
    point = EntryPoint("other", "cloven.kinds.disassociated.methods:Disassociation", "cloven.anonymisers")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    assert registry.anonymiser("other", k=7).k == 7


def test_a_broken_plug_in_raises_and_a_name_is_taken_once(monkeypatch):
    broken = EntryPoint("broken", "cloven.nowhere:Nothing", "cloven.anonymisers")
    monkeypatch.setattr(registry, "entry_points", lambda group: [broken])
    with pytest.raises(ModuleNotFoundError):
        registry.anonymisers()
    twice = EntryPoint("disassociation", "cloven.audit:Audit", "cloven.anonymisers")
    monkeypatch.setattr(registry, "entry_points", lambda group: [twice])
    with pytest.raises(ParameterError, match="two anonymisers"):
        registry.anonymisers()


def test_a_family_of_another_package_has_a_room_too(monkeypatch):
    """Its entry point names ``KIND`` in the module ``kind`` of the room; everything else is found beside that."""
    brought = EntryPoint("blurred", "elsewhere.rooms.blurred.kind:KIND", "cloven.families")
    every = EntryPoints([brought])
    monkeypatch.setattr(registry, "entry_points", lambda group: every.select(group=group))
    assert registry.rooms()["blurred"] == "elsewhere.rooms.blurred"
    assert set(registry.ROOMS) < set(registry.rooms())
