"""Set-based generalisation: items are published as the blocks that they were merged into."""
