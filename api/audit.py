"""The audit log: who wrote what, at which version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from api.middleware.request_limits import loggable

if TYPE_CHECKING:
    from api.context import Context

log = structlog.get_logger(__name__)


def audit(
    context: Context, operation: str, *, liveblog: str | None = None, version: int | None = None, **more: object
) -> None:
    """One line `audit.write` for a write that is committed; `more` says what was written, such as `record`."""
    log.info(
        "audit.write",
        client=context.caller.client_id if context.caller else None,
        operation=operation,
        liveblog=liveblog,
        version=version,
        request_id=context.request_id,
        **{name: loggable(value) if isinstance(value, str) else value for name, value in more.items()},
    )
