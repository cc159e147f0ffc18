"""Every name and keyword of Global Sports Data that public material does not settle, in tables that the config can correct.

A *path* leads through objects (and, by number, lists) to a value; of several, parted by `|`, the first that holds
something counts. *Keywords* are the values of a field, parted by `|`, compared in capitals with `_` for all but
letters and digits: none is documented, all are spelt after the vendor's older feed. Grades: see providers.naming.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from providers.naming import Name, correct_names

RESOURCES = (
    Name("match_resource", "matches/{id}", "documented", "one match"),
    Name("lineups_resource", "matches/{id}/lineups", "documented", "the line-ups of a match"),
    Name("actions_resource", "matches/{id}/actions?tags=MAIN", "documented", "goals, penalties, cards, substitutions"),
    Name("phase_resource", "phases/{id}", "documented", "a phase, of a cycling race a stage (inferred)"),
    Name("overall_resource", "overalls/{id}", "documented", "an overall, in cycling the whole race (inferred)"),
    Name(
        "fixtures_resource", "schedule-results?timeFrom={from}&timeTo={to}", "documented", "matches of at most 36 hours"
    ),
    Name("listed_matches", "matches", "documented", "path of the matches of such a list"),
    Name("match_envelope", "match", "assumed", "path of the object around the match; without it the body is the match"),
    Name("phase_envelope", "phase", "assumed", "the same for a phase"),
    Name("overall_envelope", "overall", "assumed", "the same for an overall"),
    Name("lineups_envelope", "lineups", "assumed", "the same for line-ups: both sides by name, or a list of sides"),
    Name("actions", "actions", "inferred", "path of the list of actions; list answers are named after what they hold"),
    Name("contained_matches", "matches", "inferred", "path of the matches inside a phase or an overall"),
    Name("contained_phases", "phases", "assumed", "path of the phases inside an overall"),
)
ENTITIES = (
    Name("id", "id", "documented", "path of anything's id"),
    Name("foreign_id", "xid|xids", "documented", "path of the id that an entity has elsewhere"),
    Name("name", "names.default|names.short|navigationInfo.name|name", "documented", "path of anything's name"),
    Name("short_name", "names.short|names.abbreviation", "documented", "path of a short name"),
    Name("word", "code|key|id|name|names.default", "assumed", "path of the keyword where a field holds an object"),
    Name("country", "nationality.iso2|nationality.isoCode|nationality.code", "assumed", "path of an ISO alpha-2 code"),
    Name("team_image", "", "assumed", "path of a team's crest (URL)"),
    Name("person_image", "", "assumed", "path of a person's photo (URL)"),
)
MATCH = (
    Name("home", "homeParticipant", "documented", "path of the home team"),
    Name("away", "awayParticipant", "documented", "path of the away team"),
    Name("score_home", "result.homeResult.score", "documented", "path of the home team's goals"),
    Name("score_away", "result.awayResult.score", "documented", "path of the away team's goals"),
    Name("half_time_home", "result.homeResult.halfTimeScore", "assumed", "path of the home goals at half-time"),
    Name("half_time_away", "result.awayResult.halfTimeScore", "assumed", "path of the away goals at half-time"),
    Name("full_time_home", "result.homeResult.fullTimeScore", "assumed", "path of the home goals after 90 minutes"),
    Name("full_time_away", "result.awayResult.fullTimeScore", "assumed", "path of the away goals after 90 minutes"),
    Name("extra_time_home", "result.homeResult.extraTimeScore", "assumed", "path of the home goals after 120 minutes"),
    Name("extra_time_away", "result.awayResult.extraTimeScore", "assumed", "path of the away goals after 120 minutes"),
    Name("shootout_home", "result.homeResult.shootoutScore", "assumed", "path of the home kicks that went in"),
    Name("shootout_away", "result.awayResult.shootoutScore", "assumed", "path of the away kicks that went in"),
    Name("kickoff", "dateAndTimeInfo.scheduledStartTimeUTC", "documented", "path of the scheduled start"),
    Name("started", "dateAndTimeInfo.actualStartTimeUTC", "inferred", "path of the actual start"),
    Name("ended", "dateAndTimeInfo.actualEndTimeUTC", "inferred", "path of the actual end"),
    Name(
        "status",
        "status|resultStatus|scheduleStatus",
        "inferred",
        "paths of the status; the first known keyword counts",
    ),
    Name("period", "currentPeriod.number|currentPeriod|currentState", "assumed", "path of the running period"),
    Name("period_started", "currentPeriod.startTimeUTC|currentPeriodStartTimeUTC", "assumed", "path of its start"),
    Name("related", "relatedSportsEvents", "documented", "path of the events that this one belongs to"),
    Name("related_kind", "typeDetail|type", "documented", "path of the kind of such an event"),
    Name("sport", "sport", "assumed", "path of the sport (an entity or a word)"),
    Name("venue", "venue", "assumed", "path of the venue"),
    Name("town", "city.names.default", "assumed", "path of a venue's town"),
    Name("entrants", "participants|startList", "assumed", "path of a race's start list"),
    Name("entrant_team_id", "team.id", "assumed", "path of the team's id in it"),
    Name("entrant_team", "team.names.default|team.name", "assumed", "path of the team's name in it"),
    Name("start_number", "bib|startNumber|number", "assumed", "path of the number in it"),
)
LINEUPS = (
    Name("side", "participant.id|team.id|id", "assumed", "path of the team's id where the sides are a list"),
    Name("starters", "starters|startingLineup", "assumed", "path of a side's starting eleven"),
    Name("bench", "substitutes|bench", "assumed", "path of a side's bench"),
    Name("players", "persons|players", "assumed", "path of a side's players where both stand in one list"),
    Name("person_id", "id|person.id", "assumed", "path of a person's id"),
    Name("person_name", "names.default|person.names.default|name|names.short", "assumed", "path of a person's name"),
    Name("person_short", "names.short|person.names.short", "assumed", "path of a person's short name"),
    Name("shirt", "shirtNumber|number", "assumed", "path of the shirt number"),
    Name("function", "function|position", "assumed", "path of a player's function"),
    Name("lineup_status", "lineupStatus|status|role", "assumed", "path that tells starters from substitutes"),
)
ACTIONS = (
    Name("action_kind", "type", "inferred", "path of an action's kind"),
    Name("action_detail", "typeDetail", "assumed", "path of its finer kind"),
    Name("action_reason", "reason", "assumed", "path of its reason (Penalty, Assist, …)"),
    Name("sequence", "sequence", "inferred", "path of an action's place in the order of play"),
    Name("action_period", "eventTime.periodNumber|eventTime.period|period", "inferred", "path of an action's period"),
    Name("action_time", "eventTime.time|time", "inferred", "path of the clock: mm:ss, minutes or milliseconds"),
    Name("clock_unit", "auto", "assumed", "auto, minutes, seconds or milliseconds: what a plain number of it counts"),
    Name("action_created", "meta.createDate", "assumed", "path of the moment when an action happened"),
    Name("action_updated", "meta.updateDate", "inferred", "path of the moment of its last change"),
    Name("action_deleted", "deleted|meta.updateAction", "assumed", "path of the mark of a deleted action"),
    Name("action_team", "participant.id|eventParticipantId|team.id", "inferred", "path of the acting team's id"),
    Name("action_person", "person|persons.0", "assumed", "path of who acted; of a substitution, who comes on"),
    Name(
        "action_other", "relatedPerson|persons.1", "assumed", "path of the assistant; of a substitution, who goes off"
    ),
    Name("action_score_home", "score.home", "assumed", "path of the home goals after a goal"),
    Name("action_score_away", "score.away", "assumed", "path of the away goals after a goal"),
)

SOCCER = (
    "SOCCER|FOOTBALL|ASSOCIATION_FOOTBALL|FUSSBALL|FUßBALL|VOETBAL|CALCIO|FÚTBOL|FUTEBOL|FUTBOL|FOTBOLL|FOTBALL|"
    "FODBOLD|JALKAPALLO|PIŁKA_NOŻNA|FOTBAL|LABDARÚGÁS|ФУТБОЛ|ΠΟΔΌΣΦΑΙΡΟ|كرة_القدم|サッカー|축구|足球"
)
CYCLING = (
    "CYCLING|ROAD_CYCLING|CYCLING_ROAD|RADSPORT|STRASSENRADSPORT|CYCLISME|CYCLISME_SUR_ROUTE|CICLISMO|WIELRENNEN|"
    "CYKLING|SYKKEL|PYÖRÄILY|KOLARSTWO|CYKLISTIKA|KERÉKPÁR|BISIKLET|CICLISM|ВЕЛОСПОРТ|ΠΟΔΗΛΑΣΊΑ|自行车|自由車|サイクリング"
)

KEYWORDS: tuple[Name, ...] = (
    Name("sport_soccer", SOCCER, "assumed", "keywords: id or name of the sport, in the languages of the feed"),
    Name("sport_cycling", CYCLING, "assumed", "keywords: id or name of the sport, in the languages of the feed"),
    Name("tournament_kinds", "LEAGUE|LEAGUE_SEASON|SEASON|COMPETITION|SERIES", "assumed", "keywords: kinds of tournament"),
    Name("round_kinds", "PHASE_GROUP|PHASE|ROUND|MATCHDAY|STAGE", "inferred", "keywords: kinds of a match's round or group"),
    Name("race_kinds", "OVERALL|EVENT|LEAGUE_SEASON|SEASON|LEAGUE|COMPETITION", "assumed", "keywords: kinds of race"),
    Name("status_scheduled", "SCHEDULED|FIXTURE|UPCOMING", "assumed", "keywords of the status"),
    Name("status_waiting", "NOT_STARTED|LINE_UP|DELAYED", "assumed", "keywords of the status; once it began: stopped"),
    Name("status_live", "IN_PROGRESS|LIVE|RUNNING|STARTED", "assumed", "keywords of the status"),
    Name("status_stopped", "SUSPENDED|INTERRUPTED", "assumed", "keywords of the status"),
    Name("status_break", "INTERVAL|HALF_TIME|HALFTIME|BREAK|PAUSE", "assumed", "keywords of the status"),
    Name("status_shootout", "SHOOT_OUT|SHOOTOUT|PENALTY_SHOOT_OUT|PENALTIES", "assumed", "keywords of the status"),
    Name(
        "status_finished",
        "FINISHED|FINISHED_OFFICIAL|FINISHED_UNOFFICIAL|ENDED|FINAL|FULL_TIME|COMPLETED|OFFICIAL",
        "assumed",
        "keywords of the status",
    ),
    Name("status_awarded", "AWARDED", "assumed", "keywords of the status: a result by decision"),
    Name("status_postponed", "POSTPONED|RESCHEDULED", "assumed", "keywords of the status"),
    Name("status_abandoned", "ABANDONED", "assumed", "keywords of the status"),
    Name("status_cancelled", "CANCELLED|CANCELED|ANNULLED", "assumed", "keywords of the status"),
    Name("period_before", "0|NOT_STARTED|PRE_MATCH", "assumed", "keywords of the period"),
    Name("period_1", "1|FIRST_HALF|1ST_HALF|1H", "assumed", "keywords of the period"),
    Name("period_1_over", "HALF_TIME|HALFTIME|HT", "assumed", "keywords of the period"),
    Name("period_2", "2|SECOND_HALF|2ND_HALF|2H", "assumed", "keywords of the period"),
    Name("period_2_over", "90_MINS|90_MINUTES|END_OF_REGULAR_TIME", "assumed", "keywords of the period"),
    Name("period_3", "3|1ST_EXTRA|FIRST_EXTRA|EXTRA_TIME_FIRST_HALF|1ET", "assumed", "keywords of the period"),
    Name("period_3_over", "105_MINS|105_MINUTES|EXTRA_TIME_HALF_TIME", "assumed", "keywords of the period"),
    Name("period_4", "4|2ND_EXTRA|SECOND_EXTRA|EXTRA_TIME_SECOND_HALF|2ET", "assumed", "keywords of the period"),
    Name("period_4_over", "120_MINS|120_MINUTES|END_OF_EXTRA_TIME", "assumed", "keywords of the period"),
    Name("period_5", "5|SHOOT_OUT|SHOOTOUT|PENALTY_SHOOT_OUT|PENALTIES", "assumed", "keywords of the period"),
    Name("period_end", "END|ENDED|FINISHED", "assumed", "keywords of the period"),
    Name("kind_own_goal", "OWN_GOAL|GOAL_OWN", "assumed", "keywords of an action's kind, detail or reason"),
    Name(
        "kind_penalty_missed",
        "PENALTY_MISSED|MISSED_PENALTY|PENALTY_SAVED|PENALTY_POST",
        "assumed",
        "keywords of an action's kind or detail",
    ),
    Name("kind_goal", "GOAL|PENALTY_GOAL|GOAL_PENALTY|PENALTY_SCORED", "assumed", "keywords of an action's kind or detail"),
    Name(
        "kind_second_yellow",
        "RED_2_YELLOW|YELLOW_RED|SECOND_YELLOW|SECOND_YELLOW_CARD|2_YELLOW|YELLOW_RED_CARD",
        "assumed",
        "keywords of an action's kind, detail or reason",
    ),
    Name("kind_red", "RED|RED_CARD|RED_STRAIGHT|STRAIGHT_RED", "assumed", "keywords of an action's kind or detail"),
    Name("kind_yellow", "YELLOW|YELLOW_CARD", "assumed", "keywords of an action's kind or detail"),
    Name("kind_substitution", "SUBSTITUTION|SUBSTITUTE", "assumed", "keywords of an action's kind or detail"),
    Name(
        "kind_ignored",
        "KICK_OFF|END_OF_PERIOD|INJURY_TIME|LINE_UP|VIDEO_ASSISTANT_REFEREE|VAR|PLAY|PERIOD_START|PERIOD_END|"
        "SHOT_WIDE|FOUL_COMMITTED|BLOCKED_SHOT|SHOT_BLOCKED_BY|CORNER|FREE_KICK|GOAL_KICK|CHANGE_OF_CAPTAIN|"
        "SAVE_BY_GOALKEEPER|SHOT_ON_GOAL|OFFSIDE|HIT_POST|HIT_BAR|DROP_BALL|SAVE_BY_PLAYER|SCORING_OPPORTUNITY",
        "assumed",
        "keywords of kinds that are understood and not wanted",
    ),
    Name("reason_penalty", "PENALTY|PENALTY_GOAL|GOAL_PENALTY|PENALTY_SCORED", "assumed", "keywords: from the spot"),
    Name("deleted", "TRUE|DELETE|DELETED|D", "assumed", "keywords of the mark of a deleted action"),
    Name("function_keeper", "GOALKEEPER|KEEPER|TORWART|GARDIEN|PORTIERE|DOELMAN", "assumed", "keywords in the function"),
    Name("function_defense", "DEFENDER|DEFENSE|ABWEHR|DÉFENSEUR|DIFENSORE|VERDEDIGER", "assumed", "keywords in it"),
    Name("function_midfield", "MIDFIELDER|MIDFIELD|MITTELFELD|MILIEU|CENTROCAMPISTA|MIDDENVELDER", "assumed", "keywords"),
    Name("function_offense", "FORWARD|ATTACKER|STRIKER|ANGRIFF|STÜRMER|ATTAQUANT|ATTACCANTE|AANVALLER", "assumed", "keywords"),
    Name("function_bench", "SUBSTITUTE|SUBSTITUTES|BENCH|RESERVE|SUB", "assumed", "keywords of function or line-up status"),
    Name(
        "function_staff",
        "COACH|TRAINER|HEAD_COACH|ASSISTANT_COACH|MANAGER|REFEREE|LINESMAN|OFFICIAL|4TH_OFFICIAL|NOT_SELECTED|SUSPENDED",
        "assumed",
        "keywords of function or line-up status: who is no player of this match",
    ),
)  # fmt: skip

NAMES: tuple[Name, ...] = (*RESOURCES, *ENTITIES, *MATCH, *LINEUPS, *ACTIONS, *KEYWORDS)

names_of = partial(correct_names, NAMES)
"""The table with the corrections of an endpoint's options. ValueError for a name that does not exist."""


def plain(value: str) -> str:
    """A keyword in the form in which keywords are compared: capitals, `_` for anything that is neither letter nor digit."""
    spaced = "".join(sign if sign.isalnum() else " " for sign in value.upper())
    return "_".join(spaced.split())


def keywords(names: Mapping[str, str], key: str) -> frozenset[str]:
    """The keywords under a name."""
    return _split_names(names[key])


@cache
def _split_names(listed: str) -> frozenset[str]:
    return frozenset(filter(None, map(plain, listed.split("|"))))
