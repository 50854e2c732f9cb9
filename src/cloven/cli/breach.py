"""``cloven breach RELEASE``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from cloven.cli.console import progress, say, say_json, table, warn
from cloven.cli.options import asks, takes
from cloven.cli.places import release_at, warn_if_broken
from cloven.cli.reading import (
    READING,
    JsonFlag,
    MeasuringSeed,
    ReleasePath,
    items_in,
    read_data,
    warn_of_strangers,
)
from cloven.data.defaults import SEED
from cloven.data.transactions import Transactions
from cloven.errors import InputError, ParameterError, shorten
from cloven.escapes import names
from cloven.figures import interval, many, percent
from cloven.intake.packing import is_tar
from cloven.kinds.disassociated.covers.breaches import Moderate, Strong, WeakPublic, WeakWords, breaches
from cloven.kinds.disassociated.covers.knowledge import FromFile
from cloven.kinds.disassociated.release import Disassociated
from cloven.reading import ReadOptions
from cloven.values import real, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.kinds.disassociated.covers.breaches import Simulated
    from cloven.kinds.disassociated.covers.covers import Cover, Covers
    from cloven.kinds.disassociated.covers.knowledge import Attacker
    from cloven.kinds.disassociated.covers.proof import Proof
    from cloven.statistics.intervals import Sampled


HEADER = ("attacker", "knows", "covers", "pairs", "clusters", "everywhere", "Algorithm 1")


@takes(options=READING)
def breach(
    release: ReleasePath,
    options: ReadOptions,
    attacker: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help="strong, moderate, weak, or a file of known itemsets; several may be given. Default: all possible.",
        ),
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The data: for moderate, and to count who is concerned."),
    ] = None,
    private: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="OUT.private: count only records where it leaks.")
    ] = None,
    share: Annotated[
        float, asks(real(0, 1, above=True), "--share", help="moderate: part of the records known.")
    ] = 0.1,
    wordnet: Annotated[
        Path | None, typer.Option(metavar="PATH", help="weak: WordNet's folder or tar, or a list of words.")
    ] = None,
    public: Annotated[
        Path | None, typer.Option(metavar="FILE", help="weak: data whose frequent itemsets are known.")
    ] = None,
    draws: Annotated[int, asks(whole(1, 1_000_000), "--draws", help="How often knowledge is drawn.")] = 100,
    exact: Annotated[bool, typer.Option("--exact", help="Prove it: look at all possible originals.")] = False,
    limit: Annotated[
        int, asks(whole(20, 1_000_000), "--limit", help="--exact: sample clusters with more arrangements.")
    ] = 2000,
    top: Annotated[int, asks(whole(0), "--top", help="How many covers to show.")] = 1,
    seed: MeasuringSeed = SEED,
    json: JsonFlag = False,
) -> None:
    """What a reader who knows the method can rule out, from the release alone.

    A release can keep k and m and still tell that two items did not meet in k records: the cover problem.
    """
    from cloven.kinds.disassociated.covers.breaches import holders, simulate
    from cloven.kinds.disassociated.covers.covers import covers as find
    from cloven.kinds.disassociated.covers.proof import prove
    from cloven.storage.release import read_release_of

    if private is not None and original is None:
        message = "--private says where the records of the data are: give --original FILE too"
        raise ParameterError(message)
    rng = np.random.default_rng(seed)
    with progress("read") as report:
        published = read_release_of("disassociation", release_at(release), "`cloven breach`")
        warn_if_broken(published, release)
        data = None if original is None else read_data(original, options)
        if data is not None:
            warn_of_strangers("RELEASE", published.vocabulary, data)
        who = attackers_named(attacker, data, share, wordnet, public)
        report("look for covers", 0.0)
        found = find(published)
        held = None if data is None else holders(found, data, clusters_of(data, private, published))
        results = [simulate(found, one, data, rng, draws, holders=held, progress=report) for one in who]
        proof = prove(published, found, limit=limit, rng=rng, progress=report) if exact else None
    for result in results:
        for reason, times in result.left_out.items():
            warn(f"{result.attacker}: {times:,} {reason}")
    if json:
        say_json(facts(found, results, proof, top))
        return
    for line in (*cover_words(found, top), *undecided_words(found)):
        say(line)
    say()
    say(table(attacker_rows(results), (*HEADER, "holders" if private else "holders anywhere")))
    if proof is not None:
        say()
        for line in proof_words(proof, published):
            say(line)


def clusters_of(
    data: Transactions, private: Path | None, release: Disassociated
) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """Cluster of each record by the key, -1 for records that were not published; None without a key."""
    if private is None:
        return None
    from cloven.storage.release import read_key

    key = read_key(private, release)
    if not len(key.records):
        return np.full(len(data), -1, np.int64)
    place = np.minimum(np.searchsorted(key.records, data.source_rows), len(key.records) - 1)
    return np.where(key.records[place] == data.source_rows, key.record_cluster[place], -1)


# The attackers that the options of ``cloven breach`` name.


NAMES = ("strong", "moderate", "weak")


def attackers_named(
    wanted: Sequence[str] | None,
    original: Transactions | None,
    share: float,
    wordnet: Path | None,
    public: Path | None,
) -> list[Attacker]:
    """One attacker for each name; without names, all for which enough is given."""
    possible = {"strong": True, "moderate": original is not None, "weak": bool(wordnet or public)}
    names = [name for name in NAMES if possible[name]] if not wanted else list(dict.fromkeys(wanted))
    out: list[Attacker] = []
    for name in names:
        if name == "strong":
            out.append(Strong())
        elif name == "moderate":
            if original is None:
                message = (
                    "a moderate attacker knows parts of records: give --original FILE, the data released"
                )
                raise ParameterError(message)
            out.append(Moderate(share))
        elif name == "weak":
            out += _weak(wordnet, public)
        elif Path(name).exists():
            out.append(FromFile(Path(name)))
        else:
            message = "no such file; --attacker is strong, moderate, weak, or a file with one known itemset per line"
            raise InputError(message, source=name)
    return out


def _weak(wordnet: Path | None, public: Path | None) -> list[Attacker]:
    if wordnet is None and public is None:
        message = (
            "a weak attacker knows words or what is public: give --wordnet PATH (WordNet, or a list of words) or"
            " --public FILE (data)"
        )
        raise ParameterError(message)
    out: list[Attacker] = []
    if wordnet is not None:
        out.append(WeakWords(words_at(wordnet)))
    if public is not None:
        out.append(WeakPublic(read_data(public, ReadOptions())))
    return out


def words_at(path: Path) -> list[str]:
    """All lemmas of WordNet (a folder or a tar), or the lines of a list of words."""
    if path.is_file() and not is_tar(path):
        return items_in(path)
    from cloven.relatedness.wordnet_files import PARTS_OF_SPEECH, WordNetFiles

    files = WordNetFiles(path)
    return [lemma.replace("_", " ") for part in PARTS_OF_SPEECH for lemma in files.index(part)]


# What ``cloven breach`` found, in sentences, tables and plain values.


def cover_words(found: Covers, top: int) -> list[str]:
    """How many covers there are, what they mean, and some of them."""
    k = found.release.k
    if not len(found):
        if any(reason.startswith("clusters") for reason in found.undecided):
            return ["not decidable: no cluster of this release could be asked; see below why"]
        asked = "where it can be told" if found.undecided else "in any cluster"
        return [f"no cover {asked}: nothing follows from the method alone by this argument"]
    all_of_it = breaches(found)
    lines = [
        f"{many(len(found), 'cover')} in {many(all_of_it.clusters, 'cluster')} of {many(all_of_it.records, 'record')},"
        f" {all_of_it.single:,} of them with a single covering item",
        f"whoever knows the method can tell of {many(all_of_it.pairs, 'pair')} of items that fewer than k = {k}"
        f" records of their cluster hold both",
        f"over the whole release {all_of_it.everywhere:,} of {many(all_of_it.different_pairs, 'different pair')} have"
        f" fewer than k candidates; for the others another cluster may have them",
    ]
    return lines + [_example(found, number) for number in shown(found, top)]


def shown(found: Covers, top: int) -> list[int]:
    """Covers to show: first those that hold over the whole release, then those with most covering items."""
    everywhere = np.zeros(len(found), bool)
    everywhere[found.leaks[0][found.everywhere]] = True
    first: list[int] = np.lexsort((-found.covering, ~everywhere))[:top].tolist()
    return first


def _example(found: Covers, number: int) -> str:
    cover = found[number]
    item, k = shorten(cover.item), found.release.k
    return (
        f"such as, in cluster {cover.cluster}: {item} meets {' or '.join(map(shorten, cover.covered))} in fewer than"
        f" {k} records. {_reason(cover)}, so with {k} such records {item} would stand in the same chunk"
    )


def _reason(cover: Cover) -> str:
    if len(cover.covered) > 1:
        others = f" with {names(cover.covering)}" if cover.covering else ""
        return f"They always come together{others}"
    if cover.covering:
        return f"All rows with {shorten(cover.covered[0])} hold {names(cover.covering)} too"
    return f"Nothing else of its chunk is as frequent as {shorten(cover.item)}"


def undecided_words(found: Covers) -> list[str]:
    """Where nothing can be concluded."""
    return [f"not decidable: {many_of:,} {reason}" for reason, many_of in found.undecided.items()]


def attacker_rows(results: Sequence[Simulated]) -> list[tuple[str, ...]]:
    """One line for each attacker."""
    return [
        (
            result.attacker,
            "all pairs" if result.attacker == "strong" else _pairs(result.known),
            *(figure(result[name]) for name in ("covers", "pairs", "clusters", "everywhere", "score")),
            figure(result["holders"]) if "holders" in result.counts else "-",
        )
        for result in results
    ]


def _pairs(known: Sampled) -> str:
    return f"{figure(known)} {'pair' if known.mean == 1 else 'pairs'}"


def figure(value: Sampled) -> str:
    """A count, or the mean of a random one with its interval."""
    if value.low is None or value.high is None or value.low == value.high:
        return f"{value.mean:,.0f}"
    digits = 2 if value.mean < 10 else 1
    return f"{value.mean:,.{digits}f} {interval(value.low, value.high, digits)}"


def proof_words(proof: Proof, release: Disassociated) -> list[str]:
    """What possible worlds prove."""
    if proof.undecided:
        return [f"possible worlds: not decidable, {n:,} {reason}" for reason, n in proof.undecided.items()]
    lines = [
        f"possible worlds: {many(proof.exact, 'cluster')} enumerated, {proof.sampled:,} sampled,"
        f" {proof.too_large:,} too large; {proof.alone:,} with at most one record chunk"
    ]
    if proof.impossible:
        lines.append(
            f"{many(proof.impossible, 'cluster')} that no original explains: another method made them"
        )
    if proof.exact:
        lines.append(table(_proven(proof, release)))
    return lines + _sampled(proof)


def _sampled(proof: Proof) -> list[str]:
    if not proof.sampled:
        return []
    pairs, by_cover, unseen = (proof.total(name, exact=False) for name in ("pairs", "by_cover", "unseen"))
    return [
        f"sampled: {by_cover:,} of {many(pairs, 'pair')} broken by a cover; {unseen:,} others were joined in no world"
        " drawn, and may be broken or not",
        f"at 95 % such a pair is joined in at most {percent(proof.error)} of the worlds (median cluster);"
        f" in {many(proof.blank, 'cluster')} no arrangement drawn was a world",
    ]


def _proven(proof: Proof, release: Disassociated) -> list[tuple[str, str, str]]:
    broken, by_cover = proof.total("broken"), proof.total("by_cover")
    linked, found = (many(proof.total(name), "record") for name in ("linked_records", "found_records"))
    return [
        (
            "broken pairs",
            f"{broken:,} of {proof.total('pairs'):,}",
            f"no world joins them in k = {release.k} records: {by_cover:,} by a cover, {broken - by_cover:,} otherwise",
        ),
        (
            "linked",
            f"{proof.total('linked'):,}",
            f"of them make more than m = {release.m} items certain, of {linked} or more",
        ),
        (
            "found",
            f"{proof.total('found'):,}",
            f"of them leave a single content of the record chunks, of {found} or more",
        ),
        (
            "links",
            f"{proof.total('links'):,}",
            f"records and items that belong together with probability {proof.sure} or more",
        ),
    ]


def facts(found: Covers, results: Sequence[Simulated], proof: Proof | None, top: int) -> dict[str, Any]:
    """All of it as plain values."""
    examples = [found[number] for number in shown(found, top)] if len(found) else []
    return {
        "k": found.release.k,
        "m": found.release.m,
        "covers": breaches(found).to_dict(),
        "undecided": dict(found.undecided),
        "shown": [{name: getattr(one, name) for name in one.__dataclass_fields__} for one in examples],
        "attackers": [result.to_dict() for result in results],
        "proof": None if proof is None else proof.to_dict(),
    }
