"""The independent checker of set-generalised releases. It shares no code with the anonymisers."""
