"""One folder for each kind of release, with the same names inside; beside them what several kinds have in common."""
