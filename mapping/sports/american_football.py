"""American football: four quarters that count down, overtime, and event types that people post: providers send text alone.

What the steps of the score say is posted as texts of ours (mapping.belief.goals).
"""

from __future__ import annotations

from mapping.match.match import Decided
from mapping.sports.base import STEP, Kind, MomentType, Sport, Steps, Timing

EXTRA_POINT, TWO_POINTS = "extra-point", "two-points"

SCORES = (
    Kind(
        "american_football.touchdown",
        title="Touchdown",
        moment=MomentType.SCORE,
        scores=True,
        variants={
            STEP: ("Touchdown for {team}! {home} {score} {away}.",),
            EXTRA_POINT: ("Touchdown and extra point for {team}! {home} {score} {away}.",),
            TWO_POINTS: ("Touchdown and two-point conversion for {team}! {home} {score} {away}.",),
        },
    ),
    Kind(
        "american_football.field-goal",
        title="Field goal",
        moment=MomentType.SCORE,
        scores=True,
        variants={STEP: ("Field goal for {team}: {home} {score} {away}.",)},
    ),
    Kind(
        "american_football.safety",
        title="Safety",
        moment=MomentType.SCORE,
        scores=True,
        variants={STEP: ("Safety for {team}: {home} {score} {away}.",)},
    ),
    Kind(
        "american_football.extra-point",
        title="Extra point",
        moment=MomentType.SCORE,
        scores=True,
        variants={STEP: ("Extra point for {team}: {home} {score} {away}.",)},
    ),
    Kind(
        "american_football.two-point-conversion",
        title="Two-point conversion",
        moment=MomentType.SCORE,
        scores=True,
        variants={STEP: ("Two-point conversion for {team}: {home} {score} {away}.",)},
    ),
    Kind(
        "american_football.score",
        title="Score",
        moment=MomentType.SCORE,
        scores=True,
        variants={STEP: ("{team} score: {home} {score} {away}.", "The score is {home} {score} {away}.")},
    ),
)
QUARTERS = (
    Kind(
        "american_football.end-of-quarter",
        title="End of the quarter",
        moment=MomentType.BREAK,
        variants={STEP: ("The quarter is over: {home} {score} {away}.",)},
    ),
    Kind(
        "american_football.pause-halves",
        title="Half-time",
        moment=MomentType.BREAK,
        variants={STEP: ("Half-time: {home} {score} {away}.",)},
    ),
)
TOUCHDOWN, FIELD_GOAL, SAFETY, EXTRA, TWO, SCORE = (kind.id for kind in SCORES)
END_OF_QUARTER, HALF_TIME = (kind.id for kind in QUARTERS)

AMERICAN_FOOTBALL = Sport(
    id="american_football",
    name="American football",
    scoreboard=True,
    kinds=(*SCORES, *QUARTERS),
    phases=("1st quarter", "2nd quarter", "3rd quarter", "4th quarter", "Overtime"),
    timing=Timing(
        timing_type="d",
        regular_phase_length=15,
        num_regular_phases=4,
        overtime_phase_length=10,
        num_overtime_phases=1,
    ),
    break_minutes=13,
    endings={Decided.OVERTIME: "OT"},
    steps=Steps(
        points={
            2: (SAFETY, STEP),
            3: (FIELD_GOAL, STEP),
            6: (TOUCHDOWN, STEP),
            7: (TOUCHDOWN, EXTRA_POINT),
            8: (TOUCHDOWN, TWO_POINTS),
        },
        conversions={1: (EXTRA, STEP), 2: (TWO, STEP)},
        converted=6,
        other=SCORE,
        part_end=END_OF_QUARTER,
        half_time=HALF_TIME,
    ),
)
