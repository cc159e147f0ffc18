"""What a connection that did not come about means: waiting helps, or somebody has to change something."""

from __future__ import annotations

import pytest
from sqlalchemy import exc

from store.engine.errors import DatabaseRefused, connect_error, reason
from store.engine.naming import parse_url

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
