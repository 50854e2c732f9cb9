"""Attacks on disassociated releases. Nothing here ever sees the key or the original."""
