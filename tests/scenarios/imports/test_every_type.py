"""Every event type of the interface's heim rows: from a provider's body to the post, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapping.sports import SPORTS
from providers.heim.catalog import CATALOG, SCOREBOARD, TEXT_SPORTS
from tests.kit.interface_tables import providers
from tests.kit.sport_fixtures import FOLDER, posted, practice, race, recorded_steps, translated
from tests.providers.heim.feed import MATCH_ID, encoded, row, wrapped

REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "interface.md"
PROMISED = {
    sport: row
    for (provider, sport), row in providers(REFERENCE.read_text(encoding="utf-8")).items()
    if provider == "heim"
}
KINDS = [kind for _, kinds in PROMISED.values() for kind in kinds]
SOCCER = {
    "soccer.goal": [row(11, "goal/head", 15, "home", 9, 7, content="1:0")],
    "soccer.own-goal": [row(11, "goal/own-goal", 47, "away", 5, content="1:0")],
    "soccer.yellow-card": [row(11, "card/yellow", 33, "away", 4)],
    "soccer.red-card": [row(11, "card/red", 71, "home", 6)],
    "soccer.yellow-red-card": [row(11, "card/yellow-red", 80, "home", 6)],
    "soccer.penalty-kick-missed": [row(11, "special/missed-penalty", 62, "away", 9)],
    "soccer.substitution": [
        row(11, "playing/substitute-out", 67, "home", 8),
        row(12, "playing/substitute-in", 67, "home", 18),
    ],
    "soccer.start": [row(11, "match/game-start", 1)],
    "soccer.pause-halves": [row(11, "match/first-half-end", 45)],
    "soccer.resume-halves": [row(11, "match/second-half-start", 46)],
    "soccer.end-of-regular-play": [row(11, "match/second-half-end", 90)],
    "soccer.start-overtime": [row(11, "match/first-extra-start", 91)],
    "soccer.pause-overtime": [row(11, "match/first-extra-end", 105)],
    "soccer.resume-overtime": [row(11, "match/second-extra-start", 106)],
    "soccer.end-of-overtime": [row(11, "match/second-extra-end", 120)],
    "soccer.start-shootout": [row(11, "match/penalty-start", 120)],
    "soccer.end": [row(11, "match/game-end", 90, content="1:0")],
}
TITLES = {
    "soccer.goal": ("Goal", "Tor"),
    "soccer.own-goal": ("Own goal", "Eigentor"),
    "soccer.yellow-card": ("Yellow card", "Gelbe Karte"),
    "soccer.red-card": ("Red card", "Rote Karte"),
    "soccer.yellow-red-card": ("Second yellow card", "Gelb-Rote Karte"),
    "soccer.penalty-kick-missed": ("Penalty missed", "Elfmeter verschossen"),
    "soccer.substitution": ("Substitution", "Wechsel"),
    "soccer.start": ("Kick-off", "Anpfiff"),
    "soccer.pause-halves": ("Half-time", "Halbzeit"),
    "soccer.resume-halves": ("Second half", "Zweite Halbzeit"),
    "soccer.end-of-regular-play": ("End of normal time", "Ende der regulären Spielzeit"),
    "soccer.start-overtime": ("Extra time", "Verlängerung"),
    "soccer.pause-overtime": ("Half-time in extra time", "Halbzeit der Verlängerung"),
    "soccer.resume-overtime": ("Second half of extra time", "Zweite Hälfte der Verlängerung"),
    "soccer.end-of-overtime": ("End of extra time", "Ende der Verlängerung"),
    "soccer.start-shootout": ("Penalty shoot-out", "Elfmeterschießen"),
    "soccer.end": ("Full-time", "Abpfiff"),
    "tennis.game-win": ("Game", "Spiel"),
    "tennis.start": ("Start of the match", "Spielbeginn"),
    "tennis.end": ("End of the match", "Spielende"),
    "motorsports.crash": ("Crash", "Unfall"),
    "motorsports.overtake": ("Overtake", "Überholmanöver"),
    "motorsports.pit-stop": ("Pit stop", "Boxenstopp"),
    "motorsports.fastest-lap": ("Fastest lap", "Schnellste Runde"),
    "motorsports.penalty": ("Penalty", "Strafe"),
    "motorsports.team-radio": ("Team radio", "Boxenfunk"),
    "motorsports.weather-info": ("Weather", "Wetter"),
    "motorsports.safety-car": ("Safety car", "Safety-Car"),
    "motorsports.virtual-safety-car": ("Virtual safety car", "Virtuelles Safety-Car"),
    "motorsports.red-flag": ("Red flag", "Rote Flagge"),
    "motorsports.yellow-flag": ("Yellow flag", "Gelbe Flagge"),
    "motorsports.start": ("Start", "Start"),
    "motorsports.end": ("Finish", "Zieleinlauf"),
    "motorsports.podium": ("Podium", "Podium"),
}


def fixture(kind):
    """The match that holds an incident of this kind; the Grand Prix had no team radio, a practice session has."""
    if kind.startswith("soccer."):
        rows = [row(1, "match/game-start", 1), *SOCCER[kind]]
        return translated(
            MATCH_ID, {"match": encoded(wrapped(current_period="game-start")), "match-event": encoded(rows)}
        )
    if kind.startswith("tennis."):
        match_id, steps = recorded_steps(FOLDER / "tennis" / "tie-break.jsonl")
        return translated(match_id, steps[-1])
    return translated(*(practice() if kind == "motorsports.team-radio" else race()))


def test_the_reference_promises_what_the_catalogues_hold():
    """Each heim row of docs/interface.md, the adapter's catalogue and the sport's rows name the same types in one order."""
    assert {sport: kinds for sport, (_, kinds) in PROMISED.items()} == CATALOG
    assert {sport: board for sport, (board, _) in PROMISED.items()} == SCOREBOARD
    assert {sport: SPORTS[sport].catalog for sport in CATALOG} == CATALOG
    assert {sport: SPORTS[sport].scoreboard for sport in CATALOG} == SCOREBOARD
    assert TEXT_SPORTS <= SPORTS.keys()


def test_every_promised_type_has_titles():
    """A type that nobody has named in two languages is not supported."""
    assert set(KINDS) == set(TITLES)


@pytest.mark.parametrize("locale", ["en", "de"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_body_of_the_feed_becomes_its_post(kind, locale):
    """The provider's word arrives as a post of its type, with title and text of the locale."""
    posts = [each for each in posted(fixture(kind), locale).values() if each.kind == kind]

    assert posts
    for post in posts:
        assert TITLES[kind][("en", "de").index(locale)] == post.document["sport_event"]["title"]
        assert post.document["contents"][0]["text"]
        assert "{" not in post.document["contents"][0]["text"]
        assert not post.draft


@pytest.mark.parametrize("locale", ["en-gb", "en-nz", "fr-fr", "it-it", "nl-nl", "zh-tw"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_post_has_a_text_in_every_language(kind, locale):
    """No language falls back to English, but for words that it has borrowed."""
    posts = [each for each in posted(fixture(kind), locale).values() if each.kind == kind]
    english = [each for each in posted(fixture(kind), "en").values() if each.kind == kind]
    texts = [post.document["contents"][0]["text"] for post in posts]

    assert len(posts) == len(english)
    same = texts == [post.document["contents"][0]["text"] for post in english]
    assert same == locale.startswith("en")
