"""What an error means: who has to change something, and nothing that somebody has sent."""

import io
import json

import pytest
import structlog
from sqlalchemy import exc, insert, text

from ingest.telemetry import logs
from store.engine.errors import DatabaseRefused, brief_reason, connect_error, reason
from store.engine.settings import parse_url
from store.tables import events

URL = parse_url("postgresql://newsroom:secret@db/liveblogs")
AT = 'connection failed: connection to server at "newsroom" (10.0.0.1), port 5432 failed: '


def failed(words):
    return exc.OperationalError(None, None, Exception(words))


@pytest.mark.parametrize(
    "words",
    [
        'FATAL:  password authentication failed for user "newsroom"',
        "FATAL:  Passwort-Authentifizierung für Benutzer »newsroom« fehlgeschlagen",
        "FATAL:  authentification par mot de passe échouée pour l'utilisateur « newsroom »",
        'FATAL:  database "liveblogs" does not exist',
        'FATAL:  no pg_hba.conf entry for host "10.0.0.2", user "newsroom", database "liveblogs", no encryption',
        'FATAL:  permission denied for database "liveblogs"\nDETAIL:  User does not have CONNECT privilege.',
    ],
)
def test_who_is_named_by_the_server_is_refused(words):
    """In whatever language it speaks; the reason is one line without the address."""
    error = connect_error(failed(AT + words), URL)

    assert isinstance(error, DatabaseRefused)
    assert words.partition("\n")[0].removeprefix("FATAL:  ").split() == reason(failed(AT + words)).split()
    assert "10.0.0.1" not in str(error)


@pytest.mark.parametrize(
    "words",
    [
        AT + "FATAL:  the database system is starting up",
        AT + "FATAL:  sorry, too many clients already",
        AT + 'FATAL:  too many connections for role "newsroom"',
        AT + "Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?",
        'connection failed: could not translate host name "newsroom" to address: Name or service not known',
    ],
)
def test_what_names_nobody_is_a_matter_of_waiting(words):
    """A server that starts, is full or away; a host that is called like the user is no refusal."""
    error = failed(words)

    assert connect_error(error, URL) is error


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
