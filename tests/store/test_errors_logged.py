"""What an error of the database says in a log: nothing that readers or clients have sent."""

from __future__ import annotations

import io
import json

import pytest
import structlog
from sqlalchemy import insert, text

from ingest.telemetry import logs
from store.engine.errors import brief_reason
from store.tables import events

SENT = "What-A-Stranger-Has-Sent"


@pytest.fixture
def lines(monkeypatch):
    """Log lines as the daemon writes them into its file."""
    before, written = structlog.get_config(), io.StringIO()
    monkeypatch.setattr(logs.BestEffortStream, "of", lambda _file: written)
    logs.configure("info", "json")
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    structlog.reset_defaults()
    structlog.configure(**before)


async def test_no_error_of_the_database_repeats_what_was_sent(store, game, lines):
    """A row that is there already, one that refers to nothing, and a text that no index takes: not in the cause, nor its trace."""

    def twice(unit):
        for _ in range(2):
            unit.conn.execute(insert(events).values(row(game.id)))

    def of_nothing(unit):
        unit.conn.execute(insert(events).values(row(SENT)))
        unit.conn.execute(
            text("SET CONSTRAINTS ALL IMMEDIATE") if unit.conn.dialect.name == "postgresql" else text("SELECT 1")
        )

    def broken(unit):
        unit.conn.execute(text("SELECT nothing FROM events WHERE local_id = :sent"), {"sent": SENT})

    for work in (twice, of_nothing, broken):
        with pytest.raises(Exception) as raised:  # noqa: PT011 -- whatever the driver makes of it
            await store.write(work)
        structlog.get_logger().error("planted", cause=brief_reason(raised.value), exc_info=raised.value)

    assert len(lines()) == 3
    assert SENT not in json.dumps(lines())


def row(game_id):
    return {
        "local_id": SENT, "game_id": game_id, "serial": 1, "sort": SENT, "local_status": 0, "created_at": 1,
        "updated_at": 1, "version": 1, "user_id": SENT, "doc": {"headline": SENT},
    }  # fmt: skip
