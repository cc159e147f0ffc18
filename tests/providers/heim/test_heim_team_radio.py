"""Team radio: who says what, as far as the feed says."""

from __future__ import annotations

import pytest

from tests.kit.sport_fixtures import posted, practice, translated

SAID = {
    "en": [
        "Lindqvist on the team radio: “Die Reifen bauen ab”",
        "Ferrante is talking to the pit wall.",
        "Team radio: “Gelb in Sektor zwei, Vorsicht”",
    ],
    "de": [
        "Lindqvist am Boxenfunk: „Die Reifen bauen ab“",
        "Ferrante spricht mit dem Kommandostand.",
        "Boxenfunk: „Gelb in Sektor zwei, Vorsicht“",
    ],
}


@pytest.mark.parametrize("locale", sorted(SAID))
def test_team_radio_is_posted_with_what_is_known(locale):
    """With driver and words, without words, without a driver; the words are the provider's own."""
    posts = posted(translated(*practice()), locale).values()

    radio = [post.document["contents"][0]["text"] for post in posts if post.kind == "motorsports.team-radio"]
    assert radio == SAID[locale]


def test_nobody_else_is_named():
    """The session has its ranking, its laps and no fault."""
    match = translated(*practice())

    assert match.faults == ()
    assert [6, 7, 8] == [each.lap for each in match.incidents if each.kind == "motorsports.team-radio"]
    assert [(each.position, each.person.name) for each in match.race.ranking] == [
        (1, "Jana Lindqvist"),
        (2, "Paolo Ferrante"),
    ]
