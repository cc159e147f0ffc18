"""What a match fills into its liveblog, from long before kick-off until long after."""

from dataclasses import replace

import pytest

from mapping.documents.base import dump, parse
from mapping.documents.game import Game, GameDraft
from mapping.documents.import_options import ImportOptions
from mapping.documents.state import RankedGameStateInfo, TimeBasedGameStateInfo
from mapping.errors import DownstreamRejected
from mapping.liveblog.prefill import EVERYTHING, game_document, synced_parts
from mapping.match.match import Clock, Decided, Named, PeriodScore, Person, Score, Status
from tests.mapping.soccer_builders import GORETZKA, HOME, KICKOFF, MATCH, NOBODY, REFERENCES, incident, terms

HALF_TIME = PeriodScore(title="half-time", score=Score(1, 0))
FULL_TIME = PeriodScore(title="full-time", score=Score(1, 1))
EXTRA_TIME = PeriodScore(title="extra-time", score=Score(2, 2))
BEFORE = replace(MATCH, status=Status.SCHEDULED, clock=Clock(), score=None)
FINISHED = replace(MATCH, status=Status.FINISHED, score=Score(3, 1), periods=(HALF_TIME,), clock=Clock(phase=2))


def prefilled(match=MATCH, *, references=REFERENCES, title=None, **wishes):
    return game_document(match, terms(**wishes), references, title=title)


def state(match):
    return prefilled(match)["state_info"]


def scores(document):
    board = document["scoreboard"]
    return [(each["home_score"], each["away_score"], each["title"]) for each in (board["score"], *board["scores"])]


def test_a_match_fills_in_teams_place_and_time():
    """Meta info names both teams, tournament and place by their master data, and the time of kick-off."""
    meta_info = prefilled()["meta_info"]

    assert meta_info == {
        "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
        "title": "FC Schalke 04 \u2013 Red Bull Salzburg",
        "home_team": {
            "_type": "Svc::Model::Team",
            "_id": "a" * 24,
            "name": "FC Schalke 04",
            "short_name": "Schalke",
            "image": "https://images.example/694.png",
        },
        "away_team": {
            "_type": "Svc::Model::Team",
            "_id": "b" * 24,
            "name": "Red Bull Salzburg",
            "short_name": "Salzburg",
        },
        "tournament": {"_type": "Svc::Model::Tournament", "_id": "e" * 24, "name": "Europa League"},
        "location": {
            "_type": "Svc::Model::Location",
            "_id": "f" * 24,
            "name": "Veltins-Arena",
            "city": "Gelsenkirchen",
            "country": "DE",
        },
        "editorial_publishing": False,
        "allow_comments": True,
        "starts_at": KICKOFF,
    }


@pytest.mark.parametrize(
    "match",
    [
        BEFORE,
        MATCH,
        FINISHED,
        replace(FINISHED, sport="chess", home=None, away=None),
        replace(MATCH, kickoff=None, tournament=None, location=None, clock=Clock(phase=1)),
    ],
    ids=["before", "live", "finished", "title game", "little known"],
)
@pytest.mark.parametrize("references", [REFERENCES, NOBODY], ids=["master data", "none"])
def test_the_document_is_one_that_the_interface_knows(match, references):
    """Sent as a liveblog to be created, the document is valid; read and written again, nothing of it is lost, and all is typed."""
    document = prefilled(match, references=references)
    owned = {"_type": "Svc::Model::Game", "organization_id": references.owner_id, **document}

    assert parse(GameDraft, owned)
    shown = {"summary_text" if name == "summary" else name: value for name, value in owned.items()}
    read = dump(parse(Game, shown))
    typed = {"squads": {"_type": "Svc::Model::Squads", **document["squads"]}} if "squads" in document else {}
    assert {name: read["summary_text" if name == "summary" else name] for name in document} == {**document, **typed}


def test_titles_are_the_given_one_or_the_default():
    """A title of the request outranks that of the terms, which outranks the teams' names."""
    requested = terms(title="Friday night")

    assert game_document(MATCH, requested, REFERENCES, title="Derby!")["meta_info"]["title"] == "Derby!"
    assert game_document(MATCH, requested, REFERENCES)["meta_info"]["title"] == "Friday night"
    assert prefilled()["meta_info"]["title"] == "FC Schalke 04 \u2013 Red Bull Salzburg"


def test_the_clock_rules_are_soccers():
    """Options say: two halves of 45 minutes, two of extra time of 15, added time shown."""
    assert prefilled()["options"] == {
        "_type": "Svc::Model::Options::TimedGameOptions",
        "timing_type": "aui",
        "regular_phase_length": 45,
        "num_regular_phases": 2,
        "overtime_phase_length": 15,
        "num_overtime_phases": 2,
    }


def test_the_liveblog_keeps_the_requested_locale():
    """Locale, template and sport stand in the document, also for a locale that has no catalogue of its own."""
    document = prefilled(locale="fr-fr")

    assert (document["locale"], document["template_id"], document["sportstype"]) == ("fr-fr", "soccer", "soccer")


def test_squads_hold_everything_the_provider_says_of_a_player():
    """Line-up and bench stand side by side; a player in a squad has position, country and measures."""
    known = replace(
        GORETZKA, birthdate=791_942_400, gender="m", height=189, weight=82000, image="https://i.example/1.jpg"
    )
    squads = prefilled(replace(MATCH, home=replace(HOME, lineup=(known,))))["squads"]

    assert squads["home"]["lineup"] == [
        {
            "_type": "Svc::Model::Player",
            "_id": "c" * 24,
            "team_id": "a" * 24,
            "name": "Leon Goretzka",
            "short_name": "Goretzka",
            "number": "8",
            "image": "https://i.example/1.jpg",
            "position": "midfield",
            "country": "DE",
            "gender": "m",
            "birthdate": 791_942_400,
            "height": 189,
            "weight": 82000,
        }
    ]
    assert [each["name"] for each in squads["home"]["bench"]] == ["Max Meyer"]
    assert squads["away"]["bench"] == []
    assert squads["home"]["_type"] == "Svc::Model::Squad"
    assert squads["home"]["team"]["name"] == "FC Schalke 04"


def test_what_the_interface_would_refuse_of_a_player_is_left_out():
    """A country that is no code, an unknown gender and an unsafe picture do not spoil the squad."""
    odd = Person(ext_id="7", name="Odd", country="Germany", gender="x", image="http://plain.example/1.jpg")

    (player,) = prefilled(replace(MATCH, home=replace(HOME, lineup=(odd,))))["squads"]["home"]["lineup"]

    assert player == {"_type": "Svc::Model::Player", "local_id": "7", "team_id": "a" * 24, "name": "Odd"}


@pytest.mark.parametrize("missing", ["home", "away"])
def test_a_soccer_match_without_a_team_is_refused(missing):
    """A match that lacks a team cannot become a liveblog, and the error names what is missing."""
    with pytest.raises(DownstreamRejected, match=f"no {missing} team"):
        prefilled(replace(MATCH, **{missing: None}))


def test_a_sport_without_teams_is_named_after_its_tournament():
    """Where no teams meet, the liveblog has a title and neither scoreboard nor squads."""
    race = replace(MATCH, sport="motorsports", home=None, away=None)

    document = prefilled(race)

    assert document["meta_info"]["_type"] == "Svc::Model::GameMetaInfo::TitleGameMetaInfo"
    assert document["meta_info"]["title"] == "Europa League"
    assert {"scoreboard", "squads", "options"}.isdisjoint(document)
    assert parse(RankedGameStateInfo, document["state_info"]).gamestate == 1


def test_a_sport_without_teams_and_tournament_needs_a_title():
    """Where there is nothing to name the liveblog after, only a given title helps."""
    race = replace(MATCH, sport="motorsports", home=None, away=None, tournament=None)

    assert prefilled(race, title="Race day")["meta_info"]["title"] == "Race day"
    with pytest.raises(DownstreamRejected):
        prefilled(race)


def test_the_score_is_empty_until_the_provider_gives_one():
    """Before kick-off the score is empty, or 0:0 where the provider says so."""
    assert scores(prefilled(BEFORE)) == [("", "", "")]
    assert scores(prefilled(replace(BEFORE, score=Score(0, 0)))) == [("0", "0", "")]


# fmt: off
PLAYED = [
    pytest.param(MATCH, [("1", "0", "")], [("1", "0", "")], id="first half"),
    pytest.param(FINISHED, [("3", "1", ""), ("1", "0", "Half-time")], [("3", "1", ""), ("1", "0", "Halbzeit")],
        id="finished"),
    pytest.param(replace(FINISHED, score=Score(2, 1), periods=(HALF_TIME, FULL_TIME), decided=Decided.OVERTIME),
        [("2", "1", "a.e.t."), ("1", "0", "Half-time"), ("1", "1", "Full-time")],
        [("2", "1", "n. V."), ("1", "0", "Halbzeit"), ("1", "1", "Reguläre Spielzeit")], id="after extra time"),
    pytest.param(replace(MATCH, score=Score(1, 1), periods=(HALF_TIME, FULL_TIME), clock=Clock(phase=3)),
        [("1", "1", ""), ("1", "0", "Half-time"), ("1", "1", "Full-time")],
        [("1", "1", ""), ("1", "0", "Halbzeit"), ("1", "1", "Reguläre Spielzeit")], id="in extra time"),
    pytest.param(replace(MATCH, status=Status.SHOOTOUT, score=Score(2, 2), shootout=Score(2, 1), periods=(EXTRA_TIME,)),
        [("2", "2", "a.e.t."), ("2", "2", "After extra time"), ("2", "1", "Penalty shoot-out")],
        [("2", "2", "n. V."), ("2", "2", "Nach Verlängerung"), ("2", "1", "Elfmeterschießen")],
        id="in the shoot-out"),
    pytest.param(replace(FINISHED, score=Score(2, 2), shootout=Score(3, 4), periods=(EXTRA_TIME,), decided=Decided.SHOOTOUT),
        [("2", "2", "pens"), ("2", "2", "After extra time"), ("3", "4", "Penalty shoot-out")],
        [("2", "2", "i. E."), ("2", "2", "Nach Verlängerung"), ("3", "4", "Elfmeterschießen")],
        id="after the shoot-out"),
    pytest.param(replace(FINISHED, periods=(), decided=Decided.SHOOTOUT), [("3", "1", "pens")], [("3", "1", "i. E.")],
        id="after a shoot-out without a tally"),
    pytest.param(replace(FINISHED, periods=(HALF_TIME,), decided=Decided.UNKNOWN),
        [("3", "1", "result not reported"), ("1", "0", "Half-time")],
        [("3", "1", "Ergebnis nicht gemeldet"), ("1", "0", "Halbzeit")], id="finished without its result"),
    pytest.param(replace(MATCH, status=Status.ABANDONED, clock=Clock(phase=3)), [("1", "0", "")], [("1", "0", "")],
        id="abandoned in extra time"),
]
# fmt: on


@pytest.mark.parametrize(("match", "english", "german"), PLAYED)
def test_the_scoreboard_shows_how_the_match_was_decided(match, english, german):
    """The score on the pitch comes first, its title says how the match ended; parts and shoot-out follow."""
    assert scores(prefilled(match)) == english
    assert scores(prefilled(match, locale="de")) == german


STARTED, BROKE = KICKOFF + 60, KICKOFF + 60 + 47 * 60
SECOND = STARTED + 3700
KICKS = incident("soccer.start-shootout", key="period:soccer.start-shootout", created_at=KICKOFF + 9000, phase=5)
END = incident("soccer.end", key="period:soccer.end", created_at=KICKOFF + 6600, phase=2)


def state_after(gamestate, recurrence, minute, *, at=None, seconds=0, is_break=False):
    return {
        "_type": "Svc::Model::GameStateInfo::TimeBasedGameStateInfo",
        "timeout": False,
        **({} if at is None else {"check_time": at}),
        "check_seconds": seconds,
        "is_break": is_break,
        "recurrence": recurrence,
        "gamestate": gamestate,
        "minute": minute,
    }


# fmt: off
STATES = [
    pytest.param(BEFORE, state_after(0, 0, 0, at=KICKOFF), id="before"),
    pytest.param(replace(BEFORE, kickoff=None), state_after(0, 0, 0), id="before, no kick-off known"),
    pytest.param(replace(BEFORE, status=Status.POSTPONED), state_after(0, 0, 0, at=KICKOFF), id="postponed"),
    pytest.param(replace(BEFORE, status=Status.CANCELLED), state_after(31, 0, 0), id="cancelled"),
    pytest.param(MATCH, state_after(1, 1, 0, at=STARTED), id="first half"),
    pytest.param(replace(MATCH, clock=Clock()), state_after(1, 1, 0), id="live, nothing known of the clock"),
    pytest.param(replace(MATCH, status=Status.BREAK, clock=
        Clock(phase=1, phase_started_at=STARTED, in_break=True, break_started_at=BROKE)),
        state_after(1, 1, 45, at=BROKE, seconds=47 * 60, is_break=True), id="half-time"),
    pytest.param(replace(MATCH, status=Status.BREAK, clock=Clock(phase=1, phase_started_at=STARTED, in_break=True)),
        state_after(1, 1, 45, at=STARTED + 2700, seconds=2700, is_break=True), id="half-time, its beginning unknown"),
    pytest.param(replace(MATCH, status=Status.BREAK, clock=
        Clock(phase=1, phase_started_at=STARTED, in_break=True, break_started_at=STARTED - 60)),
        state_after(1, 1, 45, at=STARTED - 60, seconds=2700, is_break=True), id="half-time before the start"),
    pytest.param(replace(MATCH, clock=Clock(phase=2, phase_started_at=SECOND)), state_after(1, 2, 45, at=SECOND),
        id="second half"),
    pytest.param(replace(MATCH, status=Status.BREAK, clock=Clock(phase=2, in_break=True, break_started_at=BROKE)),
        state_after(1, 2, 90, at=BROKE, seconds=2700, is_break=True), id="before extra time"),
    pytest.param(replace(MATCH, clock=Clock(phase=3, phase_started_at=SECOND)), state_after(1, 3, 90, at=SECOND),
        id="extra time"),
    pytest.param(replace(MATCH, clock=Clock(phase=4, phase_started_at=SECOND)), state_after(1, 4, 105, at=SECOND),
        id="its second half"),
    pytest.param(replace(MATCH, status=Status.SHOOTOUT, clock=Clock(phase=4), incidents=(KICKS,)),
        state_after(2, 4, 120, at=KICKOFF + 9000), id="shoot-out"),
    pytest.param(replace(FINISHED, incidents=(END,)), state_after(31, 2, 90, at=KICKOFF + 6600), id="finished"),
    pytest.param(replace(FINISHED, clock=Clock(phase=4)), state_after(31, 4, 120), id="finished after extra time"),
    pytest.param(replace(MATCH, status=Status.ABANDONED, incidents=(incident("soccer.goal", minute=31),)),
        state_after(31, 1, 31), id="abandoned"),
]
# fmt: on


@pytest.mark.parametrize(("match", "expected"), STATES)
def test_the_state_is_made_of_the_match_alone(match, expected):
    """The state says which phase runs since when; it needs no clock, so that it changes only with the match."""
    assert state(match) == expected
    assert dump(parse(TimeBasedGameStateInfo, state(match))) == expected


@pytest.mark.parametrize(
    ("status", "english", "german"),
    [
        (Status.SCHEDULED, "", ""),
        (Status.LIVE, "", ""),
        (Status.FINISHED, "", ""),
        (Status.POSTPONED, "Postponed", "Verlegt"),
        (Status.ABANDONED, "Abandoned", "Abgebrochen"),
        (Status.CANCELLED, "Cancelled", "Abgesagt"),
    ],
)
def test_the_summary_says_when_a_match_is_not_played_as_planned(status, english, german):
    """Postponed, abandoned and cancelled matches say so in one word; the others say nothing."""
    match = replace(MATCH, status=status)

    assert (prefilled(match)["summary"], prefilled(match, locale="de")["summary"]) == (english, german)


def test_places_that_are_not_in_master_data_are_named_by_the_providers_ids():
    """Tournament and location carry the provider's ids where the organization has no record of them."""
    match = replace(MATCH, location=Named(ext_id="2120", name="Veltins-Arena", country="Germany"))

    meta_info = prefilled(match, references=NOBODY)["meta_info"]

    assert meta_info["tournament"]["local_id"] == "132"
    assert meta_info["location"] == {"_type": "Svc::Model::Location", "local_id": "2120", "name": "Veltins-Arena"}


def test_terms_say_which_parts_are_kept_up_to_date():
    """An excluded scoreboard is filled in once and then left alone; squads and names always follow."""
    document = {key: {} for key in (*EVERYTHING, "locale")}

    assert {"meta_info", "squads", "summary"} == set(synced_parts(document, ImportOptions(sport="soccer")))
    assert "scoreboard" not in synced_parts(
        document, ImportOptions(sport="soccer", auto_post=True, exclude_scoreboard=True)
    )
    assert set(EVERYTHING) == set(synced_parts(document, ImportOptions(sport="soccer", auto_post=True)))
