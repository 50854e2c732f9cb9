"""Data on arrays: transactions, tables with their schema, taxonomies. No algorithms."""
