"""How exactly timers fire."""

from __future__ import annotations

EARLY = 0.001
"""Seconds by which a timer may fire early, as uvloop counts in milliseconds. What is due so soon is taken for due: otherwise
its timer is set again and again until the time has come."""
