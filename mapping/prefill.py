"""The liveblog that a match fills in beforehand and keeps up to date: teams, place, score, state and squads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mapping import embedded
from mapping.errors import DownstreamRejected
from mapping.locales import Translator, translator
from mapping.locales.labels import ENDINGS, INTERRUPTED, PERIODS, SCORE_CONTEXT
from mapping.match import Match, Side, Status
from mapping.play import state_info
from mapping.sports import Sport, sport_of
from mapping.wording import OVERTIME, SHOOTOUT, ending

if TYPE_CHECKING:
    from mapping.references import References
    from mapping.terms import Terms

Document = dict[str, Any]


def game_document(match: Match, terms: Terms, references: References, *, title: str | None = None) -> Document:
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
        "title": title or f"{home.name} \u2013 {away.name}",
        "home_team": embedded.team(home, references),
        "away_team": embedded.team(away, references),
        **({} if tournament is None else {"tournament": embedded.tournament(tournament, references)}),
        **({} if location is None else {"location": embedded.location(location, references)}),
    }


def _scoreboard(
    sport: Sport, match: Match, sides: tuple[Side, Side], references: References, texts: Translator
) -> Document:
    home, away = sides
    kind = "SetBased" if sport.sets else "Team"
    return {
        "_type": f"Svc::Model::Content::Scoreboard::{kind}GameScoreboard",
        "home_team": embedded.team(home, references),
        "away_team": embedded.team(away, references),
        "score": embedded.score(match.score, _decided(sport, match, texts)),
        "scores": _parts(match, texts),
        **({} if match.points is None else {"current_score": embedded.points(match.points)}),
        **({} if match.serving is None else {"serving": match.serving}),
    }


def _decided(sport: Sport, match: Match, texts: Translator) -> str:
    """What stands beside the score: how the match was decided, once extra time or the shoot-out is over."""
    went = ending(sport, match)
    over = match.status is Status.FINISHED
    label = went if over else OVERTIME if went == SHOOTOUT and _extra_time(match) else ""
    msgid = {**ENDINGS, **sport.endings}.get(label)
    return texts.text(msgid, context=SCORE_CONTEXT) if msgid else ""


def _extra_time(match: Match) -> bool:
    return any(part.title == "extra-time" for part in match.periods)


def _parts(match: Match, texts: Translator) -> list[Document]:
    """The scores of the parts that the provider gave, then the tally of the shoot-out."""
    parts = [
        embedded.score(
            part.score,
            texts.text(PERIODS[part.title], context=SCORE_CONTEXT) if part.title in PERIODS else part.title,
        )
        for part in match.periods
    ]
    if match.shootout is None:
        return parts
    return [*parts, embedded.score(match.shootout, texts.text(PERIODS["shootout"], context=SCORE_CONTEXT))]


def _squads(sides: tuple[Side, Side], references: References) -> Document:
    home, away = sides
    return {"home": embedded.squad(home, references), "away": embedded.squad(away, references)}
