"""Sources that stand by: on which liveblogs, what is known of both sources of each, and how each of them answers."""

from __future__ import annotations

import zlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import TypeAdapter
from sqlalchemy import bindparam, delete, select, update

from mapping.documents.scalars import LocalStatus
from mapping.fusion.leading_source import SourceHealth
from mapping.fusion.source_pair import PairState
from store.engine.errors import UnreadableRow
from store.engine.sql.bulk_write import update_rows, upsert, write_batch
from store.engine.sql.compiled_query import Among, CompiledQuery
from store.following import closing, sync
from store.following.standby_tables import source_health, standbys
from store.tables import attachments, beliefs, follows, games

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sqlalchemy import Connection

    from mapping.fusion.fused_match import SourceName
    from store.engine.unit import Unit

Trouble = Literal["refused", "failing", ""]


class HealthRow(NamedTuple):
    """How a source answers: its last good answer, since when there could have been one (Unix seconds), and what is wrong with it.

    `poll_interval`: seconds between two polls.
    """

    follow_id: str
    answered_at: float | None
    attentive_since: float
    poll_interval: float
    trouble: Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class StandbyRow:
    """The source that stands by for a liveblog. `pinned`: the source that a person has chosen; `edition` counts the states."""

    game_id: str
    follow_id: str
    pinned: SourceName | None
    state: bytes | None
    edition: int

    def known(self) -> PairState:
        """What is known of both sources; where that cannot be read, nothing: it is found anew from what both say."""
        with suppress(UnreadableRow):
            return PairState() if self.state is None else unpacked_state(self.state)
        return PairState()


@dataclass(frozen=True, slots=True, kw_only=True)
class StandbySource(StandbyRow):
    """The same with the match of the standby, what is believed of it (as it is stored), and how it stands."""

    provider: str
    match_id: str
    endpoint: str
    status: str
    belief: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePair(StandbyRow):
    """Both sources of a liveblog, to be watched: `first_id` is the follow of the match, the other fields are the standby's.

    `changed_at`: when an answer last brought something new (Unix seconds).
    """

    first_id: str
    organization_id: str
    terms: Mapping[str, Any]
    local_id: str
    provider: str
    match_id: str
    changed_at: int | None
    first_provider: str
    first_match_id: str
    first_changed_at: int | None


_OF_LIVEBLOG = CompiledQuery(
    select(standbys, follows.c.provider, follows.c.match_id, follows.c.endpoint, follows.c.status, beliefs.c.belief)
    .join(follows, follows.c.id == standbys.c.follow_id)
    .outerjoin(beliefs, beliefs.c.follow_id == standbys.c.follow_id)
    .where(standbys.c.game_id == bindparam("game_id"))
)
_FIRST = follows.alias()
_PAIR = (
    select(
        standbys,
        attachments.c.follow_id.label("first_id"),
        attachments.c.organization_id,
        attachments.c.terms,
        games.c.local_id,
        follows.c.provider,
        follows.c.match_id,
        follows.c.changed_at,
        _FIRST.c.provider.label("first_provider"),
        _FIRST.c.match_id.label("first_match_id"),
        _FIRST.c.changed_at.label("first_changed_at"),
    )
    .join(attachments, attachments.c.game_id == standbys.c.game_id)
    .join(games, games.c.id == standbys.c.game_id)
    .join(follows, follows.c.id == standbys.c.follow_id)
    .join(_FIRST, _FIRST.c.id == attachments.c.follow_id)
    .where(attachments.c.closed_at.is_(None), games.c.local_status != LocalStatus.DELETED)
)
_PAIRS = tuple(
    CompiledQuery(_PAIR.where(Among(column, "follow_ids")))
    for column in (attachments.c.follow_id, standbys.c.follow_id)
)
"""By the first source, and by the standby: each has an index of its own."""
_SUPPORTED = CompiledQuery(
    select(attachments.c.follow_id)
    .join(standbys, standbys.c.game_id == attachments.c.game_id)
    .where(standbys.c.follow_id == bindparam("follow_id"), sync.OPEN)
    .distinct()
)
_HEALTH = CompiledQuery(select(source_health).where(Among(source_health.c.follow_id, "follow_ids")))


def add(unit: Unit, game_id: str, follow_id: str) -> None:
    """Have the source stand by for the liveblog's match from now on, in place of another one; nothing where it does already."""
    known = of_liveblog(unit.conn, game_id)
    if known is not None and known.follow_id == follow_id:
        return
    remove(unit, game_id)
    row = {"game_id": game_id, "follow_id": follow_id, "pinned": "", "state": None, "edition": 0}
    write_batch(unit.conn, upsert(standbys, [row]))
    sync.save_follow(unit, follow_id, closed_at=None)
    sync.look_afresh(unit, follow_id)
    _look_afresh(unit, game_id)


def remove(unit: Unit, game_id: str) -> None:
    """Have no source stand by for the liveblog's match any more; one that nobody needs is followed no longer."""
    gone = delete(standbys).where(standbys.c.game_id == game_id).returning(standbys.c.follow_id)
    for follow_id in unit.conn.scalars(gone).all():
        closing.close_empty(unit, follow_id)
        _look_afresh(unit, game_id)


def move(unit: Unit, game_id: str, before: str, after: str) -> None:
    """Have the same match of another endpoint stand by, with what is known of both sources."""
    of_game = standbys.c.game_id == game_id, standbys.c.follow_id == before
    unit.conn.execute(update(standbys).where(*of_game).values(follow_id=after))
    sync.save_follow(unit, after, closed_at=None)
    sync.look_afresh(unit, after)
    _look_afresh(unit, game_id)
    closing.close_empty(unit, before)


def _look_afresh(unit: Unit, game_id: str) -> None:
    attached = sync.attachment(unit.conn, game_id)
    if attached is not None:
        sync.look_afresh(unit, attached.follow_id)


def pin(unit: Unit, game_id: str, pinned: SourceName | None) -> None:
    """Have this source lead whatever happens; None: whichever is well."""
    write_batch(unit.conn, update_rows(standbys, [{"game_id": game_id, "pinned": pinned or ""}]))


def of_liveblog(conn: Connection, game_id: str) -> StandbySource | None:
    """The source that stands by for the liveblog."""
    row = next(iter(_OF_LIVEBLOG.mappings(conn, game_id=game_id)), None)
    return None if row is None else StandbySource(**_read(row))


def pairs_of(conn: Connection, follow_ids: Collection[str]) -> list[SourcePair]:
    """The pairs of sources in which any of these is one."""
    wanted = sorted(follow_ids)
    rows = [row for query in _PAIRS for row in query.mappings(conn, follow_ids=wanted)] if wanted else []
    return list({row["game_id"]: SourcePair(**_read(row)) for row in rows}.values())


def _read(row: dict[str, Any]) -> dict[str, Any]:
    state = row["state"]
    return {**row, "pinned": row["pinned"] or None, "state": None if state is None else bytes(state)}


def supported_by(conn: Connection, follow_id: str) -> list[str]:
    """The follows of the matches for which this source stands by."""
    return [row for (row,) in _SUPPORTED.all(conn, follow_id=follow_id)]


def save_state(unit: Unit, standby: StandbyRow, state: PairState) -> None:
    """Save what is known of both sources, in the unit that writes the posts."""
    row = {"game_id": standby.game_id, "state": packed_state(state), "edition": standby.edition + 1}
    write_batch(unit.conn, update_rows(standbys, [row]))


def save_health(unit: Unit, rows: Iterable[HealthRow]) -> None:
    """Save how sources answer."""
    wanted = [each._asdict() for each in sorted(rows)]
    if wanted:
        write_batch(unit.conn, upsert(source_health, wanted))


def health_of(conn: Connection, follow_ids: Collection[str]) -> dict[str, SourceHealth]:
    """How these sources answer, as far as they have ever been polled beside another one."""
    found = _HEALTH.mappings(conn, follow_ids=sorted(follow_ids)) if follow_ids else ()
    return {row["follow_id"]: health_in(HealthRow(**row)) for row in found}


def health_in(row: HealthRow) -> SourceHealth:
    """How the source of a row answers."""
    return SourceHealth(
        answered_at=row.answered_at,
        attentive_since=row.attentive_since,
        polled_every=row.poll_interval,
        refused=row.trouble == "refused",
        failing=row.trouble == "failing",
    )


def packed_state(state: PairState) -> bytes:
    """The state as it is stored."""
    return sync.pack_body(_states().dump_json(state))


def unpacked_state(stored: bytes) -> PairState:
    """The state in what `packed_state` gave. Raises UnreadableRow."""
    try:
        return _states().validate_json(zlib.decompress(stored))
    except (zlib.error, ValueError) as error:
        raise UnreadableRow(f"standbys.state: {error}") from error


@cache
def _states() -> TypeAdapter[PairState]:
    return TypeAdapter(PairState)
