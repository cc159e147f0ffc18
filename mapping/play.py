"""The state of play as a document, worked out from the match alone, so that it changes only when the match does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mapping import embedded
from mapping.documents.state import BEFORE, ENDED, RUNNING, SHOOTOUT
from mapping.match import Match, Race, Status
from mapping.rules.clock import phase_length, played_before

if TYPE_CHECKING:
    from mapping.references import References
    from mapping.sports import Sport

GAMESTATES = {
    Status.SCHEDULED: BEFORE,
    Status.POSTPONED: BEFORE,
    Status.LIVE: RUNNING,
    Status.BREAK: RUNNING,
    Status.SHOOTOUT: SHOOTOUT,
    Status.FINISHED: ENDED,
    Status.ABANDONED: ENDED,
    Status.CANCELLED: ENDED,
}


def state_info(sport: Sport, match: Match, references: References) -> dict[str, Any]:
    """The state document: time-based where the sport has a clock, by sets in tennis, a ranking in races, basic elsewhere."""
    gamestate = GAMESTATES[match.status]
    if sport.sets:
        return _of_sets(match, gamestate)
    if sport.ranked:
        return _of_race(match.race or Race(), gamestate, references)
    if sport.timing is None:
        return {"_type": "Svc::Model::GameStateInfo::BasicGameStateInfo", "gamestate": gamestate}
    options = sport.timing.document()
    phase = max(match.clock.phase, 1) if match.status.running else match.clock.phase
    is_break = match.status is Status.BREAK
    check_time = _check_time(sport, match, gamestate, phase_length(options, phase))
    check_seconds = _played(match, phase_length(options, phase)) if is_break else 0
    return {
        "_type": "Svc::Model::GameStateInfo::TimeBasedGameStateInfo",
        "timeout": False,
        **({} if check_time is None else {"check_time": check_time}),
        "check_seconds": check_seconds,
        "is_break": is_break,
        "recurrence": phase,
        "gamestate": gamestate,
        "minute": _minute(match, played_before(options, phase), phase_length(options, phase)),
    }


def _of_sets(match: Match, gamestate: int) -> dict[str, Any]:
    """The running set and game, or those that were played last; nothing before the first set."""
    last = match.periods[-1].score if match.periods else None
    played = 0 if last is None else last.home + last.away
    return {
        "_type": "Svc::Model::GameStateInfo::TennisGameStateInfo",
        "gamestate": gamestate,
        **({} if last is None else {"set": len(match.periods), "game": played + (gamestate == RUNNING)}),
        **({} if match.points is None else {"points": embedded.points(match.points)}),
        **({} if match.serving is None else {"serving": match.serving}),
    }


def _of_race(race: Race, gamestate: int, references: References) -> dict[str, Any]:
    known = {"lap": race.lap, "total_laps": race.total_laps, "flag": race.flag}
    return {
        "_type": "Svc::Model::GameStateInfo::RankedGameStateInfo",
        "gamestate": gamestate,
        **{name: value for name, value in known.items() if value is not None},
        "ranking": [embedded.placing(place, references) for place in race.ranking],
    }


def _check_time(sport: Sport, match: Match, gamestate: int, length: int) -> int | None:
    """When the present state began: the phase, its break, the shoot-out, the end; before the match, its kick-off."""
    clock = match.clock
    match match.status:
        case Status.LIVE:
            return clock.phase_started_at
        case Status.BREAK:
            started = clock.phase_started_at
            estimate = None if started is None else started + length
            return clock.break_started_at if clock.break_started_at is not None else estimate
        case Status.SCHEDULED | Status.POSTPONED:
            return match.kickoff
    entered = (each.created_at for each in match.incidents if sport.kind(each.kind).enters == gamestate)
    return next(entered, None)


def _played(match: Match, length: int) -> int:
    """Seconds that the phase before the break lasted; its nominal length where the times are not known."""
    started, ended = match.clock.phase_started_at, match.clock.break_started_at
    return length if started is None or ended is None or ended < started else ended - started


def _minute(match: Match, before: int, length: int) -> int:
    """Minutes played at `check_time` since the start, without added time (deprecated in the interface)."""
    match match.status:
        case Status.SCHEDULED | Status.POSTPONED | Status.CANCELLED:
            return 0
        case Status.LIVE:
            return before // 60
        case Status.ABANDONED:
            return max((each.minute or 0 for each in match.incidents), default=0)
    return (before + length) // 60
