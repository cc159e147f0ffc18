"""The jobs that tidy up: when each is due, and what it deletes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from api.capabilities import CAPABILITIES
from ingest.alarms.alarms import KEPT
from ingest.jobs.purges import Purging, run_again

if TYPE_CHECKING:
    from api.http.capability import Purge as CapabilityPurge
    from config import Settings
    from ingest.jobs.jobs import Jobs
    from store.database import Store

TIMETABLE = {
    "17 * * * *": "purge deliveries",
    "27 * * * *": "purge bodies",
    "37 * * * *": "purge uploads",
    "*/5 * * * *": "purge history",
    "57 * * * *": "purge alarms",
    **{purge.cron: purge.job for capability in CAPABILITIES for purge in capability.purges},
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
    history_kept = settings.limits.delay_max + MARGIN
    purging = Purging(store)
    return {
        "purge deliveries": purge_deliveries,
        "purge bodies": purging.bodies,
        "purge uploads": purge_uploads,
        "purge history": lambda: purging.history(clock() - history_kept),
        "purge alarms": lambda: purging.alarms(clock() - KEPT),
        **{
            purge.job: partial(_purge, purging, purge, settings, clock)
            for capability in CAPABILITIES
            for purge in capability.purges
        },
    }


async def _purge(purging: Purging, purge: CapabilityPurge, settings: Settings, clock: Callable[[], float]) -> bool:
    return await purging.steps(purge.steps(settings, clock()))


def add_purges(jobs: Jobs, purges: Mapping[str, Purge]) -> None:
    for key, purge in purges.items():
        jobs.add(key, partial(run_again, jobs, key, purge), settle=GATHER)
