"""Names that Stats Perform's public material does not settle, in one table that the config can correct."""

from __future__ import annotations

from providers.naming import Name

NAMES: tuple[Name, ...] = (
    Name("match_resource", "match/{key}/{id}?live=yes&lineups=yes&_rt=b&_fmt=json", "documented", "one match"),
    Name(
        "overall_resource",
        "match/{key}?tmcl={id}&live=yes&_pgSz=400&_rt=b&_fmt=json",
        "documented",
        "a season's matches",
    ),
    Name("phase_resource", "match/{key}?stg={id}&live=yes&_pgSz=400&_rt=b&_fmt=json", "assumed", "a stage's matches"),
    Name(
        "fixtures_resource",
        "match/{key}?mt.mDt=%5B{from}%20TO%20{to}%5D&live=yes&lineups=no&_ordSrt=asc&_pgSz=400&_pgNm={page}&_rt=b&_fmt=json",
        "inferred",
        "the matches of some days, 400 a page; clients name a season beside the days",
    ),
    Name("sport_soccer", "Soccer", "documented", "name of the sport"),
    Name("ruleset_men", "Men", "documented", "name of the rules, which says who plays"),
    Name("ruleset_women", "Women", "inferred", "name of the rules, which says who plays"),
    Name(
        "token_address",
        "https://oauth.performgroup.com/oauth/token/{key}?_fmt=json&_rt=b",
        "documented",
        "where tokens are given, of an outlet with a secret",
    ),
    Name("status_planned", "Fixture", "documented", "matchStatus"),
    Name("status_running", "Playing", "documented", "matchStatus"),
    Name("status_over", "Played", "documented", "matchStatus"),
    Name("status_awarded", "Awarded", "documented", "matchStatus: a result by decision"),
    Name("status_postponed", "Postponed", "documented", "matchStatus"),
    Name("status_cancelled", "Cancelled", "documented", "matchStatus"),
    Name("status_suspended", "Suspended", "documented", "matchStatus: it may go on"),
    Name("status_abandoned", "Abandoned", "assumed", "matchStatus"),
    Name("goal", "G", "documented", "type of a goal"),
    Name("penalty_goal", "PG", "documented", "type of a goal"),
    Name("own_goal", "OG", "inferred", "type of a goal; its contestantId is not read, as nobody says whose it is"),
    Name("yellow", "YC", "documented", "type of a card"),
    Name("second_yellow", "Y2C", "documented", "type of a card; the first one stays"),
    Name("red", "RC", "inferred", "type of a card"),
)
