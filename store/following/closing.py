"""Ends the following of matches: closes liveblogs with their match, and matches that no liveblog is on.

Closing belongs to the liveblog on the match. A match is followed while one of its liveblogs is open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from sqlalchemy import ColumnElement, Connection, delete, exists, or_, select, update

from mapping.documents.scalars import LocalStatus
from store.engine.unit import Unit
from store.following.follow_rows import OPEN, save_follow
from store.following.standby_tables import standbys
from store.tables import attachments, beliefs, follows, games, resources

FORGOTTEN = 50
"""Matches whose bodies one unit drops, or that it closes."""


def followed_for(follow_id: ColumnElement[str], *only: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether a liveblog is on this match, or it stands by for one that a liveblog is on; of these attachments `only`."""
    stands_by = standbys.c.follow_id == follow_id, standbys.c.game_id == attachments.c.game_id
    return or_(exists().where(attachments.c.follow_id == follow_id, *only), exists().where(*stands_by, *only))


_ABANDONED = (follows.c.closed_at.is_(None), followed_for(follows.c.id), ~followed_for(follows.c.id, OPEN))
"""The match is open, liveblogs have been on it, and none is any more."""


def close_match(unit: Unit, follow_id: str, serves: Callable[[str], bool] = lambda _: True) -> None:
    """Follow the match no longer, and close every liveblog on it: what comes later writes none of them.

    Not those of organizations that it does not serve now: they have missed how it ended, and stay open for the day it does.
    """
    is_open = attachments.c.follow_id == follow_id, attachments.c.closed_at.is_(None)
    rows = unit.conn.execute(select(attachments.c.game_id, attachments.c.organization_id).where(*is_open)).all()
    closed = [row.game_id for row in rows if serves(row.organization_id)]
    unit.conn.execute(update(attachments).where(attachments.c.game_id.in_(closed)).values(closed_at=unit.now))
    save_follow(unit, follow_id, closed_at=unit.now)
    for standby in unit.conn.scalars(select(standbys.c.follow_id).where(standbys.c.game_id.in_(closed))).all():
        close_empty(unit, standby)


def open_again(unit: Unit, game_id: str, follow_id: str) -> None:
    """Have the sync write this liveblog again, and no other one on its match that is closed."""
    closed = update(attachments).where(attachments.c.game_id == game_id, attachments.c.closed_at.is_not(None))
    unit.conn.execute(closed.values(closed_at=None))
    for each in (
        follow_id,
        *unit.conn.scalars(select(standbys.c.follow_id).where(standbys.c.game_id == game_id)).all(),
    ):
        save_follow(unit, each, closed_at=None)


def close_empty(unit: Unit, follow_id: str) -> None:
    """Follow the match no longer where no liveblog on it is open, nor one for which it stands by."""
    empty = ~followed_for(follows.c.id, attachments.c.closed_at.is_(None))
    closed = update(follows).where(follows.c.id == follow_id, follows.c.closed_at.is_(None), empty)
    unit.conn.execute(closed.values(closed_at=unit.now))


def close_unattached(unit: Unit, organization_id: str) -> None:
    """Follow none of the organization's matches that no liveblog is on, as those are that only a ledger names."""
    nobody = ~followed_for(follows.c.id)
    closed = update(follows).where(follows.c.organization_id == organization_id, follows.c.closed_at.is_(None), nobody)
    unit.conn.execute(closed.values(closed_at=unit.now))


def abandoned_matches(conn: Connection) -> list[str]:
    """Matches that are followed although every liveblog on them was deleted."""
    return list(conn.scalars(select(follows.c.id).where(*_ABANDONED)))


def close_abandoned(unit: Unit) -> list[str]:
    """Follow some of those matches no longer; a liveblog that is created later opens its match again. Gives their ids.

    First their rows are locked, against a liveblog that is attached at this moment, then checked again.
    """
    locked = select(follows.c.id).where(*_ABANDONED).limit(FORGOTTEN).with_for_update(skip_locked=True, of=follows)
    ids = unit.conn.scalars(locked).all()
    still = update(follows).where(follows.c.id.in_(ids), *_ABANDONED)
    return list(unit.conn.scalars(still.values(closed_at=unit.now).returning(follows.c.id)))


def closed_with_bodies(conn: Connection, limit: int = FORGOTTEN) -> list[str]:
    """Matches that are followed no longer and whose bodies are still there, so many of them."""
    followed = exists().where(follows.c.id == resources.c.follow_id, follows.c.closed_at.is_(None))
    kept = select(resources.c.follow_id).where(resources.c.body.is_not(None), ~followed)
    return list(conn.scalars(kept.distinct().limit(limit)))


def forget_bodies(unit: Unit, follow_ids: Collection[str]) -> int:
    """Drop the bodies of these, where they are still closed; of one that is opened again everything is fetched anyway.

    What is believed of a match stays as long as a liveblog stands that was made of it and may be opened again.
    """
    closed = select(follows.c.id).where(follows.c.id.in_(follow_ids), follows.c.closed_at.is_not(None))
    where = resources.c.follow_id.in_(closed), resources.c.body.is_not(None)
    forgotten = {"body": None, "etag": None, "digest": None}
    stands = followed_for(
        beliefs.c.follow_id, attachments.c.game_id == games.c.id, games.c.local_status != LocalStatus.DELETED
    )
    unit.conn.execute(delete(beliefs).where(beliefs.c.follow_id.in_(closed), ~stands))
    return unit.conn.execute(update(resources).where(*where).values(forgotten)).rowcount
