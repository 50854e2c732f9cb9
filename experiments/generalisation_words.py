"""Fixed words of the page of ``cloven reproduce generalisation``."""

from __future__ import annotations

HEAD = """Made by `cloven reproduce generalisation`; the figures behind every line are in `generalisation.json`.
It repeats Figures 13 to 16 of Shao and Ong, *Exploiting contextual information in attacking set-generalized
transactions* (ACM TOIT), on public data, and sets beside every figure what no knowledge gets. Means over
{samples} samples of each data set, each with its own privacy constraints; ± is half of the 95 % interval. How
the attacks work: [set-based generalisation](../explanation/set-generalisation.md); what the words mean:
[measures](../reference/measures.md)."""

RULE = """*confirmed*: the difference has the sign that the paper says, and its 95 % interval over data sets and
samples does not cover 0. *refuted*: it lies on the other side. *chance*: it covers 0. Printed numbers are
confirmed if ours lie in the range that the words allow, which is a verdict on that data set alone; that
something does not change, if the whole interval lies within 0.05 of 0 (0.1 for recall along densities). The
samples of a data set overlap, and five data sets are few: intervals speak of these data sets, not of all data."""

DATA = """At k = 5. Density is the mean share of original items in a generalised item, length the mean number of
items of a record, T&A typing errors and abbreviations. A tenth of the items is protected, each on its own,
drawn at random for every sample (the paper does not print its share); of Synthea, which has few rare items,
all. A text is the set of its 60 terms of highest TF-IDF. What a record shows for certain is
the attacker's context. Quality is judged from where the data comes from, not counted."""

COLUMNS = """*random*: elimination of as many items of each table at random; *shuffled*: the same attack with
the words exchanged; *one*: all but one random item of each generalised item of a record; *lift*: precision
divided by that of random elimination. *random* as an attack is RA of the paper, one item of each table;
*nearest* is not in the paper: all but the
one item that RBA trusts most. An attack with shuffled words may eliminate more or fewer items, and recall and F rise
with their number: compare it by precision and AUC."""

DENSITY = """The density that COAT leaves is little more than 1/k while it has items of one record to merge,
whatever the records are; so it cannot be set by choosing records alone. Here k
is chosen from 3 to 20, and items of fewer than two or three records of the sample are left out where k alone does not
bring the density within 0.05 of the wanted one; what nothing comes so near to is not shown. So k changes along with
density."""

UTILITY = """*general*: any items may be merged; *consistent*: only items whose similarity in WordNet (Wu and
Palmer) to the protected one is above 0.5, with suppression where nothing can be merged. The mark ' in the chart
stands for consistent. Suppressed items are not attacked."""

RECORDS = (
    """A record counts as rebuilt if exactly its added items are eliminated, in all its generalised items."""
)

PAIRS = """The same data, k = 5, but every combination of up to two items is protected, as in k^m-anonymity.
*no-answer* leaves records without context alone, as the paper does; *generalised* takes the other generalised
items of the record for a context."""

KNOWLEDGE = """RBA at k = 5 with other measures of relatedness: NGD and NPMI count the attacker's half of the
data; vectors are GloVe's from the web and the news, WordNet is a dictionary: neither was made from this data."""

TIME = """One table of random distances. Single runs: times depend on the machine and on what else it does."""

DIFFERENT = (
    """The paper counts pages of the web with a search engine. We count the other half of the data, which no published
    record is in: an attacker with records of the same kind. That knows rare words of the field better than general
    vectors do (*Other knowledge*); how it compares with a search engine cannot be told here.""",
    """AOL's log identifies private persons and is not used; I2B2 is not public; GoArticle is not available. We take
    wikispeedia (links of encyclopaedia articles: several domains, about AOL's length), ohsumed (medical abstracts) and
    MedQuAD (questions and answers about health), with the paper's numbers of records, and recipes and patients.""",
    """The paper attacks a choice of generalised items, without those that hold typing errors; we attack all.""",
    """Densities differ: see the tables. On our texts COAT leaves
    about the 0.55 of GoArticle only at k = 2.""",
)

PAPER = (
    ("AOL (paper)", "0.22", "23", "758", "127", "transaction", "many T&A", "multiple"),
    ("I2B2 (paper)", "0.28", "216", "643", "112", "text", "many T&A", "healthcare"),
    ("GoArticle (paper)", "0.55", "104", "263", "45", "text", "few T&A", "multiple"),
)
"""Tables I and II of the paper."""
