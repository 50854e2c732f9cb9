"""Published tables: generalised and sliced ones."""
