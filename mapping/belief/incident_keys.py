"""The keys of incidents: one that the provider sends again under another id keeps its key, its post and its text.

It keeps its key, so its post is edited: a second post beside it would contradict it. Its text belongs to it for good, also
where the provider binds that to nothing any more or numbers it anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from typing import Any

from mapping.belief.goals import SHOOTOUT, is_game
from mapping.match.match import Comment, Incident, Match
from mapping.sports import sport_of
from mapping.sports.base import MomentType, Sport

APART = 2
"""Minutes by which a correction may move an incident."""
MOST_KEYS = 64
"""Keys of one match that are taken for another one, the latest."""

Keys = tuple[tuple[str, str], ...]
"""(key in the answers, key under which the incident is believed)."""
SHORTEST = 20
"""Characters of a text by which it is known under another key; shorter ones are written more than once."""


def with_kept_keys(
    before: Match, answer: Match, known: Keys, uncounted: AbstractSet[str] = frozenset()
) -> tuple[Match, Keys]:
    """The answer with the keys under which its incidents are believed, and all keys that differ from now on.

    `uncounted`: keys of goals under review, or disallowed though the answers have them: what becomes of them goes by the key.
    """
    said, believed = ({each.key for each in match.incidents} for match in (answer, before))
    believed |= uncounted
    keys = {new: old for new, old in known if old in believed and old not in said}
    taken = {old for new, old in keys.items() if new in said}
    gone = _gone_incidents(before, said.union(taken, answer.unreadable))
    keys |= _corrected_keys(before, *_unlike(gone, _new(answer, believed.union(keys)), uncounted)) if gone else {}
    kept = tuple(keys.items())[-MOST_KEYS:]
    return (_rename(answer, dict(kept)), kept) if kept else (answer, kept)


def _gone_incidents(before: Match, there: AbstractSet[str]) -> list[Incident]:
    return [each for each in before.incidents if each.key not in there and not _keyed_by_place(each)]


def _new(answer: Match, known: AbstractSet[str]) -> list[Incident]:
    return [each for each in answer.incidents if each.key not in known and not _keyed_by_place(each)]


def _keyed_by_place(incident: Incident) -> bool:
    """Whether the key says which one it is: a whistle, or a game of a set."""
    return incident.marks_period or is_game(incident)


def content(incident: Incident) -> tuple[Any, ...]:
    """What an incident says apart from its id: two with equal content are the same one."""
    when, team = (incident.minute, incident.added, incident.lap), incident.team and incident.team.ext_id
    people = tuple([(each.role, each.person.ext_id) for each in incident.people])
    return (incident.kind, incident.side, team, incident.score, *when, people)


def numbered_anew(was: Match, now: Match) -> frozenset[str]:
    """Keys of incidents that the answer only renumbers: they are there under other keys, so nobody has taken them back.

    A goal of `incident:7` that comes again as `incident:9`, the same in all else, gives `incident:7`.
    """
    keys = {each.key for each in now.incidents}
    gone = [each for each in was.incidents if each.key not in keys]
    there = {content(each) for each in now.incidents} if gone else set()
    return frozenset(each.key for each in gone if content(each) in there)


def _corrected_keys(before: Match, gone: Sequence[Incident], new: Sequence[Incident]) -> dict[str, str]:
    """New key → key of what is gone, for each incident that is a correction of it; each is taken once."""
    found: dict[str, str] = {}
    for each in new:
        same = [was for was in gone if was.key not in found.values() and _is_corrected(before, was, each)]
        if same:
            found[each.key] = min(same, key=partial(_minutes_apart, each)).key
    return found


def _unlike(
    gone: Sequence[Incident], new: Sequence[Incident], uncounted: AbstractSet[str]
) -> tuple[list[Incident], list[Incident]]:
    """Both without those of which nothing is corrected: they are the same ones, numbered anew. The `uncounted` are in both."""
    repeated = {content(each) for each in gone if each.key not in uncounted}.intersection(map(content, new))
    unlike_gone, unlike_new = ([each for each in group if content(each) not in repeated] for group in (gone, new))
    return unlike_gone, unlike_new


def _is_corrected(match: Match, was: Incident, now: Incident) -> bool:
    """Whether both are one incident, of which something was corrected."""
    if was.lap != now.lap or _minutes_apart(was, now) > APART:
        return False
    sport = sport_of(match)
    return _same_people(was, now) or _same_goal(sport, was, now) or _same_card(match, sport, was, now)


def _minutes_apart(was: Incident, now: Incident) -> int:
    if was.minute is None or now.minute is None:
        return 0 if was.minute == now.minute else APART + 1
    return abs(was.running_minute - now.running_minute)


def _same_people(was: Incident, now: Incident) -> bool:
    """The same thing with the same people, such as a substitution of which both halves were exchanged.

    A goal of the same minute may have another score after it: an earlier one was entered late.
    """
    scored = was.score == now.score or None in (was.score, now.score) or _minutes_apart(was, now) == 0
    same = scored and (was.kind, was.side) == (now.kind, now.side)
    return same and bool(_people(was)) and _people(was) == _people(now)


def _people(incident: Incident) -> frozenset[str]:
    return frozenset(each.person.ext_id for each in incident.people)


def _same_goal(sport: Sport, was: Incident, now: Incident) -> bool:
    """Goals with the same score after them, by the same player or in the same minute, however they were scored.

    A kick of the shoot-out is none, whatever the tally after it.
    """
    if was.score is None or was.score != now.score or (was.method == SHOOTOUT) != (now.method == SHOOTOUT):
        return False
    goals = sport.kind(was.kind).scores and sport.kind(now.kind).scores
    return goals and (bool(_people(was) & _people(now)) or was.minute == now.minute)


def _same_card(match: Match, sport: Sport, was: Incident, now: Incident) -> bool:
    """Cards of one player. A yellow one before his second is another card, unless he has a first one besides."""
    if was.kind == now.kind or not (_is_card(sport, was) and _is_card(sport, now)):
        return False
    if not _people(was) or _people(was) != _people(now):
        return False
    absorbed = sport.kind(was.kind).absorbed_by == now.kind
    return not absorbed or any(_is_other_of_kind(each, was) for each in match.incidents)


def _is_other_of_kind(incident: Incident, card: Incident) -> bool:
    same = (incident.kind, _people(incident)) == (card.kind, _people(card))
    return same and incident.key != card.key and (incident.minute or 0) < (card.minute or 0)


def _is_card(sport: Sport, incident: Incident) -> bool:
    kind = sport.kind(incident.kind)
    return kind.absorbed_by is not None or kind.moment is MomentType.SENT_OFF


def _rename(answer: Match, keys: Mapping[str, str]) -> Match:
    """The answer with these keys replaced, also where texts and faults name them."""
    unreadable = answer.unreadable
    comments = [
        replace(each, incident_key=keys.get(each.incident_key or "", each.incident_key)) for each in answer.comments
    ]
    return replace(
        answer,
        incidents=tuple([replace(each, key=keys.get(each.key, each.key)) for each in answer.incidents]),
        comments=tuple(comments),
        unreadable_keys=answer.unreadable_keys | {old for new, old in keys.items() if new in unreadable},
    )


def bound_texts(before: Iterable[Comment], after: Sequence[Comment], incidents: AbstractSet[str]) -> list[Comment]:
    """The texts after, each bound to the incident that it belonged to before, by its key, else by its words."""
    known = {each.key: each for each in before}
    return [each if each.incident_key in incidents else _bind_text(each, known, incidents) for each in after]


def without_repeated(before: Sequence[Comment], after: Iterable[Comment]) -> list[Comment]:
    """The texts before, without those that an incident has under a new key now."""
    known = {each.key for each in before}
    now = {(each.incident_key, each.html) for each in after if each.key not in known and each.incident_key is not None}
    return [each for each in before if (each.incident_key, each.html) not in now]


def unbound_from(comments: Iterable[Comment], gone: AbstractSet[str]) -> list[Comment]:
    """The texts, bound to none of the incidents that are gone."""
    return [replace(each, incident_key=None) if each.incident_key in gone else each for each in comments]


def _bind_text(text: Comment, known: Mapping[str, Comment], incidents: AbstractSet[str]) -> Comment:
    """The text as that of its incident: without the headline that the provider adds where it stands alone."""
    same = [known[text.key]] if text.key in known else [each for each in known.values() if _repeats(text, each)]
    was = next((each for each in same if each.incident_key in incidents), None)
    if was is None:
        return text
    return replace(text, incident_key=was.incident_key, html=was.html if text.html.endswith(was.html) else text.html)


def _repeats(text: Comment, other: Comment) -> bool:
    return len(other.html) >= SHORTEST and text.html.endswith(other.html)
