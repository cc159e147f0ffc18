"""What a process that daemons are forked from has loaded before."""

from __future__ import annotations

import gc

import api.app
import ingest.cli.main
import ingest.daemon.run
import store.engine.migrate

__all__ = ["api", "ingest", "store"]

gc.freeze()
