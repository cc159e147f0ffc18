"""Subscriptions and deliveries as the interface shows them, and requests about them as checked values."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeVar

from api.http.param import Integer, OneOf, Query, Text
from api.http.request import Services, parse_document, read_body
from api.view.liveblog_access import liveblog_in
from mapping.documents.webhooks import WebhookAddress
from mapping.errors import InvalidRequest, Unprocessable
from mapping.rules import addresses
from store.webhooks.delivery_log import LogFilter, LogRow
from store.webhooks.webhooks import Subscription

Json = dict[str, Any]


AddressT = TypeVar("AddressT", bound=WebhookAddress)

FAR = 10**11
OF_URL = Text("url", "Of this endpoint alone")
OUTCOME: OneOf[bool | None] = OneOf(
    "outcome", "How the round ended", choices={"success": True, "failed": False, "": None}, default=None
)
SINCE = Integer("since", "Ended at this second or later", high=FAR, default=-1)
UNTIL = Integer("until", "Ended before this second", high=FAR, default=-1)


def address_of(model: type[AddressT], body: bytes) -> AddressT:
    """The body as a document with a `url`; raises InvalidRequest or Unprocessable with the field at fault."""
    given = {name: value for name, value in read_body(body).items() if value is not None}
    if given.get("url", "") == "":
        raise InvalidRequest("url is missing", field="url")
    return parse_document(model, given)


async def check_callable(services: Services, organization: str, url: str) -> None:
    """Raises Unprocessable, with the same message for every reason, unless the address may be called."""
    check = services.check_address
    if not addresses.plausible(url) or not (check is None or await check(url, organization)):
        raise Unprocessable(addresses.REFUSED, field="url")


def log_filter(query: Query) -> LogFilter:
    """The filters of the log; raises InvalidRequest."""
    since, until = SINCE.of(query), UNTIL.of(query)
    return LogFilter(
        url=OF_URL.of(query) or None,
        liveblog=liveblog_in(query),
        success=OUTCOME.of(query),
        since=None if since < 0 else since,
        until=None if until < 0 else until,
    )


def subscription(row: Subscription, secret: str | None = None) -> Json:
    """A subscription record; `secret` where it is shown, which is once."""
    outcome: Json | None = None
    if row.outcome_at is not None:
        outcome = {
            "timestamp": iso(row.outcome_at),
            "success": bool(row.outcome_success),
            "statusCode": row.outcome_code,
            "message": row.outcome_message or "",
        }
    return {
        "url": addresses.without_password(row.url),
        "status": row.status,
        "lastOutcome": outcome,
        "consecutiveFailures": row.failures,
        "consecutiveFailureSince": None if row.failing_since is None else iso(row.failing_since),
        **({} if secret is None else {"secret": secret}),
    }


def delivery(row: LogRow) -> Json:
    """One row of the log."""
    return {
        "id": str(row.id),
        "url": addresses.without_password(row.url),
        "kind": row.kind,
        "tickerId": row.game_id,
        "localId": row.local_id,
        "version": str(row.version),
        "round": row.round,
        "tries": row.tries,
        "timestamp": iso(row.at),
        "milliseconds": row.took_ms,
        "success": row.success,
        "statusCode": row.status_code,
        "message": row.message,
    }


def iso(seconds: float) -> str:
    """An instant in UTC to the millisecond, as ISO 8601 writes it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
