"""Every event type of the interface's gn-gsd row: from the provider's row to the post, in two locales."""

from __future__ import annotations

import pytest

from mapping.import_options import ImportOptions
from mapping.posts import wanted_posts
from mapping.references import References
from mapping.sports import SPORTS
from providers.gn_gsd.catalog import CATALOG
from tests.kit.interface_tables import OURS, providers
from tests.providers.gn_gsd.gsd import action, translated

FIXTURES = {
    "soccer.goal": action(11, "GOAL", "14:20", "home", 9, 7, reason="Assist"),
    "soccer.yellow-card": action(11, "YELLOW", "32:10", "away", 54),
    "soccer.red-card": action(11, "RED_STRAIGHT", "70:59", "home", 6),
    "soccer.substitution": action(11, "SUBSTITUTION", "66:00", "home", 12, 8),
    "soccer.penalty-kick-missed": action(11, "PENALTY_MISSED", "61:30", "away", 59),
}
SPECIAL = {
    "an own goal": action(11, "OWN_GOAL", "46:00", "home", 55),
    "a penalty": action(11, "GOAL", "46:00", "home", 9, reason="Penalty"),
    "a second yellow card": action(11, "RED_2_YELLOW", "80:00", "away", 54),
}
TITLES = {
    "soccer.goal": ("Goal", "Tor"),
    "soccer.yellow-card": ("Yellow card", "Gelbe Karte"),
    "soccer.red-card": ("Red card", "Rote Karte"),
    "soccer.substitution": ("Substitution", "Wechsel"),
    "soccer.penalty-kick-missed": ("Penalty missed", "Elfmeter verschossen"),
}
TEXTS = {
    "an own goal": (
        "Goal for Nordhafen! Own goal by Muster55 (Südtor).",
        "Tor für Nordhafen! Eigentor von Muster55 (Südtor).",
    ),
    "a penalty": (
        "Goal for Nordhafen! Muster9 converts the penalty.",
        "Tor für Nordhafen! Muster9 verwandelt den Elfmeter.",
    ),
    "a second yellow card": (
        "Second yellow card! Muster54 (Südtor) is sent off.",
        "Gelb-Rote Karte! Muster54 (Südtor) muss vom Platz.",
    ),
}
LOCALES = ("en", "de")


def post_of(row, locale):
    terms = ImportOptions(sport="soccer", locale=locale, auto_post=True)
    (post,) = wanted_posts(
        translated([row]), terms, References(owner_id="o"), block_id=lambda key, name: f"b-{key}-{name}"
    )
    return post


def test_every_promised_type_has_a_fixture():
    """A type without a fixture is not supported; every type has its row in the sport."""
    promised = providers(OURS.read_text(encoding="utf-8"))["gn-gsd", "soccer"][1]

    assert promised == CATALOG["soccer"] == tuple(FIXTURES)
    assert set(promised) <= set(SPORTS["soccer"].catalog)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("kind", sorted(FIXTURES))
def test_a_row_of_the_feed_becomes_its_post(kind, locale):
    """The provider's row arrives as one post of its type, with title, minute, people and text of the locale."""
    post = post_of(FIXTURES[kind], locale)
    block = post.document["sport_event"]

    assert (kind, "incident:GNA000000000011", False) == (post.kind, post.key, post.draft)
    assert TITLES[kind][LOCALES.index(locale)] == block["title"]
    assert f"{int(FIXTURES[kind]['eventTime']['time'][:2]) + 1}'" == block["time_of_play"]
    assert block["players"]
    assert "{" not in post.document["contents"][0]["text"]


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("case", sorted(SPECIAL))
def test_what_has_no_type_of_its_own_is_posted_as_it_was(case, locale):
    """Own goals are goals and second yellow cards red ones here, but the sentence says what happened."""
    assert TEXTS[case][LOCALES.index(locale)] == post_of(SPECIAL[case], locale).document["contents"][0]["text"]
