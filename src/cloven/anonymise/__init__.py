"""Methods that turn data into a release and a key."""
