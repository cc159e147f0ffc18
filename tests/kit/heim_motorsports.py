"""Sessions and events of motorsports as heim sends them."""

from tests.kit.sport_fixtures import encoded, translated


def event(number, kind, lap=None, *, at="", **changes):
    """One row of a race; `at` is the time of day."""
    row = {
        "id": str(number),
        "action": "race",
        "kind": kind,
        "content": "",
        "created": f"03.11.2024 {at}" if at else "",
    }
    return {**row, **({} if lap is None else {"lap": str(lap)}), **changes}


def who(number):
    person = {"id": str(800 + number), "name": f"Jan Muster{number}", "surname": f"Muster{number}"}
    return {"person": person, "team": {"id": str(600 + number // 2), "name": f"Team {number // 2}"}}


def session(*events, result=(), **changes):
    """A race in the bare envelope, running unless the test says otherwise."""
    body = {
        "id": "1",
        "finished": "no",
        "match_date": "03.11.2024",
        "match_time": "16:30",
        "current_period": "game-start",
        "match_result": list(result),
        "round": {"id": "5", "name": "Rennen"},
    }
    bodies = {"match": encoded({"match": {**body, **changes}}), "match-event": encoded(list(events))}
    return translated("1", bodies)
