"""The independent checker of disassociated releases. It shares no code with the methods."""
