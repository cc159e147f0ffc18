"""American football: four quarters that count down, overtime, and no event types yet."""

from __future__ import annotations

from mapping.sports.base import Sport, Timing

AMERICAN_FOOTBALL = Sport(
    id="american_football",
    name="American football",
    scoreboard=True,
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
