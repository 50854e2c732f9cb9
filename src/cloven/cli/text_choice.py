"""Which items of which documents become the data: the options of ``cloven text``, and what they do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cloven.cli.command import Group
from cloven.cli.shell_words import flag_of
from cloven.cli.values import number, whole
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from cloven.model.transactions import Transactions
    from cloven.text.counts import TermCounts
    from cloven.text.documents import Corpus
    from cloven.text.options import TextOptions

    Progress = Callable[[str, float], None]

PER_TOPIC, TOP_TERMS, MIN_DOCUMENTS = 6, 20, 8
"""What the thesis takes (5.1.2), where topics choose the documents."""
RECORDS, MEAN_LENGTH = 200, 20.0
"""The same where a density is wanted (5.1.1)."""


@dataclass(frozen=True)
class Choice:
    """What to take.

    Attributes:
        min_documents: an item of fewer documents goes.
        max_document_share: an item of a larger share of the documents goes.
        top_terms: keep only so many items of each document, those of highest TF-IDF.
        drop_typos: leave likely typos out.
        topics: take documents evenly from so many topics.
        per_topic: so many documents of each topic.
        density: type-token ratio wanted.
        records: so many records of that density.
        mean_length: so many items in each of them.
    """

    min_documents: int | None = None
    max_document_share: float = 1.0
    top_terms: int | None = None
    drop_typos: bool = False
    topics: int | None = None
    per_topic: int | None = None
    density: float | None = None
    records: int | None = None
    mean_length: float | None = None

    def __post_init__(self) -> None:
        for name, needed in (("per_topic", "topics"), ("records", "density"), ("mean_length", "density")):
            if getattr(self, name) is not None and getattr(self, needed) is None:
                message = f"{flag_of(name)} does nothing without --{needed}; give that too, or leave it out"
                raise ParameterError(message)

    def refuse_all_but_density(self) -> None:
        """Raise if something was given that queries cannot follow."""
        if self != Choice(density=self.density, records=self.records, mean_length=self.mean_length):
            message = "--queries goes with --density, but not with the other options under 'What to take'"
            raise ParameterError(message)


CHOICE = Group(
    "What to take",
    {
        "min_documents": (whole(1), None, f"Items of fewer go; default 1, by topic {MIN_DOCUMENTS}.", ()),
        "max_document_share": (number(0, 1, above=True), 1.0, "Items of a larger share go.", ()),
        "top_terms": (whole(1), None, f"Best by TF-IDF of each; by topic {TOP_TERMS}.", ()),
        "drop_typos": (bool, False, "Leave likely typos out.", ("--drop-typos",)),
        "topics": (whole(1), None, "Take documents evenly from so many topics.", ()),
        "per_topic": (whole(1), None, f"So many documents of each; default {PER_TOPIC}.", ()),
        "density": (number(0, 1, above=True), None, "Wanted type-token ratio.", ()),
        "records": (whole(1), None, f"So many records of that density; default {RECORDS}.", ()),
        "mean_length": (number(1), None, f"Items in each of them; default {MEAN_LENGTH:g}.", ()),
    },
    Choice,
)  # fmt: skip


@dataclass(frozen=True)
class Taken:
    """Records and what is to be said about them.

    Attributes:
        data: the records.
        typos: items that are likely misspelt, and what was likely meant.
        report: what happened on the way, as plain JSON values.
    """

    data: Transactions
    typos: dict[str, str]
    report: dict[str, Any]


def take(
    corpus: Corpus,
    options: TextOptions,
    choice: Choice,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Taken:
    """Turn documents into the records that were asked for."""
    if choice.topics is not None:
        taken = _by_topic(corpus, options, choice, choice.topics, rng, progress)
    else:
        from cloven.text.transactions import to_transactions

        wanted = replace(
            options,
            min_documents=choice.min_documents or 1,
            max_document_share=choice.max_document_share,
            top_terms=choice.top_terms,
        )
        data, report = to_transactions(corpus, wanted, progress)
        facts = report.to_dict()
        taken = Taken(data, facts.pop("suspected_typos"), facts)
    return replace(taken, data=cut(taken.data, choice, rng, taken.report))


def cut(data: Transactions, choice: Choice, rng: np.random.Generator, report: dict[str, Any]) -> Transactions:
    """Records of the wanted density, if one is wanted; ``report`` takes a note of it."""
    if choice.density is None:
        return data
    from cloven.text.density import density_sample

    records, length = choice.records or min(RECORDS, len(data)), choice.mean_length or MEAN_LENGTH
    sample = density_sample(data, choice.density, rng, records=records, mean_length=length)
    report["drawn"] = {"density": choice.density, "from_records": len(data), "pool": sample.pool}
    return sample.transactions


def _by_topic(
    corpus: Corpus,
    options: TextOptions,
    choice: Choice,
    topics: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> Taken:
    from cloven.text.topics import topic_sample
    from cloven.text.transactions import count_terms

    counted = count_terms(corpus, options, progress)
    terms, typos = _without_common_and_typos(counted.terms, options, choice)
    if progress is not None:
        progress("finding topics", 0.0)
    sample = topic_sample(
        terms,
        rng,
        topics=topics,
        per_topic=choice.per_topic or PER_TOPIC,
        terms=choice.top_terms or TOP_TERMS,
        min_documents=choice.min_documents or MIN_DOCUMENTS,
    )
    numbers, sizes = _tally(sample.topics)
    report = {
        "documents": len(corpus),
        "tokens": counted.tokens,
        "cleaned": dict(counted.cleaned),
        "dropped": dict(counted.dropped),
        "merged_plurals": counted.merged_plurals,
        "topics": [
            {"documents": size, "terms": list(sample.topic_terms[topic])}
            for topic, size in zip(numbers, sizes, strict=True)
        ],
    }
    held = set(sample.transactions.vocabulary)
    return Taken(sample.transactions, {item: typos[item] for item in typos if item in held}, report)


def _without_common_and_typos(
    terms: TermCounts, options: TextOptions, choice: Choice
) -> tuple[TermCounts, dict[str, str]]:
    """Terms that are not in too many documents, nor likely typos if those are to go; and all likely typos."""
    import numpy as np

    frequencies = terms.document_frequencies
    kept = frequencies <= choice.max_document_share * len(terms)
    typos: dict[str, str] = {}
    if options.typos != "ignore":
        from cloven.text.lemmas import english_words
        from cloven.text.typos import suspected_typos

        supports = dict(zip(terms.vocabulary, frequencies.tolist(), strict=True))
        typos = suspected_typos(supports, english_words(), options.typo_rule)
    if options.typos == "drop":
        kept &= np.array([name not in typos for name in terms.vocabulary], bool)
    return terms.where(kept[terms.codes]), typos


def _tally(topics: Any) -> tuple[list[int], list[int]]:
    import numpy as np

    numbers, sizes = np.unique(topics, return_counts=True)
    return numbers.tolist(), sizes.tolist()
