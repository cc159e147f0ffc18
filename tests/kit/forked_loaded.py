"""What a process that daemons are forked from has loaded before."""

import gc

import api.app
import ingest.cli.main
import ingest.daemon.run
import store.engine.migrate

__all__ = ["api", "ingest", "store"]

gc.freeze()
