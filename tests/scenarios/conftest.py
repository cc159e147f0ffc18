"""A store for matches that are played by a script."""

from tests.kit.scripted import store

__all__ = ["store"]
