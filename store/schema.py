"""The whole schema: every table, whichever part of the store it stands beside."""

from __future__ import annotations

from store import tables
from store.alarms import tables as alarm_tables
from store.comments import tables as comment_tables
from store.engine.columns import metadata
from store.liveblogs import history_tables
from store.media import tables as media_tables
from store.polls import tables as poll_tables
from store.statistics import tables as statistics_tables
from store.webhooks import hub_tables

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
