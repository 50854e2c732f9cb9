"""The shape of the package: who may import whom, how long things may be, what loading it costs.

The picture that goes with this file is docs/explanation/architecture.md.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from cloven.datasets import sample
from cloven.kinds.disassociated.methods import Disassociation
from cloven.registry import ROOMS
from cloven.storage.release import write_release

SOURCE = Path(__file__).resolve().parent.parent / "src" / "cloven"
GOLDEN = Path(__file__).resolve().parent / "golden" / "disassociated" / "clinic"
GENERALISED = GOLDEN.parents[1] / "generalised" / "clinic"

GROUND = {"_version", "compiled", "cores", "errors", "escapes", "figures", "intake", "names", "values"}
KINDS = tuple(room.rpartition(".")[2] for room in ROOMS.values())
# What the modules of each part may import when they are loaded, besides themselves and the ground. The arrow of
# docs/explanation/architecture.md: data, then what is made of them, then kinds, then audits, then what people see.
ALLOWED = {
    "attacks": set(),
    "data": set(),
    "datasets": {"data"},
    "disclosure": set(),
    "registry": set(),
    "protocols": set(),
    "settings": {"registry"},
    "reading": {"data"},
    "text": {"data"},
    "statistics": {"data", "disclosure"},
    "threats": {"disclosure", "statistics"},
    "relatedness": {"data", "protocols", "registry"},
    "storage": {"data", "disclosure", "registry"},
    "verification": {"data", "disclosure", "registry"},
    "kinds": {
        "data", "disclosure", "protocols", "registry", "relatedness", "statistics", "storage", "threats",
        "verification",
    },
    "reconstruction": {"kinds", "registry"},
    "engines": {"reading", "registry"},
    "standards": {"disclosure"},
    "report": {"disclosure"},
    "audit": {
        "data", "disclosure", "kinds", "registry", "settings", "standards", "statistics", "storage", "threats",
    },
    "tuning": {"audit", "data", "disclosure", "protocols", "registry", "settings", "storage", "threats"},
    "studio": {
        "audit", "data", "disclosure", "kinds", "protocols", "reading", "registry", "report", "settings", "statistics",
        "storage", "threats", "tuning",
    },
    "cli": {
        "audit", "data", "disclosure", "kinds", "protocols", "reading", "registry", "settings", "standards",
        "statistics", "storage", "text", "threats", "tuning",
    },
}  # fmt: skip
# Inside functions, where it is needed, a part may also ask these.
ALLOWED_INSIDE = {
    "audit": {"report", "verification"},
    "cli": {"datasets", "engines", "reconstruction", "relatedness", "studio"},
    "engines": {"storage"},
    "kinds": {"datasets", "reading", "reconstruction"},
    "report": {"kinds", "registry"},
    "storage": {"verification"},
    "studio": {"datasets", "relatedness", "verification"},
}
# Inside a room: what reads or makes a release never names its key, and what checks it never reaches what made it.
NEVER_THE_KEY = (
    "kinds/*/attack/**",
    "kinds/*/evidence.py",
    "kinds/*/files.py",
    "kinds/*/guesses.py",
    "kinds/*/guesses_files.py",
    "kinds/*/policy_files.py",
    "kinds/*/reconstruction*",
    "kinds/*/utility*",
    "kinds/*/utility/**",
    "reading/**",
    "relatedness/**",
    "report/**",
    "statistics/**",
    "storage/manifest.py",
    "storage/release.py",
    "studio/inspection/**",
    "text/**",
)
KEYS = tuple(f"cloven.kinds.{kind}.{name}" for kind in KINDS for name in ("key", "private_files"))
# Types of data and releases. Whoever asks what something is an instance of knows the kinds there are, and a further one
# would have to be told; the class itself, its room or its words answer instead.
TOLD_APART = {"Transactions", "Table", "Disassociated", "SetGeneralised", "GeneralisedTable", "Sliced"}
MAY_ASK = {
    "cloven.data.transactions": "its own __eq__",
    "cloven.relatedness.corpus": "documents to count may be given as Transactions, or as texts",
    "cloven.text.samples": "a sample is drawn from Transactions, or from counted terms",
}
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


@cache
def imports() -> tuple[Import, ...]:
    found: list[Import] = []
    for module, (_, tree) in sources().items():
        collect(module, tree, "top", found)
    return tuple(found)


def collect(module: str, node: ast.AST, how: str, found: list[Import]) -> None:
    """Imports below a node, which stands at the top, inside a function, or where only type checkers look."""
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        how = "typing"
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and how == "top":
        how = "inside"
    elif isinstance(node, ast.Import | ast.ImportFrom):
        ours = [name for name in imported_by(node) if name.split(".")[0] == "cloven"]
        found += [Import(module, name, how, node.lineno) for name in ours]
    for statement in ast.iter_child_nodes(node):
        if isinstance(
            statement, ast.stmt | ast.excepthandler | ast.match_case
        ):  # no expression holds an import
            collect(module, statement, how, found)


def imported_by(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "relative import: name the module in full"
        # `from cloven.data import table` imports the module cloven.data.table
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


def test_the_page_names_files_that_exist():
    """A path is named from the package on, from a room on, or after another file of the same folder."""
    page = (SOURCE.parents[1] / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(?:src/cloven/|tests/)?([\w/]+\.py)`", page))
    known = {path.as_posix() for path in (*SOURCE.rglob("*.py"), *Path(__file__).parent.glob("*.py"))}
    assert len(named) > 30
    assert [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in known)] == []


def test_import_direction():
    wrong = [
        str(found)
        for found in imports()
        if found.importer != "cloven"
        and found.how != "typing"
        and found.parts[0] != found.parts[1]
        and found.parts[1] not in allowed(found) | GROUND
    ]
    assert not wrong, "\n".join(wrong)


def allowed(found: Import) -> set[str]:
    inside = ALLOWED_INSIDE.get(found.parts[0], set()) if found.how == "inside" else set()
    return ALLOWED.get(found.parts[0], set()) | inside


def test_the_studio_is_known_to_its_command_alone():
    """Nothing else pays for a web server, or can be reached through one."""
    known = {found.importer for found in imports() if found.parts[1] == "studio" != found.parts[0]}
    assert known == {"cloven.cli.studio"}


def room(module: str) -> str | None:
    """The kind in whose room a module is."""
    names = module.split(".")
    return names[2] if len(names) > 2 and names[1] == "kinds" and names[2] in KINDS else None


def test_rooms_have_the_same_names():
    """What is asked of every kind stands under the same name in every room."""
    for kind in KINDS:
        room = SOURCE / "kinds" / kind
        missing = {
            name
            for name in (
                "release", "key", "guesses", "kind", "threats", "words", "files", "private_files", "utility",
                "reconstruction", "attack/link", "attack/known_person", "verify/checker", "verify/arrays",
                "verify/original", "verify/promise", "methods/assembly",
            )
            if not (room / f"{name}.py").is_file() and not (room / name / "__init__.py").is_file()
        }  # fmt: skip
        assert not missing, f"{kind} lacks {missing}"
        for folder in ("attack", "methods", "verify"):
            assert (room / folder / "__init__.py").is_file()
        words = sources()[f"cloven.kinds.{kind}.words"][1]
        assert "page_words" in {node.name for node in words.body if isinstance(node, ast.FunctionDef)}


def test_a_kind_stands_on_its_own():
    """No room needs another one; what two kinds share stands beside the rooms."""
    wrong = [
        str(found)
        for found in imports()
        if room(found.importer) and room(found.imported) not in (None, room(found.importer))
        and found.how == "top"
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def asks_for_the_kind(node: ast.AST) -> bool:
    """``isinstance(x, Table)``, or a family compared with a word."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
        return any(ast.unparse(name).split(".")[-1] in TOLD_APART for name in ast.walk(node.args[1]))
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    literal = any(isinstance(inner, ast.Constant) for side in sides[1:] for inner in ast.walk(side))
    return literal and any("family" in ast.unparse(side).lower() for side in sides)


def test_nobody_outside_a_kind_asks_which_kind_it_is():
    asking = {
        f"{module}:{node.lineno}"
        for module, (_, tree) in sources().items()
        if part(module) != "kinds"
        for node in ast.walk(tree)
        if asks_for_the_kind(node)
    }
    wrong = sorted(place for place in asking if place.split(":")[0] not in MAY_ASK)
    assert not wrong, "the class, the room or its words shall answer: " + ", ".join(wrong)
    assert {place.split(":")[0] for place in asking} == set(MAY_ASK), "an exception is not needed any more"


@pytest.mark.parametrize(
    ("code", "asks"),
    [
        ("isinstance(data, Table)", True),
        ("isinstance(data, Transactions | None)", True),
        ("isinstance(data, (list, data.table.Table))", True),
        ("document['family'] == 'tables'", True),
        ("release.family in ('tables', 'generalisation')", True),
        ("isinstance(data, Tables)", False),
        ("release.family != family", False),
        ("best.family == other.family", False),
    ],
)
def test_asking_for_the_kind_is_found(code, asks):
    assert any(map(asks_for_the_kind, ast.walk(ast.parse(code)))) is asks


def test_templates_ask_for_no_kind():
    for template in (SOURCE / "report" / "templates").glob("*.html"):
        assert "family ==" not in template.read_text(encoding="utf-8"), template.name


def test_the_picture_stands_every_part_on_what_it_imports(monkeypatch):
    """Parts stand in layers, and may import from layers below; what is imported inside functions is not drawn."""
    pictures = SOURCE.parents[1] / "docs" / "pictures"
    monkeypatch.syspath_prepend(pictures)
    layers = run_path(str(pictures / "of_architecture.py"))["LAYERS"]
    height = {name: -depth for depth, (_, _, parts) in enumerate(layers) for name in parts}
    assert set(height) == set(ALLOWED)
    wrong = [(one, other) for one in ALLOWED for other in ALLOWED[one] if height[one] <= height[other]]
    assert not wrong


def test_checker_shares_no_code_with_the_anonymisers():
    start = [
        module
        for module in sources()
        if (part(module) == "kinds" and ".verify" in module) or part(module) == "verification"
    ]
    assert len(start) > 20
    reached, waiting = set(), start
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += [f.imported for f in imports() if f.importer == module and f.how != "typing"]
    assert not [
        module for module in reached if ".methods" in module or part(module) in ("storage", "audit", "cli")
    ]


@pytest.mark.parametrize("glob", NEVER_THE_KEY)
def test_what_reads_releases_never_names_the_key(glob):
    mine = {name_of(path) for path in SOURCE.glob(glob) if path.suffix == ".py"}
    mine |= {name_of(path) for folder in SOURCE.glob(glob) if folder.is_dir() for path in folder.glob("*.py")}
    assert mine or "*" not in glob, f"nothing is called {glob}; update this test"
    assert set(sources()) >= set(KEYS), "a key has moved; update KEYS"
    named = [str(f) for f in imports() if f.importer in mine and f.imported in KEYS and f.how != "typing"]
    assert not named


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
from cloven.attacks import Guesswork, Semantic, VerticalPartitioning
from cloven.relatedness import Learned, Vectors
words = [Vectors.sample(), Learned.of_release(release)]
attacks = [*map(Semantic, words), Guesswork(), VerticalPartitioning(tries=5)]
rng = np.random.default_rng(1)
print(all(attack.guess(release, rng).chosen.any() for attack in attacks))
"""
    assert fresh(code) == "True"


def test_releases_are_inspected_without_the_key(tmp_path):
    """All that the inspector shows but the truth is there where no key can be loaded."""
    write_release(
        Disassociation(k=3, max_cluster_size=15, rare_items="cluster").anonymise(sample("clinic")),
        tmp_path / "out",
    )
    code = f"""
import sys
for kind in ("generalised", "disassociated", "tables"):
    sys.modules[f"cloven.kinds.{{kind}}.key"] = None  # importing it now raises
import cloven as cv
from cloven.studio.inspection.cluster import cluster_view
from cloven.studio.inspection.knowing import knowing
from cloven.studio.inspection.opened import Opened
from cloven.studio.inspection.placing import rebuilt
from cloven.studio.inspection.ranking import Ranking
opened = Opened(cv.read_release({str(tmp_path / "out")!r}))
opened.prepare()
print(Ranking(opened).page("told")[0][0].size > 0, cluster_view(opened, 0).size > 0)
print(any(place.attached for number in range(9) for place in rebuilt(opened, number, "release")))
print(knowing(opened, opened.release.vocabulary[:2]).steps[0].candidates > 0)
"""
    assert fresh(code).split() == ["True"] * 4


def test_generalised_releases_are_read_attacked_and_rebuilt_without_the_key():
    """The module of their key cannot even be loaded, nor that of the other."""
    code = f"""
import sys
for kind in ("generalised", "disassociated"):
    sys.modules[f"cloven.kinds.{{kind}}.key"] = None  # importing it now raises
import cloven as cv, numpy as np
release = cv.read_release({str(GENERALISED)!r})
rng = np.random.default_rng(1)
from cloven.attacks import Elimination, RandomElimination
from cloven.relatedness import Learned, Vectors
attacks = [*map(Elimination, (Vectors.sample(), Learned.of_release(release))), RandomElimination()]
print(all(len(attack.guess(release, rng).eliminated) for attack in attacks))
print(cv.candidates(release, [release.vocabulary[0]]).candidates >= 3)
print(len(cv.reconstruct(release, rng)) == release.records, cv.verify(release).ok)
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
people = cv.read_table(pa.table({{"age": [21, 36], "sex": ["m", "f"]}}), cv.Schema.of(["age", "sex"]))
known = cv.attacks.Known.of(people)
print(all(cv.attacks.AttributeDisclosure().guess(each, known).candidate.any() for each in releases))
print(cv.attacks.Composition().guess(releases, known).candidate.any())
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


def test_modules_go_round_in_small_circles_only():
    """Imports inside functions count: modules that need each other are read together, five at the most."""
    places = {name: place for place, name in enumerate(sources())}
    known = [found for found in imports() if found.how != "typing" and found.imported in places]
    edges = [places[found.importer] for found in known], [places[found.imported] for found in known]
    graph = csr_matrix((np.ones(len(known)), edges), shape=(len(places), len(places)))
    _, circle = connected_components(graph, connection="strong")
    largest = np.bincount(circle).argmax()
    together = [name for name, place in places.items() if circle[place] == largest]
    assert len(together) <= 5, together


def test_few_lines_are_imports():
    statements = [
        node
        for _, tree in sources().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path, _ in sources().values())
    assert sum(node.end_lineno - node.lineno + 1 for node in statements) < 0.07 * lines


def test_files_are_no_books():
    lengths = {
        name: len(path.read_text(encoding="utf-8").splitlines()) for name, (path, _) in sources().items()
    }
    assert {name: length for name, length in lengths.items() if length > 800} == {}
    assert lengths["cloven.audit.loop"] <= 200


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


# Where a file is opened outside of the intake, and why.
OPENED = {
    ("storage/atomic.py", "os.open"): "locks, and folders to be flushed",
    ("storage/journal.py", "os.open"): "a lock, and the journal to be written",
    (
        "storage/ledger_file.py",
        "os.open",
    ): "the ledger, to be locked, read and written at once; plain files alone",
    ("report/page.py", "os.open"): "a page to be written",
    ("storage/parquet.py", "path.open"): "the hash of what was just written",
    ("relatedness/vectors.py", "path.open"): "flushed after it was written",
    ("relatedness/vectors.py", "np.lib.format.open_memmap"): "opened by the intake just before, to be mapped",
    ("relatedness/vector_files.py", "gzip.open"): "a stream of the intake",
    (
        "kinds/disassociated/spark/records.py",
        "pq.ParquetFile",
    ): "what Spark just wrote into our working folder",
    ("cli/console.py", "os.open"): "the null device, to be written",
    ("compiled.py", "file.read_bytes"): "code of Cloven and Numba, which Python has loaded already",
    ("cli/studio.py", "webbrowser.open"): "an address, not a file",
}
READING = {
    "open", "read_bytes", "read_text", "np.load", "open_memmap", "memmap", "ParquetFile", "is_tarfile", "fromfile",
}  # fmt: skip


def opened_in(tree: ast.Module) -> list[str]:
    """Calls that open a file by name to read it."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        name = called if called == "np.load" else called.rpartition(".")[2]
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        modes = {
            each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)
        }
        writes = any(set(mode) <= set("wxabr+t") and set(mode) & set("wxa+") for mode in modes)
        own = "files(" in called or called.rpartition(".")[0] in (
            "Checkpoint",
            "TantivyIndex",
            "tantivy.Index",
            "cls",
        )
        method = isinstance(node.func, ast.Attribute) or name in ("open", "is_tarfile")
        if name in READING and method and not writes and not own:
            found.append(called)
    return found


def test_files_are_opened_by_the_intake_alone():
    """A pipe, a device or a bomb must be met in one place."""
    found = {
        (path.relative_to(SOURCE).as_posix(), called)
        for module, (path, tree) in sources().items()
        if part(module) != "intake"
        for called in opened_in(tree)
    }
    assert found == set(OPENED)
