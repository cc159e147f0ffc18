"""Every event type of the interface's heim soccer row: from the provider's row to the post, in two locales."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mapping.import_options import ImportOptions
from mapping.posts import wanted_posts
from mapping.references import References
from mapping.sports import SPORTS
from providers.heim.catalog import CATALOG
from providers.heim.names import names_of
from providers.heim.translate import translate
from tests.kit.interface_tables import providers
from tests.providers.heim.feed import BERLIN, MATCH_ID, row, wrapped

REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "interface.md"
FIXTURES = {
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
}


def test_the_reference_promises_what_the_catalogue_holds():
    """The heim soccer row of docs/interface.md, the adapter's catalogue and the sport's rows name the same types in one order."""
    promised = providers(REFERENCE.read_text(encoding="utf-8"))["heim", "soccer"][1]

    assert 17 == len(promised)
    assert promised == CATALOG["soccer"] == SPORTS["soccer"].catalog


def test_every_promised_type_has_a_fixture():
    """A type without a fixture is not supported."""
    assert set(CATALOG["soccer"]) == set(FIXTURES) == set(TITLES)


@pytest.mark.parametrize("locale", ["en", "de"])
@pytest.mark.parametrize("kind", sorted(FIXTURES))
def test_a_row_of_the_feed_becomes_its_post(kind, locale):
    """The provider's row arrives as one post of its type, with title and text of the locale."""
    bodies = {
        "match": wrapped(current_period="game-start"),
        "match-event": [row(1, "match/game-start", 1), *FIXTURES[kind]],
    }
    raw = {name: json.dumps(body).encode() for name, body in bodies.items()}
    match = translate(MATCH_ID, raw, names=names_of({}), zone=BERLIN)
    terms = ImportOptions(sport="soccer", locale=locale, auto_post=True)

    posts = wanted_posts(match, terms, References(owner_id="o"), block_id=lambda key, name: f"b-{key}-{name}")

    (post,) = [each for each in posts if each.kind == kind]
    assert TITLES[kind][("en", "de").index(locale)] == post.document["sport_event"]["title"]
    assert post.document["contents"][0]["text"]
    assert not post.draft
