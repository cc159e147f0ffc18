"""Team radio: who says what, as far as the feed says."""

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
