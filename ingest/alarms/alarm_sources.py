"""What alarms are about: each source looks at one kind of trouble and gives what is wrong now."""

from __future__ import annotations

import os
import socket
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import islice
from urllib.parse import urlsplit

from config.sections import Alarms
from ingest.kit.quarantine import Kind, Quarantine
from ingest.sync.follower import Followers
from ingest.sync.match_leases import WorkerCount
from ingest.sync.standby_watch import StandbyWatch
from mapping.fusion.source_chain import (
    Leading,
    PlacedDifference,
    does_answer,
    is_running,
    lasting_differences,
    leader_of,
    who_leads,
)
from store.alarms.alarms import Observed
from store.database import Store
from store.following.standbys import MatchSources
from store.webhooks import delivery_log, webhooks

Source = Callable[[], Awaitable[Sequence[Observed]]]


KINDS = (
    "feed_silent",
    "provider_lost",
    "frozen",
    "standby_leads",
    "pin_fails",
    "sources_disagree",
    "outbox_stuck",
    "receiver_failing",
    "disk_low",
    "no_worker",
    "writes_failing",
)
"""Every kind of alarm; the last one is noted by each process for itself, as it cannot be written."""
STANDING_STILL: tuple[Kind, ...] = ("match", "liveblog")
LOOKS = 4
"""Looks in a row, five seconds apart, that have to see no worker."""
MOST = 50
"""Alarms of one kind that one process raises at a time: beyond them each further one says nothing new."""


async def silent_feeds(followers: Followers) -> list[Observed]:
    """Running matches without a good answer for `polling.silence_alarm` while their endpoint answered others."""
    alone = [(match, followers.limiters[match.endpoint].name) for match in followers.matches if match.silent]
    return [
        Observed(
            "feed_silent",
            match.id,
            f"the running match {match.match_id} has had no good answer from {name} for some time",
            {"match": match.match_id, "endpoint": name},
        )
        for match, name in alone[:MOST]
    ]


async def lost_providers(followers: Followers, seconds: float) -> list[Observed]:
    """Endpoints whose circuit breaker is open, or that have given nothing but failures for so long."""
    causes = ((key, limiter, limiter.away(seconds)) for key, limiter in followers.limiters.items())
    return [
        Observed(
            "provider_lost",
            key,
            f"the endpoint {limiter.name} cannot be reached: {cause}",
            {"endpoint": limiter.name, "cause": cause, "code": limiter.lost_code.value},
        )
        for key, limiter, cause in [each for each in causes if each[2] is not None][:MOST]
    ]


async def frozen(quarantine: Quarantine) -> list[Observed]:
    """Matches and liveblogs that the sync leaves out, because their rows cannot be read or for another reason of their own."""
    return [
        Observed(
            "frozen",
            f"{kind}:{name}",
            f"the {kind} {name} stands still: {cause}",
            {kind: name, "cause": cause},
        )
        for kind in STANDING_STILL
        for name, cause in islice(quarantine.causes(kind).items(), MOST)
    ]


async def leading_standbys(watch: StandbyWatch) -> list[Observed]:
    """Liveblogs whose running match a standby leads, though nobody has chosen it."""
    led = [
        (sources, who_leads(states))
        for sources, states in watch.watched
        if is_running(states) and leader_of(states) and sources.pinned is None
    ]
    return [_led(sources, found) for sources, found in led[:MOST]]


def _led(sources: MatchSources, found: Leading) -> Observed:
    leads, reason = sources.providers[found.place], found.lead.reason.value
    before = sources.provider if found.place == 1 else "what comes before it"
    return Observed(
        "standby_leads",
        sources.game_id,
        f"{leads} leads the match {sources.match_id}, because {before} is {reason}",
        {"liveblog": sources.local_id, "match": sources.match_id, "leads": leads, "reason": reason},
    )


async def failing_pins(watch: StandbyWatch) -> list[Observed]:
    """Liveblogs whose running match a source leads that a person has chosen, and that does not answer."""
    failing = [
        (sources, sources.pinned)
        for sources, states in watch.watched
        if sources.pinned is not None and is_running(states) and not does_answer(states, sources.pinned)
    ]
    return [
        Observed(
            "pin_fails",
            sources.game_id,
            f"{sources.providers[place]} leads the match {sources.match_id}, because somebody has chosen it, and does not answer",
            {"liveblog": sources.local_id, "match": sources.match_id, "leads": sources.providers[place]},
        )
        for sources, place in failing[:MOST]
    ]


async def disagreeing_sources(watch: StandbyWatch) -> list[Observed]:
    """Liveblogs of running matches whose sources contradict each other, and have done so twice."""
    found = ((sources, lasting_differences(states)) for sources, states in watch.watched if is_running(states))
    return [_disagreement(sources, differences) for sources, differences in [each for each in found if each[1]][:MOST]]


def _disagreement(sources: MatchSources, differences: Sequence[PlacedDifference]) -> Observed:
    providers = sources.providers
    said = "; ".join(
        f"{each.what.about} {providers[each.before]} {each.what.first or '-'} : {providers[each.standby]} {each.what.second or '-'}"
        for each in differences
    )
    return Observed(
        "sources_disagree",
        sources.game_id,
        f"the sources of the match {sources.match_id} disagree: {said}",
        {
            "liveblog": sources.local_id,
            "match": sources.match_id,
            "about": [each.what.about for each in differences],
        },
    )


async def stuck_outbox(store: Store, clock: Callable[[], float], seconds: float) -> list[Observed]:
    """Updates that wait longer than so for their first delivery."""
    oldest = await store.read(delivery_log.oldest_waiting)
    if oldest is None or clock() - oldest <= seconds:
        return []
    message = f"updates have waited for more than {seconds:.0f} s for their first delivery to webhooks"
    return [Observed("outbox_stuck", "outbox", message, {"since": oldest})]


async def failing_receivers(store: Store, rounds: int) -> list[Observed]:
    """Active subscriptions whose last so many rounds failed; named without what may be a secret in their URL."""
    failing = await store.read(partial(webhooks.failing, rounds=rounds, limit=MOST))
    return [
        Observed(
            "receiver_failing",
            each.id,
            f"the webhook receiver {urlsplit(each.url).hostname} of organization {each.organization_id} does not accept deliveries",
            {"organization": each.organization_id, "failures": each.failures},
        )
        for each in failing
    ]


async def low_disk(folders: Sequence[str], least: int) -> list[Observed]:
    """Folders on this machine in which less than so many bytes are free."""
    host, found = socket.gethostname(), []
    for folder in folders:
        free = _free(folder)
        if free is not None and free < least:
            message = f"only {free // 2**20} MiB are free in {folder} on {host}"
            found.append(Observed("disk_low", f"{host}:{folder}", message, {"folder": folder, "host": host}))
    return found


class AbsentWorkers:
    """That no process follows matches, as one sees it that follows none itself; not while they start or are replaced."""

    def __init__(self, workers: WorkerCount) -> None:
        self._workers = workers
        self._absent = 0

    async def __call__(self) -> list[Observed]:
        """Nothing before so many looks in a row have seen none."""
        self._absent = self._absent + 1 if await self._workers.alive() == 0 else 0
        if self._absent < LOOKS:
            return []
        return [Observed("no_worker", "workers", "no process follows matches: liveblogs stand still", {})]


def _free(folder: str) -> int | None:
    """Bytes that are free for the daemon; None where that is unknown."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize


def sources_of(
    settings: Alarms,
    *,
    store: Store,
    followers: Followers,
    standbys: StandbyWatch,
    workers: WorkerCount | None,
    quarantine: Quarantine,
    folders: Sequence[str],
    clock: Callable[[], float],
    silence: float,
) -> dict[str, Source]:
    """The sources of this process by kind; `workers`: where it follows no matches itself. Zero turns a source off.

    `silence`: `polling.silence_alarm`.
    """
    found: dict[str, Source] = {}
    if settings.disk_free:
        found["disk_low"] = partial(low_disk, folders, settings.disk_free)
    if workers is not None:
        return found | {"no_worker": AbsentWorkers(workers)}
    found["feed_silent"] = partial(silent_feeds, followers)
    found["provider_lost"] = partial(lost_providers, followers, silence)
    found["frozen"] = partial(frozen, quarantine)
    found["standby_leads"] = partial(leading_standbys, standbys)
    found["pin_fails"] = partial(failing_pins, standbys)
    if settings.disagreements:
        found["sources_disagree"] = partial(disagreeing_sources, standbys)
    if settings.outbox_age:
        found["outbox_stuck"] = partial(stuck_outbox, store, clock, settings.outbox_age)
    if settings.receiver_rounds:
        found["receiver_failing"] = partial(failing_receivers, store, settings.receiver_rounds)
    return found
