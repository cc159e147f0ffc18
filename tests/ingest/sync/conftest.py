"""A store for matches that are played by a script."""

from __future__ import annotations

from tests.kit.scripted_store import store

__all__ = ["store"]
