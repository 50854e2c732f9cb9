"""Methods for tables: slicing, the upper/lower-level method, Mondrian and what they are compared with."""
