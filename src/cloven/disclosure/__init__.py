"""What an audit found, and who may read what of it: the owner everything, the public what is declared."""
