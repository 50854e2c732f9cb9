"""Tables that others made, with whatever tool: read, linked to the people behind them, and tried like our own."""
