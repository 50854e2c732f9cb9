"""Check published tables: generalised and sliced ones. Shares no code with what makes them."""
