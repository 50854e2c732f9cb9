"""The shape of the package: who may import whom, how long things may be, what loading it costs.

The picture that goes with this file is docs/explanation/architecture.md.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "cloven"
GOLDEN = Path(__file__).resolve().parent / "golden" / "release-v1" / "clinic"
GENERALISED = GOLDEN.parents[1] / "release-v1-generalised" / "clinic"

GROUND = {"_version", "compiled", "errors"}
# What the modules of each part may import besides themselves and the ground. ``typing`` lines count too.
ALLOWED = {
    "model": set(),
    "memory": set(),
    "protocols": {"model", "threats"},
    "anonymise": {"breach", "model", "protocols"},
    "verification": {"model"},
    "datasets": {"model"},
    "measure": {"model", "reconstruction"},
    "reconstruction": {"model", "measure"},
    "relatedness": {"model", "protocols"},
    "text": {"model"},
    "attack": {"model", "protocols", "reconstruction"},
    "scoring": {"attack", "measure", "model", "protocols", "relatedness"},
    "breach": {"attack", "measure", "model", "reconstruction"},
    "threats": {"model", "outsiders", "protocols"},
    "outsiders": {"protocols"},
    "people": {"attack", "families", "model", "outsiders", "report", "scoring"},
    "families": {
        "anonymise", "attack", "breach", "io", "measure", "model", "outsiders", "protocols", "reconstruction",
        "relatedness", "scoring", "threats", "verification",
    },
    "io": {"model", "protocols", "verification"},
    "registry": {"anonymise", "families", "protocols"},
    "settings": {"protocols", "registry"},
    "running": {"protocols"},
    "decision": {"model", "protocols", "reasons", "threats"},
    "reasons": {"model"},
    "report": {"model", "scoring"},
    "document": {"audit_report", "model"},
    "public_document": {"audit_report", "decision", "document", "model"},
    "audit_report": {
        "audit", "decision", "document", "io", "model", "protocols", "public_document", "report", "verification",
    },
    "comparing": {"model", "protocols", "settings", "verification"},
    "audit": {
        "anonymise", "audit_report", "comparing", "decision", "model", "outsiders", "protocols", "registry", "running",
        "settings", "threats", "verification",
    },
    "tuning": {
        "audit", "audit_report", "decision", "io", "model", "protocols", "reasons", "registry", "running", "settings",
        "threats",
    },
    "reproduce": {
        "anonymise", "attack", "audit", "breach", "datasets", "families", "io", "measure", "model", "protocols",
        "reconstruction", "relatedness", "running", "scoring", "settings", "text", "threats", "tuning", "verification",
    },
    "cli": {
        "anonymise", "attack", "audit", "datasets", "reproduce", "io", "measure", "memory", "model", "protocols",
        "reconstruction", "registry", "relatedness", "scoring", "breach", "text", "threats", "verification",
        "audit_report", "decision", "families", "settings", "tuning",
    },
}  # fmt: skip
# Two parts that need each other do so inside functions only, so that neither loads the other.
INSIDE_FUNCTIONS_ONLY = {
    ("measure", "reconstruction"), ("reconstruction", "measure"), ("io", "verification"), ("anonymise", "breach"),
}  # fmt: skip
NEVER_THE_KEY = (
    "attack",
    "reconstruction",
    "measure",
    "relatedness",
    "text",
    "io.readers",
    "io.frames",
    "io.release_json",
    "io.manifest",
    "io.formats",
    "io.disassociated",
    "io.generalised",
    "io.generalised_json",
    "io.published_table",
    "io.table_cells",
    "io.table_csv",
    "io.guesses",
    "io.eliminations",
    "io.policy",
    "report",
)
KEYS = {"cloven.kinds.disassociated.key", "cloven.kinds.generalised.key", "cloven.kinds.tables.key"}
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}


@dataclass(frozen=True)
class Import:
    """One import of something of ours: from which module, of which module, and how."""

    importer: str
    imported: str
    how: str  # "top", "inside" a function, "typing"
    line: int

    @property
    def parts(self) -> tuple[str, str]:
        return part(self.importer), part(self.imported)

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported} ({self.how})"


def part(module: str) -> str:
    """First name below ``cloven``."""
    return module.split(".")[1] if "." in module else module


def name_of(path: Path) -> str:
    names = ["cloven", *path.relative_to(SOURCE).with_suffix("").parts]
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


@cache
def sources() -> dict[str, tuple[Path, ast.Module]]:
    return {
        name_of(path): (path, ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(SOURCE.rglob("*.py"))
    }


def below(node: ast.AST) -> set[int]:
    return {id(inner) for inner in ast.walk(node)}


@cache
def imports() -> tuple[Import, ...]:
    found = []
    for module, (_, tree) in sources().items():
        typing, inside = set(), set()
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
                typing |= below(node)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                inside |= below(node)
        for node in ast.walk(tree):
            how = "typing" if id(node) in typing else "inside" if id(node) in inside else "top"
            found += [
                Import(module, name, how, node.lineno)
                for name in imported_by(node)
                if name.split(".")[0] == "cloven"
            ]
    return tuple(found)


def imported_by(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "relative import: name the module in full"
        # `from cloven.io import key` imports the module cloven.kinds.disassociated.private_files
        deeper = [f"{node.module}.{alias.name}" for alias in node.names]
        return [name if name in sources() else str(node.module) for name in deeper]
    return []


def functions():
    for module, (_, tree) in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{module}.{node.name}", node.end_lineno - node.lineno + 1


def test_every_part_is_placed():
    parts = {part(module) for module in sources()} - {"cloven"} - GROUND
    assert parts <= set(ALLOWED), "say in ALLOWED and in docs/explanation/architecture.md what it may import"


def test_the_page_tells_of_every_part():
    page = (Path(__file__).resolve().parent.parent / "docs/explanation/architecture.md").read_text(
        encoding="utf-8"
    )
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert set(ALLOWED) <= {name.strip(" `") for row in rows for name in row.split(",")}


def test_import_direction():
    wrong = [
        str(found)
        for found in imports()
        if found.importer != "cloven"
        and found.parts[0] != found.parts[1]
        and found.parts[1] not in ALLOWED.get(found.parts[0], set()) | GROUND
    ]
    assert not wrong, "\n".join(wrong)


def test_parts_that_need_each_other_do_so_inside_functions():
    wrong = [str(f) for f in imports() if f.parts in INSIDE_FUNCTIONS_ONLY and f.how == "top"]
    assert not wrong, "\n".join(wrong)


def test_checker_shares_no_code_with_the_anonymisers():
    assert "anonymise" not in ALLOWED["verification"]
    reached, waiting = set(), [module for module in sources() if part(module) == "verification"]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += [f.imported for f in imports() if f.importer == module and f.how != "typing"]
    assert not [module for module in reached if part(module) in ("anonymise", "io", "audit", "cli")]


@pytest.mark.parametrize("package", NEVER_THE_KEY)
def test_what_reads_releases_never_names_the_key(package):
    prefix = f"cloven.{package}"
    mine = [f for f in imports() if f.importer == prefix or f.importer.startswith(f"{prefix}.")]
    assert any(f.importer in sources() for f in mine), f"{prefix} is gone; update this test"
    assert set(sources()) >= KEYS, "a key has moved; update KEYS"
    assert not [str(f) for f in mine if f.imported in KEYS]


def fresh(code: str) -> str:
    """What a new interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_release_is_read_linked_and_reconstructed_without_the_key():
    """The module of the key cannot even be loaded."""
    code = f"""
import sys
sys.modules["cloven.kinds.disassociated.key"] = None  # importing it now raises
import cloven as cv, numpy as np
release = cv.read_release({str(GOLDEN)!r})
item = release.vocabulary[0]
world = cv.reconstruct(release, np.random.default_rng(1))
print(cv.candidates(release, [item]).candidates > 0, len(world) == release.records, cv.verify(release).ok)
from cloven.reading import read
from cloven.reading.arrow import from_frame
"""
    assert fresh(code) == "True True True"


def test_releases_are_attacked_without_the_key():
    """Attacks, relatedness and text work where the module of the key cannot be loaded."""
    code = f"""
import sys
sys.modules["cloven.kinds.disassociated.key"] = None  # importing it now raises
import cloven as cv, numpy as np
release = cv.read_release({str(GOLDEN)!r})
attacks = [cv.Semantic(cv.Vectors.sample()), cv.Semantic(cv.Learned.of_release(release)), cv.Guesswork(),
           cv.VerticalPartitioning(tries=5)]
rng = np.random.default_rng(1)
print(all(attack.guess(release, rng).chosen.any() for attack in attacks))
"""
    assert fresh(code) == "True"


def test_generalised_releases_are_read_attacked_and_rebuilt_without_the_key():
    """The module of their key cannot even be loaded, nor that of the other."""
    code = f"""
import sys sys.modules["cloven.kinds.generalised.key"] = sys.modules["cloven.kinds.disassociated.key"] = None  #
importing them now raises import cloven as cv, numpy as np release = cv.read_release({str(GENERALISED)!r}) rng =
np.random.default_rng(1) attacks = [cv.Elimination(cv.Vectors.sample()), cv.Elimination(cv.Learned.of_release(release)),
cv.RandomElimination()] print(all(len(attack.guess(release, rng).eliminated) for attack in attacks))
print(cv.candidates(release, [release.vocabulary[0]]).candidates >= 3) print(len(cv.reconstruct(release, rng)) ==
release.records, cv.verify(release).ok)
"""
    assert fresh(code).split() == ["True"] * 4


def test_published_tables_are_read_attacked_and_checked_without_the_key(tmp_path):
    """The module of their key cannot even be loaded."""
    import pyarrow as pa

    import cloven as cv
    from cloven.storage.release import write_public

    people = {
        "age": list(range(20, 40)),
        "sex": ["f", "m"] * 10,
        "illness": ["flu", "gout", "mumps", "zoster"] * 5,
    }
    table = cv.read_table(pa.table(people), cv.Schema.of(["age", "sex"], ["illness"]))
    for name, method in (("coarse", cv.Mondrian(k=5, l=2)), ("cut", cv.Slicing(k=5, l=2))):
        write_public(method.anonymise(table).release, tmp_path / name, "parquet")
    code = f"""
import sys
sys.modules["cloven.kinds.tables.key"] = None  # importing it now raises
import cloven as cv, pyarrow as pa
releases = [cv.read_release({str(tmp_path)!r} + "/" + name) for name in ("coarse", "cut")]
known = cv.Known.of(cv.read_table(pa.table({{"age": [21, 36], "sex": ["m", "f"]}}), cv.Schema.of(["age", "sex"])))
print(all(cv.AttributeDisclosure().guess(each, known).candidate.any() for each in releases))
print(cv.Composition().guess(releases, known).candidate.any())
print(all(cv.verify_table(each).ok for each in releases))
"""
    assert fresh(code).split() == ["True"] * 3


def test_import_is_quick_and_light():
    code = """
import sys
from time import perf_counter
start = perf_counter()
import cloven
spent = perf_counter() - start
heavy = [name for name in ("numba", "pyarrow", "polars", "scipy", "pandas", "typer") if name in sys.modules]
print(spent < 0.5, heavy)
"""
    assert fresh(code) == "True []"


def test_files_are_short():
    lengths = {
        name: len(path.read_text(encoding="utf-8").splitlines()) for name, (path, _) in sources().items()
    }
    assert {name: length for name, length in lengths.items() if length > 400} == {}
    assert lengths["cloven.audit"] <= 180


def test_functions_are_short():
    lengths = sorted(length for _, length in functions())
    assert lengths[int(0.9 * len(lengths))] <= 35


def test_only_the_command_line_talks():
    calls = [
        f"{module}:{node.lineno}"
        for module, (_, tree) in sources().items()
        if part(module) != "cli"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("print", "sys.stdout.write", "sys.stderr.write")
    ]
    assert calls == []


def test_names_say_what_a_module_is_for():
    assert [name for name in sources() if FORBIDDEN_NAMES & set(name.split("."))] == []


def test_every_module_says_what_it_is_for():
    assert [name for name, (_, tree) in sources().items() if not ast.get_docstring(tree)] == []
