"""Moves matches and liveblogs to another id, or to another endpoint (a new password, base URL or language).

What is believed of a match moves with it, so that nothing is taken back, nor given back, because of a setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, delete, exists, false, or_, select, true, union, update

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.match.match import Match
from store.engine.errors import UnreadableRow
from store.engine.unit import Unit
from store.following import closing, follow_rows, ledger, sources
from store.following import standbys as standbys_of
from store.following.standby_tables import standbys
from store.liveblogs.event_rows import in_chunks
from store.tables import attachments, beliefs, follows, resources


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """An organization that has reached a provider by an endpoint, as the followed matches say."""

    organization_id: str
    provider: str
    endpoint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSource:
    """Where a liveblog gets its match from: the follow and its endpoint; or the source that `stands_by` for it.

    `closed`: the match is followed no longer, though it has not finished this liveblog.
    """

    game_id: str
    organization_id: str
    provider: str
    follow_id: str
    endpoint: str
    stands_by: bool = False
    closed: bool = False


def accesses(conn: Connection) -> list[Access]:
    """All of them, also those of matches that are followed no longer."""
    table, joined = attachments.c, attachments.join(follows, follows.c.id == attachments.c.follow_id)
    shared = select(table.organization_id, table.provider, follows.c.endpoint).select_from(joined)
    own = select(follows.c.organization_id, follows.c.provider, follows.c.endpoint)
    beside = standbys.join(attachments, attachments.c.game_id == standbys.c.game_id).join(
        follows, follows.c.id == standbys.c.follow_id
    )
    standing_by = select(attachments.c.organization_id, follows.c.provider, follows.c.endpoint).select_from(beside)
    return [
        Access(organization_id=row[0], provider=row[1], endpoint=row[2])
        for row in conn.execute(union(shared, own, standing_by))
    ]


def match_sources(conn: Connection) -> list[MatchSource]:
    """Of every liveblog that is open, deleted ones too where the match is followed; and those followed that stand by for one."""
    table, followed = attachments.c, follows.c.closed_at.is_(None)
    facts = table.game_id, table.organization_id, follows.c.endpoint, follows.c.closed_at
    on_it = (
        select(*facts, table.provider, table.follow_id, false().label("stands_by"))
        .join(follows, follows.c.id == table.follow_id)
        .where(table.closed_at.is_(None), or_(followed, follow_rows.OPEN))
    )
    beside = (
        select(*facts, follows.c.provider, standbys.c.follow_id, true().label("stands_by"))
        .join(standbys, standbys.c.game_id == table.game_id)
        .join(follows, follows.c.id == standbys.c.follow_id)
        .where(followed, table.closed_at.is_(None))
    )
    rows = [row._asdict() for query in (on_it, beside) for row in conn.execute(query)]
    return [
        MatchSource(closed=row.pop("closed_at") is not None, stands_by=bool(row.pop("stands_by")), **row)
        for row in rows
    ]


def move_matches(unit: Unit, access: Access, endpoint: str) -> int:
    """Have all matches of which this organization alone has liveblogs followed at `endpoint` from now on; how many there are.

    Those that are closed move too, with everything that is known of them. Not moved are matches that the endpoint has.
    """
    there = follows.alias()
    others = attachments.c.organization_id != access.organization_id
    mine = attachments.c.organization_id == access.organization_id
    moving = and_(
        follows.c.endpoint == access.endpoint,
        follows.c.provider == access.provider,
        ~closing.followed_for(follows.c.id, others),
        closing.followed_for(follows.c.id, mine) | (follows.c.organization_id == access.organization_id),
        ~exists().where(there.c.endpoint == endpoint, there.c.match_id == follows.c.match_id),
    )
    values = {"endpoint": endpoint, "owner": None, "fence": follows.c.fence + 1, "joined": follows.c.joined + 1}
    moved = unit.conn.scalars(update(follows).where(moving).values(values).returning(follows.c.id)).all()
    for chunk in in_chunks(moved):  # another endpoint knows nothing of these validators
        known = update(resources).where(resources.c.follow_id.in_(chunk))
        unit.conn.execute(known.values(etag=None, digest=None))
    return len(moved)


def move_liveblog(unit: Unit, home: MatchSource, endpoint: str) -> None:
    """Put a liveblog on the same match of `endpoint`, with what the sync knows of both; nothing where it is gone from its own.

    A match that nobody is left on is closed. Where it stands by for the liveblog's match, that of `endpoint` does from then on.
    One that is at `endpoint` already is followed again.
    """
    before = follow_rows.follow(unit.conn, home.follow_id)
    attached = follow_rows.attachment(unit.conn, home.game_id)
    if before is None or attached is None:
        return
    if before.endpoint == endpoint:
        closing.open_again(unit, home.game_id, before.id)
        follow_rows.look_afresh(unit, before.id)
    elif home.stands_by:
        _move_standby(unit, home.game_id, before.id, _there(unit, before, home, endpoint).id)
    elif attached.follow_id == before.id:
        after = _there(unit, before, home, endpoint)
        take_along(unit, home.game_id, before.id, after.id)
        on_it = attachments.c.game_id == home.game_id
        unit.conn.execute(update(attachments).where(on_it).values(follow_id=after.id))
        follow_rows.save_follow(unit, after.id, closed_at=None)
        closing.close_empty(unit, before.id)


def change_standbys(unit: Unit, game_id: str, follow_ids: Sequence[str]) -> bool:
    """Have these sources stand by for the liveblog's match, in this order, and no others; whether anything changes.

    One that is a match of those before under another id takes its place, with all that is known of it.
    """
    known, renamed = standbys_of.of_liveblog(unit.conn, game_id), False
    rows = [
        follow_rows.follow(unit.conn, follow_id) for follow_id in {*follow_ids} - {each.follow_id for each in known}
    ]
    for before in [follow_rows.follow(unit.conn, each.follow_id) for each in known if each.follow_id not in follow_ids]:
        for after in rows:
            if before is not None and after is not None and follow_rows.is_same(before, after):
                _move_standby(unit, game_id, before.id, after.id)
                renamed = True
    return standbys_of.save_sources(unit, game_id, follow_ids) or renamed


def _move_standby(unit: Unit, game_id: str, before_id: str, after_id: str) -> None:
    take_along(unit, game_id, before_id, after_id)
    standbys_of.move(unit, game_id, before_id, after_id)


def _there(unit: Unit, before: follow_rows.FollowRow, home: MatchSource, endpoint: str) -> follow_rows.FollowRow:
    """The same match at `endpoint`."""
    same = {name: getattr(before, name) for name in ("provider", "match_id", "sport", "status", "kickoff", "teams")}
    return follow_rows.follow_for(
        unit, follow_rows.NewFollow(endpoint=endpoint, organization_id=home.organization_id, **same)
    )


def earlier_follow(conn: Connection, game_id: str, follow_id: str, match: Match) -> str | None:
    """The follow with which the liveblog was on this match before: of another id or endpoint; None where there is none."""
    known = select(follows).where(follows.c.id.in_(ledger.matches_of(game_id)), follows.c.id != follow_id)
    rows = conn.execute(known.where(follows.c.provider == match.provider).order_by(follows.c.id.desc()))
    return next((row.id for row in map(follow_rows.follow_of, rows) if follow_rows.is_match(row, match)), None)


def take_along(unit: Unit, game_id: str, before_id: str, after_id: str) -> None:
    """Have what the sync knows of a match, and of the liveblog on it, count for the same match of another endpoint or id."""
    for follow_id in sorted((before_id, after_id)):
        sources.lock(unit, follow_id)
    _move_belief(unit, before_id, after_id)
    ledger.move(unit, game_id, before_id, after_id)
    follow_rows.look_afresh(unit, after_id)


def _move_belief(unit: Unit, before_id: str, after_id: str) -> None:
    """What is believed of a match that serves no liveblog at its new place is what was believed at the old one.

    Where it does, that counts; what only the old one knew of is a step back, which waits to be confirmed.
    """
    _, old = follow_rows.packed_match(unit.conn, before_id)
    if not (follow_rows.attachments_of(unit.conn, after_id) or standbys_of.supported_by(unit.conn, after_id)):
        unit.conn.execute(delete(beliefs).where(beliefs.c.follow_id == after_id))
        unit.conn.execute(delete(resources).where(resources.c.follow_id == after_id))
    if old is None:
        return
    _, new = follow_rows.packed_match(unit.conn, after_id)
    merged = old if new is None else _both(old, new)
    if merged is not None:
        follow_rows.save_belief(unit, after_id, merged)
        follow_rows.save_follow(unit, after_id, pending=True)


def _both(old: bytes, new: bytes) -> bytes | None:
    """The newer belief with what only the older one has; None where one of them cannot be read."""
    try:
        before, now = follow_rows.unpacked_belief(old), follow_rows.unpacked_belief(new)
    except UnreadableRow:
        return None
    merged = confirm_answer(ConfirmedMatch(before.match), now.match, good=frozenset())
    return follow_rows.packed_belief(ConfirmedMatch(merged.match, now.doubted))
