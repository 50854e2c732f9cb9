"""Standards that a release is read against: what each asks, what a tool can answer of it, and what a person must do.

``context`` says to whom a release goes and why, ``standard`` what a standard asks (data, one TOML file each), ``claim``
holds both and judges, ``identification`` counts how easily a person is found, ``answers`` fills clauses in from what an
audit found, ``section`` is what the documents of an audit say of all this.
"""
