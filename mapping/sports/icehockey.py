"""Ice hockey: three periods, overtime, a shoot-out that counts as one goal, and no event types: text alone."""

from __future__ import annotations

from mapping.sports.base import Sport, Timing

ICEHOCKEY = Sport(
    id="icehockey",
    name="Ice hockey",
    scoreboard=True,
    phases=("1st period", "2nd period", "3rd period", "Overtime", "Shoot-out"),
    timing=Timing(
        timing_type="u",
        regular_phase_length=20,
        num_regular_phases=3,
        overtime_phase_length=5,
        num_overtime_phases=1,
    ),
    break_minutes=18,
    endings={"overtime": "OT", "shootout": "SO"},
)
