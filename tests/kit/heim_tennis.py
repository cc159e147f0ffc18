"""A match of tennis as heim sends it."""

from tests.kit.sport_fixtures import encoded


def bare(match_id="1", **changes):
    """A match in the bare envelope, which says no sport; `p1="6:4"` is a set."""
    sides = {
        "home": {"id": "1", "name": "Jonas Musterholt", "type": "none"},
        "away": {"id": "2", "name": "Emil Beispiel", "type": "none"},
    }
    sets = {name: changes.pop(name) for name in list(changes) if name[0] == "p" and name[1:].isdigit()}
    rows = [
        {"match_result": value, "match_result_at": name[1:], "place": f"none_{side}"}
        for name, score in sets.items()
        for side, value in zip(("home", "away"), score.split(":"), strict=True)
    ]
    body = {"id": match_id, "finished": "no", "match_date": "14.06.2025", "match_time": "14:00", **sides}
    return encoded({"match": {**body, "match_result": rows, **changes}, "match_result_at": []})
