"""What a request about a provider's match has to say: a provider that is known, one id of a match, and event types that exist."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, get_args

from mapping.documents.external import AttachToExternal, CreateFromExternal, ExternalChange
from mapping.errors import InvalidRequest, NotFound, Unprocessable
from store.following.import_request import SelectorKind

SELECTORS: tuple[SelectorKind, ...] = get_args(SelectorKind)
"""In the order of their precedence."""
SELECTOR_ID = re.compile(r"[^\x00-\x20\x7f-\x9f]{1,255}")


def check_provider(provider: Any, providers: Collection[str]) -> None:
    """Raise InvalidRequest, NotFound or Unprocessable unless this is one of the providers."""
    if provider is None or provider == "":
        raise InvalidRequest("provider is missing", field="provider")
    if not isinstance(provider, str):
        raise Unprocessable("provider should be a string", field="provider")
    if provider not in providers:
        raise NotFound("there is no such provider", field="provider")


def selector_of(document: CreateFromExternal | AttachToExternal) -> tuple[SelectorKind, str]:
    """Kind and id of what the document names first; raises Unprocessable."""
    for kind in SELECTORS:
        value: str | None = getattr(document, f"{kind}_id")
        if value and SELECTOR_ID.fullmatch(value):
            return kind, value
        if value:
            raise Unprocessable("an id has at most 255 characters, none of them blank", field=f"{kind}Id")
    raise Unprocessable("one of matchId, phaseId, overallId should be given", field="matchId")


def check_event_types(document: CreateFromExternal | ExternalChange, known: Collection[str]) -> None:
    """Raise Unprocessable, with its path, for an event type that no provider has."""
    configured = document.auto_post_configuration
    for index, name in enumerate(configured.exclude_events if configured else ()):
        if name not in known:
            path = f"autoPostConfiguration.excludeEvents.{index}"
            raise Unprocessable("there is no such event type", field=path)
