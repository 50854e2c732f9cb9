"""What a published table keeps of the original, and what it distorts."""
