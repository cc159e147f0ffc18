"""Texts that several pages of the desk show: why a source leads, what sources disagree about, why a request was refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from api.desk.desk_frame import DeskPage
from api.page.page_frame import LOCALES, territorial
from api.view.match_sources import AUTOMATIC
from mapping.documents.import_options import ImportOptions
from mapping.errors import Forbidden, MatchUnknown, ProviderRefused, ServiceError, UpstreamUnavailable
from mapping.fusion.leading_source import Reason
from mapping.locales import Translator, msgid
from mapping.locales.labels import INTERRUPTED, Label
from mapping.match.match import Status
from mapping.sports import SPORTS

REASONS = {
    Reason.FIRST: msgid("it is the first source of the match, and well"),
    Reason.PINNED: msgid("a person has chosen it"),
    Reason.REFUSED: msgid("the source that led before refuses the credentials"),
    Reason.FAILING: msgid("the source that led before answers with errors"),
    Reason.SILENT: msgid("the source that led before has not answered for too long"),
    Reason.STALLED: msgid("the source that led before stands still while this one goes on"),
    Reason.IMPLAUSIBLE: msgid("the source that led before said something that cannot be"),
}
"""Why a source leads."""
ABOUT = {
    "score": msgid("score"),
    "missing": msgid("what only one of them has"),
    "scorer": msgid("scorer"),
    "player": msgid("player"),
    "minute": msgid("minute"),
}
"""What sources disagree about, what matters most first."""
NAMED = 3
"""Disagreements, and types of events, that are named where there is little room; more are counted."""
STATES = {
    Status.SCHEDULED: Label.NOT_STARTED,
    Status.LIVE: Label.LIVE,
    Status.BREAK: Label.BREAK,
    Status.SHOOTOUT: Label.SHOOTOUT,
    Status.FINISHED: Label.FINISHED,
    **INTERRUPTED,
}
"""By the canonical status."""


REFUSALS: tuple[tuple[type[ServiceError], str | None, str], ...] = (
    (MatchUnknown, None, msgid("The provider has no such match.")),
    (ProviderRefused, None, msgid("The provider refuses the credentials")),
    (Forbidden, "provider", msgid("Your organization has no access to this provider.")),
    (UpstreamUnavailable, None, msgid("The provider does not answer. Please try again in a moment.")),
)
"""Of a kind, and where one is named of a field: what is said."""


def refusal_text(page: DeskPage, error: ServiceError) -> str:
    """What the refusal of an operation says to a person; in the words of the operation where none are for people."""
    for kind, field, words in REFUSALS:
        if isinstance(error, kind) and (field is None or error.field == field):
            return page.text(words)
    return page.text("That did not work: {reason}", reason=error.message)


def automatic_text(texts: Translator, terms: ImportOptions) -> str:
    """What is posted automatically."""
    if terms.paused:
        return texts.text("Paused")
    if not terms.auto_post:
        return texts.text("Nothing; all posts are drafts")
    left_out = [kind_name(texts, each) for each in sorted(terms.exclude_events)]
    left_out += [texts.text("not the scoreboard")] if terms.exclude_scoreboard else []
    if not left_out:
        return texts.text("Everything")
    if len(left_out) > NAMED:
        return texts.text("All but {count} types", count=len(left_out))
    return texts.text("All but {kinds}", kinds=", ".join(left_out))


def locale_options(page: DeskPage) -> list[tuple[str, str]]:
    """The languages in which our own texts are written, by their names in the reader's."""
    from babel import Locale  # a start that renders nothing needs no calendar

    reader = territorial(page.texts.locale)
    return [(each, Locale.parse(territorial(each)).get_display_name(reader) or each) for each in LOCALES]


def reason_text(texts: Translator, reason: Reason, *, pinned: bool) -> str:
    """Why a source leads; `pinned`: a person has chosen one. It leads on for a while after nobody wants it any more."""
    if reason is Reason.PINNED and not pinned:
        return texts.text("a person had chosen it; the first source leads again once it has been well for a while")
    return texts.text(REASONS[reason])


def source_texts(texts: Translator, both: Mapping[str, Any] | None) -> list[str]:
    """Which source leads and why, where it is not the first one, and what the sources disagree about; nothing for one source.

    `both`: as external.json shows them.
    """
    if both is None:
        return []
    _, second = both["sources"]
    lines = []
    if second["leads"]:
        reason = reason_text(texts, Reason(second["reason"]), pinned=both["leads"] != AUTOMATIC)
        lines.append(texts.text("{provider} leads: {reason}", provider=second["provider"], reason=reason))
    if both["disagreements"]:
        lines.append(
            texts.text("The sources disagree about: {what}", what=brief_disagreements(texts, both["disagreements"]))
        )
    return lines


def disagreement_texts(texts: Translator, found: Iterable[Mapping[str, Any]]) -> list[str]:
    """What each source says, as `score: heim 2:0, pa 1:0`; what matters most first."""
    order = list(ABOUT)
    return [_disagreement(texts, each) for each in sorted(found, key=lambda each: order.index(each["about"]))]


def brief_disagreements(texts: Translator, found: Iterable[Mapping[str, Any]]) -> str:
    """The same on one line: the first few of them, and how many more there are."""
    named = disagreement_texts(texts, found)
    more = [f"+{len(named) - NAMED}"] if len(named) > NAMED else []
    return "; ".join([*named[:NAMED], *more])


def _disagreement(texts: Translator, found: Mapping[str, Any]) -> str:
    said = (f"{provider} {_said(texts, words)}" for provider, words in found["said"].items())
    return f"{texts.text(ABOUT[found['about']])}: {', '.join(said)}"


def _said(texts: Translator, words: str) -> str:
    """What one source says; where that begins with an event type, with its name."""
    if not words:
        return texts.text("nothing")
    kind, _, more = words.partition(" ")
    return f"{kind_name(texts, kind)} {more}".rstrip()


def kind_name(texts: Translator, event_type: str) -> str:
    """The name of an event type, itself where it has none."""
    sport = SPORTS.get(event_type.partition(".")[0])
    kinds = () if sport is None else sport.kinds
    return next((texts.text(each.title) for each in kinds if each.id == event_type), event_type)
