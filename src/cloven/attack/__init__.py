"""What somebody can learn from a release; nothing here ever sees the key or the original."""
