"""All condition profiles of the clinic sample."""

from __future__ import annotations

from cloven.datasets.profiles_breathing import BREATHING
from cloven.datasets.profiles_circulation import CIRCULATION
from cloven.datasets.profiles_digestion import DIGESTION
from cloven.datasets.profiles_family import FAMILY
from cloven.datasets.profiles_metabolism import METABOLISM
from cloven.datasets.profiles_movement import MOVEMENT
from cloven.datasets.profiles_nerves import NERVES
from cloven.datasets.profiles_skin import SKIN
from cloven.datasets.profiles_tumours import TUMOURS

PROFILES = (
    *BREATHING,
    *CIRCULATION,
    *DIGESTION,
    *FAMILY,
    *METABOLISM,
    *MOVEMENT,
    *NERVES,
    *SKIN,
    *TUMOURS,
)
