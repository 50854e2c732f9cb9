"""What the cluster inspector shows, as plain values: pure functions from a release to frozen dataclasses.

Whatever guesses gets the release alone. What is true is joined afterwards, by the modules that are called ``truth``:
they alone name a key.
"""
