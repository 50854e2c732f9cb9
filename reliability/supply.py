"""What Cloven rests on: known faults of the tested versions, and their bill of materials.

``requirements/tested.txt`` lists the packages that the tests last ran with, with all extras, and the hashes of their
files; ``pip install --require-hashes -r requirements/tested.txt`` installs these and nothing else. ``make tested``
writes it anew.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reliability.campaign import Asked

ROOT = Path(__file__).resolve().parent.parent
TESTED = ROOT / "requirements" / "tested.txt"
BILL = ROOT / "build" / "sbom.json"
NOTHING_KNOWN = 2


def audit(_asked: Asked) -> int:
    """Look the tested versions up among known faults; say so if that cannot be done."""
    _tell_of_others()
    words = ["-r", str(TESTED), "--disable-pip", "--no-deps", "--format", "json", "--progress-spinner", "off"]
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", *words], capture_output=True, text=True, check=False
    )
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return _unknown((done.stderr.strip().splitlines() or ["no reason was given"])[-1])
    skipped = [each["name"] for each in found if "skip_reason" in each]
    if len(skipped) == len(found):
        return _unknown(found[0]["skip_reason"] if found else "no package is named")
    faults = [(each["name"], each["version"], fault) for each in found for fault in each.get("vulns", ())]
    for name, installed, fault in faults:
        better = ", ".join(fault["fix_versions"]) or "none yet"
        sys.stdout.write(f"{name} {installed}: {fault['id']}, mended in {better}\n")
    sys.stdout.write(f"{len(found) - len(skipped)} packages looked up, {len(faults)} known faults\n")
    if skipped:
        sys.stdout.write(f"not looked up: {', '.join(skipped)}\n")
    return 1 if faults else NOTHING_KNOWN if skipped else 0


def _unknown(reason: str) -> int:
    sys.stdout.write(
        f"nothing could be looked up ({reason[:200]}): whether faults are known cannot be said\n"
    )
    return NOTHING_KNOWN


def bill(_asked: Asked) -> int:
    """Write a bill of materials in the format of CycloneDX."""
    BILL.parent.mkdir(exist_ok=True)
    words = [
        "requirements",
        str(TESTED),
        "--pyproject",
        str(ROOT / "pyproject.toml"),
        "--output-reproducible",
    ]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "cyclonedx_py", *words, "-o", str(BILL)], check=False
    )
    if done.returncode == 0:
        parts = json.loads(BILL.read_text(encoding="utf-8")).get("components", [])
        sys.stdout.write(f"{BILL.relative_to(ROOT)}: {len(parts)} packages\n")
    return done.returncode


def tested() -> dict[str, str]:
    """Names and versions of the tested set."""
    lines = [
        line for line in TESTED.read_text(encoding="utf-8").splitlines() if "==" in line and line[0].isalnum()
    ]
    pairs = (line.partition(";")[0].removesuffix("\\").strip().split("==") for line in lines)
    return {name: number.strip() for name, number in pairs}


def _tell_of_others() -> None:
    """Say which packages are installed here in other versions than the tested ones."""
    for name, wanted in tested().items():
        try:
            here = version(name)
        except PackageNotFoundError:
            continue
        if here != wanted:
            sys.stdout.write(f"{name} {here} is installed, {wanted} was tested\n")
