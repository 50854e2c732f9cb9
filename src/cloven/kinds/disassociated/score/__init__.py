"""What an attack got right: the one place, besides the audit, where guesses meet the key."""
