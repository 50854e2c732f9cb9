"""How related words are: vectors, document counts, WordNet, corpora. Higher means more related."""
