"""What OpenLigaDB can honestly deliver: it knows goals and results, and nobody enters when a half begins or ends.

Below, every name that is not certain, which the config can correct.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from mapping.match.match import PERIOD_KEY
from providers.naming import Name, correct_names

GOAL, OWN_GOAL, START, END = "soccer.goal", "soccer.own-goal", "soccer.start", "soccer.end"

MARKS = frozenset(f"{PERIOD_KEY}{kind}" for kind in (START, END))
"""Keys of what is not sent, but follows from flag and results."""

CATALOG: Mapping[str, tuple[str, ...]] = {"soccer": (GOAL, OWN_GOAL, START, END)}
SCOREBOARD: Mapping[str, bool] = {"soccer": True}
TEXT_SPORTS: frozenset[str] = frozenset()

NAMES: tuple[Name, ...] = (
    Name("match_resource", "getmatchdata/{id}", "documented", "one match"),
    Name("phase_resource", "getmatchdata/{id}", "documented", "the matches of league/season/group"),
    Name("overall_resource", "getmatchdata/{id}", "documented", "the matches of league/season"),
    Name(
        "fixtures_resource",
        "getmatchdata/{league}",
        "documented",
        "the matches of league/season, or of a league's round",
    ),
    Name("result_half_time", "1", "documented", "resultTypeID"),
    Name("result_full_time", "2", "documented", "resultTypeID"),
    Name("result_extra_time", "3", "inferred", "resultTypeID"),
    Name("result_shootout", "4", "inferred", "resultTypeID"),
    Name("word_half_time", "halbzeit", "documented", "what resultName contains where resultTypeID says nothing"),
    Name("word_full_time", "endergebnis", "documented", "what resultName contains where resultTypeID says nothing"),
    Name("word_extra_time", "verlängerung", "documented", "what resultName contains where resultTypeID says nothing"),
    Name("word_shootout", "elfmeterschie", "documented", "what resultName, or the comment of a goal, contains"),
)
names_of = partial(correct_names, NAMES)
"""The table with the corrections of an endpoint's options. ValueError for a name that does not exist."""
