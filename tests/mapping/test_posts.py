"""What the posts of a match hold, which of them are drafts, and how the provider's texts find their incidents."""

import json
from dataclasses import replace

import pytest

from mapping.documents.base import dump, parse
from mapping.documents.event import Event
from mapping.match.match import Person, Score
from mapping.posts.posts import EARLIEST, wanted_posts
from mapping.rules import rich_text
from tests.mapping.soccer_builders import (
    AWAY,
    CALETA_CAR,
    GEIS,
    GORETZKA,
    KICKOFF,
    MATCH,
    MEYER,
    NOBODY,
    REFERENCES,
    block_id,
    comment,
    incident,
    involved,
    post_of,
    posts,
    terms,
    text_of,
)

GOAL = incident(
    "soccer.goal", side="home", minute=15, phase=1, score=Score(1, 0), people=involved(scorer=GORETZKA, assist=GEIS)
)
CARD = incident("soccer.yellow-card", key="incident:2", order=2, side="home", minute=20, people=involved(player=GEIS))
WITH_GOAL = replace(MATCH, incidents=(GOAL,))
WITH_BOTH = replace(MATCH, incidents=(GOAL, CARD))


def test_a_goal_becomes_this_document():
    """A goal's post names minute, type, phase, team, players with roles and the score, and is described in one block."""
    post = post_of(GOAL, locale="de")

    assert (post.key, post.kind, post.draft, post.source) == ("incident:1", "soccer.goal", False, "play")
    assert post.document == {
        "_type": "Svc::Model::Event",
        "created_at": KICKOFF + 900,
        "headline": "",
        "highlight": "",
        "contents": [
            {
                "_type": "Svc::Model::Content::RichTextContentBlock",
                "local_id": "b-incident:1-text",
                "text": "Tor für Schalke! Goretzka trifft zum 1:0 (Vorlage: Geis).",
            }
        ],
        "sport_event": {
            "_type": "Svc::Model::Content::SportEventContentBlock",
            "local_id": "b-incident:1-sport_event",
            "sportstype": "soccer",
            "time_of_play": "15'",
            "event_type": "soccer.goal",
            "title": "Tor",
            "phase": {"_type": "Svc::Model::Content::SportPhase", "name": "1. Halbzeit"},
            "team": {
                "_type": "Svc::Model::Team",
                "_id": "a" * 24,
                "name": "FC Schalke 04",
                "short_name": "Schalke",
                "image": "https://images.example/694.png",
            },
            "players": [
                {
                    "_type": "Svc::Model::Content::SportEventPlayer",
                    "event_player_type": "scorer",
                    "event_player_title": "Treffer",
                    "player": {
                        "_type": "Svc::Model::Player",
                        "_id": "c" * 24,
                        "team_id": "a" * 24,
                        "name": "Leon Goretzka",
                        "short_name": "Goretzka",
                        "number": "8",
                    },
                },
                {
                    "_type": "Svc::Model::Content::SportEventPlayer",
                    "event_player_type": "assist",
                    "event_player_title": "Vorlage",
                    "player": {
                        "_type": "Svc::Model::Player",
                        "_id": "d" * 24,
                        "team_id": "a" * 24,
                        "name": "Johannes Geis",
                        "short_name": "Geis",
                        "number": "5",
                    },
                },
            ],
            "score": {
                "_type": "Svc::Model::Content::Scoreboard::ScoreboardScore",
                "home_score": "1",
                "away_score": "0",
            },
        },
    }


def test_a_document_is_one_that_the_interface_knows():
    """Read as an event and written again, nothing is lost; the score is our addition and may be unknown there."""
    document = post_of(GOAL).document

    read = dump(parse(Event, document))

    assert read["contents"] == document["contents"]
    assert {**read["sport_event"], "score": None} == {**document["sport_event"], "score": None}
    assert json.loads(json.dumps(document)) == document


def test_people_who_are_not_in_master_data_are_named_by_the_providers_ids():
    """Without master data, teams and players carry the provider's ids as `local_id` and `team_local_id`."""
    block = post_of(GOAL, references=NOBODY).document["sport_event"]
    player = block["players"][0]["player"]

    assert block["team"]["local_id"] == "694"
    assert (player["local_id"], player["team_local_id"]) == ("231656", "694")
    assert {"_id", "team_id"}.isdisjoint(block["team"].keys() | player.keys())


def test_an_own_goal_stays_with_the_scorers_team():
    """The team of an own goal is the scorer's; the score says who got it."""
    happened = incident(
        "soccer.own-goal", side="away", minute=90, added=2, score=Score(2, 0), people=involved(scorer=CALETA_CAR)
    )

    block = post_of(happened).document["sport_event"]

    assert block["team"]["name"] == AWAY.name
    assert (block["score"]["home_score"], block["score"]["away_score"]) == ("2", "0")
    assert block["time_of_play"] == "90+2'"


def test_only_goals_carry_a_score():
    """The score that a provider adds to the end of a half stands in the text and stands in no score field."""
    happened = incident("soccer.pause-halves", minute=45, score=Score(1, 0))

    post = post_of(happened)

    assert "score" not in post.document["sport_event"]
    assert text_of(post) == "Half-time: Schalke 1-0 Salzburg."


def test_a_substitution_names_both_players_with_their_roles():
    """Who comes on and who goes off are distinguished by role, in the language of the liveblog."""
    happened = incident("soccer.substitution", side="home", people=involved(out=GEIS, in_=MEYER))

    players = post_of(happened, locale="de").document["sport_event"]["players"]

    assert [(each["event_player_type"], each["event_player_title"]) for each in players] == [
        ("out", "Geht"),
        ("in", "Kommt"),
    ]


@pytest.mark.parametrize(
    ("minute", "added", "expected"),
    [(15, None, "15'"), (45, 2, "45+2'"), (90, 0, "90'"), (0, None, None), (None, None, None), (None, 3, None)],
)
def test_time_of_play_is_left_out_without_a_minute(minute, added, expected):
    """The minute of play is written `15'` or `45+2'`, and is left out where there is none."""
    block = post_of(replace(GOAL, minute=minute, added=added)).document["sport_event"]

    assert block.get("time_of_play") == expected


def test_names_are_text_in_the_generated_sentence():
    """A name cannot bring markup into a post, and sanitising the sentence again changes nothing."""
    odd = Person(ext_id="9", name="<script>alert(1)</script>O'Neil & Sons")

    text = text_of(post_of(replace(GOAL, people=involved(scorer=odd))))

    assert "&lt;script&gt;alert(1)&lt;/script&gt;O'Neil &amp; Sons" in text
    assert rich_text.sanitise(text) == text


def test_names_are_written_out_where_the_short_one_is_an_abbreviation():
    """A sentence neither shortens a name with a full stop nor ends with two."""
    home = replace(MATCH.home, name="Dnipro", short_name="Dnipropet.")
    junior = Person(ext_id="9", name="Neymar Jr.")
    change = incident("soccer.substitution", side="home", people=involved(in_=GEIS, out=junior))

    text = text_of(post_of(change, replace(MATCH, home=home)))

    assert text == "Substitution for Dnipro: Geis comes on for Neymar Jr."


def test_a_name_with_braces_is_only_a_name():
    """Placeholders in what the provider sends are not filled in."""
    odd = Person(ext_id="9", name="{team.__class__}")

    assert "{team.__class__}" in text_of(post_of(replace(GOAL, people=involved(scorer=odd))))


def test_without_auto_post_everything_is_a_draft():
    """What nobody wanted to post is imported for editors; with auto-post it is posted."""
    match = replace(WITH_BOTH, comments=(comment("Before the match."),))

    assert {post.draft for post in posts(match, text=True, auto_post=False)} == {True}
    assert {post.draft for post in posts(match, text=True)} == {False}


def test_excluded_types_are_drafts_and_their_neighbours_are_not():
    """`excludeEvents` turns the posts of a type into drafts, and no others."""
    drafts = {post.kind: post.draft for post in posts(WITH_BOTH, exclude_events=frozenset({"soccer.yellow-card"}))}

    assert drafts == {"soccer.goal": False, "soccer.yellow-card": True}


def test_the_providers_words_replace_the_sentence():
    """With text content, the narrative of an incident is its text: sanitised, without line breaks at the end."""
    happened = comment('<b onclick="x()">Tooor!</b> From the edge.<script>x</script> <br/>', incident_key=GOAL.key)
    match = replace(WITH_GOAL, comments=(happened,))

    (with_text,) = posts(match, text=True)
    (without,) = posts(match)

    assert text_of(with_text) == "<b>Tooor!</b> From the edge."
    assert text_of(without) == "Goal for Schalke! Goretzka makes it 1-0 (assist: Geis)."
    assert with_text.document["sport_event"] == without.document["sport_event"]


def test_an_empty_narrative_leaves_the_sentence():
    """Markup without a word does not replace the generated sentence."""
    (post,) = posts(replace(WITH_GOAL, comments=(comment("<br/>&nbsp;<b></b>", incident_key=GOAL.key),)), text=True)

    assert text_of(post) == "Goal for Schalke! Goretzka makes it 1-0 (assist: Geis)."


def test_both_texts_of_a_substitution_stand_below_each_other():
    """Several pieces of text for one incident make one block, in the provider's order."""
    change = incident("soccer.substitution", side="home", people=involved(out=GEIS, in_=MEYER))
    pieces = (
        comment("Geis goes.", incident_key=change.key),
        comment("Meyer comes.", key="text:2", incident_key=change.key),
    )

    (post,) = posts(replace(MATCH, incidents=(change,), comments=pieces), text=True)

    assert text_of(post) == "Geis goes.<br>Meyer comes."


def test_the_narrative_of_an_excluded_incident_waits_in_its_draft():
    """A text that belongs to an excluded incident is in the draft, not in a post of its own."""
    match = replace(WITH_BOTH, comments=(comment("A rough tackle.", incident_key=CARD.key),))

    kinds = {
        post.kind: (post.draft, text_of(post))
        for post in posts(match, text=True, exclude_events=frozenset({"soccer.yellow-card"}))
    }

    assert kinds["soccer.yellow-card"] == (True, "A rough tackle.")
    assert len(kinds) == 2


def test_a_text_that_is_ahead_of_its_incident_is_held_back():
    """A narrative whose incident is not in the match yet becomes no post, and the incident's text once it is."""
    early = comment("What a strike!", incident_key=GOAL.key)

    assert posts(replace(MATCH, comments=(early,)), text=True) == ()
    (post,) = posts(replace(WITH_GOAL, comments=(early,)), text=True)
    assert text_of(post) == "What a strike!"


def test_a_standalone_text_is_its_own_post():
    """Commentary that belongs to no incident is a post without a sport event, when text content is requested."""
    match = replace(MATCH, comments=(comment("<p>Good evening!</p>"), comment("<i> </i>", key="text:2")))

    (post,) = posts(match, text=True)

    assert (post.key, post.kind, post.source, post.draft) == ("text:1", "text", "text", False)
    assert text_of(post) == "<p>Good evening!</p>"
    assert "sport_event" not in post.document
    assert parse(Event, post.document).created_at == KICKOFF + 960
    assert posts(match) == ()


def test_posts_come_in_the_order_of_play():
    """Incidents keep their order, texts stand between them by time."""
    later = replace(CARD, created_at=KICKOFF + 1200)
    texts = (comment("first", created_at=KICKOFF + 10), comment("last", key="text:2", created_at=KICKOFF + 1300))

    match = replace(MATCH, incidents=(GOAL, later), comments=texts)

    assert [post.key for post in posts(match, text=True)] == ["text:1", "incident:1", "incident:2", "text:2"]
    (untimed,) = wanted_posts(
        match, terms(), REFERENCES, block_id=block_id, only={"incident:2"}, timed=[(GOAL, None), (later, None)]
    )
    assert (untimed.key, "created_at" in untimed.document) == ("incident:2", False)


def test_incidents_keep_the_providers_order_whatever_their_times():
    """A card that was entered long after it was shown stays where the provider put it."""
    late = replace(CARD, created_at=KICKOFF + 9000)
    untimed = incident("soccer.red-card", key="incident:3", created_at=None)

    match = replace(MATCH, incidents=(late, untimed, GOAL))

    assert [post.key for post in posts(match)] == ["incident:2", "incident:3", "incident:1"]


@pytest.mark.parametrize(
    ("given", "minute", "expected"),
    [
        pytest.param(KICKOFF + 900, 15, KICKOFF + 900, id="plausible"),
        pytest.param(KICKOFF - EARLIEST, 15, KICKOFF - EARLIEST, id="a week before"),
        pytest.param(KICKOFF - EARLIEST - 1, 15, KICKOFF + 14 * 60, id="impossible, estimated in the first half"),
        pytest.param(0, 60, KICKOFF + (59 + 15) * 60, id="impossible, estimated after the break"),
        pytest.param(0, None, None, id="impossible, no minute"),
        pytest.param(None, 15, None, id="not given"),
        pytest.param(KICKOFF + 86400, 15, KICKOFF + 86400, id="late"),
    ],
)
def test_created_at_is_a_time_that_can_be_true(given, minute, expected):
    """The provider's time stands; one long before the match is estimated from the minute, or left out without one."""
    assert post_of(replace(GOAL, created_at=given, minute=minute)).document.get("created_at") == expected


def test_added_time_counts_for_an_estimate():
    """An impossible time of an incident at 45+2 becomes two minutes after the 45th."""
    late = replace(GOAL, created_at=0, minute=45, added=2)

    assert post_of(late).document["created_at"] == KICKOFF + (44 + 2) * 60


def test_a_change_in_the_match_touches_no_other_post():
    """Nothing in a post changes from poll to poll while its incident does not."""
    later = replace(WITH_BOTH, score=Score(2, 2), comments=(comment("Text."),))

    before, after = posts(WITH_BOTH, text=True), posts(later, text=True)

    assert set(map(str, before)) < set(map(str, after))


@pytest.mark.parametrize("sport", ["soccer", "curling"])
def test_a_type_without_a_row_shows_its_name(sport):
    """An event type that no row knows, or of a sport without rows, becomes a post with a readable title."""
    happened = incident(f"{sport}.corner-kick", side="home", minute=3, people=involved(taker=GEIS))

    post = post_of(happened, replace(MATCH, sport=sport), locale="de")

    assert post.document["sport_event"]["title"] == "Corner kick"
    assert post.document["sport_event"]["players"][0]["event_player_title"] == "Taker"
    assert text_of(post) == "Corner kick: Geis (Schalke)"
    assert parse(Event, post.document)


def test_an_incident_without_people_and_side_is_still_a_post():
    """A type without a row of which nothing is known carries its name alone."""
    assert text_of(post_of(incident("soccer.cooling-break"))) == "Cooling break"


def test_pictures_that_are_no_web_addresses_are_left_out():
    """An image that the interface would refuse does not get into the document."""
    home = replace(MATCH.home, image="javascript:alert(1)")

    assert "image" not in post_of(GOAL, replace(MATCH, home=home)).document["sport_event"]["team"]
