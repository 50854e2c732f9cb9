"""Nothing leaves this machine: no command opens a socket to anywhere."""

from __future__ import annotations

import json
import subprocess
import sys

from cloven.cli.app import COMMANDS

WATCHED = """
import socket, sys

def watch(event, given):
    if event.startswith(("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostby", "socket.sendto")):
        raise SystemExit(f"socket: {event} {given!r}")
    if event == "socket.__new__" and given[1] in (socket.AF_INET, socket.AF_INET6):
        raise SystemExit(f"socket: {event} {given!r}")

sys.addaudithook(watch)
import json
from cloven.cli.ending import run

for words in json.loads(sys.argv[1]):
    try:
        code = run(words)
    except SystemExit as ended:
        code = ended.code
    if code not in (0, 1, None):
        raise SystemExit(f"{words} ended with {code}")
"""
STEPS = {
    "sample": ["sample", "--out", "clinic.csv"],
    "describe": ["describe", "clinic.csv"],
    "schema": ["schema", "people.csv"],
    "anonymise": ["anonymise", "disassociation", "clinic.csv", "-k", "3", "-o", "out"],
    "verify": ["verify", "out"],
    "publish": ["publish", "out", "--anyway"],
    "utility": ["utility", "clinic.csv", "out"],
    "attack": ["attack", "out", "-o", "guesses"],
    "score": ["score", "out", "guesses", "--private", "out.private"],
    "breach": ["breach", "out"],
    "count": ["count", "out", "asthma"],
    "link": ["link", "out", "--item", "asthma"],
    "reconstruct": ["reconstruct", "out", "-o", "again.jsonl"],
    "ledger": ["ledger", "."],
    "relatedness": ["relatedness", "forms"],
    "text": ["text", "notes", "-o", "notes.jsonl"],
    "audit": ["audit", "clinic.csv", "-o", "audited", "--quick"],
    "tune": ["tune", "small.csv", "--trials", "1", "-o", "tuned"],
    "cells": ["cells", "people.csv", "--schema", "people.toml"],
}
SPEAKING_FOR_THEMSELVES = {
    "studio",  # serves pages on 127.0.0.1; tests/browser watches that no page asks another host
    "reproduce",  # experiments of a checkout; runs the others
}


def test_every_command_is_watched():
    assert set(STEPS) | SPEAKING_FOR_THEMSELVES == set(COMMANDS)


def test_the_watch_sees_a_socket(tmp_path):
    program = WATCHED.partition("import json")[0] + "socket.socket(socket.AF_INET)"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert "socket.__new__" in ended.stderr


def test_no_socket_is_opened(tmp_path):
    """By any command, in the order of the list: later ones use what earlier ones made."""
    prepare(tmp_path)
    program = [sys.executable, "-c", WATCHED, json.dumps([*STEPS.values()])]
    ended = subprocess.run(program, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr


def prepare(folder):
    (folder / "notes").mkdir()
    for number in range(4):
        (folder / "notes" / f"{number}.txt").write_text("asthma and cough with fever\nflu and fever\n")
    (folder / "small.csv").write_text("flu,fever\nflu,cough\nfever,cough\n" * 8)
    (folder / "people.csv").write_text("age,illness\n" + "31,flu\n35,flu\n38,cough\n41,fever\n" * 4)
    (folder / "people.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\nkind = "number"\n[columns.illness]\nrole = "sensitive"\n'
    )
