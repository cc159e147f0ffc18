"""What a process does again and again: one table of tasks, each with its name, when it is due, and its step.

Here are also the steps that look after the tables: abandoned matches, events whose time has come, corrections, clients.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, Protocol

import structlog

from config import Settings
from ingest.alarms.alarms import KEPT
from ingest.jobs.jobs import Jobs, Scheduler
from ingest.jobs.purges import Purging, run_again
from ingest.kit.quarantine import Quarantine
from mapping.errors import ServiceError
from store.alarms import alarms
from store.clients import clients
from store.database import Store
from store.engine.errors import UnreadableRow
from store.engine.unit import Unit
from store.following import closing
from store.liveblogs import history, publishing
from store.masterdata import masterdata_use
from store.timeline import timeline

MARGIN = 60.0
"""Seconds for which what was overwritten is kept beyond the longest delay: reads of it may be under way."""

TIMELINE_KEPT = 30 * 86_400.0
"""Seconds for which the timeline of posts is kept."""

Step = Callable[[], Awaitable[Any]]


log = structlog.get_logger()


class Task(NamedTuple):
    """A step that every process takes each `seconds`; with `cron`, one that the leading process takes at those minutes.

    `cron`: five fields in UTC. A step with `cron` is a job: it gives whether it has finished, and runs again soon if not.
    """

    name: str
    step: Step
    seconds: float = 0.0
    cron: str = ""


class CapabilityPurge(Protocol):
    """A job of a capability that deletes what is old; `cron`: the minutes at which it is due."""

    @property
    def job(self) -> str: ...
    @property
    def cron(self) -> str: ...
    @property
    def steps(self) -> Callable[[Settings, float], Sequence[Callable[[Unit], bool]]]:
        """Units due at that time, of which each deletes a little and says whether there may be more."""


def schedule(tasks: Iterable[Task], scheduler: Scheduler, jobs: Jobs) -> None:
    """Have the tasks done when they are due."""
    for name, step, seconds, cron in tasks:
        if cron:
            jobs.add(name, partial(run_again, jobs, name, step))
            scheduler.cron(cron, partial(_request, jobs, name), name=name)
        else:
            scheduler.every(seconds, step, name=name)


async def _request(jobs: Jobs, name: str) -> None:
    jobs.request(name)


def upkeep(store: Store, clock: Callable[[], float], quarantine: Quarantine) -> tuple[Task, ...]:
    """What looks after the tables."""
    return (
        Task("abandoned matches", partial(close_abandoned, store), 2),
        Task("publications", partial(publish_due, store, clock, quarantine), 1),
        Task("corrections", partial(correct_liveblogs, store, quarantine), 1),
        Task("clients", partial(check_clients, store, quarantine), 30),
    )


def purges(
    store: Store,
    settings: Settings,
    clock: Callable[[], float],
    *,
    deliveries: Step,
    uploads: Step,
    others: Iterable[CapabilityPurge] = (),
) -> tuple[Task, ...]:
    """What deletes what is old: of the store itself, of deliveries and uploads, and `others`: of the capabilities."""
    purging = Purging(store)
    history_kept = settings.limits.delay_max + MARGIN

    def task(name: str, cron: str, step: Step) -> Task:
        return Task(name, step, cron=cron)

    def due(purge: CapabilityPurge) -> Step:
        return lambda: purging.steps(purge.steps(settings, clock()))

    return (
        task("purge deliveries", "17 * * * *", deliveries),
        task("purge bodies", "27 * * * *", purging.bodies),
        task("purge uploads", "37 * * * *", uploads),
        task(
            "purge history",
            "*/5 * * * *",
            lambda: purging.steps([partial(history.purge, before=clock() - history_kept)]),
        ),
        task(
            "purge timelines",
            "7 * * * *",
            lambda: purging.steps([partial(timeline.purge, before=round((clock() - TIMELINE_KEPT) * 1000))]),
        ),
        task("purge alarms", "57 * * * *", lambda: purging.steps([partial(alarms.purge, before=clock() - KEPT)])),
        *(task(each.job, each.cron, due(each)) for each in others),
    )


async def close_abandoned(store: Store) -> None:
    """Follow no match whose last liveblog was deleted; a tick that finds nothing writes nothing."""
    if await store.read(closing.abandoned_matches):
        for follow_id in await store.write(closing.close_abandoned):
            log.info("match.abandoned", follow=follow_id)


async def publish_due(store: Store, clock: Callable[[], float], quarantine: Quarantine) -> None:
    """Publish what is due, one version step a liveblog (more where very much is due); a tick that finds nothing writes nothing.

    Raises StoreUnavailable; what else goes wrong with one liveblog is its own matter.
    """
    now = clock()
    for game_id in await store.read(lambda conn: publishing.due(conn, now)):
        with _quarantining(quarantine, "publish", game_id):
            while (version := await store.write(partial(publishing.publish, game_id=game_id))) is not None:
                log.info("events.published", game=game_id, version=version)


async def correct_liveblogs(store: Store, quarantine: Quarantine) -> None:
    """Bring corrected master data into the liveblogs that have it still to show; a tick that finds nothing writes nothing.

    Raises StoreUnavailable; what else goes wrong with one liveblog is its own matter.
    """
    for game_id in await store.read(masterdata_use.waiting):
        with _quarantining(quarantine, "correct", game_id):
            while await store.write(partial(masterdata_use.correct, game_id=game_id)):
                pass


@contextmanager
def _quarantining(quarantine: Quarantine, job: str, game_id: str) -> Iterator[None]:
    try:
        yield
    except ServiceError:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this liveblog
        quarantine.failed("liveblog", f"{job} {game_id}", error, liveblog=game_id)
    else:
        quarantine.recovered("liveblog", f"{job} {game_id}", liveblog=game_id)


async def check_clients(store: Store, quarantine: Quarantine) -> None:
    """Say which clients cannot be read, and so may do nothing."""
    for row in await store.read(clients.list_clients):
        if row.readable:
            quarantine.recovered("client", row.id, client=row.id)
        else:
            cause = UnreadableRow("clients: secrets, organizations or scopes are no lists of texts")
            quarantine.failed("client", row.id, cause, client=row.id)
