"""Figures about figures: intervals, tallies, calibration, people outside the release, frequent itemsets."""
