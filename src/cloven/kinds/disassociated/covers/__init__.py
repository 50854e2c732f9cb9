"""The cover problem: what a reader who knows the method can rule out (Barakat, Al Bouna, Nassar and Guyeux, 2016)."""
