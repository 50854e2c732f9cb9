"""A job for ``spark-submit``: sets of items in Parquet in, a release in parts and its key out.

    spark-submit --master 'local[2]' examples/spark/submit.py visits.parquet /shared/out --column items

On a cluster the places of input and output must be seen by driver and workers under the same path, and Cloven must be
installed on the workers (``spark.pyspark.python`` names their Python). The key goes to ``/shared/out.private``.
"""

# ruff: noqa: T201  an example prints

from __future__ import annotations

import argparse

from pyspark.sql import SparkSession

import cloven as cv


def main() -> None:
    """Anonymise one source, and say what was published."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="Parquet: a column of lists, or one item per row")
    parser.add_argument("out", help="new folder for the release")
    parser.add_argument("--column", help="column that holds lists of items")
    parser.add_argument("--id-column", help="one item per row: column of the record")
    parser.add_argument("--item-column", help="one item per row: column of the item")
    parser.add_argument("-k", type=int, default=5)
    parser.add_argument("-m", type=int, default=2)
    parser.add_argument("--block-records", type=int, default=1_000_000)
    given = parser.parse_args()

    session = SparkSession.builder.appName("cloven").getOrCreate()
    engine = cv.Spark(session)
    data = engine.read(
        session.read.parquet(given.source),
        column=given.column,
        id_column=given.id_column,
        item_column=given.item_column,
    )
    method = cv.Disassociation(k=given.k, m=given.m, block_records=given.block_records)
    engine.write(method.anonymise(data, engine=engine), given.out)  # verified before it is moved into place
    print(f"published {given.out}, yours alone {given.out}.private, verified: {engine.verify(given.out).ok}")
    session.stop()


if __name__ == "__main__":
    main()
