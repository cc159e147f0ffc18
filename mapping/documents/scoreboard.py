"""Scoreboards: what the public reads, so every score is text."""

from typing import Annotated, Literal

from mapping.documents.base import ByType, Document, OpenDocument
from mapping.documents.people import Team
from mapping.documents.scalars import Clearable, Side, Text


class ScoreboardScore(Document):
    """One pair of scores; `title` names the period or set it belongs to."""

    type_: Literal["Svc::Model::Content::Scoreboard::ScoreboardScore"] = (
        "Svc::Model::Content::Scoreboard::ScoreboardScore"
    )
    home_score: Text | None = None
    away_score: Text | None = None
    title: Text | None = None


class TeamGameScoreboard(Document):
    """Two teams and one score; `scores` holds the periods of sports that show them."""

    type_: Literal["Svc::Model::Content::Scoreboard::TeamGameScoreboard"] = (
        "Svc::Model::Content::Scoreboard::TeamGameScoreboard"
    )
    home_team: Team | None = None
    away_team: Team | None = None
    score: ScoreboardScore | None = None
    scores: tuple[ScoreboardScore, ...] | None = None


class SetBasedGameScoreboard(OpenDocument):
    """Sets won in `score`, one entry a set in `scores`, the running game in `current_score`; who won, at the end, in `winner`."""

    type_: Literal["Svc::Model::Content::Scoreboard::SetBasedGameScoreboard"] = (
        "Svc::Model::Content::Scoreboard::SetBasedGameScoreboard"
    )
    home_team: Team | None = None
    away_team: Team | None = None
    score: ScoreboardScore | None = None
    scores: tuple[ScoreboardScore, ...] | None = None
    current_score: ScoreboardScore | None = None
    serving: Clearable[Side] = None
    winner: Clearable[Side] = None


Scoreboard = Annotated[TeamGameScoreboard | SetBasedGameScoreboard, ByType()]
