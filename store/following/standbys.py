"""Sources that stand by for a liveblog's match: which they are, what is known of each pair, and how each of them answers."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter
from sqlalchemy import Connection, bindparam, delete, select, update

from mapping.documents.scalars import LocalStatus
from mapping.errors import Unprocessable
from mapping.fusion.fused_match import SourceName
from mapping.fusion.leading_source import SourceHealth
from mapping.fusion.same_match import COMPARABLE, OtherMatch, why_other_match
from mapping.fusion.source_chain import pinned_place, pins
from mapping.fusion.source_pair import PairState
from mapping.match.match import Match
from store.engine.errors import UnreadableRow
from store.engine.statements import Among, CompiledQuery, insert_rows, update_rows, upsert, write_batch
from store.engine.unit import Unit
from store.following import closing, follow_rows
from store.following.standby_tables import source_health, standbys
from store.tables import attachments, beliefs, follows, games

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
    """A source that stands by for a liveblog. `pinned`: which of its pair a person has chosen; `edition` counts the states."""

    game_id: str
    follow_id: str
    place: int
    pinned: SourceName | None
    state: bytes | None
    edition: int
    provider: str
    match_id: str

    def known(self) -> PairState:
        """What is known of the pair; where that cannot be read, nothing: it is found anew from what all sources say."""
        with suppress(UnreadableRow):
            return PairState() if self.state is None else unpacked_state(self.state)
        return PairState()


@dataclass(frozen=True, slots=True, kw_only=True)
class StandbySource(StandbyRow):
    """The same with the standby's endpoint, what is believed of its match (as it is stored), and how that stands."""

    endpoint: str
    status: str
    belief: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedStandby(StandbyRow):
    """The same with when an answer last brought something new (Unix seconds)."""

    changed_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSources:
    """All sources of a liveblog's match, to be watched: `first_id` is the follow of the match."""

    first_id: str
    game_id: str
    local_id: str
    organization_id: str
    terms: Mapping[str, Any]
    provider: str
    match_id: str
    standbys: tuple[WatchedStandby, ...]

    @property
    def providers(self) -> tuple[str, ...]:
        """Those of all sources, by their places."""
        return self.provider, *(each.provider for each in self.standbys)

    @property
    def follow_ids(self) -> tuple[str, ...]:
        """Those of all sources, by their places."""
        return self.first_id, *(each.follow_id for each in self.standbys)

    @property
    def pinned(self) -> int | None:
        """The place of the source that a person has chosen."""
        return pinned_place([each.pinned for each in self.standbys])


_OF_LIVEBLOG = CompiledQuery(
    select(standbys, follows.c.provider, follows.c.match_id, follows.c.endpoint, follows.c.status, beliefs.c.belief)
    .join(follows, follows.c.id == standbys.c.follow_id)
    .outerjoin(beliefs, beliefs.c.follow_id == standbys.c.follow_id)
    .where(standbys.c.game_id == bindparam("game_id"))
    .order_by(standbys.c.place)
)
_FIRST, _ANY = follows.alias(), standbys.alias()
_FACTS = {
    "first_id": attachments.c.follow_id,
    "local_id": games.c.local_id,
    "organization_id": attachments.c.organization_id,
    "terms": attachments.c.terms,
    "first_provider": _FIRST.c.provider,
    "first_match_id": _FIRST.c.match_id,
}
_WATCHED = (
    select(
        standbys,
        follows.c.provider,
        follows.c.match_id,
        follows.c.changed_at,
        *(column.label(name) for name, column in _FACTS.items()),
    )
    .join(attachments, attachments.c.game_id == standbys.c.game_id)
    .join(games, games.c.id == standbys.c.game_id)
    .join(follows, follows.c.id == standbys.c.follow_id)
    .join(_FIRST, _FIRST.c.id == attachments.c.follow_id)
    .where(attachments.c.closed_at.is_(None), games.c.local_status != LocalStatus.DELETED)
    .order_by(standbys.c.game_id, standbys.c.place)
)
_SOURCES = (
    CompiledQuery(_WATCHED.where(Among(attachments.c.follow_id, "follow_ids"))),
    CompiledQuery(
        _WATCHED.where(standbys.c.game_id.in_(select(_ANY.c.game_id).where(Among(_ANY.c.follow_id, "follow_ids"))))
    ),
)
"""By the first source, and by any standby: each has an index of its own."""
_SUPPORTED = CompiledQuery(
    select(attachments.c.follow_id, attachments.c.organization_id)
    .join(standbys, standbys.c.game_id == attachments.c.game_id)
    .where(standbys.c.follow_id == bindparam("follow_id"), follow_rows.OPEN)
    .distinct()
)
_HEALTH = CompiledQuery(select(source_health).where(Among(source_health.c.follow_id, "follow_ids")))


def save_sources(unit: Unit, game_id: str, follow_ids: Sequence[str]) -> bool:
    """Have these sources stand by for the liveblog's match, in this order, and no others; whether anything changes.

    What is known of a source that stays is kept. One that nobody needs any more is followed no longer. Where the source goes
    that a person has chosen to lead, whichever is well does.
    """
    before = {each.follow_id: each for each in of_liveblog(unit.conn, game_id)}
    if list(before) == list(follow_ids):
        return False
    place = pinned_place([each.pinned for each in before.values()])
    if place:  # where the source that a person has chosen stands now; None where it is gone
        pinned_id = list(before)[place - 1]
        place = follow_ids.index(pinned_id) + 1 if pinned_id in follow_ids else None
    chosen = pins(len(follow_ids), place)
    rows = []
    for place, (follow_id, pinned) in enumerate(zip(follow_ids, chosen, strict=True), 1):
        known = before.get(follow_id)
        state, edition = (None, 0) if known is None else (known.state, known.edition + 1)
        row = {"game_id": game_id, "follow_id": follow_id, "place": place, "pinned": pinned or ""}
        rows.append({**row, "state": state, "edition": edition})
    unit.conn.execute(delete(standbys).where(standbys.c.game_id == game_id))
    write_batch(unit.conn, insert_rows(standbys, rows))
    for follow_id in set(follow_ids).difference(before):
        follow_rows.save_follow(unit, follow_id, closed_at=None)
        follow_rows.look_afresh(unit, follow_id)
    for follow_id in before.keys() - set(follow_ids):
        closing.close_empty(unit, follow_id)
    _look_afresh(unit, game_id)
    return True


def move(unit: Unit, game_id: str, before: str, after: str) -> None:
    """Have the same match of another endpoint or id stand by, with what is known of its pair."""
    of_game = standbys.c.game_id == game_id, standbys.c.follow_id == before
    unit.conn.execute(update(standbys).where(*of_game).values(follow_id=after))
    follow_rows.save_follow(unit, after, closed_at=None)
    follow_rows.look_afresh(unit, after)
    _look_afresh(unit, game_id)
    closing.close_empty(unit, before)


def _look_afresh(unit: Unit, game_id: str) -> None:
    attached = follow_rows.attachment(unit.conn, game_id)
    if attached is not None:
        follow_rows.look_afresh(unit, attached.follow_id)


def pin(unit: Unit, game_id: str, place: int | None) -> bool:
    """Have the source at this place lead whatever happens, 0 for the first one; None: whichever is well. Whether that is new."""
    known = of_liveblog(unit.conn, game_id)
    wanted = pins(len(known), place)
    if [each.pinned for each in known] == wanted:
        return False
    pinned = zip(known, wanted, strict=True)
    rows = [{"game_id": game_id, "follow_id": each.follow_id, "pinned": how or ""} for each, how in pinned]
    write_batch(unit.conn, update_rows(standbys, rows))
    return True


def of_liveblog(conn: Connection, game_id: str) -> list[StandbySource]:
    """The sources that stand by for the liveblog, in their order."""
    return [StandbySource(**_read(row)) for row in _OF_LIVEBLOG.mappings(conn, game_id=game_id)]


def sources_with(conn: Connection, follow_ids: Collection[str]) -> list[MatchSources]:
    """All sources of the liveblogs of whose sources one is among these; of liveblogs with one source alone nothing."""
    wanted = sorted(follow_ids)
    rows = [row for query in _SOURCES for row in query.mappings(conn, follow_ids=wanted)] if wanted else []
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["game_id"], {})[row["follow_id"]] = row
    return [_sources(list(of_game.values())) for of_game in found.values()]


def _sources(rows: Sequence[dict[str, Any]]) -> MatchSources:
    facts = {name: rows[0][name] for name in _FACTS}
    own = [{name: value for name, value in row.items() if name not in _FACTS} for row in rows]
    return MatchSources(
        game_id=rows[0]["game_id"],
        provider=facts.pop("first_provider"),
        match_id=facts.pop("first_match_id"),
        standbys=tuple(WatchedStandby(**_read(row)) for row in own),
        **facts,
    )


def _read(row: dict[str, Any]) -> dict[str, Any]:
    state = row["state"]
    return {**row, "pinned": row["pinned"] or None, "state": None if state is None else bytes(state)}


def supported_by(conn: Connection, follow_id: str, serves: Callable[[str], bool] = lambda _: True) -> list[str]:
    """The follows of the matches for which this source stands by, in liveblogs of organizations that it `serves`."""
    rows = _SUPPORTED.all(conn, follow_id=follow_id)
    return list(dict.fromkeys(match for match, organization_id in rows if serves(organization_id)))


def save_states(unit: Unit, changed: Iterable[tuple[StandbyRow, PairState]]) -> None:
    """Save what is known of these pairs now, in the unit that writes the posts."""
    rows = [
        {"game_id": row.game_id, "follow_id": row.follow_id, "state": packed_state(state), "edition": row.edition + 1}
        for row, state in changed
    ]
    if rows:
        write_batch(unit.conn, update_rows(standbys, rows))


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
    return follow_rows.pack_body(_states().dump_json(state))


def unpacked_state(stored: bytes) -> PairState:
    """The state in what `packed_state` gave. Raises UnreadableRow."""
    try:
        return _states().validate_json(zlib.decompress(stored))
    except (zlib.error, ValueError) as error:
        raise UnreadableRow(f"standbys.state: {error}") from error


@cache
def _states() -> TypeAdapter[PairState]:
    return TypeAdapter(PairState)


def check_match(conn: Connection, attachment: follow_rows.Attachment, match: Match) -> None:
    """Raise Unprocessable where the match cannot stand by for that of the liveblog."""
    if match.sport not in COMPARABLE:
        raise Unprocessable(f"there are no standby sources for {match.sport}", field="matchId")
    _, belief = follow_rows.packed_match(conn, attachment.follow_id)
    why = None if belief is None else why_other_match(follow_rows.unpacked_belief(belief).match, match)
    if why is not None:
        raise OtherMatch(why, field="matchId")
