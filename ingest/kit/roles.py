"""What a process does: everything, or one half of it where several processes share a PostgreSQL database."""

from __future__ import annotations

from enum import StrEnum

OPERATIONS = frozenset({"/livez", "/readyz", "/metrics", "/status", "/status.json"})
"""Paths that every process serves."""


class Role(StrEnum):
    ALL = "all"
    API = "api"
    WORKER = "worker"

    @property
    def works(self) -> bool:
        """Follows matches, creates what is declared, delivers, publishes, tidies up."""
        return self is not Role.API

    @property
    def serves(self) -> bool:
        """Serves the API, feeds and pages."""
        return self is not Role.WORKER
