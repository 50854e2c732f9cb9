"""Data on the way in and out: readers, dataframes, releases on disk."""
