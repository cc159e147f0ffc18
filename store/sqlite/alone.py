"""Where no second process can be (SQLite): what PostgreSQL's notices and signs of life are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from store.postgres.notify import Hear


class NoLivenessLock:
    """Nobody looks for a sign of life."""

    async def show(self, key: int) -> None:
        """Nothing to do."""

    async def lasts(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing to do."""


class NoNotify:
    """Nobody else has anything to tell or to hear."""

    def start(self, hear: Hear) -> None:
        """Nothing to do."""

    def tell(self, stepped: Mapping[str, int]) -> None:
        """Nothing to do."""
