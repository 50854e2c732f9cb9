"""Charts of the page, drawn by hand as inline SVG: one file for each kind.

Across, everything is placed in percent of the width, so that a chart fits a phone and a wide screen while its letters
keep their size. Words at the margins stand outside the drawing (``overflow: visible``); the style sheet makes room.
Colours are variables of the style sheet; what matters differs by shape and words as well.
"""
