"""Tables as full as they are after years, filled by the database itself: twenty thousand rows take it a tenth of a second.

Every liveblog is of one organization, because that is what costs the most.
"""

import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Boolean, Column, Connection, Double, LargeBinary, Table, Text
from sqlalchemy import text as sql

from store.engine.columns import Json
from store.schema import metadata
from tests.kit.day import ORGANIZATION

BORN = 1_600_000_000
"""When the first of them came to be, in Unix seconds; the others follow second by second."""
POSTS = 10
"""Posts of a liveblog, and of everything else that a liveblog has many of."""
FIRST = 10**11
"""The number of the first record, so that all have as many digits."""


def id_of(prefix: str, number: str) -> str:
    """SQL of 24 hex digits: a prefix of twelve, and the number that `number` is the SQL of."""
    return f"('{prefix}' || CAST({FIRST} + {number} AS TEXT))"


def numbered(letter: str) -> str:
    """SQL of a short id: a letter and the number."""
    return f"('{letter}' || CAST({FIRST} + n AS TEXT))"


GAME, FOLLOW, TEAM, PLAYER, UPLOAD, WEBHOOK = (f"5f0c1de2a1b{digit}" for digit in "abcdef")
OWN_GAME, OWN_FOLLOW = id_of(GAME, "n"), id_of(FOLLOW, "n")
"""Of a table with one row for each liveblog or match."""
POST = numbered("e")
AGO = f"({BORN} + n)"
SOON = "soon"
"""Stands for a time some minutes after the rows are made."""
DAY = BORN - BORN % 86_400
QUARTER = f"({DAY} + n % 1000 * 900)"
EXT_ID, READER = "('100' || n)", "('reader ' || (n % 977))"
ONE_OF_MANY = f"(CASE WHEN n < 50 THEN '{ORGANIZATION}' ELSE 'other ' || (n / 50) END)"
ONE_OF_TEN = f"(CASE WHEN n % 10 = 0 THEN '{ORGANIZATION}' ELSE 'other ' || (n % 10) END)"
MONTH_OR_DAY = "(CASE WHEN n % 1000 = 0 THEN '2020-09' ELSE '2020-09-' || (10 + n % 20) END)"
SITE = {"origin": "'https://example.org'", "location": "'https://example.org/a'"}
BELIEVED = {"believed_at": f"(1000.0 * {SOON})", "answers": "'{}'"}

BY_NAME = {
    "organization_id": f"'{ORGANIZATION}'",
    "owner_id": f"'{ORGANIZATION}'",
    "game_id": id_of(GAME, f"(n / {POSTS})"),
    "follow_id": id_of(FOLLOW, f"(n / {POSTS})"),
    "local_id": POST,
    "reader_id": READER,
    "provider": "'gone'",
    "source": "'heim'",
    "sportstype": "'soccer'",
    "until": AGO,
    "created_at": AGO,
    "updated_at": AGO,
    "written_at": AGO,
    "at": AGO,
}
"""What a column says in every table that does not say otherwise."""
GROWING: Mapping[str, Mapping[str, str]] = {
    "games": {"id": OWN_GAME, "local_id": numbered("g"), "template_id": "'soccer'", "local_status": "0", "version": "1"},
    "events": {
        "serial": f"(n % {POSTS})", "local_status": "0", "version": "1", "sort": f"CAST({FIRST} + n AS TEXT)",
    },
    "parts": {"local_id": numbered("b"), "event_id": POST},
    "outbox": {"version": f"(n % {POSTS} + 1)", "number": "(n + 1)"},
    "teams": {"id": id_of(TEAM, "n"), "ext_id": EXT_ID, "name": "('Name ' || n)"},
    "players": {
        "id": id_of(PLAYER, "n"), "team_id": id_of(TEAM, f"(n / {POSTS})"), "ext_id": EXT_ID, "name": "('Name ' || n)",
    },
    "tournaments": {"id": id_of("5f0c1de2a1c0", "n"), "ext_id": EXT_ID, "name": "('Name ' || n)"},
    "locations": {"id": id_of("5f0c1de2a1c1", "n"), "ext_id": EXT_ID, "name": "('Name ' || n)"},
    "tokens": {
        "record_id": id_of(PLAYER, "n"), "token": f"('word' || (n % 977) || 'x' || (n % {POSTS}))", "kind": "'players'",
    },
    "game_links": {"game_id": OWN_GAME, "kind": "'team'", "value": id_of(TEAM, f"(n / {POSTS})")},
    "game_records": {"game_id": OWN_GAME, "kind": "'Team'", "record_id": id_of(TEAM, f"(n / {POSTS})")},
    "creations": {"game_id": OWN_GAME},
    "follows": {
        "id": OWN_FOLLOW, "endpoint": "'gone'", "match_id": "('8' || n)", "sport": "'soccer'", "status": "'ended'",
        "kickoff": AGO,
        "closed_at": AGO, "edition": "0",
    },
    "resources": {"name": f"('part' || (n % {POSTS}))"},
    "beliefs": {"follow_id": OWN_FOLLOW},
    "attachments": {"game_id": OWN_GAME, "follow_id": OWN_FOLLOW, "match_id": "('8' || n)", "closed_at": AGO},
    "standbys": {"game_id": OWN_GAME, "place": "1", "pinned": "''", "edition": "0"},
    "rule_matches": {"locale": "'de'", "provider": "'heim'", "match_id": "('8' || n)", "kickoff": AGO, "made_at": SOON},
    "follow_rules": {"organization_id": ONE_OF_MANY, "key": "('rule ' || n)", "fields": "'{}'", "changed_at": AGO},
    "missed_matches": {
        "organization_id": ONE_OF_TEN, "rule": "'league'", "provider": "'heim'", "match_id": "('8' || n)", "kickoff": AGO,
        "since": AGO,
    },
    "source_links": {
        "organization_id": ONE_OF_TEN, "kind": "'team'", "first_provider": "'heim'", "first_id": "('8' || n)",
        "second_provider": "'pa'", "second_id": "('9' || n)",
    },
    "standby_searches": {
        "organization_id": ONE_OF_TEN, "game_id": OWN_GAME, "provider": "'pa'", "state": "'made'", "question": "'{}'",
        "kickoff": AGO,
    },
    "source_health": {"follow_id": OWN_FOLLOW, "attentive_since": "1", "poll_interval": "5", "trouble": "''"},
    "ledger": {"key": f"('k' || (n % {POSTS}))", "local_id": POST, "kind": "'incident'", "state": "'posted'"},
    "post_times": {"version": "(n + 1)", "what": "'posted'", **BELIEVED},
    "decisions": {"versions": "'{}'", **BELIEVED},
    "idempotency": {"client_id": "'cms'", "key": "('key ' || n)"},
    "webhooks": {
        "id": id_of(WEBHOOK, "n"), "organization_id": ONE_OF_MANY, "url": "('https://example.org/' || n)",
        "status": "'disabled'", "cursor": "0", "failures": "0",
        "secrets": """'[{"value": "whsec_AAAA", "until": null}]'""",
    },
    "webhook_waiting": {"webhook_id": id_of(WEBHOOK, "n"), "kind": "'update'", "next_at": SOON},
    "webhook_rounds": {
        "webhook_id": id_of(WEBHOOK, "(n % 50)"), "organization_id": ONE_OF_TEN, "number": "(n + 1)", "kind": "'update'",
        "success": "(n % 1000 > 0)",
    },
    "event_history": {},
    "game_versions": {"game_id": OWN_GAME},
    "game_documents": {"game_id": OWN_GAME},
    "master_history": {"kind": "'players'", "record_id": id_of(PLAYER, "n")},
    "load_counts": {"game_id": id_of(GAME, "(n / 1000)"), "slot": QUARTER, **SITE},
    "load_days": {"game_id": id_of(GAME, "(n / 20)"), "slot": f"({DAY} + n % 20 * 86400)", **SITE},
    "load_rollups": {"game_id": OWN_GAME, "until": f"{DAY + 20 * 86_400}"},
    "reader_sketches": {
        "game_id": id_of(GAME, "(n / 1000)"), "salt": MONTH_OR_DAY, "slot": QUARTER, **SITE, "location": "''",
    },
    "comments": {"serial": "(n + 1)", "id": numbered("c"), "channel_id": POST, "status": "'approved'"},
    "comment_likes": {"comment_id": numbered("c"), "reader_id": "'reader'"},
    "poll_votes": {"poll_id": "'p1'", "reader_id": "('reader ' || n)"},
    "poll_tallies": {"game_id": OWN_GAME, "poll_id": "'p1'"},
    "reader_sign_ins": {"jti_digest": "('jti ' || n)"},
    "uploads": {"key": id_of(UPLOAD, "n"), "client_id": "'cms'"},
    "upload_uses": {"upload_key": id_of(UPLOAD, "n"), "kind": "'event'", "record_id": POST},
    "image_uses": {"image": "('https://img.example/' || n)", "kind": "'event'", "record_id": POST},
    "alarms": {
        "id": id_of("5f0c1de2a1c2", "n"), "kind": "'endpoint'", "name": "'heim'", "ended_at": AGO, "announced": "'ended'",
    },
}  # fmt: skip
"""Tables that grow with every liveblog, post, reader or request, and what their rows say, as SQL of the row's number `n`."""
BY_KIND = ((Boolean, "false"), (Text, "''"), (Double, f"({BORN} + n)"))


def fill(connection: Connection, rows: int, **more: int) -> None:
    """Put so many rows into each of the tables, or those of `more`; what a column says that is not named follows from its kind."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET session_replication_role = replica")  # foreign keys are not checked
        for (
            name
        ) in GROWING:  # as full as it was at the beginning, whatever is purged meanwhile and however long that takes
            connection.exec_driver_sql(f"ALTER TABLE {name} SET (autovacuum_enabled = false)")
    for name, said in GROWING.items():
        if number := more.get(name, rows):
            _fill(connection, metadata.tables[name], said, number)
    connection.execute(sql("UPDATE outbox_sequence SET last = (SELECT coalesce(max(number), 0) FROM outbox)"))
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET session_replication_role = DEFAULT")


def _fill(connection: Connection, table: Table, said: Mapping[str, str], rows: int) -> None:
    columns = [column for column in table.c if column.name in said or not column.nullable]
    if table.primary_key.columns.values()[0].autoincrement is True:
        columns = [column for column in columns if column.name in said or not column.primary_key]
    names = ", ".join(column.name for column in columns)
    known = {**BY_NAME, **said}
    values = ", ".join(known.get(column.name) or _by_kind(column, connection.dialect.name) for column in columns)
    values = values.replace(SOON, str(int(time.time()) + 300))
    if connection.dialect.name == "sqlite":
        numbers = f"WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows - 1})"
        connection.execute(sql(f"INSERT INTO {table.name} ({names}) {numbers} SELECT {values} FROM numbers"))
    else:
        source = f"generate_series(CAST(0 AS bigint), {rows - 1}) AS numbers(n)"
        connection.execute(sql(f"INSERT INTO {table.name} ({names}) SELECT {values} FROM {source}"))


def _by_kind(column: Column[Any], dialect: str) -> str:
    """SQL of a value that the column takes."""
    if isinstance(column.type, Json):
        return "'{}'"
    if isinstance(column.type, LargeBinary):
        return "CAST('' AS BLOB)" if dialect == "sqlite" else "CAST('' AS BYTEA)"
    for kind, value in BY_KIND:
        if isinstance(column.type, kind):
            return value
    return "n"
