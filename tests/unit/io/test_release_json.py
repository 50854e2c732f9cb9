"""The JSON form: the same content, read strictly."""

from __future__ import annotations

import json

import pytest

from cloven.errors import ReleaseError
from cloven.storage.release import json_bytes, read_key, read_release, write_release


def test_round_trip_and_same_bytes(clinic, tmp_path):
    write_release(clinic.result, tmp_path / "one", original=clinic.original, format="json")
    write_release(clinic.result, tmp_path / "two.json", original=clinic.original, format="json")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "one.json", "one.private", "two.json", "two.private",
    ]  # fmt: skip
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    release = read_release(tmp_path / "one.json")
    assert release == clinic.release
    assert read_key(tmp_path / "one.private", release) == clinic.result.key


def test_one_line_per_cluster_as_documented(clinic):
    content = json_bytes(clinic.release)
    document = json.loads(content)
    assert list(document) == ["manifest", "joints", "clusters"]
    assert document["manifest"]["files"] == {}
    cluster = clinic.release.cluster(0)
    assert document["clusters"][0] == {
        "size": cluster.size,
        "joint": cluster.joint,
        "record_chunks": [[list(row) for row in chunk] for chunk in cluster.record_chunks],
        "term_chunk": list(cluster.term_chunk),
    }
    assert document["joints"][0]["shared_chunks"] == [
        [list(row) for row in chunk] for chunk in clinic.release.joint(0).shared_chunks
    ]
    clusters = content.decode().split('"clusters": [\n')[1].splitlines()
    assert len(clusters) == clinic.release.clusters + 1


def _set(path, value):
    def change(document):
        target = document
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = value

    return change


FAULTS = {
    "extra key": _set(["note"], "hello"),
    "manifest of a folder": _set(["manifest", "files"], {"chunks.parquet": "0" * 64}),
    "newer format": _set(["manifest", "format"], "cloven.disassociated/3"),
    "clusters no list": _set(["clusters"], {}),
    "cluster no object": _set(["clusters", 0], 3),
    "extra field": _set(["clusters", 0, "colour"], "red"),
    "size text": _set(["clusters", 0, "size"], "3"),
    "size true": _set(["clusters", 0, "size"], True),
    "size null": _set(["clusters", 0, "size"], None),
    "size huge": _set(["clusters", 0, "size"], 2**70),
    "joint not there": _set(["clusters", 0, "joint"], 1),
    "parent not there": _set(["joints", 0, "parent"], 5),
    "chunk empty": _set(["clusters", 0, "record_chunks", 0], []),
    "chunks no list": _set(["clusters", 0, "record_chunks"], "ab"),
    "row text": _set(["clusters", 0, "record_chunks", 0, 0], "ab"),
    "item null": _set(["clusters", 0, "record_chunks", 0, 0], [None]),
    "item number": _set(["clusters", 0, "term_chunk"], [3]),
    "term chunk null": _set(["clusters", 0, "term_chunk"], None),
    "half a character": _set(["clusters", 0, "term_chunk"], ["a\ud800"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_refused(clinic, tmp_path, fault):
    document = json.loads(json_bytes(clinic.release))
    FAULTS[fault](document)
    path = tmp_path / "out.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ReleaseError, match=r"out\.json: ") as caught:
        read_release(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"", b"3", b"{", b"[" * 200_000, b"\xff", b'{"manifest": 1, "manifest": 1}']
)
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "out.json").write_bytes(content)
    with pytest.raises(ReleaseError, match=r"out\.json: "):
        read_release(tmp_path / "out.json")


def test_no_joint_may_be_named_when_there_is_none(clinic, tmp_path):
    document = json.loads(json_bytes(clinic.release))
    document["joints"] = []
    (tmp_path / "out.json").write_text(json.dumps(document))
    with pytest.raises(ReleaseError, match="joint"):
        read_release(tmp_path / "out.json")
