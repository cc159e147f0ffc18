"""The match that is believed: what of a new answer counts at once, and what waits for a second good answer.

Everything that a liveblog shows of a match is made of the believed one, so scoreboard, state, squads, posts and texts agree.
Additions and corrections count at once. A step back (something is gone, a score is lower, a state is earlier) waits, because
feeds flap: it counts when the next good answer takes the same step.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from mapping.abandonment import with_abandonment
from mapping.games import is_game, with_games
from mapping.match import PERIOD_KEY, Score, Status
from mapping.sports import absorbed_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mapping.match import Comment, Incident, Match, Person, Placing, Race, Side

T = TypeVar("T")
Row = TypeVar("Row")

DAY = 24 * 3600

CONFIRMATIONS = 2
"""Good answers in a row that have to take a step back before it counts."""

PLAY, TEXT = "play", "text"
"""Sources of what a match is made of: the resources of the match itself, and the provider's editorial text."""

VALUES = ("tournament", "location", "title", "winner", "decided", "points", "serving")
"""Fields of a match that are guarded each by itself."""

IGNORED = frozenset({"order", "synthesised", "created_at"})
"""Fields that say nothing of what happened: a row before is gone, or somebody else has filled in for the row itself."""

RANK = {Status.SCHEDULED: 0, Status.POSTPONED: 0, Status.LIVE: 1, Status.BREAK: 1, Status.SHOOTOUT: 2}
"""Statuses in the order of a match; those that are not here end it."""


@dataclass(frozen=True, slots=True)
class Belief:
    """A match as it is believed, and the names of what its last good answers did not say any more.

    `unconfirmed`: more than that is gone, in an answer that confirms nothing; the next one says whether it is.
    """

    match: Match
    doubted: frozenset[str] = frozenset()
    unconfirmed: bool = False


def believed(before: Belief | None, answer: Match, *, good: AbstractSet[str]) -> Belief:
    """What is believed after `answer`, the match as its last good bodies describe it.

    `good` names the sources that answered well this time, changed or not; only those confirm that something is gone.
    """
    answer = with_abandonment(answer)
    if before is None:
        return Belief(answer)
    answer = replace(answer, incidents=with_games(before.match, answer))
    doubts = [_Doubts(before.doubted, counts=source in good) for source in (PLAY, TEXT)]
    match = _believed(before.match, answer, *doubts)
    if any(each.doubted for each in doubts):  # what was deduced from a row that is gone waits with it
        doubts = [_Doubts(before.doubted, each.counts, wary=bool(each.doubted)) for each in doubts]
        match = _believed(before.match, answer, *doubts)
    return _belief(match, doubts)


def _belief(match: Match, doubts: Sequence[_Doubts]) -> Belief:
    doubted = frozenset().union(*(each.doubted for each in doubts))
    return Belief(match, doubted, unconfirmed=any(each.unconfirmed for each in doubts))


def _believed(was: Match, answer: Match, play: _Doubts, text: _Doubts) -> Match:
    incidents = _incidents(was, answer, play)
    return replace(
        answer,
        **_state(was, answer, play),
        kickoff=_kickoff(was, answer),
        **{name: _value(getattr(was, name), getattr(answer, name), name, play) for name in VALUES},
        **_scores(was, answer, play),
        home=_side(was.home, answer.home, "home", play),
        away=_side(was.away, answer.away, "away", play),
        race=_race(was.race, answer.race, play),
        periods=_rows(was.periods, answer.periods, lambda each: f"period {each.title}", play),
        incidents=incidents,
        comments=_comments(was, answer, {each.key for each in incidents}, text),
    )


@dataclass(slots=True)
class _Doubts:
    """Which steps back are believed: those that the last good answer has taken already."""

    earlier: AbstractSet[str]
    counts: bool
    """Whether this answer confirms anything."""
    wary: bool = False
    """Whether something is gone, so that only what has more counts at once."""
    doubted: set[str] = field(default_factory=set)
    unconfirmed: bool = False
    """Whether something is gone that nobody doubted before, in an answer that confirms nothing."""

    def keep(self, name: str) -> bool:
        """Whether what is gone stays for now; `name` distinguishes it from everything else that may be gone."""
        if name in self.earlier and self.counts:
            return False
        if name in self.earlier or self.counts:
            self.doubted.add(name)
        else:
            self.unconfirmed = True
        return True


def less(after: Any, before: Any) -> bool:
    """Whether `after` has nothing that `before` does not have, a text that is cut off, or a lower score."""
    if after == before or after in (None, "", ()):
        return True
    return type(after) is type(before) and _less_of_its_kind(after, before)


def _less_of_its_kind(after: Any, before: Any) -> bool:
    if isinstance(after, str):
        return bool(before.startswith(after))
    if isinstance(after, Score):
        return after.total < int(before.total)
    if isinstance(after, tuple):
        return all(_in_less(each, before) for each in after)
    return is_dataclass(after) and _fields_less(after, before)


def _in_less(row: Any, before: tuple[Any, ...]) -> bool:
    return is_dataclass(row) and any(less(row, other) for other in before)


def _fields_less(after: Any, before: Any) -> bool:
    names = (each.name for each in fields(after) if each.name not in IGNORED)
    return all(less(getattr(after, name), getattr(before, name)) for name in names)


def _value(before: T, after: T, name: str, doubts: _Doubts) -> T:
    """`after`, or `before` where `after` has less, or something else beside what is gone."""
    if after == before or less(before, after):
        return after
    return before if (doubts.wary or less(after, before)) and doubts.keep(name) else after


def _scores(before: Match, after: Match, doubts: _Doubts) -> dict[str, Any]:
    """Score and tally of the shoot-out. Some feeds count the tally on: while a lower score waits, the tally waits too."""
    score = _value(before.score, after.score, "score", doubts)
    if score != after.score and before.shootout != after.shootout and doubts.keep("shootout"):
        return {"score": score, "shootout": before.shootout}
    return {"score": score, "shootout": _value(before.shootout, after.shootout, "shootout", doubts)}


def _state(before: Match, after: Match, doubts: _Doubts) -> dict[str, Any]:
    """Status and clock, which belong together: an earlier state waits, and one without the times that it had.

    An earlier one never counts while what began or ended the match may be there in a form that nobody could read.
    """
    earlier = _progress(after) < _progress(before)
    stays = earlier and _mark_unreadable(before, after)
    if stays or ((earlier or _poorer(before, after)) and doubts.keep("state")):
        return {"status": before.status, "clock": before.clock}
    return {}


def _poorer(before: Match, after: Match) -> bool:
    return after.status is before.status and after.clock != before.clock and less(after.clock, before.clock)


def _mark_unreadable(before: Match, after: Match) -> bool:
    said = {each.key for each in after.incidents}
    marks = [each.key for each in before.incidents if each.key.startswith(PERIOD_KEY) and each.key not in said]
    return any(key in after.unreadable for key in marks)


def _kickoff(before: Match, after: Match) -> int | None:
    """When the match begins. A time that the provider does not know, or not any more, is no other time."""
    if before.kickoff is None or (after.kickoff is not None and not after.kickoff_open):
        return after.kickoff
    same_day = after.kickoff is None or abs(after.kickoff - before.kickoff) < DAY
    return before.kickoff if same_day else after.kickoff


def _progress(match: Match) -> tuple[int, int, bool]:
    return RANK.get(match.status, len(RANK)), match.clock.phase, match.clock.in_break


def _side(before: Side | None, after: Side | None, name: str, doubts: _Doubts) -> Side | None:
    """A side with everybody who was named for it; another team is a correction, its squad too.

    A match without one of its teams is refused as a whole, by whoever makes a document of it.
    """
    if before is None or after is None or before.ext_id != after.ext_id:
        return after
    itself = _value(replace(before, lineup=(), bench=()), replace(after, lineup=(), bench=()), name, doubts)
    lineup, bench = {each.ext_id for each in after.lineup}, {each.ext_id for each in after.bench}
    return replace(
        itself,
        lineup=_squad(before.lineup, after.lineup, bench, f"{name} lineup", doubts),
        bench=_squad(before.bench, after.bench, lineup, f"{name} bench", doubts),
    )


def _squad(
    before: tuple[Person, ...], after: tuple[Person, ...], others: AbstractSet[str], name: str, doubts: _Doubts
) -> tuple[Person, ...]:
    """The people of one list, without those who are now in the other one. The same people in another order wait."""
    known = {each.ext_id: place for place, each in enumerate(before) if each.ext_id not in others}
    stayed = [each for each in before if each.ext_id in known]
    rows = _rows(stayed, after, lambda each: f"{name} {each.ext_id}", doubts)
    return _in_order(rows, known) if _moved(rows, known) and doubts.keep(f"{name} order") else rows


def _moved(people: Iterable[Person], places: Mapping[str, int]) -> bool:
    names = [each.ext_id for each in people]
    return places.keys() == set(names) and [*places] != names


def _in_order(people: Iterable[Person], places: Mapping[str, int]) -> tuple[Person, ...]:
    return tuple(sorted(people, key=lambda each: places[each.ext_id]))


def _race(before: Race | None, after: Race | None, doubts: _Doubts) -> Race | None:
    """A race as a whole: an earlier lap waits, and a ranking from which somebody is gone."""
    if before is None or after is None or before == after:
        return _value(before, after, "race", doubts)
    return before if (doubts.wary or _goes_back(before, after)) and doubts.keep("race") else after


def _goes_back(before: Race, after: Race) -> bool:
    was, now = ({_entrant(each) for each in race.ranking} for race in (before, after))
    return (after.lap or 0) < (before.lap or 0) or was > now or less(after, before)


def _entrant(placing: Placing) -> tuple[str | None, ...]:
    return tuple([None if each is None else each.ext_id for each in (placing.person, placing.team)])


def _incidents(before: Match, answer: Match, doubts: _Doubts) -> tuple[Incident, ...]:
    """Incidents by their keys; while something is gone, no game is added to a set."""
    known = {each.key: each for each in before.incidents}
    after = _without_new_games(answer.incidents, known) if doubts.wary else answer.incidents
    rows = _rows(before.incidents, after, lambda each: each.key, doubts, _stays(answer))
    return tuple([_in_time(known.get(each.key, each), each) for each in _once(rows, known, answer)])


def _without_new_games(incidents: Iterable[Incident], known: Mapping[str, Incident]) -> Sequence[Incident]:
    return [each for each in incidents if each.key in known or not is_game(each)]


def _stays(answer: Match) -> Callable[[Incident], bool]:
    """Which incidents stay that are not in the answer: those that may be in it in a form that nobody could read.

    A first yellow card stays when the provider drops it because of the yellow-red that followed.
    """
    cards = {(each.kind, _player(each)) for each in answer.incidents}

    def stays(gone: Incident) -> bool:
        absorbed = (absorbed_by(gone.kind), _player(gone)) in cards and (gone.kind, _player(gone)) not in cards
        return absorbed or gone.key in answer.unreadable

    return stays


def _once(rows: Iterable[Incident], known: Mapping[str, Incident], answer: Match) -> Iterable[Incident]:
    """Without what is gone and there again under another id: it waits, so that it never stands twice."""
    now = {each.key for each in answer.incidents}
    kept = {_what(each) for each in rows if each.key not in now}
    return [each for each in rows if each.key in known or _what(each) not in kept]


def _what(incident: Incident) -> tuple[Any, ...]:
    """What happened, whatever its id."""
    when, team = (incident.minute, incident.added, incident.lap), incident.team and incident.team.ext_id
    people = tuple([(each.role, each.person.ext_id) for each in incident.people])
    return (incident.kind, incident.side, team, incident.score, *when, people)


def _in_time(before: Incident, after: Incident) -> Incident:
    """The incident at the time that the provider once gave it: neither none nor one that was made up is another one."""
    made_up = after.synthesised and not before.synthesised
    if before.created_at is not None and (made_up or after.created_at is None):
        return replace(after, created_at=before.created_at, synthesised=before.synthesised)
    return after


def _player(incident: Incident) -> str | None:
    return next((each.person.ext_id for each in incident.people), None)


def _comments(before: Match, answer: Match, incidents: AbstractSet[str], doubts: _Doubts) -> tuple[Comment, ...]:
    """Texts by their keys. A text that was bound to an incident stays bound to it, as long as there is that incident."""
    bound = {each.key: each.incident_key for each in before.comments if each.incident_key in incidents}
    after = [
        each if each.incident_key in incidents else replace(each, incident_key=bound.get(each.key, each.incident_key))
        for each in answer.comments
    ]
    known = _without(before.comments, {each.key for each in before.incidents} - incidents)
    return _rows(known, after, lambda each: each.key, doubts, lambda gone: gone.key in answer.unreadable)


def _without(comments: Iterable[Comment], gone: AbstractSet[str]) -> list[Comment]:
    """The texts, bound to none of the incidents that are gone."""
    return [replace(each, incident_key=None) if each.incident_key in gone else each for each in comments]


def _rows(
    before: Iterable[Row],
    after: Sequence[Row],
    key: Callable[[Row], str],
    doubts: _Doubts,
    stays: Callable[[Row], bool] = lambda _: False,
) -> tuple[Row, ...]:
    """The rows after, each guarded by itself, and those of before that are not gone yet, behind the ones they followed.

    `key` names a row; `stays` says which stay however often they are gone.
    """
    known = {key(each): each for each in before}
    named = zip(map(key, after), after, strict=True)
    rows = {name: _value(known.get(name, each), each, name, doubts) for name, each in named}
    kept = {name: each for name, each in known.items() if name not in rows and (stays(each) or doubts.keep(name))}
    return _woven(known, rows, kept)


def _woven(before: Iterable[str], rows: Mapping[str, Row], kept: Mapping[str, Row]) -> tuple[Row, ...]:
    """The rows, and those that are kept behind the ones that they followed `before`."""
    behind: dict[str | None, list[Row]] = {}
    last = None
    for name in before:
        if name in rows:
            last = name
        elif name in kept:
            behind.setdefault(last, []).append(kept[name])
    woven = behind.get(None, [])
    for name, each in rows.items():
        woven += [each, *behind.get(name, ())]
    return tuple(woven)
