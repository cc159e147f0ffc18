"""How an alarm ended: what is well again, or why nobody looks any more; and where nobody knows yet, that it has not ended."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from functools import partial
from urllib.parse import urlsplit

from sqlalchemy import Connection

from ingest.sync.followed_match import FollowedMatch
from ingest.sync.follower import Followers
from mapping.fusion.source_chain import does_answer, is_running, lasting_differences, leader_of, pinned_place
from store.alarms.alarms import Alarm, Ending
from store.following import standbys, sync
from store.webhooks import webhooks


class Endings:
    """Says of an alarm that this process does not see any more how it ended, by what the process knows itself and the tables say.

    `followers`: None where the process follows no matches.
    """

    def __init__(self, followers: Followers | None) -> None:
        self._followers = followers
        self._of_kind: Mapping[str, Callable[[Connection, Alarm], Ending | None]] = {
            "feed_silent": self._silent_feed,
            "provider_lost": self._lost_provider,
            "frozen": self._frozen,
            "standby_leads": _standby,
            "pin_fails": _pin,
            "sources_disagree": _disagreement,
            "outbox_stuck": partial(_well, "updates are delivered to webhooks again"),
            "receiver_failing": _receiver,
            "disk_low": _disk,
            "no_worker": partial(_well, "matches are followed again"),
        }

    def __call__(self, conn: Connection, alarm: Alarm) -> Ending | None:
        """How it ended; None where that is not known, so that it goes on."""
        of_kind = self._of_kind.get(alarm.kind)
        return Ending(recovered=False, text="nobody sees it any more") if of_kind is None else of_kind(conn, alarm)

    def _silent_feed(self, conn: Connection, alarm: Alarm) -> Ending | None:
        name, match = alarm.details.get("match"), self._match(alarm.name)
        if match is None:
            return _unless_followed(conn, alarm.name, f"the match {name} is not followed any more")
        if match.waiting.answered_at is None:
            return None
        return Ending(
            recovered=True,
            text=f"the running match {name} has good answers from {alarm.details.get('endpoint')} again",
        )

    def _lost_provider(self, _conn: Connection, alarm: Alarm) -> Ending | None:
        name = alarm.details.get("endpoint")
        limiter = None if self._followers is None else self._followers.limiters.get(alarm.name)
        if limiter is None:
            return Ending(recovered=False, text=f"the endpoint {name} is not configured any more")
        return Ending(recovered=True, text=f"the endpoint {name} answers again") if limiter.answers else None

    def _frozen(self, conn: Connection, alarm: Alarm) -> Ending | None:
        kind, _, name = alarm.name.partition(":")
        follow_id: str | None = name
        if kind == "liveblog":
            attachment = sync.attachment(conn, name)
            follow_id = None if attachment is None else attachment.follow_id
        gone = f"the {kind} {name} is not followed any more"
        match = None if follow_id is None else self._match(follow_id)
        if follow_id is None:
            return Ending(recovered=False, text=gone)
        if match is None:
            return _unless_followed(conn, follow_id, gone)
        return (
            Ending(recovered=True, text=f"the {kind} {name} is in line with its provider again")
            if match.polls
            else None
        )

    def _match(self, follow_id: str) -> FollowedMatch | None:
        found = () if self._followers is None else self._followers.matches
        return next((match for match in found if match.id == follow_id), None)


def _unless_followed(conn: Connection, follow_id: str, text: str) -> Ending | None:
    """The match is over and done; None where a process follows it, or will soon: that one knows."""
    row = sync.follow(conn, follow_id)
    return Ending(recovered=False, text=text) if row is None or row.closed_at is not None else None


def _standby(conn: Connection, alarm: Alarm) -> Ending | None:
    match, found = alarm.details.get("match"), standbys.of_liveblog(conn, alarm.name)
    if not found:
        return Ending(recovered=False, text=f"no source stands by for the match {match} any more")
    if pinned_place([each.pinned for each in found]) is not None:
        return Ending(recovered=False, text=f"somebody has chosen who leads the match {match}")
    states = [each.known() for each in found]
    if leader_of(states) == 0:
        return Ending(recovered=True, text=f"the first source leads the match {match} again")
    return None if is_running(states) else Ending(recovered=False, text=f"the match {match} does not run any more")


def _pin(conn: Connection, alarm: Alarm) -> Ending | None:
    match, found = alarm.details.get("match"), standbys.of_liveblog(conn, alarm.name)
    pinned, states = pinned_place([each.pinned for each in found]), [each.known() for each in found]
    if pinned is None:
        return Ending(recovered=False, text=f"nobody chooses any more who leads the match {match}")
    if does_answer(states, pinned):
        return Ending(recovered=True, text=f"{alarm.details.get('leads')} answers for the match {match} again")
    return None if is_running(states) else Ending(recovered=False, text=f"the match {match} does not run any more")


def _disagreement(conn: Connection, alarm: Alarm) -> Ending | None:
    match, found = alarm.details.get("match"), standbys.of_liveblog(conn, alarm.name)
    if not found:
        return Ending(recovered=False, text=f"no source stands by for the match {match} any more")
    states = [each.known() for each in found]
    if not lasting_differences(states):
        return Ending(recovered=True, text=f"the sources of the match {match} agree again")
    return None if is_running(states) else Ending(recovered=False, text=f"the match {match} does not run any more")


def _well(text: str, _conn: Connection, _alarm: Alarm) -> Ending:
    return Ending(recovered=True, text=text)


def _receiver(conn: Connection, alarm: Alarm) -> Ending:
    found = webhooks.find_by_id(conn, alarm.name)
    owner = alarm.details.get("organization")
    if found is None:
        return Ending(
            recovered=False, text=f"the failing webhook receiver of organization {owner} is not subscribed any more"
        )
    receiver = f"the webhook receiver {urlsplit(found.url).hostname} of organization {owner}"
    if found.status != "active":
        return Ending(recovered=False, text=f"{receiver} is {found.status}")
    return Ending(recovered=True, text=f"{receiver} accepts deliveries again")


def _disk(_conn: Connection, alarm: Alarm) -> Ending | None:
    folder, host = str(alarm.details.get("folder")), alarm.details.get("host")
    if host != socket.gethostname():
        return None
    try:
        found = os.statvfs(folder)
    except OSError:
        return Ending(recovered=False, text=f"{folder} on {host} is not there any more")
    return Ending(
        recovered=True, text=f"{found.f_bavail * found.f_frsize // 2**20} MiB are free again in {folder} on {host}"
    )
