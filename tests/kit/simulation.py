"""Faults that are planted to see whether the simulation finds them."""

from __future__ import annotations

from dataclasses import replace

from ingest.sync import poll
from ingest.sync.match_leases import PeerMonitor
from ingest.webhooks import attempt
from ingest.webhooks.cursor import CursorTracker
from mapping import reconcile
from mapping.confirm import ConfirmedMatch, confirm_answer
from mapping.rules import delivery
from store.following import leases, ledger
from store.liveblogs import liveblogs


def skip_the_fence(patch):
    patch.setattr(leases, "run_fenced", lambda unit, work, **_: work(unit))


def leave_the_dead(patch):
    patch.setattr(PeerMonitor, "look", lambda *_: None)


def write_no_outbox_row(patch):
    note = liveblogs._note
    patch.setattr(liveblogs, "_note", lambda unit, game: note(unit, game)[1:])


def advance_before_delivery(patch):
    patch.setattr(CursorTracker, "cursor_with", lambda tracker, _: tracker.fed)


def give_up_after_one_round(patch):
    patch.setattr(delivery, "next_round", lambda *_, **__: None)


def announce_what_is_to_come(patch):
    body = attempt.body_of
    patch.setattr(attempt, "body_of", lambda each: body(replace(each, version=each.version + 10)))


def forget_the_ledger(patch):
    rows = ledger.rows

    def of_the_game(conn, game_id, *, only=None):
        return {key: row for key, row in rows(conn, game_id, only=only).items() if key == ledger.GAME_KEY}

    patch.setattr(ledger, "rows", of_the_game)


def withdraw_at_once(patch):
    patch.setattr(poll, "confirm_answer", lambda _before, answer, **_: ConfirmedMatch(answer))


def never_ask_again(patch):
    patch.setattr(
        poll, "confirm_answer", lambda *args, **more: replace(confirm_answer(*args, **more), doubted=frozenset())
    )


def write_over_editors(patch):
    patch.setattr(reconcile, "merge_event", lambda _said, _current, wanted: dict(wanted))


PLANTED = {
    skip_the_fence: "two processes write for one match",
    leave_the_dead: "it is not as it should be in the end",
    write_no_outbox_row: "a version is not in the outbox",
    advance_before_delivery: "a cursor passed what was not delivered",
    give_up_after_one_round: "a cursor passed what was not delivered",
    announce_what_is_to_come: "a version was delivered that nobody can read",
    forget_the_ledger: "an incident was posted twice",
    withdraw_at_once: "a post was withdrawn for one answer",
    write_over_editors: "an editor's headline was overwritten",
    never_ask_again: "it is not as it should be in the end",
}
"""Faults, and the promise that each of them breaks."""
