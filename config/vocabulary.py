"""What the installed providers know: their ids, and the event types of their sports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from config.errors import Path
from config.organizations import Liveblog
from config.settings import Settings

Vocabulary = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Provider id → sport → event types."""


def contradictions(
    settings: Settings, rows: Mapping[int, Liveblog], vocabulary: Vocabulary
) -> Iterator[tuple[Path, str]]:
    """Names of providers and event types that nobody has, and types of a sport that the provider does not cover."""
    for provider in settings.providers:
        if provider not in vocabulary:
            yield ("providers", provider), _no_provider(provider, vocabulary)
    for organization_id, organization in settings.organizations.items():
        for provider in organization.providers:
            if provider not in vocabulary:
                yield ("organizations", organization_id, "providers", provider), _no_provider(provider, vocabulary)
    for index, liveblog in rows.items():
        for at, kind in enumerate(liveblog.exclude_events):
            if text := _misplaced(kind, liveblog.provider, vocabulary):
                yield ("liveblogs", index, "exclude_events", at), text


def idle(settings: Settings, vocabulary: Vocabulary) -> Iterator[tuple[Path, str]]:
    """Event types that exist and yet exclude nothing: the provider never sends them, or the match has another sport."""
    for index, liveblog in enumerate(settings.liveblogs):
        catalog = vocabulary.get(liveblog.provider, {})
        sent = {kind for kinds in catalog.values() for kind in kinds}
        for at, kind in enumerate(liveblog.exclude_events):
            if kind not in sent:
                yield ("liveblogs", index, "exclude_events", at), f"{liveblog.provider} never sends {kind}"
        sports = {sport for kind in liveblog.exclude_events for sport in _sports(kind, {"": catalog})}
        if len(sports) > 1:
            names = " and ".join(sorted(sports))
            yield ("liveblogs", index, "exclude_events"), f"names types of {names}, but a match has one sport"


def _misplaced(kind: str, provider: str, vocabulary: Vocabulary) -> str | None:
    """Why `kind` cannot come from `provider`; None where it can, and where the provider itself is unknown."""
    catalog = vocabulary.get(provider)
    if catalog is None:
        return None
    sports = _sports(kind, vocabulary)
    if not sports:
        known = sorted({each for other in vocabulary.values() for kinds in other.values() for each in kinds})
        close = get_close_matches(kind, known, n=1, cutoff=0.6)
        return f"no provider has an event type {kind}{f'; the nearest is {close[0]}' if close else ''}"
    if sports.isdisjoint(catalog):
        return f"{kind} belongs to a sport that {provider} does not have, only {', '.join(catalog)}"
    return None


def _sports(kind: str, vocabulary: Vocabulary) -> set[str]:
    return {sport for catalog in vocabulary.values() for sport, kinds in catalog.items() if kind in kinds}


def _no_provider(provider: str, vocabulary: Vocabulary) -> str:
    return f"no provider {provider} is installed, only {', '.join(sorted(vocabulary))}"
