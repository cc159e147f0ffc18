"""A race, and the order in which a page shows its parts."""

from __future__ import annotations


def entry(place, name, **more):
    return {
        "position": place,
        "player": {"name": name, "short_name": name.split()[-1], **more.pop("player", {})},
        **more,
    }


ORDER = [
    entry(1, "Max Verstappen", player={"number": "1"}, team={"name": "Red Bull"}, laps=31),
    entry(2, "Esteban Ocon", player={"number": "31"}, team={"name": "Alpine"}, gap="+2.1", laps=31),
    entry(3, "Pierre Gasly", gap="+1 lap", laps=30),
    entry(4, "Lando Norris"),
]


def race(ranking=ORDER, **state):
    return {
        "locale": "en",
        "sportstype": "motorsports",
        "meta_info": {"title": "Grand Prix"},
        "state_info": {"gamestate": 1, "ranking": ranking, **state},
    }
