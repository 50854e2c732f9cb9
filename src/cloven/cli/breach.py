"""``cloven breach RELEASE``."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from cloven.cli.breach_attackers import attackers_named
from cloven.cli.breach_words import attacker_rows, cover_words, facts, proof_words, undecided_words
from cloven.cli.command import takes
from cloven.cli.console import progress, say, say_json, table, warn
from cloven.cli.places import release_at
from cloven.cli.reading import READING, JsonFlag, ReleasePath, SeedOption, read_data, warn_of_strangers
from cloven.cli.values import number, whole
from cloven.errors import ParameterError
from cloven.io.readers import ReadOptions
from cloven.model.disassociated import Disassociated
from cloven.model.transactions import Transactions

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
        float, number(0, 1, above=True).option("--share", help="moderate: part of the records known.")
    ] = 0.1,
    wordnet: Annotated[
        Path | None, typer.Option(metavar="PATH", help="weak: WordNet's folder or tar, or a list of words.")
    ] = None,
    public: Annotated[
        Path | None, typer.Option(metavar="FILE", help="weak: data whose frequent itemsets are known.")
    ] = None,
    draws: Annotated[int, whole(1, 1_000_000).option("--draws", help="How often knowledge is drawn.")] = 100,
    exact: Annotated[bool, typer.Option("--exact", help="Prove it: look at all possible originals.")] = False,
    limit: Annotated[
        int, whole(20, 1_000_000).option("--limit", help="--exact: sample clusters with more arrangements.")
    ] = 2000,
    top: Annotated[int, whole(0).option("--top", help="How many covers to show.")] = 1,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """What a reader who knows the method can rule out, from the release alone.

    A release can keep k and m and still tell that two items did not meet in k records: the cover problem.
    """
    from cloven.breach.covers import covers as find
    from cloven.breach.holders import holders
    from cloven.breach.proof import prove
    from cloven.breach.simulation import simulate
    from cloven.io.release import read_disassociated_release

    if private is not None and original is None:
        message = "--private says where the records of the data are: give --original FILE too"
        raise ParameterError(message)
    rng = np.random.default_rng(seed)
    with progress("read") as report:
        published = read_disassociated_release(release_at(release), "`cloven breach`")
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
    from cloven.io.key import read_key

    key = read_key(private, release)
    clusters = np.full(max(int(data.source_rows.max()), int(key.records.max(initial=-1))) + 1, -1, np.int64)
    clusters[key.records] = key.record_cluster
    return clusters[data.source_rows]
