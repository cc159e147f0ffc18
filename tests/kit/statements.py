"""One cache of compiled statements for all engines of a process.

Nearly every test opens engines of its own, and each would compile anew what the one before it had compiled: a third of what
many tests cost. A daemon, whose engines live for weeks, compiles each statement once as well.
"""

from typing import Any

from sqlalchemy import Connection, Engine, event

MOST = 10_000
"""Statements; an engine alone keeps 500, which is enough for those of the service."""


class StatementCache(dict[Any, Any]):
    """Keyed like an engine's own, but with the kind of the dialect in place of the engine's dialect itself."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(_by_kind(*key), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= MOST:
            self.clear()
        super().__setitem__(_by_kind(*key), value)


def _by_kind(dialect: Any, *statement: Any) -> tuple[Any, ...]:
    """All that the text of a statement depends on; the engines of the service differ in nothing else that is the dialect's."""
    return type(dialect), dialect.paramstyle, getattr(dialect, "server_version_info", None), *statement


def share_compiled_statements() -> None:
    """From now on, in this process, by SQLAlchemy's option `compiled_cache` of each connection."""
    cache = StatementCache()

    @event.listens_for(Engine, "engine_connect")
    def begin_with_cache(connection: Connection) -> None:
        connection.execution_options(compiled_cache=cache)
