"""Ice hockey: three periods, overtime, a shoot-out that counts as one goal; providers send text alone."""

from __future__ import annotations

from mapping.match.match import Decided
from mapping.sports.base import Kind, MomentType, Sport, Timing

ICEHOCKEY = Sport(
    id="icehockey",
    name="Ice hockey",
    scoreboard=True,
    kinds=(Kind("icehockey.end-of-period", title="End of the period", moment=MomentType.BREAK),),
    phases=("1st period", "2nd period", "3rd period", "Overtime", "Shoot-out"),
    timing=Timing(
        timing_type="u",
        regular_phase_length=20,
        num_regular_phases=3,
        overtime_phase_length=5,
        num_overtime_phases=1,
    ),
    break_minutes=18,
    endings={Decided.OVERTIME: "OT", Decided.SHOOTOUT: "SO"},
)
