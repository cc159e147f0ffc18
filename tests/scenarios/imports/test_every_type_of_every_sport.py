"""Every event type of the interface's heim rows beside soccer's: from a provider's body to the post, in two locales."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapping.sports import SPORTS
from providers.heim.catalog import CATALOG, SCOREBOARD, TEXT_SPORTS
from tests.kit.interface_tables import providers
from tests.kit.sport_fixtures import FOLDER, posted, practice, race, recorded_steps, translated

REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "interface.md"
PROMISED = {
    sport: row
    for (provider, sport), row in providers(REFERENCE.read_text(encoding="utf-8")).items()
    if provider == "heim"
}
KINDS = [kind for sport, (_, kinds) in PROMISED.items() if sport != "soccer" for kind in kinds]
TITLES = {
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
