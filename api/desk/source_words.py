"""A match in words: how it stands, what its events are called, why a source leads, what its sources disagree about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mapping.desk.sources_text import ABOUT_TEXTS, REASON_TEXTS, SourcesText
from mapping.fusion.leading_source import Reason
from mapping.locales import Translator
from mapping.locales.labels import INTERRUPTED, Label
from mapping.match.match import Status
from mapping.sports import SPORTS

ABOUT = tuple(ABOUT_TEXTS)
NAMED = 3
"""Disagreements that are named where there is little room; more are counted."""
STATES = {
    Status.SCHEDULED: Label.NOT_STARTED,
    Status.LIVE: Label.LIVE,
    Status.BREAK: Label.BREAK,
    Status.SHOOTOUT: Label.SHOOTOUT,
    Status.FINISHED: Label.FINISHED,
    **INTERRUPTED,
}
"""By the canonical status."""


def reason_text(texts: Translator, reason: Reason, *, pinned: bool) -> str:
    """Why a source leads; `pinned`: a person has chosen one. It leads on for a while after nobody wants it any more."""
    if reason is Reason.PINNED and not pinned:
        return texts.text(SourcesText.PINNED_BEFORE)
    return texts.text(REASON_TEXTS[reason])


def disagreement_texts(texts: Translator, found: Iterable[Mapping[str, Any]]) -> list[str]:
    """What each source says, as `score: heim 2:0, pa 1:0`; what matters most first."""
    return [_disagreement(texts, each) for each in sorted(found, key=lambda each: ABOUT.index(each["about"]))]


def brief_disagreements(texts: Translator, found: Iterable[Mapping[str, Any]]) -> str:
    """The same on one line: the first few of them, and how many more there are."""
    named = disagreement_texts(texts, found)
    more = [f"+{len(named) - NAMED}"] if len(named) > NAMED else []
    return "; ".join([*named[:NAMED], *more])


def _disagreement(texts: Translator, found: Mapping[str, Any]) -> str:
    said = (f"{provider} {_said(texts, words)}" for provider, words in found["said"].items())
    return f"{texts.text(ABOUT_TEXTS[found['about']])}: {', '.join(said)}"


def _said(texts: Translator, words: str) -> str:
    """What one source says; where that begins with an event type, with its name."""
    if not words:
        return texts.text(SourcesText.NOTHING)
    kind, _, more = words.partition(" ")
    return f"{kind_name(texts, kind)} {more}".rstrip()


def kind_name(texts: Translator, event_type: str) -> str:
    """The name of an event type, itself where it has none."""
    sport = SPORTS.get(event_type.partition(".")[0])
    kinds = () if sport is None else sport.kinds
    return next((texts.text(each.title) for each in kinds if each.id == event_type), event_type)
