"""Backups: the whole database as it stood at one instant, taken beside a daemon that writes, and put back while none runs.

The backup of a SQLite file is a SQLite file, that of a PostgreSQL a dump of `pg_dump`. The files of uploads stand elsewhere.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, case, delete, func, insert, literal, or_, select, text, update
from sqlalchemy.engine import URL

from mapping.rules.webhook_delivery import first_after_restore
from store.engine import migrate
from store.engine.errors import AlreadyRunning, StoreError, store_errors
from store.engine.settings import database_file, name_of, parse_url
from store.engine.sqlite import backend as sqlite
from store.engine.sqlite import file_copy as files
from store.liveblogs.history_tables import game_versions
from store.tables import attachments, games, outbox, outbox_sequence, webhook_waiting, webhooks

T = TypeVar("T")
LOOKS, AGAIN = 10, 0.2
"""How often it is looked again for connections of a process that may have just ended, and seconds between two looks."""
OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND application_name LIKE 'matchwire%' AND pid <> pg_backend_pid()"
)


IDS = {
    "sqlite": (
        "DELETE FROM sqlite_sequence WHERE name = 'webhook_waiting'",
        "INSERT INTO sqlite_sequence (name, seq) VALUES ('webhook_waiting', :first)",
    ),
    "postgresql": ("SELECT setval(pg_get_serial_sequence('webhook_waiting', 'id'), :first)",),
}
"""A test ping is named by the id of its row."""


def backup(url: str, target: Path) -> None:
    """Write what the database at `url` holds to the new file `target`.

    Raises StoreError where there is such a file, or no database, or the copy is not sound; StoreUnavailable.
    """
    parsed = parse_url(url)
    with store_errors():
        if parsed.get_backend_name() == "sqlite":
            files.copy(_file(parsed, must_exist=True), target)
            return
        from store.engine.postgres.dump import dump

        if migrate.current(url) is None:
            raise StoreError(f"the database {name_of(url)} is empty: there is nothing to keep")
        dump(parsed, target)


def restore(url: str, source: Path, *, replace: bool = False) -> Path | None:
    """Put the backup `source` into the database at `url`, and bring it to this version's schema.

    A SQLite file that stands there is kept under another name, which is the result; a PostgreSQL is emptied first, in the
    same transaction. Raises AlreadyRunning while a daemon uses the database, StoreError where there is one and `replace`
    does not say that it may go, or where `source` is no sound backup, SchemaOutdated where this version does not know its
    schema; StoreUnavailable.

    Versions and delivery numbers go on beyond all that was ever given (`begin_anew`). However it ends, what stands
    there is the old database or the new one, whole; a PostgreSQL that was left half done serves nobody until it is done.
    """
    parsed = parse_url(url)
    with store_errors():
        if parsed.get_backend_name() == "sqlite":
            return _restore_file(parsed, _file(parsed), source, replace)
        _restore_dump(url, parsed, source, replace)
        return None


def _restore_file(url: URL, file: Path, source: Path, replace: bool) -> Path | None:
    _require_known(files.schema_of(source), source)
    with migrate.file_locked(url):
        if file.exists() and not replace:
            raise StoreError(f"{file} is there already: --replace puts it aside")
        fresh = files.fresh(file)
        files.copy(source, fresh)
        sqlite.run_once(url.set(database=str(fresh)), migrate.PATIENT, _finish)
        files.fold_wal(fresh)
        return files.exchange(file, fresh)


def _require_known(schema: str, source: Path) -> None:
    if not migrate.FIRST <= schema <= migrate.head():
        raise migrate.other_schema(schema, "", str(source))


def _finish(conn: Connection) -> None:
    migrate.upgrade_connection(conn)
    begin_anew(conn, int(time.time()))


def _restore_dump(url: str, parsed: URL, source: Path, replace: bool) -> None:
    from store.engine.postgres.backend import run_once
    from store.engine.postgres.dump import begin_restore, end_restore, is_free, load, schema_of

    def once(work: Callable[[Connection], T]) -> T:
        return asyncio.run(run_once(parsed, migrate.PATIENT, work))

    def finish(conn: Connection) -> None:
        end_restore(conn)
        _finish(conn)

    _require_known(schema_of(source), source)
    if not replace and not once(is_free):
        raise StoreError(f"the database {name_of(url)} is not empty: --replace overwrites it")
    for _ in range(LOOKS):  # a busy server takes a moment to see that a process has ended
        if not (others := once(lambda conn: int(conn.execute(OTHERS).scalar_one()))):
            break
        time.sleep(AGAIN)
    if others:
        raise AlreadyRunning(f"{others} connections of matchwire are open: stop all its processes first")
    once(begin_restore)
    try:
        load(parsed, source)
    except StoreError:  # in one transaction, so all is as it was
        once(end_restore)
        raise
    once(finish)


def _file(url: URL, *, must_exist: bool = False) -> Path:
    file = database_file(url)
    if file is None or (must_exist and not file.exists()):
        raise StoreError(f"there is no database {file or url.database}")
    return file


def begin_anew(conn: Connection, now: int) -> None:
    """Have all liveblogs and deliveries go on with new numbers, `now` being Unix seconds.

    Each liveblog that the log of deliveries knows, or that follows its match, steps its version and is delivered once; what
    waits for its delivery, a first or another one, goes: the step says it too.
    """
    first = first_after_restore(now)
    logged, followed = select(outbox.c.game_id), select(attachments.c.game_id).where(attachments.c.closed_at.is_(None))
    lately = or_(games.c.id.in_(logged), games.c.id.in_(followed))
    stepped = (lately, games.c.updated_at < now)
    before = select(games.c.id, literal(now), games.c.version, games.c.updated_at).where(*stepped)
    conn.execute(insert(game_versions).from_select(["game_id", "until", "version", "updated_at"], before))
    conn.execute(update(games).where(*stepped).values(updated_at=now))
    conn.execute(update(games).values(version=case((games.c.version < first, first), else_=games.c.version + 1)))
    known = select(games.c.id, games.c.local_id, games.c.organization_id, games.c.version, literal(now))
    columns = ["game_id", "local_id", "organization_id", "version", "at"]
    conn.execute(insert(outbox).from_select(columns, known.where(lately)))
    conn.execute(delete(outbox).where(outbox.c.number.is_(None), outbox.c.version < first))
    conn.execute(update(webhooks).values(cursor=select(func.max(outbox_sequence.c.last)).scalar_subquery()))
    conn.execute(delete(webhook_waiting))
    continue_numbers(conn, now)


def continue_numbers(conn: Connection, now: int) -> None:
    """Have deliveries go on with numbers that no other database has given before `now` (Unix seconds)."""
    first = first_after_restore(now)
    conn.execute(update(outbox_sequence).where(outbox_sequence.c.last < first).values(last=first))
    for statement in IDS[conn.dialect.name]:
        conn.execute(text(statement), {"first": first})
