"""Fixed words of the page of ``cloven reproduce slicing``."""

from __future__ import annotations

HEAD = """Made by `cloven reproduce slicing`; the figures behind every line are in `slicing.json`. It repeats Tables 3
and 4 and Figures 3 to 8 of BinJubier, Ismail, Ahmed and Sadiq, *Slicing-based enhanced method for privacy-preserving in
publishing big data* (2022), on UCI Adult and on one more table, and sets beside every figure what guessing gets. Means
over {samples} samples; ± is half of the 95 % interval. How to use the methods: [anonymise a
table](../how-to/anonymise-a-table.md)."""

RULE = """*confirmed*: the difference has the sign that the paper says, and its 95 % interval over samples does not
cover 0; of several differences, all. *refuted*: one lies on the other side. *chance*: it covers 0. Printed numbers are
confirmed if ours round to them or lie in the printed range. Education and Occupation use the same rows, and samples
overlap: intervals speak of Adult, not of all tables. The paper's figures are pictures without numbers, so only what its
text says of them can be judged."""

DATA = """Each sample: two tables of so many different rows, to which the same 100 to 500 rows are added. Both are
published by the same method, without knowing of each other. The attacker knows all quasi-identifiers of the shared
people (age, marital status, sex, work class, salary, relationship, and education or occupation), and has both releases.
The sensitive attribute is the one that the data set is named after. *possible*: largest l that the tables allow, as no
value may have more than 1/l of the rows."""

CELLS = """*own*: the attributes that `UL` protects by default, those that hang together least, each with one class;
*pair*: marital status among the rows with the same relationship, which comes nearest to column 1 of the paper. `UL`
shows these counts before a swap rate is chosen (`selected_cells`)."""

WORTH = """Education and Occupation as in Figures 3, 4 and 8, with 500 shared rows. *utility*: as the paper prints it,
100 - distortion. *error*: mean relative error of COUNT over 1 to 5 quasi-identifiers, with / without a predicate on
the sensitive attribute; then the medians. *pairs*: mean total variation distance of pair distributions.
*invalid*: rows as read with two values that never meet in the original / that break a rule (Husband and Female, Wife
and Male, Husband or Wife and not married). *learned*: rows not in the table of which naive Bayes tells the salary
(Mushroom: whether it is edible) / mean over the classes. *exchanged*: rows that hold a value of somebody else.
*groups*: classes or buckets, and the largest."""

RISK = """With 500 shared people. *soft*: mean over people of 1 / values left in both releases, 0 where theirs is not
among them. *strict*: people of whom a single value is left, and it is theirs. *over matches*: of all values left of all
people (soft), or of all people with a single one (strict), those that are true: "genuine matches to total matches".
*confidence*: mean probability that the attack gives to the true value. *left*: people whose value is among those left.
Each stands beside chance (statements drawn from the published distribution) and control (the same attack with the
quasi-identifiers of the wrong people). The soft ratio takes all values left as equally likely, so it can be below
chance; confidence cannot be fooled that way. *one release*: confidence of somebody who has only the first;
*others*: in the value of people who are in neither table, which anybody learns from what they are like. Where noise
flattens the published distribution (hybrid, DiffGen), chance is lower, too."""

RATE = """UL with stratified buckets. At 5 % twelve of sixteen educations and about six of fourteen occupations count as
rare; at 15 % every occupation does, and nearly everybody gets that of somebody else."""

QUERY = """100 queries for each number of quasi-identifiers, the same ones for every method; a query names 1 to half of
the values of each attribute. Queries that mean no row are left out. The share of rows that a query means falls from
{first} with one quasi-identifier to {last} with five (with the sensitive value, Occupation). In the chart errors below
0.02 lie on the lower edge; anatomy has none where the sensitive value is not asked about."""

VARIANTS = """*adaptive*: buckets are cut as Mondrian does where l allows it, and proportionally only where it does not;
the others are always cut proportionally (`partition="stratified"`). *replay-proof*: plain cuts only where nobody's
sensitive value can break the promise, lots elsewhere. *every attribute*: UL looks at all
quasi-identifiers, not only at those that hang together least. *without swaps*: the same buckets, nothing exchanged.
*mondrian, l*: six different sensitive values in every class. *l=3*: on the samples where both tables allow it."""

DIFFERENT = (
    """The paper does not say how two data sets with different sensitive attributes are intersected. One table that
    hides education and another that publishes it as a quasi-identifier leave nothing to find out. So each of our data
    sets is a pair of tables with the same sensitive attribute.""",
    """The paper has Adult with 48,842 rows; we leave out those without work class or occupation. Work class has the
    paper's tree; marital status and education have the trees that come with the data sets of this collection; values
    of attributes without one are a single group.""",
    """Merging, composition and the probabilistic approach are approximations from short descriptions and are called
    "-like"; the sampling rate of hybrid (0.8) and the specialisations of DiffGen (10; on Mushroom 5) are not told.""",
    """`UL` needs l in every bucket alone, because swapping could break a promise over all buckets that match.""",
    """Mushroom is UCI's table of 8,124 specimens that a field guide describes, read back from its form as sets of items
    (values have no names there, only numbers). No person is behind it and nothing in it is secret; it is here because
    it is the only other real table at hand, and its attributes hang together much more strongly than Adult's. Gill
    colour plays the sensitive attribute.""",
)
