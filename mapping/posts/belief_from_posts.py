"""What was believed of a match, worked out from its posts: for when it is lost, and when the provider renumbers its rows.

A post whose row comes under another id keeps its line of the ledger, and with it what a person made of it: providers number rows
anew, one or all of a match, at once or minutes after the old ones have gone. What has been posted is not just forgotten.

What a new answer lacks waits for a second good one then, as always (mapping.belief.confirm); meanwhile its post stays as it is,
because a post does not hold everything that it was made of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.incident_keys import APART, SHORTEST
from mapping.match.identity import APART as ANOTHER_DAY
from mapping.match.match import OPPONENT, PERIOD_KEY, Comment, Incident, Involved, Match, Person, Score, SideName
from mapping.posts.merge import Document
from mapping.posts.posts import MINUTE, TEXT, Post
from mapping.posts.reconcile import Entry, State
from mapping.rules import rich_text

UNTOLD = "…"
"""The text of a comment of which only its post is known; it is shown nowhere."""


ROLES = (True, False)
"""Whether all people are compared with their roles, as they stand in a post, or the first alone, as in a note."""
Content = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingPost:
    """A post that stands: its key, its kind and the document that the provider gave last."""

    key: str
    kind: str
    document: Mapping[str, Any]


def belief_of_posts(answer: Match, posts: Iterable[StandingPost], board: Mapping[str, Any]) -> ConfirmedMatch | None:
    """All that has been posted of the match, in the answer's words where it has them, as what was believed before.

    None where that is nothing more than the answer has. `board`: the scoreboard as the provider gave it last.
    """
    known, posted = _keys(answer), {each.key: each for each in posts}
    lacking = {key: each for key, each in posted.items() if key not in known}
    score = _higher(answer.score, _score(board.get("score")))
    if not lacking and score == answer.score:
        return None
    ids = {person.name: person.ext_id for person in _people(answer)}
    sides = {team.name: side for side in OPPONENT if (team := answer.side(side)) is not None}
    sent = {rich_text.tidy(each.html): each.html for each in answer.comments}
    play = [_incident(each, ids, sides) for each in lacking.values() if each.kind != TEXT]
    text = [_comment(each, sent) for each in lacking.values() if each.kind == TEXT]
    match = replace(
        answer,
        score=score,
        incidents=(*(each for each in answer.incidents if each.key in posted), *play),
        comments=(*(each for each in answer.comments if each.incident_key or each.key in posted), *text),
        posts_alone=frozenset(lacking),
    )
    return ConfirmedMatch(match)


def with_posts_alone(before: ConfirmedMatch | None, after: ConfirmedMatch, answer: Match) -> ConfirmedMatch:
    """The belief after `answer`, with the keys of what is still known by its posts alone."""
    if before is None or not before.match.posts_alone:
        return after
    said = _keys(answer)
    left = (
        (before.match.posts_alone & _keys(after.match)) - said - {old for new, old in after.memory.keys if new in said}
    )
    return replace(after, match=replace(after.match, posts_alone=left))


def as_posted(posts: Iterable[Post], match: Match, entries: Mapping[str, Entry]) -> Iterable[Post]:
    """The wanted posts; what is known by its post alone is wanted as it was posted, and nowhere else."""
    if not match.posts_alone:
        return posts
    return [
        replace(each, document=entries[each.key].said) if each.key in match.posts_alone else each
        for each in posts
        if each.key not in match.posts_alone or each.key in entries
    ]


def _keys(match: Match) -> frozenset[str]:
    return frozenset(each.key for each in match.incidents).union(each.key for each in match.comments)


def _comment(post: StandingPost, sent: Mapping[str, str]) -> Comment:
    """The text; one that the answer has under another id has the same words."""
    words = "".join(str(block.get("text")) for block in post.document.get("contents") or ())
    return Comment(key=post.key, order=0, html=sent.get(words, UNTOLD))


def _incident(post: StandingPost, ids: Mapping[str, str], sides: Mapping[str, SideName]) -> Incident:
    event = _event_of(post.document)
    minute = MINUTE.fullmatch(str(event.get("time_of_play") or ""))
    return Incident(
        key=post.key,
        kind=post.kind,
        order=0,
        side=sides.get((event.get("team") or {}).get("name", "")),
        minute=None if minute is None else int(minute[1]),
        added=None if minute is None or minute[2] is None else int(minute[2]),
        people=tuple(_people_of(event, ids)),
        score=_score(event.get("score")),
        created_at=post.document.get("created_at"),
        synthesised=post.key.startswith(PERIOD_KEY),
    )


def _event_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The incident that the post is about, beside its text or within it."""
    within = (block for block in document.get("contents") or () if block.get("event_type"))
    return document.get("sport_event") or next(within, {})


def _people_of(event: Mapping[str, Any], ids: Mapping[str, str]) -> Iterator[Involved]:
    for each in event.get("players") or ():
        player = each.get("player") or {}
        name = str(player.get("name") or "")
        ext_id = ids.get(name) or str(player.get("_id") or player.get("local_id") or name)
        yield Involved(role=str(each.get("event_player_type") or ""), person=Person(ext_id=ext_id, name=name))


def _people(match: Match) -> Iterator[Person]:
    for side in match.teams:
        yield from (*side.lineup, *side.bench)
    for incident in match.incidents:
        yield from (each.person for each in incident.people)


def _score(document: Any) -> Score | None:
    values = [str((document or {}).get(name) or "") for name in ("home_score", "away_score")]
    if not all(each.isascii() and each.isdigit() for each in values):
        return None
    return Score(int(values[0]), int(values[1]))


def _higher(now: Score | None, posted: Score | None) -> Score | None:
    if now is None or posted is None:
        return now or posted
    return posted if posted.total > now.total else now


def match_reissued(posts: Iterable[Post], vanished: Iterable[Entry]) -> dict[str, str]:
    """Key of a post that is new → key of the line that is its own, for each post that says what a vanished one said.

    `vanished`: the lines to whose keys there is no post any more, whatever became of theirs. The same is what has kind,
    team and people in common, at most `APART` minutes apart; of several the nearest, in the order of play. What marks a
    period has its key by its place in the match, so it is never another one.
    """
    lines: defaultdict[Content, list[Entry]] = defaultdict(list)
    for entry in sorted((each for each in vanished if not _keyed_by_place(each.key)), key=_place):
        lines[_content(entry.kind, entry.said, roles=not _is_note(entry))].append(entry)
    adopted: dict[str, str] = {}
    taken: set[str] = set()
    for post in posts:
        contents = (
            [] if _keyed_by_place(post.key) else [_content(post.kind, post.document, roles=roles) for roles in ROLES]
        )
        same = [each for content in contents for each in lines.get(content, ()) if each.key not in taken]
        near = [each for each in same if _apart(each.said, post.document) <= _most_apart(each)]
        if near:
            adopted[post.key] = min(near, key=lambda each: _apart(each.said, post.document)).key
            taken.add(adopted[post.key])
    return adopted


def _keyed_by_place(key: str) -> bool:
    return key.startswith(PERIOD_KEY)


def _place(entry: Entry) -> tuple[int, str]:
    return entry.said.get("created_at") or 0, entry.key


def _is_note(entry: Entry) -> bool:
    """Whether it says of a post that it was taken back; then its people have roles of their own."""
    event = entry.said.get("sport_event")
    return event is not None and event.get("event_type") != entry.kind


def _content(kind: str, document: Document, *, roles: bool) -> Content:
    """What happened, without its time: team and people by their ids, of a text its words."""
    event = document.get("sport_event")
    if event is None:
        return (kind, *[block.get("text") for block in document.get("contents") or ()])
    named = [(each.get("event_player_type"), _identity(each.get("player"))) for each in event.get("players") or ()]
    people = named if roles else [who for _, who in named[:1]]
    return (kind, _identity(event.get("team")), *people)


def _identity(named: Mapping[str, Any] | None) -> str | None:
    return None if named is None else named.get("_id") or named.get("local_id")


def _apart(was: Document, now: Document) -> float:
    """Minutes of play between both, of texts those of the clock; endless where only one has any, or where laps differ.

    So it is between two tries of a match that was set again.
    """
    if _of_other_days(was, now):
        return inf
    if "sport_event" not in now:
        return _clock_apart(was, now)
    before, after = (str((each.get("sport_event") or {}).get("time_of_play") or "") for each in (was, now))
    first, second = _minute(before), _minute(after)
    if first is None or second is None:
        return 0 if before == after else inf
    return abs(first - second)


def _of_other_days(was: Document, now: Document) -> bool:
    first, second = was.get("created_at"), now.get("created_at")
    return first is not None and second is not None and abs(int(first) - int(second)) >= ANOTHER_DAY


def _minute(time_of_play: str) -> int | None:
    found = MINUTE.fullmatch(time_of_play)
    return None if found is None else int(found[1]) + int(found[2] or 0)


def _clock_apart(was: Document, now: Document) -> float:
    """Minutes between two texts; a long one is written once, whenever it comes again."""
    text = "".join(str(block.get("text")) for block in now.get("contents") or ())
    first, second = was.get("created_at"), now.get("created_at")
    if len(text) >= SHORTEST or first is None or second is None:
        return 0
    return abs(int(first) - int(second)) / 60


def _most_apart(entry: Entry) -> int:
    """A goal that comes after a goal or a note that a person has deleted must not get lost, nor what nobody is named in."""
    event = entry.said.get("sport_event") or {}
    scored = "score" in event or event.get("event_type") != entry.kind
    certain = entry.kind == TEXT or (bool(event.get("players")) and not scored)
    return APART if certain or entry.state is not State.GONE else 0
