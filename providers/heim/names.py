"""Every name that HEIM:SPIEL's public material does not settle, in one table that the config can correct.

Grades: `documented` (seen in a body or an integrator's code), `inferred` (follows from those), `assumed` (no source).
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Grade = Literal["documented", "inferred", "assumed"]


@dataclass(frozen=True, slots=True)
class Name:
    """One correctable name: what it is called here, what the feed is believed to call it, and how sure that is."""

    key: str
    default: str
    grade: Grade
    meaning: str


NAMES: tuple[Name, ...] = (
    Name("match_resource", "match/ma{id}", "documented", "one match"),
    Name("event_resource", "match-event/ma{id}", "documented", "the events of a match"),
    Name(
        "text_resource", "liveticker/co{competition}/ma{id}", "documented", "text; an empty competition id is assumed"
    ),
    Name("phase_resource", "matches-by-round/ro{id}", "assumed", "the matches of a phase; phase = round"),
    Name("overall_resource", "matches-by-season/se{id}", "assumed", "the matches of an overall; overall = season"),
    Name("sport_soccer", "1", "documented", "sport id"),
    Name("sport_icehockey", "4", "documented", "sport id"),
    Name("sport_tennis", "5", "documented", "sport id"),
    Name("sport_american_football", "", "assumed", "sport id; not known"),
    Name("sport_motorsports", "", "assumed", "sport id; not known (264 is Formula E)"),
    Name("added_minute", "minute_additional", "assumed", "field with the minutes of added time"),
    Name("period", "period", "documented", "field with the period of an event, 1 to 5"),
    Name("deleted", "deleted", "assumed", "field that says `yes` on a withdrawn row"),
    Name("incident_postponed", "3", "documented", "match_incident id"),
    Name("incident_abandoned", "5", "documented", "match_incident id"),
    Name("incident_cancelled", "", "assumed", "match_incident id; not known"),
    Name("incident_extra_time", "1", "documented", "match_incident id"),
    Name("incident_shootout", "2", "documented", "match_incident id"),
    Name("pso_miss", "", "assumed", "event type for a missed kick of the shoot-out; empty = none"),
    Name("person_image", "https://s.hs-data.com/gfx/person/l/{id}.jpg", "documented", "photo; empty = none"),
    Name("team_image", "", "assumed", "crest, e.g. https://host/emblem/{id}.png; empty = none"),
)

DEFAULTS: Mapping[str, str] = {name.key: name.default for name in NAMES}


def names_of(options: Mapping[str, Any]) -> Mapping[str, str]:
    """The table with the corrections of an endpoint's `options["names"]`. ValueError for a name that does not exist."""
    corrections = options.get("names") or {}
    for key in corrections:
        if key not in DEFAULTS:
            near = difflib.get_close_matches(str(key), DEFAULTS, n=1)
            raise ValueError(f"unknown name {key!r}" + (f", did you mean {near[0]!r}?" if near else ""))
    return {**DEFAULTS, **{key: str(value) for key, value in corrections.items()}}
