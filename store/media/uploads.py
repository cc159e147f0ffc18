"""Uploads: files that clients have stored, what refers to each of them, and those that nothing refers to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, not_, or_, select

from mapping.documents.scalars import UPLOADED
from mapping.errors import Unprocessable
from store.engine.statements import insert_rows, write_batch
from store.engine.unit import Unit
from store.media.tables import upload_uses, uploads
from store.public import liveblog_is_shown, post_is_shown
from store.tables import events

Kind = Literal["event", "game", "team", "player", "tournament"]
"""Kinds of records that refer to uploads. A game is named by its `id`, an event by its `local_id`."""
PREFIX = f"{UPLOADED}://"
"""How every address of an upload begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """The facts about an upload. Width and height in pixels, `digest` is SHA-256 in hex, `created_at` Unix seconds."""

    key: str
    organization_id: str
    client_id: str
    subtype: str
    content_type: str
    digest: str
    bytes: int
    width: int | None
    height: int | None
    created_at: int

    @property
    def url(self) -> str:
        return f"{PREFIX}{self.organization_id}/{self.key}"


def read_address(url: str) -> tuple[str, str] | None:
    """Organization and key that an `imageservice://` address names, whether or not there is such an upload; else None."""
    if not url.startswith(PREFIX):
        return None
    organization_id, _, key = url.removeprefix(PREFIX).partition("/")
    return organization_id, key


def create(unit: Unit, upload: Upload) -> None:
    """Note an upload whose file is stored already."""
    write_batch(unit.conn, insert_rows(uploads, [asdict(upload)]))


def find(conn: Connection, url: str) -> Upload | None:
    """The upload of that address; None where the organization that it names has none of that key."""
    address = read_address(url)
    if address is None:
        return None
    organization_id, key = address
    of_key = select(uploads).where(uploads.c.key == key, uploads.c.organization_id == organization_id)
    row = conn.execute(of_key).mappings().first()
    return None if row is None else Upload(**row)


def refer(unit: Unit, kind: Kind, record_id: str, keys: Mapping[str, bool]) -> None:
    """Say which uploads the record refers to from now on: key → whether readers of the record are shown it.

    Raises Unprocessable where one of them has gone since it was looked up; none can go while the unit lasts.
    """
    if keys:
        # The purge locks what it deletes, so one of the two waits for the other and then sees what it did.
        wanted = select(uploads.c.key).where(uploads.c.key.in_(keys)).with_for_update(read=True, key_share=True)
        if len(unit.conn.execute(wanted).all()) < len(keys):
            raise Unprocessable("there is no such upload")
    unit.conn.execute(delete(upload_uses).where(upload_uses.c.kind == kind, upload_uses.c.record_id == record_id))
    rows = [{"upload_key": key, "kind": kind, "record_id": record_id, "shown": shown} for key, shown in keys.items()]
    write_batch(unit.conn, insert_rows(upload_uses, rows))


def release_posts(unit: Unit, game_id: str) -> None:
    """Let the posts of a liveblog that is deleted refer to no upload any more."""
    posts = select(events.c.local_id).where(events.c.game_id == game_id)
    unit.conn.execute(delete(upload_uses).where(upload_uses.c.kind == "event", upload_uses.c.record_id.in_(posts)))


def is_shown(conn: Connection, key: str) -> bool:
    """Whether something published shows the upload: a record of master data, a liveblog, or an event in one."""
    published = or_(
        and_(upload_uses.c.kind == "event", post_is_shown(upload_uses.c.record_id)),
        and_(upload_uses.c.kind == "game", liveblog_is_shown(upload_uses.c.record_id)),
        upload_uses.c.kind.in_(("team", "player", "tournament")),
    )
    wanted = exists().where(upload_uses.c.upload_key == key, upload_uses.c.shown, published)
    return bool(conn.scalar(select(wanted)))


class Unreferenced(NamedTuple):
    """`keys` of uploads that nothing refers to, and the key `after` which to go on; None where there are no more."""

    keys: list[str]
    after: str | None


def unreferenced_keys(conn: Connection, before: int, limit: int, after: str = "") -> Unreferenced:
    """Which of the next `limit` uploads are from before that time (Unix seconds) and nothing refers to them."""
    query = select(uploads.c.key, uploads.c.created_at).where(uploads.c.key > after)
    rows = conn.execute(query.order_by(uploads.c.key).limit(limit)).all()
    old = [row.key for row in rows if row.created_at < before]
    used: set[str] = set()
    if old:
        of_these = and_(upload_uses.c.upload_key >= old[0], upload_uses.c.upload_key <= old[-1])
        used.update(conn.scalars(select(upload_uses.c.upload_key).where(of_these).distinct()))
    return Unreferenced([key for key in old if key not in used], rows[-1].key if len(rows) == limit else None)


def forget(unit: Unit, keys: Iterable[str]) -> list[str]:
    """Forget those of the uploads that nothing refers to now, and give their keys: their files may be deleted afterwards."""
    wanted = select(uploads.c.key).where(uploads.c.key.in_(list(keys))).order_by(uploads.c.key).with_for_update()
    locked = list(unit.conn.scalars(wanted))
    # A second statement: on PostgreSQL it sees what was committed while the first waited for its locks.
    unused = list(unit.conn.scalars(select(uploads.c.key).where(uploads.c.key.in_(locked), _UNUSED)))
    unit.conn.execute(delete(uploads).where(uploads.c.key.in_(unused)))
    return unused


def between(conn: Connection, after: str, until: str | None) -> dict[str, int]:
    """Uploads by their keys in the order of bytes, those greater than `after` and up to `until`: key → created at."""
    rows = select(uploads.c.key, uploads.c.created_at).where(uploads.c.key > after)
    if until is not None:
        rows = rows.where(uploads.c.key <= until)
    return {row.key: row.created_at for row in conn.execute(rows)}


_UNUSED: ColumnElement[bool] = not_(exists().where(upload_uses.c.upload_key == uploads.c.key))
