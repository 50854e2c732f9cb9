"""Query logs; every row is made up."""

from __future__ import annotations

import gzip

import pytest

from cloven.errors import InputError, ParameterError
from cloven.text.queries import QueryOptions, queries_to_transactions

HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL"
ROWS = [
    "7\tgood wines\t2006-03-01 00:00:01\t1\thttp://example.org",
    "7\tGood  Wines\t2006-03-01 00:00:09\t2\thttp://example.com",
    "7\t-\t2006-03-02 00:00:00",
    "9\tthe\t2006-03-02 00:00:00",
    "7\tcauses of sudden weight loss in dogs\t2006-03-03 00:00:00",
    "7\tdogs\t2006-03-03 00:00:01",
    "9\t12\t2006-03-03 00:00:02",
    "11\tcancer.org\t2006-03-03 00:00:03",
    "11\t\t2006-03-03 00:00:04",
    "11\tte va\t2006-03-03 00:00:05",
]


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.txt.gz"
    path.write_bytes(gzip.compress("\n".join([HEADER, *ROWS, ""]).encode()))
    return path


def test_one_record_for_each_user(log):
    data, report = queries_to_transactions(log)
    assert [sorted(record) for record in data] == [
        ["cause", "dog", "good wine", "sudden weight loss"],
        ["cancer.org", "te va"],
    ]
    assert data.source_rows.tolist() == [0, 2]
    assert (report.rows, report.users, report.empty_users, report.records) == (10, 3, 1, 2)
    assert (report.taken_out, report.repeated, report.whole, report.tagged) == (2, 1, 6, 1)
    assert report.dropped["numbers"] == 1
    assert report.dropped["stop words"] == 3  # the; of, in
    assert report.items == 6


def test_contained_items_of_a_user_go(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("1\tbreast cancer\tt\n1\tcancer\tt\n2\tcancer\tt\n")
    data, report = queries_to_transactions(path)
    assert [sorted(record) for record in data] == [["breast cancer"], ["cancer"]]
    assert report.dropped == {"contained in a longer item": 1}
    data, _ = queries_to_transactions(path, QueryOptions(keep_contained=True))
    assert sorted(data[0]) == ["breast cancer", "cancer"]


def test_longer_queries_can_stay_whole(log):
    data, report = queries_to_transactions(log, QueryOptions(whole_words=9, users=1))
    assert "causes of sudden weight loss in dog" in data.vocabulary
    assert (report.users, report.rows, report.tagged) == (1, 5, 0)


@pytest.mark.parametrize("row", ["7\tonly a query", "\tquery\ttime", "7 query time", "1\t2\t3\t4\t5\t6"])
def test_bad_row_is_named(tmp_path, row):
    (tmp_path / "log.txt").write_text(f"{HEADER}\n{ROWS[0]}\n{row}\n")
    with pytest.raises(InputError, match=r"log\.txt:3: a row must hold AnonID, Query, QueryTime"):
        queries_to_transactions(tmp_path / "log.txt")


def test_log_of_nothing_and_bad_options(tmp_path):
    (tmp_path / "log.txt").write_text(f"{HEADER}\n1\t-\tt\n")
    with pytest.raises(InputError, match="no item is left of 1 rows of 1 users"):
        queries_to_transactions(tmp_path / "log.txt")
    with pytest.raises(InputError, match="no such file; check the path"):
        queries_to_transactions(tmp_path / "none.txt")
    with pytest.raises(InputError, match="holds more than 5 bytes"):
        queries_to_transactions(tmp_path / "log.txt", QueryOptions(max_bytes=5))
    with pytest.raises(ParameterError, match="must be at least 1"):
        QueryOptions(users=-1)
