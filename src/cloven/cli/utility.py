"""``cloven utility ORIGINAL RELEASE``."""

from typing import Annotated

from cloven.cli.command import takes
from cloven.cli.console import percent, progress, say, say_json, table
from cloven.cli.places import release_at
from cloven.cli.reading import (
    READING,
    InputFile,
    JsonFlag,
    ReleasePath,
    SeedOption,
    TaxonomyFile,
    allowed_memory,
    read_data,
    read_hierarchy,
)
from cloven.cli.table_options import SchemaOrNone, refuse_of_sets, refuse_of_tables, refuse_reading
from cloven.cli.table_utility import QUERIES, Asked, table_measures
from cloven.cli.values import whole
from cloven.io.readers import ReadOptions
from cloven.measure.generalised_utility import GeneralisedUtility
from cloven.measure.sampled import Sampled
from cloven.measure.utility import UtilityReport

USUAL_RECONSTRUCTIONS, USUAL_TOP = 5, 1000


@takes(asked=QUERIES, options=READING)
def utility(
    original: InputFile,
    release: ReleasePath,
    asked: Asked,
    options: ReadOptions,
    schema: SchemaOrNone = None,
    taxonomy: TaxonomyFile = None,
    reconstructions: Annotated[
        int | None,
        whole(1).option("--reconstructions", help="Plausible data sets to measure on; default 5."),
    ] = None,
    top: Annotated[
        int | None, whole(1).option("--top", help="How many frequent itemsets to compare; default 1000.")
    ] = None,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """How much of the data a release keeps: items, pairs, frequent itemsets and the supports of pairs.

    On plausible data sets: of a set-generalised release, with items drawn for every generalised one. Of a published
    table (--schema): errors of counting queries, pairs of attributes, coarseness.
    """
    import numpy as np

    from cloven.io.release import read_set_release
    from cloven.measure.utility import utility as measure

    if schema is not None:
        refuse_reading(options, taxonomy)
        of_sets = {"--reconstructions": reconstructions, "--top": top}
        refuse_of_sets(flag for flag, value in of_sets.items() if value is not None)
        rng, memory = np.random.default_rng(seed), allowed_memory(options)
        table_measures(original, release, schema, asked, rng, memory, json=json)
        return
    refuse_of_tables(QUERIES.given(vars(asked)))
    with progress("read") as report:
        published = read_set_release(
            release_at(release), "`cloven utility` without --schema", "give --schema FILE"
        )
        data = read_data(original, options)
        hierarchy = read_hierarchy(taxonomy, data)
        report("measure", 0.0)
        found = measure(
            data,
            published,
            rng=np.random.default_rng(seed),
            reconstructions=reconstructions or USUAL_RECONSTRUCTIONS,
            top=top or USUAL_TOP,
            taxonomy=hierarchy,
            suppressed_records=max(0, len(data) - published.records),
        )
    if json:
        say_json(found.to_dict())
        return
    rows = generalised_rows(found) if isinstance(found, GeneralisedUtility) else utility_rows(found)
    say(table(rows, ("measure", "value", "what it means")))


def sampled(value: Sampled | None) -> str:
    """A mean with its interval."""
    if value is None:
        return "-"
    interval = "" if value.low is None or value.high is None else f" [{value.low:.3f} - {value.high:.3f}]"
    return f"{value.mean:.3f}{interval}"


def utility_rows(found: UtilityReport) -> list[tuple[str, str, str]]:
    """The lines of the table: measure, value, what it means."""
    rows = [
        ("items kept", percent(found.items_kept), "item occurrences that stay in record or shared chunks"),
        ("pairs kept", percent(found.pairs_kept), "pairs of items of a record that stay together"),
        ("tlost only", percent(found.tlost_only), "frequent items found only in term chunks"),
        ("tlost any", percent(found.tlost_any), "frequent items found in some term chunk"),
        ("tKd", sampled(found.tkd), f"top {found.top:,} itemsets lost, on reconstructed data"),
        ("tKd chunks", f"{found.tkd_chunks:.3f}", "the same from what is certain"),
        (
            "re",
            sampled(found.re),
            f"relative error of {found.re_pairs:.0f} pair supports, 0 to 2, reconstructed",
        ),
        (
            "re chunks",
            "-" if found.re_chunks is None else f"{found.re_chunks:.3f}",
            "the same from what is certain",
        ),
    ]
    if found.tkd_ml2 is not None:
        rows.insert(6, ("tKd-ML2", sampled(found.tkd_ml2), "the same on all levels of the taxonomy"))
    if found.suppressed_records:
        share = percent(found.suppressed_share)
        rows.append(
            ("suppressed", f"{found.suppressed_records:,} ({share})", "records that are not published")
        )
    return rows


def generalised_rows(found: GeneralisedUtility) -> list[tuple[str, str, str]]:
    """The same for a set-generalised release, whose loss is told as well."""
    from cloven.families.generalisation import measures

    rows = [
        (
            each.name,
            "-"
            if each.value is None
            else sampled(Sampled(each.value, each.low, each.high, ()))
            if each.best == 0
            else percent(each.value),
            each.sentence,
        )
        for each in measures(found)
    ]
    loss = "-" if found.log2_utility_loss is None else f"2^{found.log2_utility_loss:.1f}"
    density = "-" if found.density is None else percent(found.density)
    rows.insert(4, ("utility loss", loss, "of COAT: sets that generalised items could stand for"))
    rows.append(("density", density, "items of a generalised item that a record really has, on average"))
    return rows
