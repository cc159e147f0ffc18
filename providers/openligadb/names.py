"""Names and numbers that leagues of OpenLigaDB may use differently, in one table that the config can correct.

A league's administrator names its kinds of results; ids are the same in most leagues, and 0 in old ones.
"""

from __future__ import annotations

from functools import partial

from providers.naming import Name, correct_names

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
