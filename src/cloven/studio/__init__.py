"""Cloven Studio: the loop of an audit as a local web app, for people who would rather look than type."""
