"""The whole schema: every table, whichever part of the store it stands beside, and what is collected of capabilities."""

from __future__ import annotations

from store import tables
from store.accounts.tables import DESK
from store.alarms import alarms
from store.comments.tables import COMMENTS
from store.engine.columns import metadata
from store.following import rule_matches, rule_standbys, rules, source_links, standby_tables
from store.liveblogs import history_tables
from store.media import tables as media_tables
from store.polls.votes import POLLS
from store.readers.reader_sign_ins import READERS
from store.statistics.tables import STATISTICS
from store.timeline import timeline
from store.webhooks import hub_pings

CAPABILITIES = (COMMENTS, READERS, POLLS, STATISTICS, DESK)
TABLES = (
    tables,
    standby_tables,
    rule_matches,
    rules,
    source_links,
    rule_standbys,
    history_tables,
    media_tables,
    hub_pings,
    alarms,
    timeline,
)
"""Modules that describe the other tables; once they are loaded, `metadata` knows them all."""

__all__ = ["CAPABILITIES", "TABLES", "metadata"]
