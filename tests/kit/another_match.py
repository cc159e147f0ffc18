"""Answers that are another match's, for each provider."""

from __future__ import annotations

from datetime import timedelta

from providers.replay import Line
from tests.kit.crowded_day import KICKOFF
from tests.kit.gn_gsd_day import SQUADS, playing
from tests.kit.gn_gsd_day import line as gsd_line
from tests.providers.gn_gsd import gsd
from tests.providers.heim.feed import MATCH_ID, item, row, wrapped

OTHERS = {"id": "601", "name": "SC Fremd"}


GOAL, CARD = row(1, "goal/head", 12, "home", 9), row(2, "card/yellow", 20, "away", 8)


STRANGE = [row(number, "card/red", 30, "home", 9, team=OTHERS) for number in (7, 8)]


def heim_line(second, resource, body):
    return Line.of(KICKOFF + timedelta(seconds=second), resource.format(f"ma{MATCH_ID}"), body)


HEIM = [
    heim_line(0, "match/{}", wrapped()),
    heim_line(0, "match-event/{}", [GOAL]),
    heim_line(0, "liveticker/co/{}", [item(5, 12, "Tor", GOAL)]),
    heim_line(100, "match-event/{}", STRANGE),
    heim_line(100, "liveticker/co/{}", [item(6, 30, "fremd", STRANGE[0])]),
    heim_line(200, "match-event/{}", [GOAL, CARD]),
    heim_line(200, "liveticker/co/{}", [item(5, 12, "Tor", GOAL)]),
]


STRANGERS = {f"{side}Participant": {"id": f"GN{side}", "starters": [gsd.person(77)]} for side in ("home", "away")}


GN_GSD = [
    SQUADS,
    *playing(gsd.ACTIONS[0], second=0),
    gsd_line(100, f"matches/{gsd.MATCH_ID}/actions", {"actions": [gsd.ACTIONS[1] | {"participant": {"id": "GNX"}}]}),
    gsd_line(100, f"matches/{gsd.MATCH_ID}/lineups", {"lineups": STRANGERS}),
    *playing(gsd.ACTIONS[0], gsd.ACTIONS[1], second=200),
    gsd_line(200, f"matches/{gsd.MATCH_ID}/lineups", {"lineups": gsd.lineups()}),
]
