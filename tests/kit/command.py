"""The command `matchwire` as a process of its own, from this checkout."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MATCHWIRE = [sys.executable, "-c", "from ingest.entry import main; main()"]
ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT)}
