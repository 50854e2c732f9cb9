"""Make the toys importable, and register them for every test here."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from tuning_toys import data, large, toys

__all__ = ["data", "large", "toys"]
