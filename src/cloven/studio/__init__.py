"""Cloven Studio: a local web app to look at data, releases, and who can put them back together."""
