"""Fills a liveblog from its match and keeps it up to date: teams, place, score, state and squads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mapping.documents.import_options import ImportOptions
from mapping.documents.state import BEFORE, ENDED, RUNNING, SHOOTOUT
from mapping.errors import DownstreamRejected
from mapping.liveblog.display_clock import phase_length, played_before
from mapping.locales import Translator, translator
from mapping.locales.labels import ENDINGS, INTERRUPTED, ON_PITCH, PERIODS, SCORE_CONTEXT
from mapping.match.match import Decided, Match, Race, Side, Status
from mapping.match.references import References
from mapping.posts import match_documents
from mapping.posts.wording import ending, spoken_score
from mapping.rules.rich_text import isolate
from mapping.sports import Sport, sport_of

Document = dict[str, Any]

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

EVERYTHING = ("meta_info", "squads", "summary", "state_info", "options", "scoreboard")
"""All parts of a game document that the sync may write."""


def game_document(match: Match, terms: ImportOptions, references: References, *, title: str | None = None) -> Document:
    """The game document of a match, made of the match and the terms alone: the same at every poll that changes nothing.

    `title` outranks the one of the terms, which outranks the default "Home - Away" (with a dash).
    Raises DownstreamRejected for a match that lacks a team where the sport is played by two.
    """
    sport, texts = sport_of(match), translator(terms.locale)
    wanted_title = title or terms.title
    sides = _sides(sport, match)
    return {
        "locale": terms.locale,
        "template_id": sport.id,
        "sportstype": sport.id,
        "summary": texts.text(INTERRUPTED[match.status]) if match.status in INTERRUPTED else "",
        "meta_info": {
            **_names(match, sides, references, wanted_title),
            "editorial_publishing": False,
            "allow_comments": True,
            **({} if match.kickoff is None else {"starts_at": match.kickoff}),
        },
        **({} if sides is None else {"scoreboard": _scoreboard(sport, match, sides, references, texts)}),
        **({} if sport.timing is None else {"options": sport.timing.document()}),
        "state_info": state_info(sport, match, references),
        **({} if sides is None else {"squads": _squads(sides, references)}),
    }


def _sides(sport: Sport, match: Match) -> tuple[Side, Side] | None:
    """Home and away, None for a sport without teams."""
    if not sport.scoreboard:
        return None
    if match.home is None or match.away is None:
        missing = "home" if match.home is None else "away"
        raise DownstreamRejected(f"the provider's match {match.match_id} has no {missing} team")
    return match.home, match.away


def _names(match: Match, sides: tuple[Side, Side] | None, references: References, title: str | None) -> Document:
    """The meta info of a team game, or of a title game where no teams meet."""
    if sides is None:
        named = title or match.title or (match.tournament.name if match.tournament is not None else "")
        if not named:
            raise DownstreamRejected(f"the provider's match {match.match_id} has nothing to name the liveblog after")
        return {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": named}
    home, away = sides
    tournament, location = match.tournament, match.location
    return {
        "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
        "title": title or f"{isolate(home.name)} \u2013 {isolate(away.name)}",
        "home_team": match_documents.team(home, references),
        "away_team": match_documents.team(away, references),
        **({} if tournament is None else {"tournament": match_documents.tournament(tournament, references)}),
        **({} if location is None else {"location": match_documents.location(location, references)}),
    }


def _scoreboard(
    sport: Sport, match: Match, sides: tuple[Side, Side], references: References, texts: Translator
) -> Document:
    home, away = sides
    kind = "SetBased" if sport.sets else "Team"
    return {
        "_type": f"Svc::Model::Content::Scoreboard::{kind}GameScoreboard",
        "home_team": match_documents.team(home, references),
        "away_team": match_documents.team(away, references),
        "score": match_documents.score(
            None if _never_began(match) else match.award or match.score, _decision_text(sport, match, texts)
        ),
        "scores": _parts(match, texts),
        **({} if match.points is None else {"current_score": match_documents.points(match.points)}),
        **({} if match.serving is None else {"serving": match.serving}),
        **({"winner": match.winner} if sport.sets and match.status.over and match.winner is not None else {}),
    }


def _never_began(match: Match) -> bool:
    """Whether a match was called off before it began: then it has no score, though some feeds have 0:0 from the beginning."""
    return match.status is Status.CANCELLED and not match.clock.phase and not match.incidents


def _decision_text(sport: Sport, match: Match, texts: Translator) -> str:
    """What stands beside the score: how the match was decided, once extra time or the shoot-out is over, or broken off."""
    if match.award is not None and match.score is not None:
        return texts.text(ON_PITCH, context=SCORE_CONTEXT, score=spoken_score(match.score, texts))
    how = ending(sport, match)
    if match.status is not Status.FINISHED and how is not Decided.ABANDONED:
        how = Decided.OVERTIME if how is Decided.SHOOTOUT and _extra_time(match) else None
    msgid = None if how is None else {**ENDINGS, **sport.endings}.get(how)
    return texts.text(msgid, context=SCORE_CONTEXT) if msgid else ""


def _extra_time(match: Match) -> bool:
    return any(part.title == "extra-time" for part in match.periods)


def _parts(match: Match, texts: Translator) -> list[Document]:
    """The scores of the parts that the provider gave, then the tally of the shoot-out."""
    parts = [
        match_documents.score(
            part.score,
            texts.text(PERIODS[part.title], context=SCORE_CONTEXT) if part.title in PERIODS else part.title,
        )
        for part in match.periods
    ]
    if match.shootout is None:
        return parts
    return [*parts, match_documents.score(match.shootout, texts.text(PERIODS["shootout"], context=SCORE_CONTEXT))]


def _squads(sides: tuple[Side, Side], references: References) -> Document:
    home, away = sides
    return {"home": match_documents.squad(home, references), "away": match_documents.squad(away, references)}


def state_info(sport: Sport, match: Match, references: References) -> Document:
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
    check_seconds = _seconds_played(match, phase_length(options, phase)) if is_break else 0
    return {
        "_type": "Svc::Model::GameStateInfo::TimeBasedGameStateInfo",
        "timeout": match.clock.stopped,
        **({} if check_time is None else {"check_time": check_time}),
        "check_seconds": check_seconds,
        "is_break": is_break,
        "recurrence": phase,
        "gamestate": gamestate,
        "minute": _minute(match, played_before(options, phase), phase_length(options, phase)),
    }


def _of_sets(match: Match, gamestate: int) -> Document:
    """The running set and game, or those that were played last; nothing before the first set."""
    last = match.periods[-1].score if match.periods else None
    played = 0 if last is None else last.total
    return {
        "_type": "Svc::Model::GameStateInfo::TennisGameStateInfo",
        "gamestate": gamestate,
        **({} if last is None else {"set": len(match.periods), "game": played + (gamestate == RUNNING)}),
        **({} if match.points is None else {"points": match_documents.points(match.points)}),
        **({} if match.serving is None else {"serving": match.serving}),
    }


def _of_race(race: Race, gamestate: int, references: References) -> Document:
    known = {"lap": race.lap, "total_laps": race.total_laps, "flag": race.flag}
    return {
        "_type": "Svc::Model::GameStateInfo::RankedGameStateInfo",
        "gamestate": gamestate,
        **{name: value for name, value in known.items() if value is not None},
        **({"timed": True} if race.timed else {}),
        "ranking": [match_documents.placing(place, references) for place in race.ranking],
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


def _seconds_played(match: Match, length: int) -> int:
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


def synced_parts(document: Mapping[str, Any], terms: ImportOptions) -> Document:
    """The parts of a game document that the sync keeps up to date under these terms (AutoPostConfiguration)."""
    parts = ["meta_info", "squads", "summary"]
    parts += ["state_info", "options"] if terms.auto_post else []
    parts += ["scoreboard"] if terms.auto_post and not terms.exclude_scoreboard else []
    return {name: document.get(name) for name in parts if name in document}
