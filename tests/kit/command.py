"""The `matchwire` command as its users start it, for processes beside a test."""

from __future__ import annotations

import sys

MATCHWIRE = (sys.executable, "-c", "from ingest.entry import main; main()")
"""Words follow: `[*MATCHWIRE, "run", "--config", …]`."""
