"""Try to break everything: ``python -m reliability.run CAMPAIGN [--seconds 60] [--times 10] [--seed 1] [--only NAME]``.

    fuzz     open changed files of every kind: nothing may break, no index may leave its array
    bombs    open small files that unpack to gigabytes
    meaning  change what small releases say, with right hashes: verify must notice
    faults   kill commands, fill their disk, damage what they keep: they go on as if nothing was
    spark    kill driver, Java and workers of Spark: a release is whole or not there (needs PySpark and Java 17)
    studio   kill the studio in the middle of runs, and read it by fifty at once
    deps     look up known faults of the tested versions of all dependencies
    sbom     write their bill of materials, in CycloneDX, to build/sbom.json

An input is a function of seed, name and number: a finding of fuzz or meaning is made again with ``--only`` and
``--number``. The program ends with 1 if something was found.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module

from reliability.campaign import Asked

CAMPAIGNS = {
    "fuzz": "fuzz:fuzz", "bombs": "bombs:bombs", "meaning": "meaning:meaning", "faults": "faults:faults",
    "spark": "faults:spark", "studio": "studio:studio", "deps": "supply:audit", "sbom": "supply:bill",
}  # fmt: skip


def main() -> int:
    """Run one campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("campaign", choices=CAMPAIGNS)
    parser.add_argument("--seconds", type=float, default=Asked.seconds, help="of fuzz and meaning")
    parser.add_argument("--times", type=int, default=Asked.times, help="that each fault strikes")
    parser.add_argument("--seed", type=int, default=Asked.seed)
    parser.add_argument("--only", default="", help="readers, kinds, commands or faults whose names hold this")
    parser.add_argument("--number", type=int, help="make this one input of --only again, and show it")
    parser.add_argument("--processes", type=int, default=Asked.processes)
    given = vars(parser.parse_args())
    module, _, name = CAMPAIGNS[given.pop("campaign")].partition(":")
    if module == "fuzz":  # before anything is compiled
        os.environ |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": "build/watched"}
    found: int = getattr(import_module(f"reliability.{module}"), name)(Asked(**given))
    return found


if __name__ == "__main__":
    sys.exit(main())
