"""Where no second process can be (SQLite): what PostgreSQL's notifications and signs of life are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from store.postgres.notify import Hear


class NoLivenessLock:
    """Nobody looks for a sign of life."""

    async def acquire(self, key: int) -> None:
        """Nothing to do."""

    async def is_locked(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing to do."""


class NoNotify:
    """Nobody else is to be notified or heard."""

    def start(self, hear: Hear) -> None:
        """Nothing to do."""

    def notify(self, stepped: Mapping[str, int]) -> None:
        """Nothing to do."""
