"""How much a release or a data set tells: disclosure, utility, mining, intervals."""
