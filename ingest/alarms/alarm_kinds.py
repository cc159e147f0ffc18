"""The kinds of alarms: for each a function that says what is wrong now, and how a trouble ended that nobody sees any more.

How it ended says what is well again, or why nobody looks any more; where nobody knows yet, that it has not ended.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from urllib.parse import urlsplit

from sqlalchemy import Connection

from ingest.kit.quarantine import Kind, Quarantine
from ingest.sync.followed_match import FollowedMatch
from ingest.sync.follower import Followers
from ingest.sync.match_leases import WorkerCount
from ingest.sync.standby_watch import StandbyWatch
from mapping.fusion.source_chain import (
    does_answer,
    is_running,
    lasting_differences,
    leader_of,
    pinned_place,
    who_leads,
)
from store.alarms.alarms import Alarm, Ending, Observed
from store.database import Store
from store.following import follow_rows, standbys
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
    "rule_fails",
    "rule_bound",
    "list_lost",
    "no_worker",
    "writes_failing",
)
"""Every kind of alarm; the last one is noted by each process for itself, as it cannot be written."""
OF_RULES = ("rule_fails", "rule_bound", "list_lost")
STANDING_STILL: tuple[Kind, ...] = ("match", "liveblog")
LOOKS = 4
"""Looks in a row, five seconds apart, that have to see no worker."""
MOST = 50
"""Alarms of one kind that one process raises at a time: beyond them each further one says nothing new."""


def _well(text: str) -> Ending:
    return Ending(recovered=True, text=text)


def _over(text: str) -> Ending:
    return Ending(recovered=False, text=text)


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


def _silent_feed_ended(followers: Followers | None, conn: Connection, alarm: Alarm) -> Ending | None:
    name, match = alarm.details.get("match"), _find_match(followers, alarm.name)
    if match is None:
        return _unless_followed(conn, alarm.name, f"the match {name} is not followed any more")
    if match.waiting.answered_at is None:
        return None
    return _well(f"the running match {name} has good answers from {alarm.details.get('endpoint')} again")


def _find_match(followers: Followers | None, follow_id: str) -> FollowedMatch | None:
    found = () if followers is None else followers.matches
    return next((match for match in found if match.id == follow_id), None)


def _unless_followed(conn: Connection, follow_id: str, text: str) -> Ending | None:
    """The match is over and done; None where a process follows it, or will soon: that one knows."""
    row = follow_rows.follow(conn, follow_id)
    return _over(text) if row is None or row.closed_at is not None else None


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


def _lost_provider_ended(followers: Followers | None, _conn: Connection, alarm: Alarm) -> Ending | None:
    name = alarm.details.get("endpoint")
    limiter = None if followers is None else followers.limiters.get(alarm.name)
    if limiter is None:
        return _over(f"the endpoint {name} is not configured any more")
    return _well(f"the endpoint {name} answers again") if limiter.answers else None


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


def _frozen_ended(followers: Followers | None, conn: Connection, alarm: Alarm) -> Ending | None:
    kind, _, name = alarm.name.partition(":")
    attachment = follow_rows.attachment(conn, name) if kind == "liveblog" else None
    follow_id = name if attachment is None else attachment.follow_id
    gone = f"the {kind} {name} is not followed any more"
    if kind == "liveblog" and attachment is None:
        return _over(gone)
    match = _find_match(followers, follow_id)
    if match is None:
        return _unless_followed(conn, follow_id, gone)
    return _well(f"the {kind} {name} is in line with its provider again") if match.polls else None


async def leading_standbys(watch: StandbyWatch) -> list[Observed]:
    """Liveblogs whose running match a standby leads, though nobody has chosen it."""
    led = [
        (sources, who_leads(states))
        for sources, states in watch.watched
        if is_running(states) and leader_of(states) and sources.pinned is None
    ]
    found = []
    for sources, leading in led[:MOST]:
        leads, reason = sources.providers[leading.place], leading.lead.reason.value
        before = sources.provider if leading.place == 1 else "what comes before it"
        message = f"{leads} leads the match {sources.match_id}, because {before} is {reason}"
        details = {"liveblog": sources.local_id, "match": sources.match_id, "leads": leads, "reason": reason}
        found.append(Observed("standby_leads", sources.game_id, message, details))
    return found


def _standby_ended(conn: Connection, alarm: Alarm) -> Ending | None:
    match, found = alarm.details.get("match"), standbys.of_liveblog(conn, alarm.name)
    if not found:
        return _over(f"no source stands by for the match {match} any more")
    if pinned_place([each.pinned for each in found]) is not None:
        return _over(f"somebody has chosen who leads the match {match}")
    states = [each.known() for each in found]
    if leader_of(states) == 0:
        return _well(f"the first source leads the match {match} again")
    return None if is_running(states) else _over(f"the match {match} does not run any more")


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


def _pin_ended(conn: Connection, alarm: Alarm) -> Ending | None:
    match, found = alarm.details.get("match"), standbys.of_liveblog(conn, alarm.name)
    pinned, states = pinned_place([each.pinned for each in found]), [each.known() for each in found]
    if pinned is None:
        return _over(f"nobody chooses any more who leads the match {match}")
    if does_answer(states, pinned):
        return _well(f"{alarm.details.get('leads')} answers for the match {match} again")
    return None if is_running(states) else _over(f"the match {match} does not run any more")


async def disagreeing_sources(watch: StandbyWatch) -> list[Observed]:
    """Liveblogs of running matches whose sources contradict each other, and have done so twice."""
    found = ((sources, lasting_differences(states)) for sources, states in watch.watched if is_running(states))
    observed = []
    for sources, differences in [each for each in found if each[1]][:MOST]:
        providers = sources.providers
        said = "; ".join(
            f"{each.what.about} {providers[each.before]} {each.what.first or '-'}"
            f" : {providers[each.standby]} {each.what.second or '-'}"
            for each in differences
        )
        about = [each.what.about for each in differences]
        details = {"liveblog": sources.local_id, "match": sources.match_id, "about": about}
        message = f"the sources of the match {sources.match_id} disagree: {said}"
        observed.append(Observed("sources_disagree", sources.game_id, message, details))
    return observed


def _disagreement_ended(conn: Connection, alarm: Alarm) -> Ending | None:
    match, found = alarm.details.get("match"), standbys.of_liveblog(conn, alarm.name)
    if not found:
        return _over(f"no source stands by for the match {match} any more")
    states = [each.known() for each in found]
    if not lasting_differences(states):
        return _well(f"the sources of the match {match} agree again")
    return None if is_running(states) else _over(f"the match {match} does not run any more")


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


def _receiver_ended(conn: Connection, alarm: Alarm) -> Ending:
    found = webhooks.find_by_id(conn, alarm.name)
    owner = alarm.details.get("organization")
    if found is None:
        return _over(f"the failing webhook receiver of organization {owner} is not subscribed any more")
    receiver = f"the webhook receiver {urlsplit(found.url).hostname} of organization {owner}"
    return (
        _well(f"{receiver} accepts deliveries again")
        if found.status == "active"
        else _over(f"{receiver} is {found.status}")
    )


async def low_disk(folders: Sequence[str], least: int) -> list[Observed]:
    """Folders on this machine in which less than so many bytes are free."""
    host, found = socket.gethostname(), []
    for folder in folders:
        free = _free(folder)
        if free is not None and free < least:
            message = f"only {free // 2**20} MiB are free in {folder} on {host}"
            found.append(Observed("disk_low", f"{host}:{folder}", message, {"folder": folder, "host": host}))
    return found


def _disk_ended(_conn: Connection, alarm: Alarm) -> Ending | None:
    folder, host = str(alarm.details.get("folder")), alarm.details.get("host")
    if host != socket.gethostname():
        return None
    free = _free(folder)
    if free is None:
        return _over(f"{folder} on {host} is not there any more")
    return _well(f"{free // 2**20} MiB are free again in {folder} on {host}")


def _free(folder: str) -> int | None:
    """Bytes that are free for the daemon; None where that is unknown."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize


class AbsentWorkers:
    """Finds that no process follows matches; for a process that follows none itself, and not while others start or are replaced."""

    def __init__(self, workers: WorkerCount) -> None:
        self._workers = workers
        self._absent = 0

    async def __call__(self) -> list[Observed]:
        """Nothing before so many looks in a row have seen none."""
        self._absent = self._absent + 1 if await self._workers.alive() == 0 else 0
        if self._absent < LOOKS:
            return []
        return [Observed("no_worker", "workers", "no process follows matches: liveblogs stand still", {})]


class Endings:
    """Says of an alarm that this process does not see any more how it ended, by what the process knows itself and the tables say.

    `followers`: None where the process follows no matches.
    """

    def __init__(self, followers: Followers | None) -> None:
        self._of_kind: Mapping[str, Callable[[Connection, Alarm], Ending | None]] = {
            "feed_silent": partial(_silent_feed_ended, followers),
            "provider_lost": partial(_lost_provider_ended, followers),
            "frozen": partial(_frozen_ended, followers),
            "standby_leads": _standby_ended,
            "pin_fails": _pin_ended,
            "sources_disagree": _disagreement_ended,
            "outbox_stuck": lambda _conn, _alarm: _well("updates are delivered to webhooks again"),
            "receiver_failing": _receiver_ended,
            "disk_low": _disk_ended,
            "rule_fails": lambda *_: _well("the liveblog is there, or nobody waits for it any more"),
            "rule_bound": lambda *_: _well("the rule makes liveblogs of all its matches"),
            "list_lost": lambda *_: _well("the list of matches is believed again"),
            "no_worker": lambda _conn, _alarm: _well("matches are followed again"),
        }

    def __call__(self, conn: Connection, alarm: Alarm) -> Ending | None:
        """How it ended; None where that is not known, so that it goes on."""
        of_kind = self._of_kind.get(alarm.kind)
        return _over("nobody sees it any more") if of_kind is None else of_kind(conn, alarm)
