"""What lies on disk: releases, manifests, receipts, the ledger, finished steps; all or nothing.

``release`` writes and reads any kind, ``inspection`` verifies what lies there, ``receipt`` and ``ledger`` remember what
was released, ``checkpoint`` what an interrupted audit has done.
"""
