"""What is measured of an attack on published tables, in words."""

from __future__ import annotations

VALUE_MEASURES = {
    "drr_strict": "disclosure risk ratio: persons of whom a single value is left, and it is theirs",
    "drr_soft": "disclosure risk ratio: mean over persons of 1 / values left, 0 where theirs is not among them",
    "drr_strict_matches": "of the persons of whom a single value is left, those whose value it is",
    "drr_soft_matches": "of all values that are left of all persons, those that are true",
    "likeliest": "persons whose value the attack holds likeliest; equally likely ones count in part",
    "confidence": "mean confidence in a person's own value",
    "left": "persons whose value is among those left",
}
"""Measures of guessed values. The first four are the disclosure risk ratio (BinJubier et al. 2022, equation 4, which
says "matched records by total records" in the formula and "genuine matches to total matches" in the text): over
individuals and over matches. Chance makes as many statements as the attack, knowing the published distribution alone,
and is the better of two ways: to draw them by lot, or to name the commonest values of everybody."""

GUESSING = "the better of drawing lots from the published values and naming the commonest of everybody"
"""What stands beside the measures of guessed values, for sentences."""

MEMBERSHIP_MEASURES = {
    "auc": "probability that a person who is in the table looks more like it than one who is not",
    "members_found": "persons in the table that some bucket fits",
    "others_found": "persons not in the table that some bucket fits all the same",
    "advantage": "largest share of members found minus share of others found, over all thresholds",
}

ROW_MEASURES = {
    "row": "persons whose row the attack holds likeliest; equally likely rows count in part",
    "row_confidence": "mean confidence in a person's own row",
    "row_left": "persons whose own row fits what is known of them",
}
"""A row of a sliced table is a bucket and a part of each of its columns; all of them must be the person's."""
