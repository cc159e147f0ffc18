"""The liveblogs that show a record of master data: a correction of the record steps each that is open, with its posts."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import ColumnElement, Text, and_, exists, func, or_, select, type_coerce

from mapping.documents.scalars import LocalStatus
from mapping.errors import NotFound
from store import ledger, liveblogs, sync
from store.errors import UnreadableRow
from store.records import Change, EventWrite, check_document, teams_of, title_of
from store.tables import attachments, events, follows, games, teams

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from store.masterdata import Master
    from store.records import StoredEvent, StoredGame
    from store.unit import Unit

OPEN_FOR = 30 * 24 * 3600
"""Seconds since the last change, or since the start, for which a liveblog counts as open; a followed one always does."""
AT_ONCE = 50
"""Records in one query."""
IDENTITY = frozenset({"_type", "_id", "owner_id", "sportstype", "ext_id", "team_id", "inactive"})
"""Fields of a record that are not shown."""


class Correction(NamedTuple):
    """A record before and after it was corrected."""

    before: Master
    after: Master

    def differences(self) -> dict[str, tuple[Any, Any]]:
        """What is shown of the record, before and after, by the names of the fields that differ."""
        was, now = self.before.as_document(), self.after.as_document()
        names = (was.keys() | now.keys()) - IDENTITY
        return {name: (was.get(name), now.get(name)) for name in names if was.get(name) != now.get(name)}


class Corrections:
    """Corrections of records of one organization, as they apply to documents."""

    def __init__(self, corrections: Iterable[Correction]) -> None:
        self._differences = {each.after.id: made for each in corrections if (made := each.differences())}

    @property
    def ids(self) -> list[str]:
        """The `_id`s of the records of which something is shown that differs."""
        return sorted(self._differences)

    def concern(self, document: Any) -> bool:
        """Whether one of the records is named anywhere in the document."""
        if isinstance(document, dict):
            return document.get("_id") in self._differences or any(map(self.concern, document.values()))
        return isinstance(document, list) and any(map(self.concern, document))

    def apply(self, value: Any) -> Any:
        """The value with the copies in it corrected; a copy that says something of its own keeps it, field by field."""
        if isinstance(value, list):
            return [self.apply(each) for each in value]
        if not isinstance(value, dict):
            return value
        inner = {name: self.apply(each) for name, each in value.items()}
        differences = self._differences.get(value.get("_id", ""), {})
        return inner | {name: now for name, (was, now) in differences.items() if name in value and value[name] == was}

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


def correct_liveblogs(unit: Unit, owner_id: str, corrections: Iterable[Correction], *, followed: bool = True) -> None:
    """Show the corrections in every open liveblog of the organization that names one of the records, one step each.

    Matches that those liveblogs follow are looked at afresh, because texts name people as well. Without `followed`, they
    are left out: the sync, which has found the correction, brings its own liveblogs in line.
    """
    made = Corrections(corrections)
    found: dict[str, str | None] = {}
    for start in range(0, len(made.ids), AT_ONCE):
        found |= _open_liveblogs(unit, owner_id, made.ids[start : start + AT_ONCE])
    for game_id, follow_id in sorted(found.items()):
        if follow_id is None or followed:
            with suppress(NotFound, UnreadableRow):  # deleted meanwhile, or contained to itself
                _correct(unit, liveblogs.lock_game(unit, game_id), made)
        if follow_id is not None and followed:
            sync.look_afresh(unit, follow_id)


def _open_liveblogs(unit: Unit, owner_id: str, ids: Iterable[str]) -> dict[str, str | None]:
    """`ticker_id` and, where a match is followed still, the follow of each liveblog that names one of the records."""
    since = unit.now - OPEN_FOR
    in_posts = exists().where(events.c.game_id == games.c.id, _names(events.c.doc, ids))
    query = (
        select(games.c.id, follows.c.id.label("follow_id"))
        .outerjoin(attachments, attachments.c.game_id == games.c.id)
        .outerjoin(follows, and_(follows.c.id == attachments.c.follow_id, follows.c.closed_at.is_(None)))
        .where(
            games.c.organization_id == owner_id,
            games.c.local_status != LocalStatus.DELETED,
            or_(follows.c.id.is_not(None), games.c.updated_at >= since, func.coalesce(games.c.starts_at, 0) >= since),
            or_(_names(games.c.doc, ids), in_posts),
        )
    )
    return {row[0]: row[1] for row in unit.conn.execute(query)}


def _names(column: ColumnElement[Any], ids: Iterable[str]) -> ColumnElement[bool]:
    """Whether a document's text may name one of the records."""
    text = type_coerce(column, Text)
    return or_(*(text.contains(each) for each in ids))


def _correct(unit: Unit, game: StoredGame, made: Corrections) -> None:
    """One step of the liveblog; what the sync has written counts as corrected too, so that it stays the sync's.

    Raises UnreadableRow before anything is written.
    """
    check_document(game)
    stored = liveblogs.events(
        unit.conn, game.id, statuses=(LocalStatus.PUBLISHED, LocalStatus.UNPUBLISHED), scheduled=True
    )
    touched = tuple(_event_write(each, made) for each in stored if made.concern(each.document))
    rows = [row for row in ledger.rows(unit.conn, game.id).values() if made.concern(row.written)]
    corrected = [_ledger_row(unit, row, made) for row in rows]
    liveblogs.write(unit, game, Change(game=made.game(unit, game.document), events=touched))
    ledger.save(unit, game.id, corrected)


def _ledger_row(unit: Unit, row: ledger.LedgerRow, made: Corrections) -> ledger.LedgerRow:
    if row.key == ledger.GAME_KEY:
        return ledger.row_of_game(made.game(unit, ledger.game_of(row)))
    values = {name: getattr(row, name) for name in ledger.LedgerRow.__slots__}
    return ledger.LedgerRow(**{**values, "written": made.apply(dict(row.written))})


def _event_write(event: StoredEvent, made: Corrections) -> EventWrite:
    return EventWrite(
        local_id=event.local_id,
        document=made.apply(event.document),
        created_at=event.created_at,
        local_status=event.local_status,
        publish_at=event.publish_at,
        user_id=event.user_id,
    )


def _default_title(document: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """What a liveblog is called when nobody says otherwise."""
    return title_of({**document, "meta_info": {**(document.get("meta_info") or {}), "title": None}}, names)
