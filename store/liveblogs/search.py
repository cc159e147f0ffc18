"""Full text search: the words of each record in a table, compared by their bytes on both databases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, insert, or_, select, tuple_

from mapping.rules.plain_text import query_words, words
from store.engine.liveblog_records import teams_of
from store.liveblogs.event_rows import in_chunks
from store.tables import game_links, games, teams, tokens

TEAM, TAG, SHARED = "team", "tag", "shared"
TAG_LENGTH = 255
WRITE = "w"
"""The permission with which a liveblog is shared."""
NAMES = ("name", "short_name", "name_addition")
FEW = 2000
"""Records of one word, at most, that are looked up by their ids."""
AFTER_ALL = "\U0010ffff"
"""Sorts behind every word that goes on."""

Link = tuple[str, str]


def index(conn: Connection, kind: str, record_id: str, owner_id: str, wanted: frozenset[str]) -> None:
    """Make the record findable by these words and by no others; `kind` is the name of its table."""
    known = set(conn.scalars(select(tokens.c.token).where(tokens.c.record_id == record_id)))
    if gone := known - wanted:
        conn.execute(delete(tokens).where(tokens.c.record_id == record_id, tokens.c.token.in_(sorted(gone))))
    if new := sorted(wanted - known):
        same = {"record_id": record_id, "kind": kind, "owner_id": owner_id}
        conn.execute(insert(tokens), [{**same, "token": word} for word in new])


def index_master(conn: Connection, kind: str, record_id: str, owner_id: str, fields: Mapping[str, Any]) -> None:
    """Make a record of master data findable by its names, short and added ones too."""
    index(conn, kind, record_id, owner_id, words_of_master(fields))


def words_of_master(fields: Mapping[str, Any]) -> frozenset[str]:
    """The words by which a record of master data is found."""
    return words(*(fields.get(name) for name in NAMES))


def index_game(
    conn: Connection,
    *,
    game_id: str,
    owner_id: str,
    title: str,
    document: Mapping[str, Any],
    before: Mapping[str, Any] | None = None,
) -> None:
    """Make the liveblog findable by what its document says; `before`: the document so far, None for a new one."""
    if before is not None and _searched_texts(before) == _searched_texts(document):
        return
    index(conn, games.name, game_id, owner_id, words_of_game(title, document))
    wanted = set(links(document))
    query = select(game_links.c.kind, game_links.c.value).where(game_links.c.game_id == game_id)
    known = {(row.kind, row.value) for row in conn.execute(query)}
    link = tuple_(game_links.c.kind, game_links.c.value)
    for gone in in_chunks(sorted(known - wanted)):
        conn.execute(delete(game_links).where(game_links.c.game_id == game_id, link.in_(gone)))
    if new := sorted(wanted - known):
        conn.execute(insert(game_links), [{"game_id": game_id, "kind": kind, "value": value} for kind, value in new])


def words_of_game(title: str, document: Mapping[str, Any]) -> frozenset[str]:
    """The words by which a liveblog is found."""
    teams = teams_of(document)
    return words(title, *(str(team[name]) for team in teams for name in ("name", "short_name") if team.get(name)))


def links(document: Mapping[str, Any]) -> Iterable[Link]:
    """Teams by `_id`, tags by their names and ids, those who may write by what they are and their id."""
    parts = [part for name in ("meta_info", "scoreboard") if isinstance(part := document.get(name), dict)]
    sides = [part.get(side) for part in parts for side in ("home_team", "away_team")]
    yield from ((TEAM, str(team["_id"])) for team in sides if isinstance(team, dict) and team.get("_id"))
    for tag in document.get("tags") or ():
        names = (tag.get("_id"), tag.get("name")) if isinstance(tag, dict) else (tag,)
        yield from ((TAG, str(name)[:TAG_LENGTH]) for name in names if name)
    for each in document.get("permissions") or ():
        if isinstance(each, dict) and each.get("permission") == WRITE:
            yield SHARED, f"{each.get('reftype')} {each.get('refid')}"


@dataclass(frozen=True, slots=True)
class FoundRecords:
    """Conditions for the records that are looked for. `few`: one of them names their ids, at most `FEW`."""

    conditions: tuple[ColumnElement[bool], ...] = ()
    few: bool = False

    def __and__(self, other: FoundRecords) -> FoundRecords:
        return FoundRecords((*self.conditions, *other.conditions), self.few or other.few)


def find_words(conn: Connection, table: Table, owners: Sequence[str], question: str) -> FoundRecords:
    """What has each word of the question; the words of liveblogs are also those of their teams, under their present names."""
    named = FoundRecords()
    for spellings in query_words(question):
        ranges = [and_(tokens.c.token >= each, tokens.c.token < each + AFTER_ALL) for each in spellings]
        word = and_(tokens.c.owner_id.in_(list(owners)), or_(*ranges))
        named &= _of_game(conn, word) if table is games else _any(_by_word(conn, table, word))
    return named


def find_links(conn: Connection, kind: str, values: Sequence[str]) -> FoundRecords:
    """Liveblogs with a link of this kind to one of the values."""
    return _any(_by_link(conn, kind, values))


@dataclass(frozen=True, slots=True)
class _Way:
    """One way in which a record may be what is looked for: ids where these are few, and a look at a record by itself."""

    ids: Sequence[str]
    column: ColumnElement[Any]
    look: ColumnElement[bool]


def _any(*ways: _Way) -> FoundRecords:
    """The records by their ids while these are few, else each is looked at in its turn.

    Much that is found is soon found among the newest records, and collecting and sorting all of it costs the most.
    """
    ids = [each for way in ways for each in way.ids]
    if len(ids) <= FEW:
        return FoundRecords((ways[0].column.in_(ids),), few=True)
    return FoundRecords((or_(*(way.look for way in ways)),))


def _by_word(conn: Connection, table: Table, word: ColumnElement[bool]) -> _Way:
    of_kind = and_(word, tokens.c.kind == table.name)
    ids = conn.scalars(select(tokens.c.record_id).where(of_kind).limit(FEW + 1)).all()
    return _Way(ids, table.c.id, select(tokens.c.token).where(of_kind, tokens.c.record_id == table.c.id).exists())


def _by_link(conn: Connection, kind: str, values: Sequence[str]) -> _Way:
    to_values = and_(game_links.c.kind == kind, game_links.c.value.in_(list(values)))
    ids = conn.scalars(select(game_links.c.game_id).where(to_values).limit(FEW + 1)).all() if values else ()
    return _Way(
        ids, games.c.id, select(game_links.c.kind).where(to_values, game_links.c.game_id == games.c.id).exists()
    )


def _of_game(conn: Connection, word: ColumnElement[bool]) -> FoundRecords:
    own, team = _by_word(conn, games, word), _by_word(conn, teams, word)
    if len(team.ids) <= FEW:
        return _any(own, _by_link(conn, TEAM, team.ids))
    plays = (game_links.c.kind == TEAM, game_links.c.game_id == games.c.id)
    look = select(teams.c.id).where(*plays, game_links.c.value == teams.c.id, team.look).exists()
    return _any(own, _Way(team.ids, games.c.id, look))


def _searched_texts(document: Mapping[str, Any]) -> tuple[Any, ...]:
    meta, board = document.get("meta_info") or {}, document.get("scoreboard") or {}
    sides = [part.get(side) for part in (meta, board) for side in ("home_team", "away_team")]
    return meta.get("title"), sides, document.get("tags"), document.get("permissions")
