"""The state of play, by the family of sports, and the score update that goes with it."""

from typing import Annotated, Literal

from mapping.documents.base import ByType, Document, OpenDocument
from mapping.documents.blocks import ScoreboardScore
from mapping.documents.people import Player, Team
from mapping.documents.scalars import Bool, Clearable, Count, Int, Side, Text, Timestamp

BEFORE, RUNNING, SHOOTOUT, ENDED = 0, 1, 2, 31
"""Values of `gamestate`."""


class BasicGameStateInfo(OpenDocument):
    """The state of a game without a clock; `gamestate` as in the time-based state."""

    type_: Literal["Svc::Model::GameStateInfo::BasicGameStateInfo"] = "Svc::Model::GameStateInfo::BasicGameStateInfo"
    gamestate: Int | None = None


class TimeBasedGameStateInfo(Document):
    """The state of a game with phases: `recurrence` counts them, `check_seconds` is the time in the phase."""

    type_: Literal["Svc::Model::GameStateInfo::TimeBasedGameStateInfo"] = (
        "Svc::Model::GameStateInfo::TimeBasedGameStateInfo"
    )
    timeout: Bool | None = None
    check_time: Clearable[Timestamp] = None
    check_seconds: Int | None = None
    is_break: Bool | None = None
    recurrence: Int | None = None
    gamestate: Int | None = None
    minute: Int | None = None


class BaseballGameStateInfo(OpenDocument):
    """The state of a baseball game; `gamestate` as in the time-based state."""

    type_: Literal["Svc::Model::GameStateInfo::BaseballGameStateInfo"] = (
        "Svc::Model::GameStateInfo::BaseballGameStateInfo"
    )
    gamestate: Int | None = None


class RankedEntry(OpenDocument):
    """One place of a ranking; `time` and `gap` are shown as they are, `laps` are those completed."""

    position: Count | None = None
    player: Player | None = None
    team: Team | None = None
    time: Text | None = None
    gap: Text | None = None
    status: Text | None = None
    laps: Count | None = None


class RankedGameStateInfo(OpenDocument):
    """The state of a race: the lap, the flag and who is where; `timed`: whoever has the best lap is first, as in qualifying."""

    type_: Literal["Svc::Model::GameStateInfo::RankedGameStateInfo"] = "Svc::Model::GameStateInfo::RankedGameStateInfo"
    gamestate: Int | None = None
    lap: Count | None = None
    total_laps: Count | None = None
    flag: Text | None = None
    timed: Bool | None = None
    ranking: tuple[RankedEntry, ...] | None = None


class TennisGameStateInfo(OpenDocument):
    """The state of a tennis match: the running set and game, its points, who serves."""

    type_: Literal["Svc::Model::GameStateInfo::TennisGameStateInfo"] = "Svc::Model::GameStateInfo::TennisGameStateInfo"
    gamestate: Int | None = None
    set: Count | None = None
    game: Count | None = None
    points: ScoreboardScore | None = None
    serving: Clearable[Side] = None


GameStateInfo = Annotated[
    BasicGameStateInfo | TimeBasedGameStateInfo | BaseballGameStateInfo | RankedGameStateInfo | TennisGameStateInfo,
    ByType(),
]


class TeamGameScoreInfo(Document):
    """A new score of a team game, as numbers."""

    type_: Literal["Svc::Model::ScoreInfo::TeamGameScoreInfo"] = "Svc::Model::ScoreInfo::TeamGameScoreInfo"
    home_score: Int | None = None
    away_score: Int | None = None
