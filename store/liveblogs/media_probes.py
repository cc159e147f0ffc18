"""The queue of posts' files whose facts are not known yet: noted with the post, probed later, given up after some failures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, delete, select, update

from mapping.documents.scalars import LocalStatus
from mapping.errors import NotFound
from store.engine.liveblog_records import StoredEvent, StoredGame, check_document
from store.engine.statements import CompiledQuery
from store.engine.unit import Unit
from store.liveblogs import liveblogs
from store.media.tables import media_probes


class MediaProbe(NamedTuple):
    """A file to be probed. `tries`: how often that was begun, this one included."""

    media_id: str
    event_id: str
    organization_id: str
    url: str
    tries: int


class Finding(NamedTuple):
    """What came of a probe: the facts of the file, or why there are none, and when it is tried again (None: not)."""

    probe: MediaProbe
    facts: Mapping[str, Any] | None
    error: str | None = None
    next_at: float | None = None


_ANY_DUE = CompiledQuery(select(media_probes.c.media_id).where(media_probes.c.next_at <= bindparam("now")).limit(1))


def any_due(conn: Connection, now: float) -> bool:
    """Whether a file is to be probed now."""
    return _ANY_DUE.first(conn, now=now) is not None


def begin(unit: Unit, *, limit: int, without: Collection[str], again: float) -> list[MediaProbe]:
    """Take some `limit` files that are due, none of the organizations `without`; they are due again after `again` seconds.

    The files of a post are taken together, so that it learns of them in one step. A process that dies with a probe leaves
    it to the next one, and a file that kills processes has its tries counted.
    """
    due = media_probes.c.next_at <= unit.now
    first = (
        select(media_probes.c.event_id)
        .where(due, media_probes.c.organization_id.not_in(sorted(without)))
        .order_by(media_probes.c.next_at)
        .limit(limit)
    )
    events = sorted(set(unit.conn.scalars(first)))
    if not events:
        return []
    wanted = select(media_probes).where(due, media_probes.c.event_id.in_(events)).with_for_update(skip_locked=True)
    rows = unit.conn.execute(wanted).all()
    unit.conn.execute(
        update(media_probes)
        .where(media_probes.c.media_id.in_([row.media_id for row in rows]))
        .values(tries=media_probes.c.tries + 1, next_at=unit.now + again)
    )
    return [MediaProbe(row.media_id, row.event_id, row.organization_id, row.url, row.tries + 1) for row in rows]


def finish(unit: Unit, findings: Sequence[Finding]) -> int | None:
    """Write what was found of the files of one post, as one version step; None where the post learns nothing from it.

    A file that was taken away, or has another address meanwhile, is forgotten; so is a post that is deleted.
    """
    post = _post_of(unit, findings[0].probe.event_id)
    if post is None:
        _forget(unit, findings)
        return None
    event, game = post
    addresses = {file.get("local_id"): file.get("url") for file in _files(event)}
    failed = [each for each in findings if each.facts is None and addresses.get(each.probe.media_id) == each.probe.url]
    put_off(unit, failed)
    _forget(unit, [each for each in findings if each not in failed])
    found = {(each.probe.media_id, each.probe.url): each.facts for each in findings}
    media = [_add_facts(file, found.get((str(file.get("local_id")), str(file.get("url"))))) for file in _files(event)]
    if media == _files(event):
        return None
    write = event.rewritten(document={**event.document, "media": media}, updated_at=event.updated_at)
    after = liveblogs.rewrite(unit, game, (write,)).version
    return None if after == game.version else after


def _post_of(unit: Unit, event_id: str) -> tuple[StoredEvent, StoredGame] | None:
    """The post and its liveblog, locked; None where one of them is gone. Raises UnreadableRow."""
    try:
        event, game = liveblogs.lock_event(unit, event_id)
    except NotFound:
        return None
    if LocalStatus.DELETED in {event.local_status, game.local_status}:
        return None
    check_document(event)
    return event, game


def _files(event: StoredEvent) -> list[Mapping[str, Any]]:
    return list(event.document.get("media") or ())


def health(conn: Connection, game_id: str) -> list[dict[str, Any]]:
    """The files of a liveblog that are not probed yet, or could not be: for people who ask why."""
    rows = conn.execute(select(media_probes).where(media_probes.c.game_id == game_id).order_by(media_probes.c.media_id))
    return [
        {
            "media": row.media_id,
            "event": row.event_id,
            "tries": row.tries,
            "error": row.error,
            "next": row.next_at,
            "given_up": row.next_at is None,
        }
        for row in rows
    ]


def _add_facts(file: Mapping[str, Any], facts: Mapping[str, Any] | None) -> dict[str, Any]:
    """The file with what was found of it, if it still has the address that was probed.

    What the post says of a size itself stays; of the kind of the file its content knows better.
    """
    if facts is None or file.get("local_status") == LocalStatus.DELETED:
        return dict(file)
    missing = {name: value for name, value in facts.items() if not file.get(name)}
    still = {"duration_ms": 0} if facts["subtype"] == "i" else {}
    return {**file, **missing, **still, "subtype": facts["subtype"]}


def put_off(unit: Unit, findings: Iterable[Finding]) -> None:
    """Note why nothing was found, and when it is tried again."""
    for each in findings:
        noted = update(media_probes).values(error=each.error, next_at=each.next_at)
        unit.conn.execute(noted.where(*_same(each.probe)))


def _forget(unit: Unit, findings: Sequence[Finding]) -> None:
    for each in findings:
        unit.conn.execute(delete(media_probes).where(*_same(each.probe)))


def _same(probe: MediaProbe) -> tuple[ColumnElement[bool], ...]:
    return media_probes.c.media_id == probe.media_id, media_probes.c.url == probe.url
