"""Every page of the studio in every state, and how a browser comes to it.

``VISITED`` says which template each of them shows, so that a test without a browser sees which one is forgotten.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from contextlib import closing, suppress
from pathlib import Path

from cloven.studio.workspace import Workspace
from tests.browser.studios import BASKETS, LONG, PEOPLE, attack, choose_method, upload

DOOR = ""
"""A page of the gate itself, which needs no template."""
VISITED = {
    "home": "home.html",
    "choose": "choose.html",
    "choose, refused": "choose.html",
    "data being read": "waiting.html",
    "data not read": "waiting.html",
    "data to be confirmed": "reading.html",
    "schema, refused": "reading.html",
    "sets": "described.html",
    "table": "described.html",
    "delete data": "delete_data.html",
    "protect sets": "protect.html",
    "protect a table": "protect.html",
    "protect, refused": "protect.html",
    "attackers": "threats.html",
    "attackers, refused": "threats.html",
    "attack waiting": "attack.html",
    "attack running": "attack.html",
    "attack finished": "attack.html",
    "attack cancelled": "attack.html",
    "attack failed": "attack.html",
    "attack interrupted": "attack.html",
    "verdict on sets": "decide.html",
    "verdict on a table": "decide.html",
    "verdict on a sample": "decide.html",
    "verdict beside another release": "decide.html",
    "runs": "runs.html",
    "compare": "compare.html",
    "key": "key.html",
    "delete a run": "delete_run.html",
    "delete a run that was downloaded": "delete_run.html",
    "tune": "tune.html",
    "tune, refused": "tune.html",
    "search running": "search.html",
    "search finished": "search.html",
    "search failed": "search.html",
    "search waiting": "search.html",
    "search cancelled": "search.html",
    "search interrupted": "search.html",
    "clusters": "inspector_clusters.html",
    "clusters with the truth": "inspector_clusters.html",
    "cluster": "inspector_cluster.html",
    "known items": "inspector_somebody.html",
    "people": "inspector_people.html",
    "groups of records": "inspector_row_groups.html",
    "group of records": "inspector_row_group.html",
    "known items of records": "inspector_row_known.html",
    "groups of rows": "inspector_buckets.html",
    "group of rows": "inspector_bucket.html",
    "known values": "inspector_values.html",
    "no such group": "inspector_problem.html",
    "getting ready": "inspector_waiting.html",
    "not got ready": "inspector_waiting.html",
    "nothing": "message.html",
    "broken": "message.html",
    "a form that cannot be read": "message.html",
    "no cookie": DOOR,
    "a token that was used": DOOR,
    "sent from elsewhere": DOOR,
}
ELSEWHERE = {
    "home, empty": "home.html",
    "runs, empty": "runs.html",
    "compare, empty": "compare.html",
    "password": DOOR,
    "password, wrong": DOOR,
}
"""Pages of a studio that is reached from elsewhere by a password, with nothing in its workspace yet."""
FOUND = {
    "sentence": "coat:k=3,m=2 keeps most of the settings that hold.",
    "chosen": "coat:k=3,m=2",
    "measure": "utility",
    "counts": {},
    "rows": [
        {"number": 1, "setting": "disassociation:k=3,m=2", "risk": 0.31, "utility": 0.92, "broken": 0},
        {"number": 2, "setting": "coat:k=3,m=2", "risk": 0.12, "utility": 0.61, "broken": 0},
        {"number": 3, "setting": "coat:k=4,m=2", "risk": 0.2, "utility": 0.4, "broken": 1},
    ],
}
"""What a search found, as its worker tells it; the search itself is tried elsewhere."""
WANTED = {"k": 3, "m": 2, "trials": 12, "max_risk": 0.2, "min_utility": 0.0}


def prepared(tab, served, folder):
    """Make what pages show, and give for each name an address, or what to do to see it."""
    origin = served.origin
    upload(tab, served, folder, "people.csv", PEOPLE)
    unsure = tab.url
    table, of_table = _table(tab, served, folder)
    upload(tab, served, folder, "baskets.csv", BASKETS)
    tab.get_by_role("button", name="Read it so").first.click()
    tab.get_by_role("heading", name="Who can be singled out").wait_for(timeout=LONG)
    sets = tab.url
    tab.get_by_role("link", name="Protect it").click()
    tab.get_by_role("button", name="On to the attackers").click()
    draft = tab.url
    run, rows = (_attacked(tab, sets, method) for method in ("disassociation", "coat"))
    known = f"know={re.search('[a-z]+', BASKETS)[0]}"
    return {
        "home": f"{origin}/",
        "choose": f"{origin}/data",
        "choose, refused": _sent(f"{origin}/data", {"Path": "/no/such/file"}, "Look at it"),
        "data to be confirmed": unsure,
        "schema, refused": _sent(unsure, {"Schema (TOML)": "columns = 3"}, "Read it as this table"),
        "sets": sets,
        "table": table,
        "delete data": f"{sets}/delete",
        "protect sets": f"{sets}/protect",
        "protect a table": f"{table}/protect",
        "protect, refused": _sent(f"{sets}/protect", {"k": "1"}, "On to the attackers"),
        "attackers": draft,
        "attackers, refused": _sent(draft, {"Risk, at most": "200"}, "Start the attacks"),
        "attack finished": f"{run}/attack",
        "verdict on sets": run,
        "verdict on a table": of_table,
        "runs": f"{origin}/runs",
        "compare": f"{origin}/compare?run={_number(run)}&run={_number(rows)}",
        "key": f"{run}/key",
        "delete a run": f"{run}/delete",
        "tune": f"{sets}/tune",
        "tune, refused": _sent(f"{sets}/tune", {"k, at least": "1"}, "Search"),
        "clusters": f"{run}/clusters",
        "clusters with the truth": f"{run}/clusters?truth=1&by=hits",
        "cluster": f"{run}/clusters/0?truth=1&rebuild=1&{known}",
        "known items": f"{run}/clusters/known?truth=1&{known}",
        "people": f"{run}/clusters/people?truth=1",
        "groups of records": f"{rows}/clusters",
        "group of records": f"{rows}/clusters/0?truth=1&{known}",
        "known items of records": f"{rows}/clusters/known?{known}",
        "groups of rows": f"{of_table}/clusters",
        "group of rows": f"{of_table}/clusters/0?truth=1",
        "known values": f"{of_table}/clusters/known?q.age=30",
        "no such group": f"{run}/clusters/99999",
        "nothing": f"{origin}/what",
        "broken": _broken(served, run),
        **_beside(served, rows),
        "a form that cannot be read": _of_many_parts(f"{sets}/tune"),
        "sent from elsewhere": _from_elsewhere(served),
        "no cookie": _without_cookie(f"{origin}/"),
        "a token that was used": _used(tab, served),
        **_states(served, run, sets),
        **_waiting(tab, served, rows),
    }


def _table(tab, served, folder):
    upload(tab, served, folder, "persons.csv", PEOPLE)
    tab.get_by_role("button", name="Read it as this table").click()
    tab.get_by_role("heading", name="Who can be singled out").wait_for(timeout=LONG)
    table = tab.url
    run = _attacked(tab, table, "slicing", "Groups", ("known person", "learns from the table"))
    return table, run


def _attacked(tab, data, method, heading=None, attackers=("2 items of a person", "a known person")):
    """A finished run, looked into."""
    tab.goto(f"{data}/protect")
    if tab.get_by_label("Method").input_value() != method:
        choose_method(tab, method)
    attack(tab, attackers)
    run = tab.url
    headings = {"disassociation": "Clusters", "coat": "Records that look alike"}
    tab.goto(f"{run}/clusters")
    tab.get_by_role("heading", name=heading or headings[method], exact=True).first.wait_for(timeout=LONG)
    return run


def _number(address):
    return int(address.rpartition("/")[2])


def _states(served, run, data):
    """What passes quickly, as the workspace notes it: pages of work that is going on, or went wrong."""
    with closing(Workspace.at(served.folder)) as workspace:
        done = workspace.run(_number(run))
        runs, searches, read = {}, {}, {}
        for state in ("waiting", "running", "cancelled", "failed", "interrupted"):
            new = workspace.add_run(done.data, done.name, done.method, done.parameters)
            found = dict(list(done.found.items())[:1]) if state == "running" else {}
            given = {"wanted": dict(done.wanted), "found": found, "step": "attack", "share": 0.4}
            workspace.change_work(
                "runs", new.number, state, **given, problem="It broke." if state == "failed" else ""
            )
            runs[f"attack {state}"] = f"{served.origin}/runs/{new.number}/attack"
        for state in ("running", "done", "failed", "waiting", "cancelled", "interrupted"):
            new = workspace.add_search(_number(data), WANTED)
            flags = {"front": True, "holds": True}
            found = FOUND | {"rows": [each | flags for each in FOUND["rows"]]}
            workspace.change_work("searches", new.number, state, found=found, step="coat:k=5", share=0.3)
            searches[f"search {'finished' if state == 'done' else state}"] = (
                f"{served.origin}/searches/{new.number}"
            )
        for state, name in (("reading", "data being read"), ("failed", "data not read")):
            new = workspace.add_data("another.csv", Path("/no/such/file"), own=False)
            workspace.change_data(new.number, state, problem="" if state == "reading" else "it is damaged")
            read[name] = f"{served.origin}/data/{new.number}"
    return runs | searches | read


def _used(tab, served):
    """An address that let somebody in before."""
    address = served.another()
    tab.goto(address)
    tab.wait_for_url(f"{served.origin}/")
    return address


def _waiting(tab, served, run):
    """The inspector before it is ready: a worker that stands still, and one that cannot read the release."""
    broken = _not_looked_into(served, run)
    (broken.published / "manifest.json").write_text("{", encoding="utf-8")
    address = f"{served.origin}/runs/{broken.number}/clusters"
    tab.goto(address)
    tab.get_by_role("button", name="Try again").wait_for(timeout=LONG)
    return {"getting ready": _standing_still(tab, served, run), "not got ready": address}


def _standing_still(tab, served, run):
    """Where somebody waits for a worker that was stopped. If it was done before, another one is tried."""
    for _ in range(20):
        while _workers(served):
            tab.wait_for_timeout(20)  # so that the next one is the one
        address = f"{served.origin}/runs/{_not_looked_into(served, run).number}/clusters"
        tab.goto(address, wait_until="commit")
        while not _begun(served) and _is_waiting(tab, address):
            tab.wait_for_timeout(20)
        for worker in _begun(served):
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGSTOP)
        if _workers(served) and _is_waiting(tab, address):
            return address
    message = "every worker was done before it could be stopped"
    raise AssertionError(message)


def _workers(served):
    """Processes that the studio has started and that are not done."""
    number = served.process.pid
    return [int(each) for each in Path(f"/proc/{number}/task/{number}/children").read_text().split()]


def _begun(served):
    """Those that run their own program. One that does not yet still holds up the studio, and must not be stopped."""
    own = _program(served.process.pid)
    return [each for each in _workers(served) if _program(each) not in (own, b"")]


def _program(process):
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:  # it is done
        return b""


def _is_waiting(tab, address):
    tab.goto(address)
    return tab.locator("body").get_attribute("data-page") == VISITED["getting ready"]


def _not_looked_into(served, run):
    with closing(Workspace.at(served.folder)) as workspace:
        return _copied(workspace, workspace.run(_number(run)))


def _broken(served, run):
    """A run whose document is not what the studio wrote."""
    with closing(Workspace.at(served.folder)) as workspace:
        new = _copied(workspace, workspace.run(_number(run)))
    (new.private / "audit.json").write_text('{"format": "cloven.audit/2"}', encoding="utf-8")
    return f"{served.origin}/runs/{new.number}"


def _beside(served, run):
    """A run that was downloaded, another one beside it that could be published otherwise, and one of a sample."""
    with closing(Workspace.at(served.folder)) as workspace:
        done = workspace.run(_number(run))
        gone, other, sample = (_copied(workspace, done) for _ in range(3))
        workspace.note(gone.number, "release")
        _change(gone.private / "receipt.json", manifest_sha256="0" * 64)
        for each, sampled in ((other, False), (sample, True)):
            headline = {**done.headline, "verdict": "publish", "sampled": sampled}
            workspace.change_work("runs", each.number, headline=headline)
            decision = {
                "verdict": "publish",
                "sentence": "Publish.",
                "reasons": [],
                "better": [],
                "words": "",
            }
            _change(each.private / "audit.json", decision=decision)
    address = f"{served.origin}/runs"
    return {
        "verdict on a sample": f"{address}/{sample.number}",
        "verdict beside another release": _judged(f"{address}/{other.number}"),
        "delete a run that was downloaded": f"{address}/{gone.number}/delete",
    }


def _change(file, **given):
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), **given}), encoding="utf-8")


def _judged(address):
    def go(tab):
        tab.goto(address)
        assert "Do not publish" in tab.inner_text("#verdict")
        assert "was downloaded" in tab.inner_text("main")

    return go


def _of_many_parts(address):
    """Send a form with more fields than it has."""

    def go(tab):
        tab.goto(address)
        with tab.expect_navigation():
            tab.evaluate("""() => {
              const form = document.querySelector("main form")
              for (let at = 0; at < 100; at++)
                form.append(Object.assign(document.createElement("input"), { name: `more-${at}`, type: "hidden" }))
              form.enctype = "multipart/form-data"
              form.submit()
            }""")

    return go


def _from_elsewhere(served):
    """Send a form from a page of another origin."""
    other = "http://127.0.0.1:1/"

    def go(tab):
        page = f'<form method="post" action="{served.origin}/data/sample"><button>send</button></form>'
        tab.route(other, lambda route: route.fulfill(body=page, content_type="text/html"))
        tab.goto(other)
        with tab.expect_navigation():
            tab.get_by_role("button", name="send").click()
        tab.asked = [address for address in tab.asked if address != other]
        assert "Not from there" in tab.inner_text("h1")

    return go


def elsewhere(served):
    """For each name of a page there an address, or what to do to see it."""
    return {
        "home, empty": f"{served.origin}/",
        "runs, empty": f"{served.origin}/runs",
        "compare, empty": f"{served.origin}/compare",
        "password": _without_cookie(f"{served.origin}/data"),
        "password, wrong": _wrong_password(served),
    }


def _wrong_password(served):
    def go(tab):
        kept = tab.context.cookies()
        tab.context.clear_cookies()
        tab.goto(f"{served.origin}/password")
        tab.get_by_label("Password").fill("another password")
        with tab.expect_navigation():
            tab.get_by_role("button", name="Enter").click()
        assert "not the password" in tab.inner_text("main")
        tab.context.add_cookies(kept)

    return go


def _copied(workspace, run):
    """The same run again, not looked into yet."""
    new = workspace.add_run(run.data, run.name, run.method, run.parameters)
    shutil.copytree(run.folder, new.folder, dirs_exist_ok=True)
    shutil.rmtree(new.inspector)
    workspace.change_work("runs", new.number, "done", headline=dict(run.headline), wanted=dict(run.wanted))
    return new


def _sent(address, typed, button):
    """Fill a form with what is refused, and send it."""

    def go(tab):
        tab.goto(address)
        unfold(tab)
        for label, words in typed.items():
            tab.get_by_label(label, exact=True).fill(words)
        with tab.expect_navigation():
            tab.get_by_role("button", name=button, exact=True).click()
        assert tab.locator(".mistake:not([hidden])").count()

    return go


def _without_cookie(address):
    def go(tab):
        kept = tab.context.cookies()
        tab.context.clear_cookies()
        assert tab.goto(address).status == 401
        tab.context.add_cookies(kept)

    return go


def unfold(tab):
    tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")


def visit(tab, name, way):
    """Go to a page and see that it is the one; what is refused or not there says so in the console, too."""
    tab.goto(way) if isinstance(way, str) else way(tab)
    unfold(tab)
    assert (tab.locator("body").get_attribute("data-page") or DOOR) == (VISITED | ELSEWHERE)[name], name
    tab.said = [words for words in tab.said if not re.search("status of [45]", words)]
