"""Cycling: a liveblog with a title and, once there is one, a start list; neither scoreboard nor event types."""

from __future__ import annotations

from mapping.sports.base import Sport

CYCLING = Sport(id="cycling", name="Cycling", scoreboard=False, ranked=True)
