"""What a restored database begins with: versions and delivery numbers that nobody has seen, and news of what is as it was.

Receivers and readers have seen versions that the backup knows nothing of. So each liveblog goes on with a version beyond
all of them, and each delivery with a new number, of which its `webhook-id` is made.
"""

from __future__ import annotations

from sqlalchemy import Connection, case, delete, func, insert, literal, or_, select, text, update

from mapping.rules.versions import first_after_restore
from store.liveblogs.history_tables import game_versions
from store.tables import attachments, games, outbox, outbox_sequence, webhook_waiting, webhooks

IDS = {
    "sqlite": (
        "DELETE FROM sqlite_sequence WHERE name = 'webhook_waiting'",
        "INSERT INTO sqlite_sequence (name, seq) VALUES ('webhook_waiting', :first)",
    ),
    "postgresql": ("SELECT setval(pg_get_serial_sequence('webhook_waiting', 'id'), :first)",),
}
"""A test ping is named by the id of its row."""


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
