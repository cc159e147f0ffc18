"""Requests of the webhook operations, and subscriptions and deliveries as they show them."""

from typing import Literal

from mapping.documents.base import CamelDocument
from mapping.documents.scalars import Bool, Count, Name, Text, Timestamp


class WebhookAddress(CamelDocument):
    """Names a subscription: the endpoint that is called."""

    url: Name


class WebhookReplay(WebhookAddress):
    """Updates from `since` to before `until` (default: now), of one liveblog or of all."""

    since: Timestamp
    until: Timestamp | None = None
    liveblog_id: Text | None = None


class WebhookOutcome(CamelDocument):
    """How the latest round ended."""

    timestamp: Text
    success: Bool
    status_code: Count | None = None
    message: Text


class WebhookSubscription(CamelDocument):
    """A subscription as clients see it; `secret` only where it is new."""

    url: Text
    status: Literal["active", "disabled"]
    last_outcome: WebhookOutcome | None = None
    consecutive_failures: Count
    consecutive_failure_since: Text | None = None
    secret: Text | None = None


class WebhookDelivery(CamelDocument):
    """One round of a delivery that is over."""

    id: Text
    url: Text
    kind: Literal["update", "replay", "ping"]
    ticker_id: Text
    local_id: Text
    version: Text
    round: Count
    tries: Count
    timestamp: Text
    milliseconds: Count
    success: Bool
    status_code: Count | None = None
    message: Text


class WebhookDeliveries(CamelDocument):
    """A page of the log; `next` names the following page where there is `more`."""

    deliveries: tuple[WebhookDelivery, ...]
    more: Bool
    next: Text | None = None
