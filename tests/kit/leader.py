"""Settings under which another process leads soon."""

from __future__ import annotations

from tests.kit.workers import Worker

SOON = 60
"""Seconds within which everything comes about, however busy the machine is."""


HASTY = "import ingest.sync.match_leases as own; own.LEASE, own.TICK = 4.0, 1.0; " + Worker.program
"""`matchwire run` whose leases last half as long, so that nobody waits for their end as long as in earnest."""
