"""The studio under fire: it is read by many while it works, and killed in the middle of runs.

Fifty readers load pages during an attack. Then the server is killed at random times while a run works: what was
finished must still be there, and at the end the run must finish with the release that was made first.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import signal
import sqlite3
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from reliability.served import Served

if TYPE_CHECKING:
    from reliability.campaign import Asked

WANTED = {"max_risk": "20", "max_tail": "1", "min_utility": "0", "effort": "full", "advise": "yes"}
READERS, READS = 50, 20
LONGEST = 12.0
"""Seconds that a studio lives at most before it is killed."""
STEP = f"step-{hashlib.sha256(b'anonymise').hexdigest()[:16]}"
"""Where the release of a run lies until the run is finished."""
NOTED = re.compile(rb'"step": ?"anonymise"')


@dataclass
class Studio(Served):
    """A studio, and a client that came in."""

    client: httpx2.Client = field(init=False)

    def start(self) -> None:
        """Start it and come in."""
        super().start()
        self.client = httpx2.Client(
            base_url=self.origin, headers={"origin": self.origin}, timeout=120, follow_redirects=True
        )
        assert self.client.get(self.address).status_code == 200

    def stop(self, how: int = signal.SIGKILL) -> None:
        """End it, with a word or without."""
        self.client.close()
        super().stop(how)

    def run(self, number: int) -> dict[str, Any]:
        """What the workspace notes of a run, whether or not somebody serves it."""
        with sqlite3.connect(f"file:{self.folder / 'studio.db'}?mode=ro", uri=True) as base:
            base.row_factory = sqlite3.Row
            return dict(base.execute("select * from runs where number = ?", (number,)).fetchone())

    def until(self, path: str, words: str, seconds: float = 600.0) -> str:
        """The page, once it says this."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            page = self.client.get(path).text
            if words in page:
                return page
            time.sleep(0.1)
        raise TimeoutError(words)


def begun(served: Studio) -> int:
    """A run on the sample that takes a while; gives its number."""
    path = served.client.post("/data/sample").url.path
    served.until(path, "Who can be singled out")
    page = served.client.get(f"{path}/protect").text
    typed = dict(re.findall(r'<input id="(\w+)" name="\1" type="text"[^>]*value="([^"]*)"', page))
    chosen = re.findall(r'<select id="(\w+)" name="\1".*?<option selected>([^<]+)</option>', page, re.DOTALL)
    form = {"method": "disassociation", **typed, **dict(chosen), "safe": "cover"}  # it draws lots
    answer = served.client.post(f"{path}/protect", data=form)
    attack = answer.url.path
    assert attack.endswith("/attack"), answer.text
    threats = re.findall(r'name="known-threat" value="([^"]+)"', answer.text)
    served.client.post(attack, data={**WANTED, "threat": threats})
    return int(attack.split("/")[2])


def digests(folder: Path) -> dict[str, str]:
    """What a release is, file by file."""
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.glob("*.parquet"))
    }


def finished_release(made: Path) -> dict[str, str]:
    """The release of a run: the one that was written, or the one whose step is noted as finished; else nothing.

    Until its step is noted, a release may be made anew, and then with other lots.
    """
    written = digests(made / "release" / "published")
    if written:
        return written
    for unfinished in made.glob("*.unfinished"):
        journal = unfinished / "journal.log"
        if journal.is_file() and NOTED.search(journal.read_bytes()):
            return digests(unfinished / STEP / "published")
    return {}


def kills(folder: Path, rounds: int, seed: int) -> dict[str, Any]:
    """Kill the server again and again while a run works; tell what was lost."""
    rng = random.Random(seed)
    served = Studio(folder)
    served.start()
    number = begun(served)
    lost: list[str] = []
    finished, most = 0, 0
    first: dict[str, str] = {}
    for turn in range(rounds):
        time.sleep(rng.uniform(0.2, LONGEST))
        before = json.loads(served.run(number)["found"])
        served.stop()
        after = json.loads(served.run(number)["found"])
        lost += [f"{turn}: {name}" for name, value in before.items() if after.get(name) != value]
        most = max(most, len(after))
        now = finished_release(folder / "runs" / str(number))
        if first and now != first:
            lost.append(f"{turn}: the release")
        first = first or now
        served.start()
        if served.run(number)["state"] == "done":
            finished += 1
            served.client.post(f"/runs/{number}/delete")
            number, first = begun(served), {}
        elif served.run(number)["state"] != "running":
            served.client.post(f"/runs/{number}/go-on")  # after three starts it waits to be asked
    served.until(f"/runs/{number}/attack", "To the verdict")
    if first and finished_release(folder / "runs" / str(number)) != first:
        lost.append("the release, in the end")
    served.stop(signal.SIGINT)
    return {"rounds": rounds, "lost": lost, "finished on the way": finished, "most steps kept": most}


def readers(folder: Path) -> dict[str, Any]:
    """Fifty readers during an attack."""
    served = Studio(folder)
    served.start()
    number = begun(served)
    pages = ["/", "/runs", "/data/1", "/data/1/protect", f"/runs/{number}/attack", f"/runs/{number}/live"]

    def read(reader: int) -> list[float]:
        spent = []
        for turn in range(READS):
            start = time.perf_counter()
            answer = served.client.get(pages[(reader + turn) % len(pages)])
            spent.append(time.perf_counter() - start)
            assert answer.status_code == 200
        return spent

    with ThreadPoolExecutor(READERS) as pool:
        every = sorted(each for spent in pool.map(read, range(READERS)) for each in spent)
    still = served.run(number)["state"]
    served.client.post(f"/runs/{number}/cancel")
    served.stop(signal.SIGINT)
    return {
        "readers": READERS,
        "reads": len(every),
        "median": round(statistics.median(every), 3),
        "p95": round(every[int(0.95 * len(every))], 3),
        "slowest": round(every[-1], 3),
        "the run meanwhile": still,
    }


def studio(asked: Asked) -> int:
    """Both, each in a new workspace; ends with 1 if something was lost."""
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(f"{json.dumps(readers(Path(folder, 'read')))}\n")
        killed = kills(Path(folder, "killed"), asked.times, asked.seed)
        sys.stdout.write(f"{json.dumps(killed)}\n")
    return int(bool(killed["lost"]))
