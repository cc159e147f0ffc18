"""Tables that a revision changes are locked at its beginning, all of them or none: whoever works on them meanwhile only waits."""

from __future__ import annotations

import time

from alembic import op
from sqlalchemy.exc import DBAPIError

PATIENCE = "200ms"
"""How long others may have to wait for a try that fails; well below the second after which PostgreSQL ends a deadlock."""
PAUSE = 0.05
"""Seconds between two tries, in which those that were kept waiting get through."""
TRIES = 1200


def lock_tables(*names: str) -> None:
    """Keep units and reads out of these tables until the revision is committed. Nothing to do on SQLite, where nobody else is.

    A unit that has written one of them and is about to write another would wait for us, and we for it; so what we have got
    is given back where the rest is not free soon. Raises DBAPIError where it never is.
    """
    conn = op.get_bind()
    if conn.dialect.name != "postgresql":
        return
    conn.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE}'")
    for left in range(TRIES, 0, -1):
        attempt = conn.begin_nested()
        try:
            conn.exec_driver_sql(f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE")
        except DBAPIError:
            attempt.rollback()
            if left == 1:
                raise
            time.sleep(PAUSE)
        else:
            attempt.commit()
            break
    conn.exec_driver_sql("SET LOCAL lock_timeout = DEFAULT")
