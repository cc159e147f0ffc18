"""Faults that are planted into the rules of the sync, and what a history has to say of each: one for every promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from api.external import handback
from ingest.sync import apply_snapshot, poll, snapshot
from mapping import embedded, posts, reconcile
from mapping.confirm import ConfirmedMatch
from mapping.import_options import ImportOptions
from store.following import closing, ledger, moves, sources, sync
from store.liveblogs import liveblogs
from store.webhooks import outbox
from tests.simulation import inline_store

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]


def _swap(owner: Any, name: str, made: Callable[[Any], Any]) -> Plant:
    """Put what `made` makes of it in the place of what has this name; a name that is gone is found when this is loaded."""
    getattr(owner, name)

    def plant(patch: Patch) -> None:
        patch.setattr(owner, name, made(getattr(owner, name)))

    return plant


def _both(first: Plant, second: Plant) -> Plant:
    def plant(patch: Patch) -> None:
        first(patch)
        second(patch)

    return plant


def _gives(value: Any) -> Callable[[Any], Any]:
    return lambda _: lambda *_args, **_more: value


def _reversed_numbers(number_committed: Any) -> Any:
    def numbered(unit: Any, **more: Any) -> Any:
        waiting = [row[0] for row in outbox._COMMITTED.all(unit.conn, most=100)]
        result = number_committed(unit, **more)
        given = {each: number for number, each in enumerate(reversed(waiting), result.last - len(waiting) + 1)}
        for each in waiting:
            unit.conn.exec_driver_sql("UPDATE outbox SET number = -id WHERE id = ?", (each,))
        for each, number in given.items():
            unit.conn.exec_driver_sql("UPDATE outbox SET number = ? WHERE id = ?", (number, each))
        return result

    return numbered


def _without_ledger(detach: Any) -> Any:
    def detached(unit: Any, attachment: Any) -> None:
        detach(unit, attachment)
        unit.conn.exec_driver_sql("DELETE FROM ledger WHERE game_id = ?", (attachment.game_id,))

    return detached


def _moved_to_now(event_write: Any) -> Any:
    def written(self: Any, event: Any, before: Any) -> Any:
        return replace(event_write(self, event, before), created_at=self.unit.now)

    return written


def _without(name: str) -> Callable[[Any], Any]:
    return lambda made: lambda *args, **more: {key: each for key, each in made(*args, **more).items() if key != name}


def _nobody(sport_event: Any) -> Any:
    return lambda *args: {**sport_event(*args), "players": []}


def _swapped(score: Any) -> Any:
    def turned(*args: Any) -> Any:
        made = score(*args)
        return {**made, "home_score": made["away_score"], "away_score": made["home_score"]}

    return turned


def _in_english(from_dict: Any) -> Any:
    return classmethod(lambda _cls, data: from_dict({**data, "locale": "en"}))


def _going_on(from_dict: Any) -> Any:
    return classmethod(lambda _cls, data: from_dict({**data, "paused": False}))


def _follow_alone(_: Any) -> Any:
    return lambda unit, follow_id, *_: sync.save_follow(unit, follow_id, closed_at=unit.now)


OTHER_POSTS, OTHER_WORDS = "other posts are public:", "a post has other words:"

PLANTED: dict[str, tuple[str | tuple[str, ...], Plant]] = {
    # a person's word
    "an editor's headline is written over": (
        "a headline is another one:",
        _swap(reconcile, "merge_event", lambda _: lambda _said, _now, wanted: dict(wanted)),
    ),
    "the status that a person chose does not come back": (
        ("what a person took down is public:", OTHER_POSTS),
        _swap(reconcile, "_status_to_restore", _gives(None)),
    ),
    "fields that are handed back stay a person's": (
        "a headline is another one:",
        _swap(handback, "_posts", _gives(())),
    ),
    # the provider's word
    "a withdrawal is ignored": (
        (OTHER_POSTS, "what is withdrawn stays for ever:"),
        _swap(reconcile, "_withdraw", lambda _: lambda entry, *_args, **_more: (None, entry)),
    ),
    "a goal that is taken back leaves no note": (
        "other notes are public",
        _swap(reconcile, "_disallow", lambda _: lambda *_args: None),
    ),
    "what is withdrawn is never deleted": (
        "what is withdrawn stays for ever:",
        _swap(reconcile, "_delete_untouched", lambda _: lambda entry, _now: (None, entry)),
    ),
    "corrections are not written": (
        ("a post says something else:", OTHER_WORDS, "a title is in another language:", "other notes are public"),
        _swap(reconcile, "merge_event", lambda _: lambda _said, now, _wanted: dict(now)),
    ),
    "an incident is posted twice": (
        "a post stands twice:",
        _swap(
            ledger,
            "rows",
            lambda rows: (
                lambda *args, **more: {key: row for key, row in rows(*args, **more).items() if key == ledger.GAME_KEY}
            ),
        ),
    ),
    "posts move to now at each correction": (
        "a post has moved to now:",
        _swap(apply_snapshot.LiveblogSync, "_event_write", _moved_to_now),
    ),
    "nobody is named in posts": (("a post is about nobody:", "other posts"), _swap(posts, "_sport_event", _nobody)),
    "the text is always the same": (OTHER_WORDS, _swap(posts, "sentence", _gives("Something has happened."))),
    "scores are turned round": (
        ("a goal has another score:", "the board has another score:"),
        _swap(embedded, "score", _swapped),
    ),
    # identity
    "rows under other ids are other posts": (
        ("a post has another name:", "other ids stepped a liveblog"),
        _swap(apply_snapshot, "match_reissued", _gives({})),
    ),
    # the guard
    "what an answer says is believed at once": (
        "one answer took something back",
        _swap(poll, "confirm_answer", lambda _: lambda _before, answer, **_more: ConfirmedMatch(answer)),
    ),
    # terms
    "drafts are published": (OTHER_POSTS, _swap(ImportOptions, "drafts", _gives(False))),
    "texts that nobody wants are withdrawn": (
        "what nobody wants for a while is deleted:",
        lambda patch: patch.setattr(apply_snapshot.LiveblogSync, "_left_out", frozenset()),
    ),
    "settings are not saved": (
        (OTHER_POSTS, "a title is in another language:", OTHER_WORDS),
        _swap(sync, "save_terms", _gives(None)),
    ),
    "a pause is ignored": ("a liveblog moved that follows nothing:", _swap(ImportOptions, "from_dict", _going_on)),
    "everything is in English": ("a title is in another language:", _swap(ImportOptions, "from_dict", _in_english)),
    # the liveblog's own document
    "the state does not follow": (
        "the state is another one:",
        _swap(apply_snapshot, "synced_parts", _without("state_info")),
    ),
    "the same answer steps": (
        ("the same answer stepped a liveblog", "other ids stepped", "what is withdrawn stays"),
        _swap(reconcile, "same", _gives(False)),
    ),
    "what was looked at once is not looked at again": (
        (OTHER_POSTS, "a post says something else:"),
        _swap(snapshot.CachedInputs, "changed", _gives(frozenset())),
    ),
    # moves
    "a liveblog that is taken off its match loses its ledger": (
        ("a post has another name:", "what a person took down is public:", "a post stands twice:"),
        _swap(sources, "detach", _without_ledger),
    ),
    "matches stay at an endpoint that is gone": (
        (OTHER_POSTS, "a post says something else:", "a title is in another language:", "the state is another one:"),
        _both(_swap(moves, "move_matches", _gives(0)), _swap(moves, "move_liveblog", _gives(None))),
    ),
    "a new liveblog opens finished ones": (
        "a finished liveblog was written",
        _swap(closing, "close_match", _follow_alone),
    ),
    # outbox
    "a step has no row in the outbox": (
        "a version is not in the outbox:",
        _swap(liveblogs, "_note", lambda note: lambda unit, game: note(unit, game)[1:]),
    ),
    "numbers are given in reverse": (
        "an older version was delivered later:",
        _swap(outbox, "number_committed", _reversed_numbers),
    ),
    "a restored database goes on with old numbers": (
        "a delivery number was given twice:",
        _swap(inline_store, "begin_anew", _gives(None)),
    ),
}
"""Name of a fault → what a history says of it (one of these), and how it is planted."""
