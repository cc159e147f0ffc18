"""Lists the posts that a liveblog should hold because of what the provider says of its match."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from typing import Any, Literal

from mapping.belief.goals import SHOOTOUT, UNORDERED
from mapping.documents.import_options import ImportOptions
from mapping.documents.state import ENDED
from mapping.locales import Translator, translator
from mapping.locales.labels import LAP
from mapping.match.match import Comment, Incident, Involved, Match, Side
from mapping.match.references import References
from mapping.posts import match_documents
from mapping.posts.wording import is_kick, kick_numbers, kick_title, sentence, title
from mapping.rules import rich_text
from mapping.sports import Kind, Sport, sport_of
from mapping.sports.base import STEP

BlockId = Callable[[str, str], str]
"""(key of the post, name of the block) → `local_id`, the same for the same block at every poll."""

Document = dict[str, Any]

Timed = tuple[Incident | Comment, int | None]
"""An incident or comment, and when it happened (Unix seconds), where that is known."""

SCORE: Literal["score"] = "score"
"""`Post.source` of what is read off the score alone, and left out with the scoreboard."""
TEXT = "text"
"""`Post.kind` of a piece of editorial text that belongs to no incident."""

EARLIEST = 7 * 24 * 3600
"""Seconds before kick-off; a post cannot be older, so an earlier time is the provider's mistake."""

NEVER = -(2**63)

MINUTE = re.compile(r"(\d{1,4})(?:\+(\d{1,3}))?'")
"""A `time_of_play` that is a minute, as `minute_of_play` writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A wanted post.

    `key` is the incident's or comment's and stable; `kind` its event type or `text`. `document` is the event document
    without what the store gives it (ids, version, sort, status); it has no `created_at` where the provider gives no
    time that can be true. A `draft` is imported, but published by an editor; one that `waits` is published once the match's
    other source has it too, or has had its time. `source` is what it was made of; `ends`: that the match is over.
    """

    key: str
    kind: str
    document: Document
    draft: bool
    source: Literal["play", "text", "score"]
    waits: bool = False
    ends: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """What every post of one liveblog is written with."""

    match: Match
    terms: ImportOptions
    references: References
    sport: Sport
    texts: Translator
    narratives: Mapping[str, str]
    block_id: BlockId
    kicks: Mapping[str, int]


def wanted_posts(
    match: Match,
    terms: ImportOptions,
    references: References,
    *,
    block_id: BlockId,
    only: Container[str] | None = None,
    timed: Iterable[Timed] | None = None,
) -> tuple[Post, ...]:
    """One post for every incident and every standalone comment, in the order of play; of those with keys in `only`, if given.

    The same match always gives the same posts. The text of an incident that is not (or not yet) in the match has no
    post. `timed`: what `in_order` gives, where it is known already.
    """
    comments = match.comments if terms.text else ()
    desk = _Desk(
        match=match,
        terms=terms,
        references=references,
        sport=sport_of(match),
        texts=translator(terms.locale),
        narratives=_narratives(comments, only),
        block_id=block_id,
        kicks=kick_numbers(match),
    )
    posts = [
        _incident_post(desk, each, happened) if isinstance(each, Incident) else _comment_post(desk, each, happened)
        for each, happened in (in_order(match, terms) if timed is None else timed)
        if only is None or each.key in only
    ]
    return tuple(post for post in posts if post is not None)


def in_order(match: Match, terms: ImportOptions) -> list[Timed]:
    """Incidents and standalone comments in the order of play."""
    comments = match.comments if terms.text else ()
    sport = sport_of(match)
    incidents = () if sport.steps is not None and terms.exclude_scoreboard else match.incidents
    play = [(each, _moment(match, sport, each.created_at, each.minute, each.added)) for each in incidents]
    text = [
        (each, _moment(match, sport, each.created_at, each.minute)) for each in comments if each.incident_key is None
    ]
    return _by_time(play, text)


def _incident_post(desk: _Desk, incident: Incident, happened: int | None) -> Post:
    """The post of an incident. One that is read off the score is a text of ours, in which the incident stands."""
    narrative = desk.narratives.get(incident.key)
    text = rich_text.escape(sentence(desk.sport, desk.match, incident, desk.texts)) if narrative is None else narrative
    document, block = _event(desk, incident.key, text, happened), _sport_event(desk, incident)
    of_score = desk.sport.steps is not None
    placed = {"contents": [*document["contents"], block]} if of_score else {"sport_event": block}
    return Post(
        key=incident.key,
        kind=incident.kind,
        document={**document, **placed},
        draft=desk.terms.drafts(incident.kind, incident.key),
        source=SCORE if of_score else "play",
        waits=desk.terms.waits(incident.kind, incident.key),
        ends=desk.sport.kind(incident.kind).enters == ENDED,
    )


def _comment_post(desk: _Desk, comment: Comment, happened: int | None) -> Post | None:
    """The post of a standalone comment, none for an empty one."""
    text = rich_text.tidy(comment.html)
    if not text:
        return None
    document = _event(desk, comment.key, text, happened)
    return Post(key=comment.key, kind=TEXT, document=document, draft=desk.terms.drafts(TEXT), source="text")


def _narratives(comments: Iterable[Comment], only: Container[str] | None) -> Mapping[str, str]:
    """What the provider writes about each incident; several pieces (as of a substitution) one below the other."""
    pieces: dict[str, list[str]] = {}
    for comment in comments:
        key = comment.incident_key
        if key is not None and (only is None or key in only) and (text := rich_text.tidy(comment.html)):
            pieces.setdefault(key, []).append(text)
    return {key: rich_text.sanitise("<br>".join(texts)) for key, texts in pieces.items()}


def _event(desk: _Desk, key: str, text: str, happened: int | None) -> Document:
    return {
        "_type": "Svc::Model::Event",
        **({} if happened is None else {"created_at": happened}),
        "headline": "",
        "highlight": "",
        "contents": [
            {
                "_type": "Svc::Model::Content::RichTextContentBlock",
                "local_id": desk.block_id(key, "text"),
                "text": text,
            }
        ],
    }


def _sport_event(desk: _Desk, incident: Incident) -> Document:
    side = incident.team or desk.match.side(incident.side)
    kind = desk.sport.kind(incident.kind)
    scored = (kind.scores and incident.method not in {SHOOTOUT, UNORDERED}) or incident.method == STEP
    shows_score = scored and incident.score is not None
    time_of_play, phase = _time_of_play(desk.sport, incident, desk.texts), desk.sport.phase(incident.phase)
    return {
        "_type": "Svc::Model::Content::SportEventContentBlock",
        "local_id": desk.block_id(incident.key, "sport_event"),
        "sportstype": desk.sport.id,
        **({"time_of_play": time_of_play} if time_of_play else {}),
        "event_type": incident.kind,
        "title": _title(desk, incident, kind),
        **({"phase": _phase(desk.texts.text(phase))} if phase else {}),
        **({} if side is None else {"team": match_documents.team(side, desk.references)}),
        "players": [_player(desk, kind, involved, side) for involved in incident.people],
        **({"score": match_documents.score(incident.score)} if shows_score else {}),
    }


def _player(desk: _Desk, kind: Kind, involved: Involved, side: Side | None) -> Document:
    return {
        "_type": "Svc::Model::Content::SportEventPlayer",
        "event_player_type": involved.role,
        "event_player_title": desk.texts.text(kind.roles.get(involved.role) or desk.sport.role(involved.role)),
        "player": match_documents.player(involved.person, involved.team or side, desk.references),
    }


def _phase(name: str) -> Document:
    return {"_type": "Svc::Model::Content::SportPhase", "name": name}


def _title(desk: _Desk, incident: Incident, kind: Kind) -> str:
    """The name of its type; a kick of the shoot-out is called by its number."""
    if is_kick(desk.sport, incident):
        return kick_title(desk.kicks.get(incident.key), desk.texts, scored=kind.scores)
    return title(desk.sport, incident, desk.texts)


def _time_of_play(sport: Sport, incident: Incident, texts: Translator) -> str:
    """The minute, in races the lap; a kick of the shoot-out has none, though feeds repeat the last one of play."""
    if is_kick(sport, incident):
        return ""
    return minute_of_play(incident) if incident.lap is None else texts.text(LAP, lap=incident.lap)


def minute_of_play(incident: Incident) -> str:
    """`15'`, with added time `45+2'`; empty without a minute."""
    if incident.minute is None or incident.minute < 1:
        return ""
    return f"{incident.minute}+{incident.added}'" if incident.added else f"{incident.minute}'"


def _moment(match: Match, sport: Sport, given: int | None, minute: int | None, added: int | None = None) -> int | None:
    """When it happened: the provider's time (which may lie ahead), an estimate where that is long before the match."""
    kickoff = match.kickoff
    if given is not None and kickoff is not None and given < kickoff - EARLIEST:
        given = None if minute is None else kickoff + _seconds_from_kickoff(sport, minute, added or 0)
    return given


def _seconds_from_kickoff(sport: Sport, minute: int, added: int) -> int:
    """Seconds from kick-off to a minute of play, by the usual length of the break in the middle."""
    half = sport.timing.regular_phase_length if sport.timing is not None else minute
    return 60 * (max(minute - 1, 0) + added + (sport.break_minutes if minute > half else 0))


def _by_time(*groups: Sequence[Timed]) -> list[Timed]:
    """All by time, each group in its own order; what has no time stays behind what is before it."""
    placed = [
        (moment, each)
        for group in groups
        for moment, each in zip(accumulate((_or_never(time) for _, time in group), max), group, strict=True)
    ]
    return [each for _, each in sorted(placed, key=itemgetter(0))]


def _or_never(moment: int | None) -> int:
    return NEVER if moment is None else moment
