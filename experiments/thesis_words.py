"""Prose of the page. Everything in braces is filled in from the figures."""

HEAD = """Made by `cloven reproduce thesis`; the figures behind every line are in `thesis.json`. Three corpora (ohsumed,
MedQuAD, Reuters) and several draws of documents: {pairs} pairs of corpus and seed. An interval is 95 %, by Student's t
over these pairs; it says how far the means would move with other documents of these corpora, not with other corpora.
*Guessing* is the random attack on the same release (mean of several runs; exact for hit and AUC); *shuffled* is the
same attack with the same scores between the wrong words. WE: GloVe; NGD, NPMI: document counts of the attacker's half
of the corpus; SVD: vectors trained on that half; learned: vectors trained on the release itself. `aba/mra` means ABA
for record chunks and MRA for term chunks; `vpa/random` is the vertical partitioning attack.
[What the measures are](../reference/measures.md)."""

DIFFERENT = (
    """Corpora: the thesis took about 1,000 articles of EzineArticles, which cannot be had. Each corpus here is cut in
    two by a fixed seed: one half gives the transactions, the other is what the attacker owns.""",
    """NGD: the thesis counted web pages. Here the attacker counts documents of the own half. So our NGD knows the
    domain and theirs the whole web; this favours NGD over WE.""",
    """Words without a score: {vectors:.1f} % of the items for WE, {counts:.1f} % for NGD (type-token ratio 0.30). A
    target without a score stays in all measures, as a tie.""",
    """Slots without anchor: {bare:.1f} % of the records have no item in the anchoring chunk (same data). They are
    candidates with a middling score; the thesis does not mention them.""",
    """An item is right only on the record that holds it; rows with equal anchors are not exchanged, unless it says
    so.""",
    """Every setting of the thesis is possible (none has a maximum below 2k-1). Data of 525 records is one cluster at
    1,000 already, so that size is shown on a larger sample below.""",
    """Samples: topics are found once for each corpus, documents drawn by seed. Samples of a wanted density are drawn
    from all documents with 20 terms, and terms inside a document at random: topics and density cannot both be had.""",
)

RULE = """A claim is *confirmed* if the mean paired difference, or slope over the steps of the sweep, has the sign that
the thesis says and its 95 % interval does not cover 0; *refuted* if the interval lies on the other side; *chance* if
it covers 0. How large the change is ("slightly", "greatly") is not judged. A printed number is confirmed if our mean
lies in the range that the words allow (25 %: 20 to 30; over 90 %, almost all: 90 and more; 2.5 to 3: as it stands); a
number without a setting (60 %, 70 %) if the best mean at any setting of the thesis comes within 5 points of it or
above, and shuffled words do not; where they do as well, it is *chance*. A claim about several attacks is
confirmed if all agree, refuted if one disagrees. Of about fifty intervals of 95 %, two or three may miss by luck. A
step is one place of the sweep: 1 in k, 0.1 in type-token ratio, a doubling of the largest cluster (4 to 64)."""

HELPED = """Topic samples of 210 transactions, k=2, at most 25 records in a cluster. A + B: mean of z-scores; A | B: A,
and B where A has no score or two words never meet. `optimal` solves a chunk as an assignment problem, `one-per-row`
gives a row at most one sub-record of a chunk, `grown` lets placed chunks join the anchors. The choice of rows changes
no AUC and no hit rate: those look at the scores alone."""

TRIAL = """A quick trial before this work had link AUC 0.55-0.58 (GloVe) and 0.60-0.65 (domain) on one draw of MedQuAD
and one of Reuters, over rows with an anchor. By corpus, ours are: {corpora}. Which documents are drawn moves these
numbers, too. With the documents that show their topic most clearly, instead of random ones of each topic:"""

REFINED = """Topic samples of 210 transactions, k=2, at most 25 records in a cluster; with REFINE, shared chunks are
attacked, too."""

LARGE = """1,500 documents drawn without regard to topics, k=2; the last place is one cluster."""

RARE = """MEN word pairs, by the number of documents (of all attackers' halves together) that hold the rarer word.
Error: mean distance between the measure's rank of a pair and people's, as a share of all ranks. Bias: mean of the
measure's rank minus people's; below 0, the measure finds these pairs too little related."""

LOST = """Share of the items with support of at least k that are found in term chunks only / in some term chunk.
`abandon` is the original method. m=2, at most 30 records in a cluster, not refined; more in
[disassociation](disassociation.md)."""
