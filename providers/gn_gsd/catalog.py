"""What Global Sports Data can deliver through `gn-gsd`, and which of its keywords means which event type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mapping.match.match import Part, Status
from providers.base import CarriedBy
from providers.gn_gsd.payload import ACTIONS, LINEUPS, MATCH, OVERALL, PHASE

GOAL, MISSED = "soccer.goal", "soccer.penalty-kick-missed"
YELLOW, RED, SUBSTITUTION = "soccer.yellow-card", "soccer.red-card", "soccer.substitution"

CATALOG: Mapping[str, tuple[str, ...]] = {"soccer": (GOAL, YELLOW, RED, SUBSTITUTION, MISSED), "cycling": ()}
SCOREBOARD: Mapping[str, bool] = {"soccer": True, "cycling": False}
TEXT_SPORTS: frozenset[str] = frozenset()

CARRIED_BY: CarriedBy = {
    **dict.fromkeys((Part.FACTS, Part.STATE, Part.SCORE, Part.SHOOTOUT, Part.RACE), frozenset({MATCH, PHASE, OVERALL})),
    Part.SQUADS: frozenset({LINEUPS}),
    Part.ROWS: frozenset({ACTIONS}),
}
"""Part of a match → the resources that carry it; a race is one resource alone."""

OWN_GOAL, SECOND_YELLOW, PENALTY = "own-goal", "yellow-red", "penalty"
"""Methods: how a goal was scored, why a card is red."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of action: the name of its keywords, the event type it becomes, and the method that it always has.

    `by_reason`: the reason of an action may mean this kind too.
    """

    keywords: str
    type: str
    method: str | None = None
    by_reason: bool = False


KINDS = (
    Kind("kind_own_goal", GOAL, OWN_GOAL, by_reason=True),
    Kind("kind_penalty_missed", MISSED),
    Kind("kind_goal", GOAL),
    Kind("kind_second_yellow", RED, SECOND_YELLOW, by_reason=True),
    Kind("kind_red", RED),
    Kind("kind_yellow", YELLOW),
    Kind("kind_substitution", SUBSTITUTION),
)
"""In the order of testing: an own goal is a goal too, a missed penalty a penalty, a second yellow card a yellow one."""

IGNORED = "kind_ignored"


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a match stands according to its period."""

    phase: int
    status: Status


STAGES: Mapping[str, Stage] = {
    "period_before": Stage(0, Status.SCHEDULED),
    "period_1": Stage(1, Status.LIVE),
    "period_1_over": Stage(1, Status.BREAK),
    "period_2": Stage(2, Status.LIVE),
    "period_2_over": Stage(2, Status.BREAK),
    "period_3": Stage(3, Status.LIVE),
    "period_3_over": Stage(3, Status.BREAK),
    "period_4": Stage(4, Status.LIVE),
    "period_4_over": Stage(4, Status.BREAK),
    "period_5": Stage(5, Status.SHOOTOUT),
    "period_end": Stage(0, Status.FINISHED),
}
"""Name of the keywords of a period → the stage."""

STOPPED, WAITING, AWARDED = "status_stopped", "status_waiting", "status_awarded"
STATUSES: Mapping[str, Status] = {
    **{f"status_{status.value}": status for status in Status},
    STOPPED: Status.LIVE,
    WAITING: Status.SCHEDULED,
    AWARDED: Status.FINISHED,
}
"""Name of the keywords of a status → the status; one that waits is stopped once something was played."""

SHOOTOUT_PHASE = 5
LAST_MINUTES = ((45, 1), (90, 2), (105, 3), (120, 4))
"""The last minute of each phase; what is beyond it is added time."""

LANGUAGES: Mapping[str, str] = {
    "": "en-GB",
    "en": "en-GB",
    "en-gb": "en-GB",
    "en-ie": "en-GB",
    "en-au": "en-GB",
    "en-nz": "en-GB",
    "de": "de-DE",
    "fr": "fr-FR",
    "it": "it-IT",
    "nl": "nl-NL",
    "zh-tw": "zh-HK",
}
"""Language of an endpoint → the one that the feed has for it."""

OFFERED = (
    *("ar-SA", "cs-CZ", "da-DK", "de-DE", "el-GR", "en-GB", "en-US", "es-ES", "fi-FI", "fr-FR", "hu-HU", "it-IT"),
    *("ja-JP", "ko-KR", "nb-NO", "nl-BE", "nl-NL", "pl-PL", "pt-BR", "pt-PT", "ro-RO", "ru-RU", "sv-SE", "tr-TR"),
    *("zh-CN", "zh-HK"),
)


def language_of(language: str) -> str:
    """The feed's language for the one of an endpoint; English where it has none."""
    wanted = language.strip().lower()
    offered = {code.lower(): code for code in OFFERED}
    return offered.get(wanted) or LANGUAGES.get(wanted) or LANGUAGES[""]
