"""Decides what of a new answer is believed at once, and what waits for more good answers.

Everything that a liveblog shows of a match is made of the believed one, so scoreboard, state, squads, posts and texts agree.
Additions and corrections count at once. A step back (something is gone, a score is lower, a state is earlier) waits, because
feeds flap: it counts when good answers of the resource that carries it take the same step again (mapping.belief.doubts).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from mapping.belief.belief import ConfirmedMatch, Memory
from mapping.belief.doubts import (
    MOST_RETREATS,
    Doubts,
    by_name,
    guard_rows,
    guard_side,
    guard_value,
    less,
)
from mapping.belief.goals import (
    covers,
    goals_under_review,
    is_game,
    sent_scores,
    uncounted_goals,
    with_games,
    with_goals,
    with_review,
    with_steps,
    without_marks,
)
from mapping.belief.incident_keys import (
    Keys,
    bound_texts,
    content,
    numbered_anew,
    unbound_from,
    with_kept_keys,
    without_repeated,
)
from mapping.belief.match_course import (
    EarlierTry,
    as_it_goes_on,
    can_be_set_again,
    has_another_day,
    has_unreadable_mark,
    is_awarded,
    is_set_again,
    until_result,
    with_abandonment,
    with_award,
    with_disqualified,
    without_earlier_try,
    without_try,
)
from mapping.match.match import ALL_PARTS, Comment, Incident, Match, Part, Race, RankingEntry, Score
from mapping.sports import absorbed_by, sport_of

Row = TypeVar("Row", "Incident", "Comment")

DAY = 24 * 3600

VALUES = {
    "tournament": Part.FACTS,
    "location": Part.FACTS,
    "title": Part.FACTS,
    "winner": Part.STATE,
    "decided": Part.STATE,
    "award": Part.SCORE,
    "points": Part.SCORE,
    "serving": Part.SCORE,
}
"""Fields of a match that are guarded each by itself, and the part that each belongs to."""

PLAY = ALL_PARTS - {Part.TEXT}


def confirm_answer(
    before: ConfirmedMatch | None, answer: Match, *, good: AbstractSet[Part], closing: bool = False
) -> ConfirmedMatch:
    """What is believed after `answer`, the match as its last good bodies describe it.

    `good` names the parts whose resources answered well this time, changed or not; only those confirm that something is gone.
    `closing`: no further answer is waited for.
    """
    answer = with_abandonment(answer)
    answer = answer if closing else until_result(None if before is None else before.match, answer)
    if before is None:
        answer = with_award(None, answer) if is_awarded(None, answer) else answer
        match = with_goals(answer)
        return ConfirmedMatch(match, memory=Memory(sent=sent_scores(answer, match)))
    was = _as_sent(before)
    answer, earlier = without_earlier_try(was, answer, before.memory.earlier)
    if is_set_again(was, answer):
        if can_be_set_again(was, answer):
            return _set_again(before, was, answer, good)
        answer = as_it_goes_on(was, answer)
    reviewed = frozenset(each.key for each in before.match.incidents if each.under_review)
    answer, keys = with_kept_keys(was, answer, before.memory.keys, reviewed.union(before.memory.disallowed))
    if is_awarded(was, answer):
        doubts = _doubts(before, good)
        if was.award is None and doubts.keep(Part.SCORE, "award", None, answer.score):
            return _as_it_was(before, answer, doubts)
        answer = with_award(was, answer)
    answer = with_steps(was, with_disqualified(was, answer))
    taken_back = _taken_back(was, answer, before.memory)
    waiting = _waiting(was, answer, _doubts(before, good)) if taken_back else ()
    left_out = uncounted_goals(answer, waiting, was.score, taken_back)
    incidents = [each for each in with_games(was, answer) if each.key not in left_out]
    answer = replace(answer, incidents=tuple(incidents))
    doubts = _doubts(before, good)
    match, lost = _confirmed(was, answer, doubts, reviewed)
    if doubts.doubted:  # what was deduced from a row that is gone waits with it
        doubts = replace(_doubts(before, good), wary=_wary(doubts), patience=doubts.needed())
        match, lost = _confirmed(was, answer, doubts, reviewed)
    shown = with_goals(match)
    anew = numbered_anew(was, match)
    retreats = tuple([each for each in doubts.retreats.values() if each.name not in anew][-MOST_RETREATS:])
    disallowed = tuple(sorted(left_out | lost))
    memory = Memory(retreats, sent_scores(match, shown), disallowed, _kept_keys(keys, match, disallowed), earlier)
    return ConfirmedMatch(shown, frozenset(doubts.doubted.values()), doubts.unconfirmed, memory)


def _set_again(before: ConfirmedMatch, was: Match, answer: Match, good: AbstractSet[Part]) -> ConfirmedMatch:
    """The match before its start, once that counts, with nothing of what was believed; until then as it was."""
    doubts = _doubts(before, good)
    if doubts.keep(Part.STATE, "state", (was.status, was.clock), (answer.status, answer.clock)):
        return _as_it_was(before, answer, doubts)
    earlier = EarlierTry.of(was) if has_another_day(was, answer) else None
    match = answer if earlier is None else without_try(answer, earlier)
    shown = with_goals(match)
    retreats = tuple(doubts.retreats.values())[-MOST_RETREATS:]
    return ConfirmedMatch(shown, memory=Memory(retreats, sent_scores(match, shown), earlier=earlier))


def _as_it_was(before: ConfirmedMatch, answer: Match, doubts: Doubts) -> ConfirmedMatch:
    """What was believed, while the answer as a whole waits for another one."""
    still = replace(before.match, faults=answer.faults, unreadable_keys=answer.unreadable_keys)
    return ConfirmedMatch(still, frozenset(doubts.doubted.values()), doubts.unconfirmed, before.memory)


def _taken_back(was: Match, answer: Match, memory: Memory) -> frozenset[str]:
    """Names of what was taken back, rows of goals or the goals of a lower score. A goal comes back when the score counts it.

    One that is disallowed and whose row is gone may be there under another id: until then nothing new counts for it.
    """
    names = {*memory.disallowed, *(each.name for each in memory.retreats)}
    said = {each.key for each in answer.incidents}
    names |= set() if said.issuperset(memory.disallowed) else said
    return frozenset(names.difference(each.key for each in was.incidents)) if names else frozenset()


def _as_sent(before: ConfirmedMatch) -> Match:
    """The match as it was believed, with the scores and the goals that were sent for it."""
    sent, match = before.memory.sent, without_marks(before.match)
    return match if sent is None else replace(match, score=sent.score, periods=sent.periods)


def _doubts(before: ConfirmedMatch, good: AbstractSet[Part]) -> Doubts:
    retreats = {each.name: each for each in before.memory.retreats}
    return Doubts(by_name(before.doubted), retreats, good)


def _wary(doubts: Doubts) -> frozenset[Part]:
    """The parts in which something may have been deduced from what is gone."""
    return frozenset().union(*(frozenset({Part.TEXT}) if each is Part.TEXT else PLAY for each in doubts.parts))


def _kept_keys(keys: Keys, match: Match, disallowed: Iterable[str]) -> Keys:
    """The keys of what is still believed, and of goals that are not although the answers have them."""
    known = {*disallowed, *(each.key for each in match.incidents)} if keys else frozenset()
    return tuple([(new, old) for new, old in keys if old in known])


def _confirmed(was: Match, answer: Match, doubts: Doubts, reviewed: frozenset[str]) -> tuple[Match, frozenset[str]]:
    """The match, and the keys of the goals that are disallowed as it is over with the lower score; `reviewed`: goals until then."""
    scores, state = _scores(was, answer, doubts), _state(was, answer, doubts)
    found = replace(answer, incidents=_incidents(was, answer, doubts))
    lost = goals_under_review(found, reviewed, was.score, scores["score"])
    ended = state.get("status", answer.status).over
    incidents = with_review(found.incidents, lost, ended=ended)
    match = replace(
        answer,
        **state,
        kickoff=_kickoff(was, answer),
        **{
            name: guard_value(getattr(was, name), getattr(answer, name), part, name, doubts)
            for name, part in VALUES.items()
        },
        **scores,
        home=guard_side(was.home, answer.home, "home", doubts),
        away=guard_side(was.away, answer.away, "away", doubts),
        race=_race(was.race, answer.race, doubts),
        periods=guard_rows(
            was.periods, answer.periods, lambda each: f"period {each.title}", lambda _: Part.SCORE, doubts
        ),
        incidents=incidents,
        comments=_comments(was, answer, incidents, doubts),
    )
    return match, lost if ended else frozenset()


def _scores(before: Match, after: Match, doubts: Doubts) -> dict[str, Any]:
    """Score and tally of the shoot-out. Some feeds count the tally on: while a lower score waits, the tally waits too."""
    score = _score(before, after, doubts)
    keep = partial(doubts.keep, Part.SHOOTOUT, "shootout", before.shootout, after.shootout)
    if score != after.score and before.shootout != after.shootout and keep():
        return {"score": score, "shootout": before.shootout}
    return {"score": score, "shootout": guard_value(before.shootout, after.shootout, Part.SHOOTOUT, "shootout", doubts)}


def _score(before: Match, after: Match, doubts: Doubts) -> Score | None:
    """The score. One that takes something from a side waits as well, however much it gives to the other."""
    if before.score is not None and after.score is not None and sport_of(after).timing is not None:
        moved = not covers(after.score, before.score) and not less(after.score, before.score)
        if moved and doubts.keep(Part.SCORE, "score", before.score, after.score):
            return before.score
    return guard_value(before.score, after.score, Part.SCORE, "score", doubts)


def _state(before: Match, after: Match, doubts: Doubts) -> dict[str, Any]:
    """Status and clock, which belong together: an earlier state waits, and one without the times that it had.

    An earlier one never counts while what began or ended the match may be there in a form that nobody could read.
    """
    was, now = (before.status, before.clock), (after.status, after.clock)
    earlier = _progress(after) < _progress(before)
    kept = {"status": before.status, "clock": before.clock}
    if earlier and has_unreadable_mark(before, after):
        return kept
    poorer = after.status is before.status and after.clock != before.clock and less(after.clock, before.clock)
    if earlier or poorer:
        return kept if doubts.keep(Part.STATE, "state", was, now) else {}
    if was != now:
        doubts.accept("state", now)
    return {}


def _kickoff(before: Match, after: Match) -> int | None:
    """When the match begins. A time that the provider does not know, or not any more, is no other time.

    One that is over was on its day: it gets another one only together with its next try.
    """
    if before.status.over and has_another_day(before, after):
        return before.kickoff
    if before.kickoff is None or (after.kickoff is not None and not after.kickoff_open):
        return after.kickoff
    same_day = after.kickoff is None or abs(after.kickoff - before.kickoff) < DAY
    return before.kickoff if same_day else after.kickoff


def _progress(match: Match) -> tuple[int, int, bool]:
    return match.status.rank, match.clock.phase, match.clock.in_break


def _race(before: Race | None, after: Race | None, doubts: Doubts) -> Race | None:
    """A race as a whole: an earlier lap waits, and a ranking from which somebody is gone."""
    if before is None or after is None or before == after:
        return guard_value(before, after, Part.RACE, "race", doubts)
    if _goes_back(before, after):
        return before if doubts.keep(Part.RACE, "race", before, after) else after
    if doubts.wait(Part.RACE, "race"):
        return before
    doubts.accept("race", after)
    return after


def _goes_back(before: Race, after: Race) -> bool:
    was, now = ({_entrant(each) for each in race.ranking} for race in (before, after))
    return (after.lap or 0) < (before.lap or 0) or was > now or less(after, before)


def _entrant(placing: RankingEntry) -> tuple[str | None, ...]:
    return tuple([None if each is None else each.ext_id for each in (placing.person, placing.team)])


def _incidents(before: Match, answer: Match, doubts: Doubts) -> tuple[Incident, ...]:
    """Incidents by their keys; while something is gone, no game is added to a set."""
    known = {each.key: each for each in before.incidents}
    after = _without_new_games(answer.incidents, known) if Part.IMPLIED in doubts.wary else answer.incidents
    stays = _stays(answer, _waiting(before, answer, doubts))
    rows = guard_rows(before.incidents, after, lambda each: each.key, _carried_in, doubts, stays=stays)
    now = {each.key for each in answer.incidents}
    return tuple([_in_time(known.get(each.key, each), each) for each in _once(rows, known, now, content)])


def _carried_in(incident: Incident) -> Part:
    return Part.IMPLIED if incident.synthesised else Part.ROWS


def _without_new_games(incidents: Iterable[Incident], known: Mapping[str, Incident]) -> Sequence[Incident]:
    return [each for each in incidents if each.key in known or not is_game(each)]


def _waiting(before: Match, answer: Match, doubts: Doubts) -> list[Incident]:
    """What is believed though the answer lacks it: a step back that does not count yet, or what nobody could read."""
    said = {each.key for each in answer.incidents}
    gone = [each for each in before.incidents if each.key not in said]
    scratch = replace(doubts, retreats={**doubts.retreats}, doubted={}, parts=set()) if gone else doubts
    return [each for each in gone if each.key in answer.unreadable or scratch.keep(_carried_in(each), each.key, each)]


def _stays(answer: Match, waiting: Sequence[Incident]) -> Callable[[Incident], bool]:
    """Which incidents stay that are not in the answer: those that may be in it in a form that nobody could read.

    A first yellow card stays when the provider drops it because of the yellow-red that followed, as long as that is believed.
    """
    cards = {(each.kind, _player(each)) for each in answer.incidents}
    seconds = cards.union((each.kind, _player(each)) for each in waiting)

    def stays(gone: Incident) -> bool:
        player = _player(gone)
        absorbed = (absorbed_by(gone.kind), player) in seconds and (gone.kind, player) not in cards
        return absorbed or gone.key in answer.unreadable

    return stays


def _once(
    rows: Sequence[Row], known: Container[str], now: Container[str], said: Callable[[Row], object]
) -> Iterable[Row]:
    """Without what is gone and there again under another id: it waits, so that it never stands twice.

    `known` and `now`: the keys before and those of the answer.
    """
    kept = {said(each) for each in rows if each.key not in now}
    return [each for each in rows if each.key in known or said(each) not in kept]


def _in_time(before: Incident, after: Incident) -> Incident:
    """The incident at the time that the provider once gave it: neither none nor one that was made up is another one."""
    made_up = after.synthesised and not before.synthesised
    if before.created_at is not None and (made_up or after.created_at is None):
        return replace(after, created_at=before.created_at, synthesised=before.synthesised)
    return after


def _player(incident: Incident) -> str | None:
    return next((each.person.ext_id for each in incident.people), None)


def _comments(before: Match, answer: Match, incidents: Iterable[Incident], doubts: Doubts) -> tuple[Comment, ...]:
    """Texts by their keys. A text that was bound to an incident stays bound to it, as long as there is that incident.

    One that is dropped with its incident stays and goes with it.
    """
    keys = {each.key for each in incidents}
    after = bound_texts(before.comments, answer.comments, keys)
    gone, said = {each.key for each in before.incidents} - keys, {each.key for each in after}
    known = [each for each in before.comments if each.incident_key not in gone or each.key in said]
    known = without_repeated(unbound_from(known, gone), after)
    dropped = keys.difference(each.key for each in answer.incidents)
    stays = answer.unreadable

    def kept(gone: Comment) -> bool:
        return gone.key in stays or gone.incident_key in dropped

    rows = guard_rows(known, after, lambda each: each.key, lambda _: Part.TEXT, doubts, stays=kept)
    return tuple(_once(rows, {each.key for each in known}, said, lambda comment: (comment.incident_key, comment.html)))
