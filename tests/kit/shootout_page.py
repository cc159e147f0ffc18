"""A cup match that a shoot-out decides."""

from tests.kit import matchday
from tests.kit.matchday import pair

SIDES = {
    f"{side}_team": {"name": name, "short_name": short}
    for side, name, short in (("home", "SV Hafenstadt", "Hafenstadt"), ("away", "Alpenverein Bergheim", "Bergheim"))
}

KICKS = ("home -", "away -", "away x", "home x", "away x", "home x", "away -", "home -", "away -", "home x")


def board(tally=(3, 2), score=(1, 1), decided="pens", **more):
    parts = [pair(1, 1, "Full-time"), *([] if tally is None else [pair(*tally, "Penalty shoot-out")])]
    return SIDES | {"score": pair(*score) | {"title": decided}, "scores": parts} | more


def cup(state=31, **more):
    board_, fields = board(**more), {"meta_info": SIDES | {"title": "SV Hafenstadt – Alpenverein Bergheim"}}
    return matchday.document(scoreboard=board_, state_info={"gamestate": state}, squads={}, **fields)


def posts(kicks=KICKS):
    """A goal of the match, the start of the shoot-out, and its kicks as the service posts them."""
    at, teams = matchday.KICK_OFF + 7500, {side: SIDES[f"{side}_team"] for side in ("home", "away")}
    found = [matchday.goal("efirst", matchday.KICK_OFF + 900, "15'", teams["home"], score=pair(1, 0), words="A goal.")]
    found.append(matchday.incident_post("estart", at, "start-shootout", "Penalty shoot-out", "Now for penalties."))
    taken = dict.fromkeys(("home", "away"), 0)
    for number, kick in enumerate(kicks, 1):
        side, outcome = kick.split()
        taken[side] += 1
        scored = outcome == "x"
        kind, said = ("goal", "scored") if scored else ("penalty-kick-missed", "missed")
        people = (("Player", f"Kicker {number}"),)
        title = f"Penalty {taken[side]} of 5: {said}"
        event = matchday.incident_post(
            f"ekick{number}", at + number, kind, title, "A kick.", side=teams[side], people=people
        )
        event.document["sport_event"]["phase"] = {"name": "Penalty shoot-out"}
        found.append(event)
    return tuple(found)
