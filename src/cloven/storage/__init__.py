"""What lies on disk: releases, manifests, receipts, the ledger, finished steps; all or nothing."""
