"""The equivalence classes of a released table on Spark: people and records of each, and how people are named.

All counts are of people where the policy names a person column, and of rows otherwise.
"""

from __future__ import annotations

from typing import Any

from shoal.certify.findings import Failure
from shoal.certify.released_columns import Columns
from shoal.certify.spark.rows import CLASS, Rows

_WHOLE = r"^[1-9][0-9]{0,14}\z"
_PSEUDONYM = r"^[0-9a-f]{20}\z"
"""In Java, `$` is also before a line end at the end of a text: two spellings of a number would be two people."""


def people_of(rows: Rows, used: Any, columns: Columns) -> tuple[Any, Any, list[Failure]]:
    """Return the classes (class, people, records), how far people are spread over classes, and what is wrong.

    The second is None where people are numbered in every class; otherwise it has, for each class, the largest number
    of classes that one of its people is in.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    records = sql.count(sql.lit(1)).alias("records")
    if columns.person is None:
        counted = used.groupBy(CLASS).agg(records)
        return rows.keep(counted.select(CLASS, sql.col("records").alias("people"), "records")), None, []
    person = sql.col(rows.column(columns.person))
    # a missing person is one: `count(distinct x)` would skip it, and a record that holds it is not missing
    several = sql.count_distinct(sql.struct(person)).alias("people")
    people = rows.keep(used.groupBy(CLASS).agg(several, records))
    number = sql.when(person.rlike(_WHOLE), person.cast("bigint"))
    is_numbered = (
        (sql.count(number) == sql.count(sql.lit(1)))
        & (sql.min(number) == 1)
        & (sql.max(number) == sql.count_distinct(number))
    )
    spread = None
    if columns.numbered == "in classes":
        bad = used.groupBy(CLASS).agg(sql.coalesce(is_numbered, sql.lit(False)).alias("good")).filter("not good")
    else:
        pairs = used.select(CLASS, person.alias("person")).distinct()
        within = pairs.select(CLASS, sql.count(sql.lit(1)).over(Window.partitionBy("person")).alias("within"))
        spread = within.groupBy(CLASS).agg(sql.max("within").cast("double").alias("measure"))
        if columns.numbered == "pseudonyms":
            bad = used.filter(~sql.coalesce(person.rlike(_PSEUDONYM), sql.lit(False))).select(CLASS).distinct()
        else:
            good = used.agg(sql.coalesce(is_numbered, sql.lit(False)).alias("good")).collect()[0]["good"]
            bad = people.filter(sql.lit(not good))
    found = people.join(bad.select(CLASS), CLASS).agg(sql.count(sql.lit(1)).alias("n"), sql.sum("records").alias("r"))
    row = found.collect()[0]
    if not row["n"]:
        return people, spread, []
    what = {
        "in classes": "number the people of each group from 1",
        "in all": "number the people of the release from 1",
        "pseudonyms": "hold pseudonyms",
    }[columns.numbered]
    message = f"column {columns.person} does not {what}: an identifier may be left in"
    failure = Failure(
        check="person", column=columns.person, message=message, groups=int(row["n"]), records=int(row["r"])
    )
    return people, spread, [failure]
