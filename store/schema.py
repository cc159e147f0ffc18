"""The whole schema: every table, whichever part of the store it stands beside."""

from __future__ import annotations

from store import (
    alarm_tables,
    comment_tables,
    history_tables,
    hub_tables,
    media_tables,
    poll_tables,
    statistics_tables,
    tables,
)
from store.columns import metadata

TABLES = (
    tables,
    history_tables,
    media_tables,
    comment_tables,
    poll_tables,
    statistics_tables,
    hub_tables,
    alarm_tables,
)
"""Modules that describe tables; once they are loaded, `metadata` knows them all."""

__all__ = ["TABLES", "metadata"]
