"""How much attacks on published tables got right, beside chance."""
