"""Each of the seventeen soccer types becomes a post, in two languages."""

from dataclasses import replace

import pytest

from mapping.documents.base import parse
from mapping.documents.event import Event
from mapping.match.match import Decided, PeriodScore, Person, Score, Status
from mapping.sports import SPORTS
from tests.mapping.soccer_builders import (
    CALETA_CAR,
    GEIS,
    GORETZKA,
    MATCH,
    MEYER,
    incident,
    involved,
    post_of,
    posts,
    text_of,
)

HALF_TIME = PeriodScore(title="half-time", score=Score(1, 0))
FULL_TIME = PeriodScore(title="full-time", score=Score(1, 1))
EXTRA_TIME = PeriodScore(title="extra-time", score=Score(2, 2))

PLAIN = replace(MATCH, status=Status.FINISHED, score=Score(3, 1), periods=(HALF_TIME,))
OVERTIME = replace(
    MATCH, status=Status.FINISHED, decided=Decided.OVERTIME, score=Score(2, 1), periods=(HALF_TIME, FULL_TIME)
)
PAUSE = incident("soccer.pause-overtime", key="period:soccer.pause-overtime", order=3, created_at=None)
LEVEL = replace(MATCH, score=Score(1, 1), periods=(HALF_TIME, FULL_TIME))
SHOOTOUT = replace(
    MATCH,
    status=Status.FINISHED,
    decided=Decided.SHOOTOUT,
    score=Score(2, 2),
    shootout=Score(3, 4),
    periods=(HALF_TIME, FULL_TIME, EXTRA_TIME),
)


def goal(**facts):
    return incident("soccer.goal", **{"side": "home", "minute": 15, "score": Score(1, 0), **facts})


# fmt: off
INCIDENTS = [
    pytest.param(goal(people=involved(scorer=GORETZKA, assist=GEIS)), MATCH,
        ("Goal", "Goal for Schalke! Goretzka makes it 1-0 (assist: Geis)."),
        ("Tor", "Tor für Schalke! Goretzka trifft zum 1:0 (Vorlage: Geis)."), id="goal-with-assist"),
    pytest.param(goal(people=involved(scorer=GORETZKA), method="head"), MATCH,
        ("Goal", "Goal for Schalke! Goretzka makes it 1-0."), ("Tor", "Tor für Schalke! Goretzka trifft zum 1:0."),
        id="goal"),
    pytest.param(goal(people=involved(scorer=GORETZKA, assist=GEIS), score=None), MATCH,
        ("Goal", "Goal for Schalke! Goretzka scores (assist: Geis)."),
        ("Tor", "Tor für Schalke! Goretzka trifft (Vorlage: Geis)."), id="goal-without-score"),
    pytest.param(goal(), MATCH, ("Goal", "Goal for Schalke! The score is now 1-0."),
        ("Tor", "Tor für Schalke! Es steht 1:0."), id="goal-without-scorer"),
    pytest.param(goal(side=None, score=None), MATCH, ("Goal", "Goal"), ("Tor", "Tor"),
        id="goal-of-which-nothing-is-known"),
    pytest.param(goal(people=involved(scorer=GORETZKA), method="penalty"), MATCH,
        ("Goal", "Goal for Schalke! Goretzka converts the penalty to make it 1-0."),
        ("Tor", "Tor für Schalke! Goretzka verwandelt den Elfmeter zum 1:0."), id="penalty"),
    pytest.param(goal(people=involved(scorer=GORETZKA, fouled=GEIS), method="penalty"), MATCH,
        ("Goal", "Goal for Schalke! Goretzka converts the penalty to make it 1-0 (Geis was fouled)."),
        ("Tor", "Tor für Schalke! Goretzka verwandelt den Elfmeter zum 1:0 (Foul an Geis)."),
        id="penalty-with-the-fouled-player"),
    pytest.param(incident("soccer.own-goal", side="away", minute=47, score=Score(2, 0), people=involved(scorer=CALETA_CAR)),
        MATCH, ("Own goal", "Goal for Schalke! Own goal by Ćaleta-Car (Salzburg), the score is now 2-0."),
        ("Eigentor", "Tor für Schalke! Eigentor von Ćaleta-Car (Salzburg) zum 2:0."), id="own-goal"),
    pytest.param(incident("soccer.yellow-card", side="home", minute=20, people=involved(player=GEIS)), MATCH,
        ("Yellow card", "Yellow card for Geis (Schalke)."), ("Gelbe Karte", "Gelbe Karte für Geis (Schalke)."),
        id="yellow-card"),
    pytest.param(incident("soccer.red-card", side="away", minute=20, people=involved(player=CALETA_CAR)), MATCH,
        ("Red card", "Red card! Ćaleta-Car (Salzburg) is sent off."),
        ("Rote Karte", "Rote Karte! Ćaleta-Car (Salzburg) muss vom Platz."), id="red-card"),
    pytest.param(incident("soccer.yellow-red-card", side="home", minute=20, people=involved(player=GEIS)), MATCH,
        ("Second yellow card", "Second yellow card! Geis (Schalke) is sent off."),
        ("Gelb-Rote Karte", "Gelb-Rote Karte! Geis (Schalke) muss vom Platz."), id="yellow-red-card"),
    pytest.param(incident("soccer.red-card", method="yellow-red", side="home", minute=20, people=involved(player=GEIS)),
        MATCH, ("Second yellow card", "Second yellow card! Geis (Schalke) is sent off."),
        ("Gelb-Rote Karte", "Gelb-Rote Karte! Geis (Schalke) muss vom Platz."),
        id="a-red-card-for-a-second-yellow-one"),
    pytest.param(incident("soccer.penalty-kick-missed", side="home", minute=20, people=involved(player=GEIS)), MATCH,
        ("Penalty missed", "Penalty missed! Geis fails to score for Schalke."),
        ("Elfmeter verschossen", "Elfmeter verschossen! Geis vergibt für Schalke."), id="penalty-missed"),
    pytest.param(incident("soccer.penalty-kick-missed", side="home", phase=5, people=involved(player=GEIS)), SHOOTOUT,
        ("Penalty 1 of 5: missed", "Geis (Schalke) misses in the shoot-out."),
        ("Elfmeter 1 von 5: verschossen", "Geis (Schalke) vergibt im Elfmeterschießen."),
        id="penalty-missed-in-the-shoot-out"),
    pytest.param(goal(method="shootout", score=Score(4, 3), minute=None, phase=5, people=involved(scorer=GEIS)),
        SHOOTOUT, ("Penalty 1 of 5: scored", "Geis (Schalke) scores in the shoot-out: 4-3."),
        ("Elfmeter 1 von 5: verwandelt", "Geis (Schalke) trifft im Elfmeterschießen: 4:3."),
        id="goal-in-the-shoot-out"),
    pytest.param(incident("soccer.penalty-kick-missed", side="home", phase=4, people=involved(player=GEIS)), SHOOTOUT,
        ("Penalty missed", "Penalty missed! Geis fails to score for Schalke."),
        ("Elfmeter verschossen", "Elfmeter verschossen! Geis vergibt für Schalke."),
        id="penalty-missed-in-extra-time"),
    pytest.param(incident("soccer.substitution", side="home", minute=60, people=involved(out=GEIS, in_=MEYER)), MATCH,
        ("Substitution", "Substitution for Schalke: Meyer comes on for Geis."),
        ("Wechsel", "Wechsel bei Schalke: Meyer kommt für Geis."), id="substitution"),
    pytest.param(incident("soccer.substitution", side="home", minute=60, people=involved(in_=MEYER)), MATCH,
        ("Substitution", "Substitution for Schalke: Meyer comes on."),
        ("Wechsel", "Wechsel bei Schalke: Meyer kommt ins Spiel."),
        id="substitution-without-the-player-who-goes-off"),
    pytest.param(incident("soccer.start"), MATCH, ("Kick-off", "Kick-off! Schalke against Salzburg is under way."),
        ("Anpfiff", "Anpfiff! Die Partie Schalke gegen Salzburg läuft."), id="start"),
    pytest.param(incident("soccer.pause-halves", minute=45), PLAIN, ("Half-time", "Half-time: Schalke 1-0 Salzburg."),
        ("Halbzeit", "Halbzeit: Schalke \u2013 Salzburg 1:0."), id="pause-halves"),
    pytest.param(incident("soccer.pause-halves", minute=45), MATCH, ("Half-time", "The first half is over."),
        ("Halbzeit", "Die erste Halbzeit ist vorbei."), id="pause-halves-before-its-score-is-known"),
    pytest.param(incident("soccer.resume-halves"), PLAIN, ("Second half", "The second half is under way."),
        ("Zweite Halbzeit", "Die zweite Halbzeit läuft."), id="resume-halves"),
    pytest.param(incident("soccer.end-of-regular-play", minute=90), OVERTIME,
        ("End of normal time", "Normal time is over: Schalke 1-1 Salzburg."),
        ("Ende der regulären Spielzeit", "Die reguläre Spielzeit ist vorbei: Schalke \u2013 Salzburg 1:1."),
        id="end-of-regular-play"),
    pytest.param(incident("soccer.start-overtime"), OVERTIME, ("Extra time", "Extra time is under way."),
        ("Verlängerung", "Die Verlängerung läuft."), id="start-overtime"),
    pytest.param(incident("soccer.pause-overtime"), LEVEL,
        ("Half-time in extra time", "Half-time in extra time: Schalke 1-1 Salzburg."),
        ("Halbzeit der Verlängerung", "Halbzeit der Verlängerung: Schalke \u2013 Salzburg 1:1."),
        id="pause-overtime"),
    pytest.param(incident("soccer.pause-overtime"), OVERTIME,
        ("Half-time in extra time", "The first half of extra time is over."),
        ("Halbzeit der Verlängerung", "Die erste Hälfte der Verlängerung ist vorbei."),
        id="pause-overtime-with-a-goal-that-nobody-reported"),
    pytest.param(incident("soccer.resume-overtime"), OVERTIME,
        ("Second half of extra time", "The second half of extra time is under way."),
        ("Zweite Hälfte der Verlängerung", "Die zweite Hälfte der Verlängerung läuft."), id="resume-overtime"),
    pytest.param(incident("soccer.end-of-overtime"), SHOOTOUT,
        ("End of extra time", "Extra time is over: Schalke 2-2 Salzburg."),
        ("Ende der Verlängerung", "Die Verlängerung ist vorbei: Schalke \u2013 Salzburg 2:2."), id="end-of-overtime"),
    pytest.param(incident("soccer.start-shootout"), SHOOTOUT,
        ("Penalty shoot-out", "The match will be decided by a penalty shoot-out."),
        ("Elfmeterschießen", "Die Entscheidung fällt im Elfmeterschießen."), id="start-shootout"),
    pytest.param(incident("soccer.end"), PLAIN, ("Full-time", "Full-time: Schalke 3-1 Salzburg."),
        ("Abpfiff", "Abpfiff: Schalke \u2013 Salzburg 3:1."), id="end"),
    pytest.param(incident("soccer.end"), OVERTIME, ("Full-time", "Full-time: Schalke 2-1 Salzburg after extra time."),
        ("Abpfiff", "Abpfiff: Schalke \u2013 Salzburg 2:1 nach Verlängerung."), id="end-after-extra-time"),
    pytest.param(incident("soccer.end", score=Score(3, 4)), SHOOTOUT,
        ("Full-time", "Full-time: Schalke 2-2 Salzburg, 3-4 on penalties."),
        ("Abpfiff", "Abpfiff: Schalke \u2013 Salzburg 2:2, 3:4 im Elfmeterschießen."), id="end-after-a-shoot-out"),
]
# fmt: on


@pytest.mark.parametrize(("happened", "match", "english", "german"), INCIDENTS)
def test_an_incident_has_a_text_in_the_language_of_the_liveblog(happened, match, english, german):
    """Title and sentence of every type are as a sports desk would write them, in English and in German."""
    for locale, expected in (("en", english), ("de", german)):
        post = post_of(happened, match, locale=locale)

        assert (post.document["sport_event"]["title"], text_of(post)) == expected
        assert parse(Event, post.document).sport_event.event_type == happened.kind


def test_every_type_of_soccer_has_a_text():
    """The table above leaves out none of the seventeen types."""
    happened = {param.values[0].kind for param in INCIDENTS}

    assert len(SPORTS["soccer"].catalog) == 17
    assert happened == set(SPORTS["soccer"].catalog)


def test_the_score_between_the_halves_of_extra_time_counts_the_first_half_alone():
    """A goal of the 95th minute is in the text of the break, one of the 110th is not."""
    early = goal(key="incident:8", minute=95, phase=3, score=Score(2, 1))
    late = goal(key="incident:9", minute=110, phase=4, score=Score(3, 1))
    match = replace(MATCH, score=Score(3, 1), periods=(HALF_TIME, FULL_TIME), incidents=(early, late, PAUSE))

    assert "Half-time in extra time: Schalke 2-1 Salzburg." == text_of(posts(match)[-1])


def test_an_own_goal_has_no_scorer():
    """The one who put it into his own net is named as such, and with his own team."""
    happened = incident("soccer.own-goal", side="away", minute=47, people=involved(scorer=CALETA_CAR))
    titles = [
        post_of(happened, locale=locale).document["sport_event"]["players"][0]["event_player_title"]
        for locale in ("en", "de")
    ]

    assert titles == ["Own goal", "Eigentor"]


@pytest.mark.parametrize(
    ("namesake", "expected"), [("Jonas Geis", "Johannes Geis"), ("Max Geis", "J. Geis"), ("Max Geisler", "Geis")]
)
def test_two_players_of_one_surname_are_distinguished(namesake, expected):
    """An initial is added, the whole name where the initials are equal, whichever side they play for."""
    other = Person(ext_id="999", name=namesake, short_name=namesake.split()[1])
    match = replace(MATCH, away=replace(MATCH.away, bench=(other,)))
    happened = incident("soccer.yellow-card", side="home", minute=20, people=involved(player=GEIS))

    assert f"Yellow card for {expected} (Schalke)." == text_of(post_of(happened, match))


def test_a_sentence_that_begins_with_a_name_begins_with_a_capital():
    """`van der Hoorn` is `Van der Hoorn` where he opens the sentence, and himself within it."""
    hoorn = Person(ext_id="998", name="Mike van der Hoorn", short_name="van der Hoorn")
    missed = incident("soccer.penalty-kick-missed", side="home", phase=5, people=involved(player=hoorn))
    booked = incident("soccer.yellow-card", side="home", people=involved(player=hoorn))

    assert "Van der Hoorn (Schalke) misses in the shoot-out." == text_of(post_of(missed))
    assert "Yellow card for van der Hoorn (Schalke)." == text_of(post_of(booked))
