"""American football: four quarters that count down, overtime, and event types that people post: providers send text alone."""

from __future__ import annotations

from mapping.sports.base import Kind, MomentType, Sport, Timing

SCORES = (
    Kind("american_football.touchdown", title="Touchdown", moment=MomentType.SCORE, scores=True),
    Kind("american_football.field-goal", title="Field goal", moment=MomentType.SCORE, scores=True),
    Kind("american_football.safety", title="Safety", moment=MomentType.SCORE, scores=True),
    Kind("american_football.two-point-conversion", title="Two-point conversion", moment=MomentType.SCORE, scores=True),
)
QUARTERS = (
    Kind("american_football.end-of-quarter", title="End of the quarter", moment=MomentType.BREAK),
    Kind("american_football.pause-halves", title="Half-time", moment=MomentType.BREAK),
)

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
    endings={"overtime": "OT"},
)
