"""The values of Global Sports Data's fields: none is documented, all are spelt after the vendor's older feed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from providers.naming import Name

if TYPE_CHECKING:
    from collections.abc import Mapping

SOCCER = (
    "SOCCER|FOOTBALL|ASSOCIATION_FOOTBALL|FUSSBALL|FUßBALL|VOETBAL|CALCIO|FÚTBOL|FUTEBOL|FUTBOL|FOTBOLL|FOTBALL|"
    "FODBOLD|JALKAPALLO|PIŁKA_NOŻNA|FOTBAL|LABDARÚGÁS|ФУТБОЛ|ΠΟΔΌΣΦΑΙΡΟ|كرة_القدم|サッカー|축구|足球"
)
CYCLING = (
    "CYCLING|ROAD_CYCLING|CYCLING_ROAD|RADSPORT|STRASSENRADSPORT|CYCLISME|CYCLISME_SUR_ROUTE|CICLISMO|WIELRENNEN|"
    "CYKLING|SYKKEL|PYÖRÄILY|KOLARSTWO|CYKLISTIKA|KERÉKPÁR|BISIKLET|CICLISM|ВЕЛОСПОРТ|ΠΟΔΗΛΑΣΊΑ|自行车|自由車|サイクリング"
)

WORDS: tuple[Name, ...] = (
    Name("sport_soccer", SOCCER, "assumed", "words: id or name of the sport, in the languages of the feed"),
    Name("sport_cycling", CYCLING, "assumed", "words: id or name of the sport, in the languages of the feed"),
    Name("tournament_kinds", "LEAGUE|LEAGUE_SEASON|SEASON|COMPETITION|SERIES", "assumed", "words: kinds of tournament"),
    Name("race_kinds", "OVERALL|EVENT|LEAGUE_SEASON|SEASON|LEAGUE|COMPETITION", "assumed", "words: kinds of race"),
    Name("status_scheduled", "NOT_STARTED|SCHEDULED|LINE_UP|DELAYED|FIXTURE|UPCOMING", "assumed", "words of the status"),
    Name("status_live", "IN_PROGRESS|LIVE|RUNNING|STARTED|SUSPENDED|INTERRUPTED", "assumed", "words of the status"),
    Name("status_break", "INTERVAL|HALF_TIME|HALFTIME|BREAK|PAUSE", "assumed", "words of the status"),
    Name("status_shootout", "SHOOT_OUT|SHOOTOUT|PENALTY_SHOOT_OUT|PENALTIES", "assumed", "words of the status"),
    Name(
        "status_finished",
        "FINISHED|FINISHED_OFFICIAL|FINISHED_UNOFFICIAL|ENDED|FINAL|FULL_TIME|COMPLETED|OFFICIAL|AWARDED",
        "assumed",
        "words of the status",
    ),
    Name("status_postponed", "POSTPONED|RESCHEDULED", "assumed", "words of the status"),
    Name("status_abandoned", "ABANDONED", "assumed", "words of the status"),
    Name("status_cancelled", "CANCELLED|CANCELED|ANNULLED", "assumed", "words of the status"),
    Name("period_before", "0|NOT_STARTED|PRE_MATCH", "assumed", "words of the period"),
    Name("period_1", "1|FIRST_HALF|1ST_HALF|1H", "assumed", "words of the period"),
    Name("period_1_over", "HALF_TIME|HALFTIME|HT", "assumed", "words of the period"),
    Name("period_2", "2|SECOND_HALF|2ND_HALF|2H", "assumed", "words of the period"),
    Name("period_2_over", "90_MINS|90_MINUTES|END_OF_REGULAR_TIME", "assumed", "words of the period"),
    Name("period_3", "3|1ST_EXTRA|FIRST_EXTRA|EXTRA_TIME_FIRST_HALF|1ET", "assumed", "words of the period"),
    Name("period_3_over", "105_MINS|105_MINUTES|EXTRA_TIME_HALF_TIME", "assumed", "words of the period"),
    Name("period_4", "4|2ND_EXTRA|SECOND_EXTRA|EXTRA_TIME_SECOND_HALF|2ET", "assumed", "words of the period"),
    Name("period_4_over", "120_MINS|120_MINUTES|END_OF_EXTRA_TIME", "assumed", "words of the period"),
    Name("period_5", "5|SHOOT_OUT|SHOOTOUT|PENALTY_SHOOT_OUT|PENALTIES", "assumed", "words of the period"),
    Name("period_end", "END|ENDED|FINISHED", "assumed", "words of the period"),
    Name("kind_own_goal", "OWN_GOAL|GOAL_OWN", "assumed", "words of an action's kind, detail or reason"),
    Name(
        "kind_penalty_missed",
        "PENALTY_MISSED|MISSED_PENALTY|PENALTY_SAVED|PENALTY_POST",
        "assumed",
        "words of an action's kind or detail",
    ),
    Name("kind_goal", "GOAL|PENALTY_GOAL|GOAL_PENALTY|PENALTY_SCORED", "assumed", "words of an action's kind or detail"),
    Name(
        "kind_second_yellow",
        "RED_2_YELLOW|YELLOW_RED|SECOND_YELLOW|SECOND_YELLOW_CARD|2_YELLOW|YELLOW_RED_CARD",
        "assumed",
        "words of an action's kind, detail or reason",
    ),
    Name("kind_red", "RED|RED_CARD|RED_STRAIGHT|STRAIGHT_RED", "assumed", "words of an action's kind or detail"),
    Name("kind_yellow", "YELLOW|YELLOW_CARD", "assumed", "words of an action's kind or detail"),
    Name("kind_substitution", "SUBSTITUTION|SUBSTITUTE", "assumed", "words of an action's kind or detail"),
    Name(
        "kind_ignored",
        "KICK_OFF|END_OF_PERIOD|INJURY_TIME|LINE_UP|VIDEO_ASSISTANT_REFEREE|VAR|PLAY|PERIOD_START|PERIOD_END|"
        "SHOT_WIDE|FOUL_COMMITTED|BLOCKED_SHOT|SHOT_BLOCKED_BY|CORNER|FREE_KICK|GOAL_KICK|CHANGE_OF_CAPTAIN|"
        "SAVE_BY_GOALKEEPER|SHOT_ON_GOAL|OFFSIDE|HIT_POST|HIT_BAR|DROP_BALL|SAVE_BY_PLAYER|SCORING_OPPORTUNITY",
        "assumed",
        "words of kinds that are understood and not wanted",
    ),
    Name("reason_penalty", "PENALTY|PENALTY_GOAL|GOAL_PENALTY|PENALTY_SCORED", "assumed", "words: from the spot"),
    Name("deleted", "TRUE|DELETE|DELETED|D", "assumed", "words of the mark of a deleted action"),
    Name("function_keeper", "GOALKEEPER|KEEPER|TORWART|GARDIEN|PORTIERE|DOELMAN", "assumed", "words in the function"),
    Name("function_defense", "DEFENDER|DEFENSE|ABWEHR|DÉFENSEUR|DIFENSORE|VERDEDIGER", "assumed", "words in it"),
    Name("function_midfield", "MIDFIELDER|MIDFIELD|MITTELFELD|MILIEU|CENTROCAMPISTA|MIDDENVELDER", "assumed", "words"),
    Name("function_offense", "FORWARD|ATTACKER|STRIKER|ANGRIFF|STÜRMER|ATTAQUANT|ATTACCANTE|AANVALLER", "assumed", "words"),
    Name("function_bench", "SUBSTITUTE|SUBSTITUTES|BENCH|RESERVE|SUB", "assumed", "words of function or line-up status"),
    Name(
        "function_staff",
        "COACH|TRAINER|HEAD_COACH|ASSISTANT_COACH|MANAGER|REFEREE|LINESMAN|OFFICIAL|4TH_OFFICIAL|NOT_SELECTED|SUSPENDED",
        "assumed",
        "words of function or line-up status: who is no player of this match",
    ),
)  # fmt: skip


def plain(value: str) -> str:
    """A word in the form in which words are compared: capitals, `_` for anything that is neither letter nor digit."""
    spaced = "".join(sign if sign.isalnum() else " " for sign in value.upper())
    return "_".join(spaced.split())


def words(names: Mapping[str, str], key: str) -> frozenset[str]:
    """The words under a name."""
    return _parted(names[key])


@cache
def _parted(listed: str) -> frozenset[str]:
    return frozenset(filter(None, map(plain, listed.split("|"))))
