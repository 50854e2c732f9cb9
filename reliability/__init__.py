"""Campaigns that try to break Cloven: hostile files, changed releases, interrupted work. Not installed.

``python -m reliability.fuzz`` changes files and opens them, ``python -m reliability.meaning`` changes what releases say
and asks the checker, ``python -m reliability.faults`` kills commands and takes disk and memory away from them.
"""
