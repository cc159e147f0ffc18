"""The rows that an incident's bundle takes from the tables and puts back: a liveblog's kept history, and its ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import islice, takewhile
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import ColumnElement, Connection, Table, exists, or_, select, update

from mapping.documents.scalars import LocalStatus
from store.engine.liveblog_records import Change, EventWrite, StoredEvent
from store.engine.statements import upsert, write_batch
from store.engine.unit import Unit
from store.liveblogs import liveblogs
from store.liveblogs.event_rows import event_of, events_named
from store.tables import (
    attachments,
    events,
    game_records,
    ledger,
    locations,
    outbox,
    players,
    teams,
    tournaments,
    webhook_rounds,
    webhooks,
)
from store.timeline.timeline import post_times

MASTERS: Mapping[str, Table] = {table.name: table for table in (tournaments, locations, teams, players)}
"""Parents before what refers to them."""
ROUNDS = 1000


def masters_of(conn: Connection, game_id: str) -> dict[str, list[dict[str, Any]]]:
    """The records of master data that the liveblog names or has named, by their table, with the teams of the players."""
    named = select(game_records.c.record_id).where(game_records.c.game_id == game_id)
    teams_of_players = select(players.c.team_id).where(players.c.id.in_(named), players.c.team_id.is_not(None))
    wanted: dict[str, ColumnElement[bool]] = {name: table.c.id.in_(named) for name, table in MASTERS.items()}
    wanted["teams"] = or_(wanted["teams"], teams.c.id.in_(teams_of_players))
    return {
        name: [dict(row) for row in conn.execute(select(table).where(wanted[name]).order_by(table.c.id)).mappings()]
        for name, table in MASTERS.items()
    }


def put_masters(unit: Unit, masters: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Have those records stand as they are given: before a replay, and after it, as other matches change them too."""
    for name, table in MASTERS.items():
        write_batch(unit.conn, upsert(table, [dict(row) for row in masters.get(name, ())]))


def posts_of(conn: Connection, game_id: str) -> list[tuple[str, bool]]:
    """The `local_id`s of all posts in the order of their creation, and whether the sync has created them."""
    written = exists().where(ledger.c.game_id == events.c.game_id, ledger.c.local_id == events.c.local_id)
    query = select(events.c.local_id, written).where(events.c.game_id == game_id).order_by(events.c.serial)
    return [(local_id, by_sync) for local_id, by_sync in conn.execute(query)]


def posts_of_people(conn: Connection, game_id: str) -> list[dict[str, Any]]:
    """What people have made of posts: those that they wrote last, and those that the sync has written again since.

    Each as it stood, with the version that made it so, in the order of versions.
    """
    query = select(events).where(events.c.game_id == game_id)
    found = [
        {"version": each.version, **asdict(each.rewritten(updated_at=each.updated_at))}
        for each in (event_of(row) for row in conn.execute(query))
    ]
    times = conn.execute(select(post_times).where(post_times.c.game_id == game_id)).all()
    found += [row.of_person for row in times if row.of_person]
    by_sync = {(row.version, row.local_id) for row in times}
    people = (each for each in found if (each["version"], each["local_id"]) not in by_sync)
    return sorted(people, key=lambda each: (each["version"], each["local_id"]))


def set_paused(unit: Unit, game_id: str, *, paused: bool) -> None:
    """Have the liveblog written to by the sync or not, whatever its terms were; nothing else follows from it."""
    terms = unit.conn.scalar(select(attachments.c.terms).where(attachments.c.game_id == game_id))
    changed = {**(terms or {}), "paused": paused}
    unit.conn.execute(update(attachments).where(attachments.c.game_id == game_id).values(terms=changed))


def steps_of(conn: Connection, game_id: str) -> dict[int, int]:
    """Version → when it was written (Unix seconds), as long as the outbox is kept."""
    query = select(outbox.c.version, outbox.c.at).where(outbox.c.game_id == game_id)
    return {row.version: row.at for row in conn.execute(query)}


def rounds_of(conn: Connection, game_id: str, since: float, until: float) -> list[dict[str, Any]]:
    """Rounds of webhook deliveries of the liveblog in that time (Unix seconds), the receivers by their hosts alone."""
    table = webhook_rounds.c
    columns = (
        table.version,
        table.kind,
        table.round,
        table.tries,
        table.at,
        table.took_ms,
        table.success,
        table.status_code,
    )
    query = (
        select(webhooks.c.url, *columns)
        .join(webhooks, webhooks.c.id == table.webhook_id)
        .where(table.game_id == game_id, table.at >= since, table.at < until)
        .order_by(table.id)
        .limit(ROUNDS)
    )
    rows = (row._asdict() for row in conn.execute(query))
    return [{**row, "url": None, "host": urlsplit(row["url"]).hostname} for row in rows]


def make_room(unit: Unit, game_id: str, posts: Iterable[tuple[str, bool]], states: Iterable[Mapping[str, Any]]) -> None:
    """Create the posts of people whose turn it is, hidden and without a step, so that each post has the place that it had.

    `posts`: all that `posts_of` gave; `states`: all that `posts_of_people` gave.
    """
    game = liveblogs.lock_game(unit, game_id)
    waiting = takewhile(lambda each: not each[1], islice(posts, game.serial, None))
    last = {each["local_id"]: each for each in states}
    for local_id, _ in waiting:
        if local_id in last:
            hidden = {**last[local_id], "local_status": LocalStatus.UNPUBLISHED}
            liveblogs.schedule(unit, liveblogs.lock_game(unit, game_id), _write_of(hidden, None))


def step_as_people(unit: Unit, game_id: str, posts: Sequence[Mapping[str, Any]]) -> None:
    """A step that the sync did not make: with the posts that stand as it left them, or none."""
    known = events_named(unit.conn, [post["local_id"] for post in posts])
    writes = tuple([_write_of(post, known.get(post["local_id"])) for post in posts])
    liveblogs.write(unit, liveblogs.lock_game(unit, game_id), Change(events=writes))


def _write_of(post: Mapping[str, Any], stored: StoredEvent | None) -> EventWrite:
    """The post in what `posts_of_people` gave, as it is to be written."""
    fields = {name: post[name] for name in ("document", "created_at", "local_status", "publish_at", "user_id")}
    if stored is None:
        return EventWrite.new(local_id=post["local_id"], **fields)
    return stored.rewritten(updated_at=post["updated_at"], **fields)
