"""The jobs that tidy up: when each is due, and what it deletes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from ingest.alarms.alarms import KEPT
from ingest.jobs.purges import Purging, run_again

if TYPE_CHECKING:
    from config import Settings
    from ingest.jobs.jobs import Jobs
    from store.database import Store

TIMETABLE = {
    "17 * * * *": "purge deliveries",
    "27 * * * *": "purge bodies",
    "37 * * * *": "purge uploads",
    "47 * * * *": "purge votes",
    "*/5 * * * *": "purge history",
    "23 * * * *": "purge comments",
    "*/10 * * * *": "roll up statistics",
    "57 * * * *": "purge alarms",
}
"""Jobs that every process asks for at these minutes."""

GATHER = 10.0
"""Seconds between the clocks of processes that share a database: what they ask for within them runs once."""

MARGIN = 60.0
"""Seconds for which what was overwritten is kept beyond the longest delay: reads of it may be under way."""

Purge = Callable[[], Awaitable[bool]]


def purges_of(
    store: Store,
    settings: Settings,
    clock: Callable[[], float],
    purge_deliveries: Purge,
    purge_uploads: Purge,
) -> Mapping[str, Purge]:
    """What each of the jobs deletes."""
    history_kept, rejected_kept = settings.limits.delay_max + MARGIN, settings.comments.rejected_kept
    counted = settings.statistics
    purging = Purging(store)
    return {
        "purge deliveries": purge_deliveries,
        "purge bodies": purging.bodies,
        "purge votes": purging.votes,
        "purge uploads": purge_uploads,
        "purge history": lambda: purging.history(clock() - history_kept),
        "purge alarms": lambda: purging.alarms(clock() - KEPT),
        "purge comments": lambda: purging.comments(clock(), rejected_kept),
        "roll up statistics": lambda: purging.statistics(clock(), counted.minutes_kept, counted.kept),
    }


def add_purges(jobs: Jobs, purges: Mapping[str, Purge]) -> None:
    for key, purge in purges.items():
        jobs.add(key, partial(run_again, jobs, key, purge), settle=GATHER)
