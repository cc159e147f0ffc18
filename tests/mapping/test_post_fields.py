"""Whose words the fields of a post are, and what the desk shows of them."""

from mapping.desk.post_fields import post_fields

TEAM = {"_id": "6b08b77f0c1182d48edbed32", "name": "Denmark", "short_name": "Denmark"}


def goal(*players, **fields):
    return {"sport_event": {"event_type": "soccer.goal", "team": TEAM, "players": list(players), **fields}}


def acting(**player):
    return {"event_player_type": "scorer", "event_player_title": "Scorer", "player": player}


def test_a_person_who_is_named_by_an_id_alone_is_shown_by_name():
    """What an editor has chosen refers to a record; beside it stands what the provider says."""
    said = goal(acting(name="Thomas Delaney"))
    chosen = goal(acting(_id="6b08b77f0c1182d48edbed33"))
    shown = goal(acting(_id="6b08b77f0c1182d48edbed33", name="Christian Eriksen"))
    (players,) = [each for each in post_fields(said, chosen, shown) if each.label == "Players"]

    assert (players.of_person, players.current, players.said) == (
        True,
        "Christian Eriksen (Scorer)",
        "Thomas Delaney (Scorer)",
    )


def test_a_record_stands_there_once_and_each_score_says_whose_it_is():
    """Ids and short names say what the name says, unless a person has changed them."""
    document = goal(score={"home_score": "0", "away_score": "1"})
    fields = [(each.label, each.current) for each in post_fields(document, document)]

    assert [text for label, text in fields if label == "Team"] == ["Denmark"]
    assert ("Score, home", "0") in fields
    assert ("Score, away", "1") in fields

    other = goal(score={"home_score": "0", "away_score": "1"})
    other["sport_event"] = {**other["sport_event"], "team": {**TEAM, "_id": "6b08b77f0c1182d48edbed34"}}
    (changed,) = [each for each in post_fields(document, other) if each.of_person]
    assert (changed.path, changed.label) == ("sport_event.team", "Team")
