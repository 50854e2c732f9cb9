"""Query logs to transactions, one record for each user (set-generalisation paper, 6.1.2).

A log in the form of the AOL logs has the columns AnonID, Query, QueryTime, ItemRank and ClickURL, separated by tabs;
the last two may be missing. Only the first two are used, and user numbers do not reach the records. A query of one or
two words is one item, since such queries have no grammar; longer ones are tagged, and their noun phrases are the items.
A keyword that a user searched several times counts once. "-" stands for a query that was taken out; it is dropped and
counted. As for documents, plurals become singular, items of stop words, numbers or single characters go, and so do
items contained in a longer one of the same user.

Such logs identify private persons. Use them only where you may.
"""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.data.transactions import Transactions
from cloven.errors import InputError, ParameterError
from cloven.intake.packing import MAX_BYTES, Budget, unpacked
from cloven.text.items import STOP_WORD, PhraseFinder, contained
from cloven.text.words import STOP_WORDS, NoWord, word_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TAKEN_OUT = "-"
_MARKS = "\"'()[]{}<>.,;:!?*+#&%$@/\\|=~`^"


@dataclass(frozen=True)
class QueryOptions:
    """How queries become items.

    Attributes:
        whole_words: a query of at most so many words is one item.
        longest_phrase: most words of a noun phrase of a longer query.
        keep_contained: whether an item stays that is contained in a longer one of the same user.
        stop_words: words that are no items by themselves.
        users: read only the first so many users.
        max_bytes: how much the log may hold once unpacked.
    """

    whole_words: int = 2
    longest_phrase: int = 3
    keep_contained: bool = False
    stop_words: frozenset[str] = field(default=STOP_WORDS, repr=False)
    users: int | None = None
    max_bytes: int = MAX_BYTES

    def __post_init__(self) -> None:
        if self.whole_words < 0 or self.longest_phrase < 1 or (self.users or 1) < 1 or self.max_bytes < 1:
            message = "longest_phrase, users and max_bytes must be at least 1, whole_words at least 0"
            raise ParameterError(message)


@dataclass(frozen=True)
class QueryReport:
    """What happened to the queries; private to the owner, like the data.

    Attributes:
        rows: rows of the log.
        users: users of the log.
        empty_users: users of whom nothing is left; they are no records.
        taken_out: rows whose query was "-" or blank.
        repeated: rows that repeat a query of the same user.
        whole: different queries of users that became one item.
        tagged: different queries of users that were tagged.
        dropped: whole queries and tokens of tagged ones that became no item, by rule.
        records: records of the data.
        items: different items.
        type_token_ratio: different items per occurrence.
    """

    rows: int
    users: int
    empty_users: int
    taken_out: int
    repeated: int
    whole: int
    tagged: int
    dropped: Mapping[str, int]
    records: int
    items: int
    type_token_ratio: float

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


def queries_to_transactions(
    path: str | Path, options: QueryOptions | None = None
) -> tuple[Transactions, QueryReport]:
    """Read a query log (plain, gzip, zstd or zip) and make one record of each user's queries."""
    path, options = Path(path), options or QueryOptions()
    tally: Counter[str] = Counter()
    users = _queries_of_users(path, options, tally)
    finder = _QueryItems(options)
    records = [finder.items(queries, tally) for queries in users]
    data = Transactions.from_records(records)
    if not len(data):
        message = f"no item is left of {tally['rows']:,} rows of {len(users):,} users; is this a query log?"
        raise InputError(message, source=str(path))
    counts = [tally.pop(name, 0) for name in ("rows", "taken out", "repeated", "whole", "tagged", "tokens")]
    rows, taken_out, repeated, whole, tagged, _ = counts
    dropped = {str(rule): count for rule, count in sorted(tally.items()) if count}
    return data, QueryReport(
        rows=rows,
        users=len(users),
        empty_users=data.empty_records,
        taken_out=taken_out,
        repeated=repeated,
        whole=whole,
        tagged=tagged,
        dropped=dropped,
        records=len(data),
        items=len(data.vocabulary),
        type_token_ratio=len(data.vocabulary) / len(data.codes),
    )


def _queries_of_users(path: Path, options: QueryOptions, tally: Counter[str]) -> list[list[str]]:
    """Different queries of each user, both in the order of the log."""
    found: dict[str, dict[str, None]] = {}
    for user, query in _rows(path, options.max_bytes):
        if user not in found and len(found) == options.users:
            continue
        tally["rows"] += 1
        queries = found.setdefault(user, {})
        if query in ("", _TAKEN_OUT):
            tally["taken out"] += 1
        elif query in queries:
            tally["repeated"] += 1
        else:
            queries[query] = None
    return [list(queries) for queries in found.values()]


def _rows(path: Path, max_bytes: int) -> Iterator[tuple[str, str]]:
    """User and query of each row, the query in lower case with single blanks."""
    with unpacked(path, Budget(str(path), max_bytes)) as stream:
        lines = io.TextIOWrapper(stream, "utf-8-sig")
        number = 0
        try:
            for number, line in enumerate(lines, 1):
                cells = line.rstrip("\r\n").split("\t")
                if cells == [""] or (number == 1 and cells[0].lower() == "anonid"):
                    continue
                if not 3 <= len(cells) <= 5 or not cells[0].strip():
                    message = (
                        "a row must hold AnonID, Query, QueryTime and may hold ItemRank, ClickURL, by tabs"
                    )
                    raise InputError(message, source=str(path), line=number, value=line.rstrip("\n"))
                yield cells[0].strip(), " ".join(cells[1].lower().split())
        except UnicodeDecodeError as error:
            message = "not UTF-8 after this line; save the log as UTF-8"
            raise InputError(message, source=str(path), line=number) from error


class _QueryItems:
    """Items of queries; every query is looked at once."""

    def __init__(self, options: QueryOptions) -> None:
        self._options = options
        self._phrases = PhraseFinder(options.longest_phrase, options.stop_words, keep_contained=True)
        self._known: dict[str, tuple[frozenset[str], Counter[str]]] = {}

    def items(self, queries: list[str], tally: Counter[str]) -> set[str]:
        """Items of one user."""
        items: set[str] = set()
        for query in queries:
            if query not in self._known:
                counted: Counter[str] = Counter()
                self._known[query] = (self._look_at(query, counted), counted)
            found, counted = self._known[query]
            items |= found
            tally.update(counted)
        if not self._options.keep_contained:
            inside = contained(items)
            tally["contained in a longer item"] += len(inside)
            items -= inside
        return items

    def _look_at(self, query: str, tally: Counter[str]) -> frozenset[str]:
        words = [word for word in (part.strip(_MARKS) for part in query.split()) if word]
        if len(words) > self._options.whole_words:
            tally["tagged"] += 1
            return frozenset(self._phrases.find(query, tally))
        tally["whole"] += 1
        rules = {self._rule(word) for word in words}
        if None not in rules:
            tally[rules.pop() or "" if rules else "only marks"] += 1
            return frozenset()
        return frozenset({self._singular(" ".join(words))})

    def _rule(self, word: str) -> str | None:
        """Why a word is no item by itself."""
        if word in self._options.stop_words:
            return STOP_WORD
        if not word[0].isalnum():
            return None
        found = word_of(word)
        return str(found) if isinstance(found, NoWord) else None

    def _singular(self, query: str) -> str:
        """Names and foreign words that the dictionary does not know stay as they are."""
        lemmatiser = self._phrases.lemmatiser
        return lemmatiser.singular(query) if lemmatiser.known(query.rpartition(" ")[2]) else query
