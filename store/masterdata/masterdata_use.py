"""Brings a correction of master data into the open liveblogs that name the record, and into their posts.

The unit that corrects a record notes what every liveblog has still to show and locks none of them. Units of their own bring
it into the liveblogs, each into one, with so many posts: none takes long, and no two wait for each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, Integer, Row, and_, bindparam, delete, func, insert, or_, select, update

from mapping.documents.scalars import LocalStatus
from mapping.errors import NotFound
from store.database import Store
from store.engine.errors import UnreadableRow
from store.engine.liveblog_records import StoredEvent, StoredGame, check_document, teams_of, title_of
from store.engine.statements import CompiledQuery
from store.engine.unit import Unit
from store.following import follow_rows, ledger, sources
from store.liveblogs import liveblogs
from store.liveblogs.event_rows import events_named, in_chunks
from store.masterdata.masterdata import Master
from store.tables import attachments, corrections, events, follows, game_records, games, teams

OPEN_FOR = 30 * 24 * 3600
"""Seconds since the last change, or since the start, for which a liveblog counts as open; a followed one always does."""
POSTS = 200
"""Posts of a liveblog that one unit looks at."""
IDENTITY = frozenset({"_type", "_id", "owner_id", "sportstype", "ext_id", "team_id", "inactive"})
"""Fields of a record that are not shown."""

Differences = dict[str, tuple[Any, Any]]
"""What is shown of a record, before and after, by the names of the fields that differ."""


class Correction(NamedTuple):
    """A record before and after it was corrected."""

    before: Master
    after: Master

    def differences(self) -> Differences:
        was, now = self.before.as_document(), self.after.as_document()
        names = (was.keys() | now.keys()) - IDENTITY
        return {name: (was.get(name), now.get(name)) for name in names if was.get(name) != now.get(name)}


class Corrections:
    """What is corrected of records, by their `_id`s, as it applies to documents."""

    def __init__(self, differences: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        self._differences = differences

    def concern(self, document: Any) -> bool:
        """Whether the document shows something that is corrected: a copy of it, or a reference that is resolved when read."""
        if isinstance(document, dict):
            differing = self._of(document).items()
            shown = any(document.get(name) in (None, was) for name, (was, _) in differing)
            return shown or any(map(self.concern, document.values()))
        return isinstance(document, list) and any(map(self.concern, document))

    def apply(self, value: Any) -> Any:
        """The value with the copies in it corrected; a copy that says something of its own keeps it, field by field."""
        if isinstance(value, list):
            return [self.apply(each) for each in value]
        if not isinstance(value, dict):
            return value
        inner = {name: self.apply(each) for name, each in value.items()}
        differing = self._of(value).items()
        return inner | {name: now for name, (was, now) in differing if name in value and value[name] == was}

    def game(self, unit: Unit, document: Mapping[str, Any]) -> dict[str, Any]:
        """A liveblog's document corrected; a title that was made of the teams' names is made of them again."""
        corrected: dict[str, Any] = self.apply(dict(document))
        bare = [str(team["_id"]) for team in teams_of(document) if team.get("_id")]
        now = {row.id: row.name for row in unit.conn.execute(select(teams).where(teams.c.id.in_(bare)))}
        was = now | {
            name: self._differences[name]["name"][0] for name in now if "name" in self._differences.get(name, ())
        }
        meta = corrected.get("meta_info") or {}
        if meta.get("title") and meta["title"] == _default_title(document, was):
            corrected["meta_info"] = {**meta, "title": _default_title(corrected, now)}
        return corrected

    def _of(self, value: Mapping[str, Any]) -> Mapping[str, Sequence[Any]]:
        name = value.get("_id")
        return self._differences.get(name, {}) if isinstance(name, str) else {}


def correct_liveblogs(unit: Unit, owner_id: str, made: Iterable[Correction]) -> None:
    """Note for every open liveblog of the organization that names one of the records what it has still to show.

    Matches that those liveblogs follow will be looked at afresh, because texts name people as well. That is for what a
    person corrects: what an import finds belongs to its match, whose liveblogs the sync brings in line, and to no other.
    """
    differences = {each.after.id: differing for each in made if (differing := each.differences())}
    changes: dict[str, dict[str, Differences]] = defaultdict(dict)
    afresh: dict[str, bool] = {}
    for chunk in in_chunks(sorted(differences)):
        for game_id, record_id, follow_id in _open_liveblogs(unit, owner_id, chunk):
            changes[game_id][record_id] = differences[record_id]
            afresh[game_id] = follow_id is not None
    rows = [{"game_id": each, "afresh": afresh[each], "changes": changes[each]} for each in sorted(changes)]
    if rows:
        unit.conn.execute(insert(corrections), rows)


_WAITING = CompiledQuery(select(corrections.c.game_id).distinct().limit(bindparam("most", type_=Integer)))


def waiting(conn: Connection, limit: int = 100) -> list[str]:
    """`ticker_id`s of liveblogs that have corrections still to show, so many of them."""
    return [game_id for (game_id,) in _WAITING.all(conn, most=limit)]


def correct(unit: Unit, game_id: str) -> bool:
    """Bring a part of a correction into the liveblog, with one step where it names the record; whether more may wait.

    The oldest correction first: the liveblog itself and some posts, the next posts in the units after it.
    """
    row = _oldest(unit.conn, game_id)
    if row is None:
        return False
    _look_afresh(unit, row)
    try:
        game = liveblogs.lock_game(unit, game_id)
        row = _oldest(unit.conn, game_id)  # as it is now that no other process is at it
        through = None if row is None else _correct(unit, game, row)
    except (NotFound, UnreadableRow):  # deleted meanwhile, or quarantined to itself
        through = None
    if row is not None and through is None:
        unit.conn.execute(delete(corrections).where(corrections.c.id == row.id))
    elif row is not None:
        unit.conn.execute(update(corrections).where(corrections.c.id == row.id).values(through=through))
    return row is not None


async def correct_waiting(store: Store, units: int) -> None:
    """Bring corrections into liveblogs until none waits, in so many units at most."""
    for game_id in await store.read(waiting):
        while units > 0 and await store.write(partial(correct, game_id=game_id)):
            units -= 1


def _open_liveblogs(unit: Unit, owner_id: str, ids: Iterable[str]) -> Iterable[tuple[str, str, str | None]]:
    """Liveblogs that name one of the records: `ticker_id`, `_id` of the record, the follow where a match is followed still."""
    since = unit.now - OPEN_FOR
    query = (
        select(games.c.id, game_records.c.record_id, follows.c.id)
        .join(game_records, game_records.c.game_id == games.c.id)
        .outerjoin(attachments, attachments.c.game_id == games.c.id)
        .outerjoin(follows, and_(follows.c.id == attachments.c.follow_id, follows.c.closed_at.is_(None)))
        .where(
            game_records.c.record_id.in_(ids),
            games.c.organization_id == owner_id,
            games.c.local_status != LocalStatus.DELETED,
            or_(follows.c.id.is_not(None), games.c.updated_at >= since, func.coalesce(games.c.starts_at, 0) >= since),
        )
    )
    return [(row[0], row[1], row[2]) for row in unit.conn.execute(query)]


def _oldest(conn: Connection, game_id: str) -> Row[Any] | None:
    query = select(corrections).where(corrections.c.game_id == game_id).order_by(corrections.c.id).limit(1)
    return conn.execute(query).first()


def _look_afresh(unit: Unit, row: Row[Any]) -> None:
    """Once for a correction, and before the liveblog is locked, as polls lock the match first."""
    attachment = follow_rows.attachment(unit.conn, row.game_id) if row.afresh and row.through is None else None
    if attachment is not None:
        sources.lock(unit, attachment.follow_id)
        follow_rows.look_afresh(unit, attachment.follow_id)


def _correct(unit: Unit, game: StoredGame, row: Row[Any]) -> str | None:
    """The `local_id` of the last post that is looked at, None where there are no more.

    What the sync has written counts as corrected too, so that it stays the sync's. Raises UnreadableRow before anything
    is written.
    """
    check_document(game)
    made = Corrections(row.changes)
    names = _posts(unit.conn, game.id, row.through or "")
    stored = [each for each in events_named(unit.conn, names).values() if made.concern(each.document)]
    own = row.through is None and made.concern(game.document)
    corrected = _ledger_rows(unit, game.id, stored, made, own=own)
    if own or stored:
        document = made.game(unit, game.document) if own else None
        writes = tuple(each.rewritten(document=made.apply(each.document)) for each in stored)
        liveblogs.rewrite(unit, game, writes, document=document)
        ledger.save(unit, game.id, corrected)
    return names[-1] if len(names) == POSTS else None


def _ledger_rows(
    unit: Unit, game_id: str, posts: Iterable[StoredEvent], made: Corrections, *, own: bool
) -> list[ledger.LedgerRow]:
    """The corrected ledger rows of these posts, with the liveblog's `own`."""
    lines = ledger.rows_of_posts(unit.conn, game_id, [each.local_id for each in posts])
    if own:
        lines += ledger.rows(unit.conn, game_id, only=[ledger.GAME_KEY]).values()
    return [
        ledger.row_of_game(made.game(unit, ledger.game_of(line)))
        if line.key == ledger.GAME_KEY
        else replace(line, written=made.apply(dict(line.written)))
        for line in lines
        if made.concern(line.written)
    ]


def _posts(conn: Connection, game_id: str, after: str) -> list[str]:
    """The `local_id`s of the next posts, drafts and those that wait for their time among them."""
    query = (
        select(events.c.local_id)
        .where(events.c.game_id == game_id, events.c.local_id > after, events.c.local_status != LocalStatus.DELETED)
        .order_by(events.c.local_id)
        .limit(POSTS)
    )
    return list(conn.scalars(query))


def _default_title(document: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """What a liveblog is called when nobody says otherwise."""
    return title_of({**document, "meta_info": {**(document.get("meta_info") or {}), "title": None}}, names)
