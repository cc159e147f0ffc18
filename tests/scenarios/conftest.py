"""A store for matches that are played by a script."""

from tests.kit.scripted_store import store

__all__ = ["store"]
