"""Alarms: each trouble is logged, counted and sent to a configured address once when it begins and once when it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from prometheus_client import Gauge

from config import Settings
from config.sections import Alarms, Webhooks
from config.values import SQLITE
from ingest.alarms import alarm_kinds
from ingest.alarms.alarm_kinds import KINDS, Endings, Source
from ingest.kit.quarantine import Quarantine
from ingest.sync.follow_rules import FollowRules
from ingest.sync.follower import Followers
from ingest.sync.match_leases import WorkerCount
from ingest.sync.standby_watch import StandbyWatch
from ingest.webhooks.attempt import HEADERS, operators_client, signature_headers
from mapping.errors import StoreUnavailable
from mapping.rules.webhook_delivery import Verdict, verdict
from store.alarms import alarms
from store.alarms.alarms import Alarm, HowEnded, Observed, State
from store.database import Store
from store.engine.errors import reason
from store.engine.liveblog_records import new_local_id
from store.engine.loops import LogOnce, repeat

if TYPE_CHECKING:
    from ingest.webhooks.attempt import ReceiverClient

log = structlog.get_logger()

TICK = 5.0
"""Seconds between two looks."""
PATIENCE = 10.0
"""Seconds that one announcement may take."""
KEPT = 30 * 86_400.0
"""Seconds for which alarms are kept that have ended."""


class AlarmMonitor:
    """Looks for trouble, notes it in the store, and announces what begins and what ends.

    While the store takes no writes, that is an alarm of this process alone, which it keeps in memory. `alone`: no other
    process shares the database, so what this one does not see any more is over at once, where it is known how.
    """

    def __init__(
        self,
        store: Store,
        sources: Mapping[str, Source],
        announcer: Announcer,
        *,
        clock: Callable[[], float],
        quarantine: Quarantine,
        alone: bool,
        how_ended: HowEnded = alarms.not_said,
    ) -> None:
        self._how_ended = how_ended
        self._quarantined = quarantine
        self._patience = 0.0 if alone else alarms.STALE
        self._store = store
        self._sources = sources
        self._announcer = announcer
        self._clock = clock
        self._unwritten: Alarm | None = None
        self.gauge = Gauge(
            "matchwire_alarms", "Alarms that this process sees, by kind: 0 when all is well", ["kind"], registry=None
        )
        for kind in KINDS:
            self.gauge.labels(kind)

    async def run(self) -> None:
        """Look every `TICK` seconds until cancelled; what nobody foresaw is logged, and does not end the process."""
        try:
            await repeat(self._turn, self._quarantined.loop("alarms"))
        finally:
            await self._announcer.close()

    async def _turn(self) -> None:
        await self.look()
        await asyncio.sleep(TICK)

    async def look(self) -> None:
        """Compare what is wrong now with what was, and announce the difference."""
        try:
            observed = [each for source in self._sources.values() for each in await source()]
            await self._note(observed)
            await self._store.check_writes()
        except StoreUnavailable as error:
            await self._unwritable(reason(error))
        else:
            await self._writable()
            await self._announce()

    async def _note(self, observed: list[Observed]) -> None:
        for kind in self._sources:
            self.gauge.labels(kind).set(sum(each.kind == kind for each in observed))
        if not observed and await self._store.read(alarms.is_quiet):
            return
        record = partial(alarms.record, observed=observed, patience=self._patience, how_ended=self._how_ended)
        changes = await self._store.write(record)
        for alarm in changes.began:
            _log_beginning(alarm)
        for alarm in changes.ended:
            _log_end(alarm)

    async def _announce(self) -> None:
        """Send what waits to be announced; what fails is tried again later, by whichever process comes first."""
        if not self._announcer.wanted or not await self._store.read(partial(alarms.is_due, now=self._clock())):
            return
        for alarm in await self._store.write(alarms.to_announce):
            if await self._announcer.send(alarm, alarm.unannounced):
                await self._store.write(partial(alarms.note_announced, alarm=alarm))

    async def _unwritable(self, cause: str) -> None:
        if self._unwritten is not None:
            return
        now, message = self._clock(), f"nothing can be written: {cause}"
        self._unwritten = Alarm(
            id=new_local_id("a"), kind="writes_failing", name="store", message=message, details={"cause": cause},
            began_at=now, ended_at=None, announced=None,
        )  # fmt: skip
        self.gauge.labels("writes_failing").set(1)
        _log_beginning(self._unwritten)
        await self._announcer.send(self._unwritten, "began")

    async def _writable(self) -> None:
        if self._unwritten is None:
            return
        ended, self._unwritten = self._unwritten, None
        self.gauge.labels("writes_failing").set(0)
        details = {**ended.details, "recovered": True, "end": "everything is written again"}
        over = replace(ended, ended_at=self._clock(), details=details)
        _log_end(over)
        await self._announcer.send(over, "ended")


def alarm_monitor(
    settings: Settings,
    clock: Callable[[], float],
    *,
    store: Store,
    followers: Followers,
    standbys: StandbyWatch,
    rules: FollowRules,
    quarantine: Quarantine,
    workers: WorkerCount | None,
) -> AlarmMonitor:
    """The monitor of this process; `workers`: where it follows no matches itself. Zero turns a source off."""
    wanted = settings.alarms
    sources: dict[str, Source] = {}
    if wanted.disk_free:
        sources["disk_low"] = partial(alarm_kinds.low_disk, folders_of(settings), wanted.disk_free)
    if workers is not None:
        sources["no_worker"] = alarm_kinds.AbsentWorkers(workers)
    else:
        sources["feed_silent"] = partial(alarm_kinds.silent_feeds, followers)
        sources["provider_lost"] = partial(alarm_kinds.lost_providers, followers, settings.polling.silence_alarm)
        sources["frozen"] = partial(alarm_kinds.frozen, quarantine)
        sources["standby_leads"] = partial(alarm_kinds.leading_standbys, standbys)
        sources["pin_fails"] = partial(alarm_kinds.failing_pins, standbys)
        for kind in alarm_kinds.OF_RULES:
            sources[kind] = partial(rules.alarms, kind)
        if wanted.disagreements:
            sources["sources_disagree"] = partial(alarm_kinds.disagreeing_sources, standbys)
        if wanted.outbox_age:
            sources["outbox_stuck"] = partial(alarm_kinds.stuck_outbox, store, clock, wanted.outbox_age)
        if wanted.receiver_rounds:
            sources["receiver_failing"] = partial(alarm_kinds.failing_receivers, store, wanted.receiver_rounds)
    return AlarmMonitor(
        store,
        sources,
        Announcer(wanted, settings.webhooks, clock),
        clock=clock,
        quarantine=quarantine,
        alone=settings.database.is_sqlite,
        how_ended=Endings(followers if workers is None else None),
    )


def folders_of(settings: Settings) -> list[str]:
    """The folders that the daemon writes to, those of one disk once, under the first name."""
    database = settings.database
    wanted = [
        *([str(Path(database.url.get_secret_value().removeprefix(SQLITE)).parent)] if database.is_sqlite else []),
        settings.media.folder,
        settings.statistics.folder,
        *([settings.recording.folder] if settings.recording.enabled else []),
    ]
    disks: dict[int, str] = {}
    for folder in wanted:
        path = Path(folder).absolute()
        if path.exists():
            disks.setdefault(path.stat().st_dev, str(path))
    return list(disks.values())


class Announcer:
    """Sends alarms to the address of the operator: signed like webhooks where there is a secret."""

    def __init__(self, settings: Alarms, webhooks: Webhooks, clock: Callable[[], float]) -> None:
        url = None if settings.webhook_url is None else settings.webhook_url.get_secret_value()
        secret = settings.webhook_secret
        self._secrets = [] if secret is None else [secret.get_secret_value()]
        self._clock = clock
        self._log = LogOnce("alarm.not_announced", "alarm.announced_again")
        self._client: ReceiverClient | None = None
        if url is not None:
            self._client = operators_client(webhooks, url)

    @property
    def wanted(self) -> bool:
        """Whether there is an address."""
        return self._client is not None

    async def send(self, alarm: Alarm, state: State) -> bool:
        """Whether the address has taken it with a 2xx; what goes wrong is logged once."""
        if self._client is None:
            return False
        body = announcement(alarm, state)
        headers = HEADERS | signature_headers(f"{alarm.id}.{state}", body, self._secrets, self._clock())
        try:
            async with asyncio.timeout(PATIENCE):
                response = await self._client.post(headers, body.encode())
        except OSError:
            self._log.failed(cause="alarms.webhook_url did not answer", kind=alarm.kind)
            return False
        if verdict(response.status) is not Verdict.TAKEN:
            self._log.failed(cause="alarms.webhook_url refused", kind=alarm.kind, status=response.status)
            return False
        self._log.worked()
        return True

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()


def announcement(alarm: Alarm, state: State) -> str:
    """What is sent: `text` is the whole in one line, as chat programs take it; times are Unix seconds, null while it lasts."""
    heading = "recovered" if alarm.details.get("recovered", True) else "alarm over"
    over = f"{heading} after {_duration(alarm):.0f} s: {alarm.details.get('end', alarm.message)}"
    return json.dumps(
        {
            "event_type": f"alarm_{state}",
            "id": alarm.id,
            "kind": alarm.kind,
            "text": f"matchwire {f'alarm: {alarm.message}' if state == 'began' else over}",
            "details": dict(alarm.details),
            "began_at": alarm.began_at,
            "ended_at": None if state == "began" else alarm.ended_at,
        },
        ensure_ascii=False,
    )


def _log_beginning(alarm: Alarm) -> None:
    log.error("alarm.began", kind=alarm.kind, alarm=alarm.id, message=alarm.message, **alarm.details)


def _log_end(alarm: Alarm) -> None:
    what = {"message": alarm.details.get("end", alarm.message), "recovered": alarm.details.get("recovered", True)}
    log.info("alarm.ended", kind=alarm.kind, alarm=alarm.id, seconds=round(_duration(alarm)), **what)


def _duration(alarm: Alarm) -> float:
    """Seconds from its beginning to its end."""
    return (alarm.began_at if alarm.ended_at is None else alarm.ended_at) - alarm.began_at
