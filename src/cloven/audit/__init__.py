"""The loop that Cloven is about; ``loop`` is the place to start reading."""
