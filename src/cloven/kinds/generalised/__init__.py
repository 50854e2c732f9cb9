"""Set-generalised releases: items are published as the blocks that they were merged into."""
