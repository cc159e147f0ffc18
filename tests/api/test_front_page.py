"""The list of liveblogs and the pages of errors: in the reader's language, for browsers alone."""

import re

import pytest

from api.desk.desk_frame import DESK_LOCALES
from api.page.page_frame import LOCALES, preferred_locale
from tests.kit import matchday, poison
from tests.kit.harmless import active_parts, read

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
DAY = 86_400


def words(html):
    return " ".join(" ".join(read(html).text).split())


@pytest.mark.parametrize(
    ("wanted", "locale"),
    [
        ("", "en"), ("*", "en"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr", "fr-fr"), ("en-NZ", "en-nz"),
        ("en;q=0.1, it-CH;q=0.5", "it-it"), ("zh-Hant-TW", "zh-tw"), ("zh-CN,en;q=0.5", "en"), ("pt, nl;q=0", "en"),
        ("xx;q=nonsense, nl", "nl-nl"), (",;=;q=1" * 500, "en"), ("NL-be", "nl-nl"),
    ],
)  # fmt: skip
def test_a_reader_is_served_in_the_best_known_language(wanted, locale):
    """By weight; a language without its country is enough, but Chinese of other places is written otherwise."""
    assert preferred_locale(wanted) == locale
    assert locale in LOCALES


@pytest.mark.parametrize(("wanted", "locale"), [("fr", "en"), ("fr, de-CH;q=0.5, en;q=0.1", "de"), ("en-GB", "en-gb")])
def test_the_desk_is_served_in_the_best_language_that_it_is_written_in(wanted, locale):
    """English or German: what has no text there is not half translated."""
    assert preferred_locale(wanted, DESK_LOCALES) == locale


async def test_a_browser_gets_errors_as_a_page_in_its_language(public):
    """With the status, a link to the list and nothing of the request in it; all else gets JSON."""
    for path, up in (("/liveblogs/gnone", "../"), ("/nowhere", ""), ("/a/b/%3Cscript%3E", "../../")):
        response = await public.http.get(path, headers=BROWSER | {"Accept-Language": "de-DE"})
        assert response.status_code == 404
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert '<html lang="de">' in response.text
        assert "404" in words(response.text)
        assert "Diese Seite gibt es nicht" in words(response.text)
        assert f'href="{up or "./"}"' in response.text
        assert f'href="{up}static/page.css"' in response.text
        assert "<script" not in response.text
        assert response.headers["vary"] == "Accept, Accept-Language"
        assert "style-src 'self'" in response.headers["content-security-policy"]
    assert (await public.http.post("/liveblogs/gnone", headers=BROWSER)).json()["code"] == "invalid_request"
    for accept in ("*/*", "application/json", "text/html;q=0, */*"):
        response = await public.http.get("/liveblogs/gnone", headers={"Accept": accept})
        assert response.json()["code"] == "not_found"


async def test_an_error_page_has_the_headers_of_the_error(server):
    """The reader may not know why, so the page says it; a client learns how to sign in."""
    await server.add(matchday.derby())
    response = await server.http.get("/liveblogs/gderby", headers=BROWSER)

    assert (response.status_code, "www-authenticate" in response.headers) == (401, True)
    assert "not open to everybody" in words(response.text)


async def test_the_list_is_in_one_language_and_ordered_by_day_and_sport(public):
    """What is live first, then by day; labels are the reader's, titles the liveblogs' own."""
    state = {"gamestate": 0}
    meta = matchday.document()["meta_info"]
    board = {**matchday.document()["scoreboard"], "score": {}}
    for number, (days, sport) in enumerate([(0, "soccer"), (1, "tennis"), (1, "soccer"), (-1, "soccer")]):
        starts = meta["starts_at"] + days * DAY
        document = matchday.document(
            locale="fr-fr",
            sportstype=sport,
            state_info=state if days >= 0 else {"gamestate": 31},
            scoreboard=board if days >= 0 else matchday.document()["scoreboard"],
            meta_info={**meta, "starts_at": starts, "title": f"Match {number}"},
        )
        await public.add(matchday.Liveblog(f"g{number}", f"6{number}" * 12, sportstype=sport, document=document))
    await public.add(matchday.derby())
    response = await public.http.get("/", headers={"Accept-Language": "de"})
    shown = words(response.text)

    assert '<html lang="de">' in response.text
    assert response.headers["vary"] == "Accept-Language, Accept-Encoding"
    assert re.findall(r"<h2[^>]*>([^<]*)", response.text) == [
        "Live", "Montag, 21. September 2026", "Dienstag, 22. September 2026", "Sonntag, 20. September 2026",
    ]  # fmt: skip
    assert re.findall(r"<h3[^>]*>([^<]*)", response.text) == ["Fußball", "Fußball", "Fußball", "Tennis", "Fußball"]
    assert "Beendet" in shown
    assert "Finished" not in shown
    assert "2:1" in shown
    assert shown.index("SV Hafenstadt") < shown.index("Match 0") < shown.index("Match 2") < shown.index("Match 1")
    assert '<span lang="fr-fr" dir="auto">Match 0</span>' in response.text
    assert active_parts(response.text) == []
    fragment = await public.http.get("/", params={"fragment": "1"}, headers={"Accept-Language": "de"})
    assert fragment.text in response.text
    assert "<html" not in fragment.text
    again = await public.http.get(
        "/", params={"fragment": "1"}, headers={"Accept-Language": "de", "If-None-Match": fragment.headers["etag"]}
    )
    assert again.status_code == 304


async def test_a_private_service_says_what_it_is(server):
    """In the reader's language, without a list."""
    response = await server.http.get("/", headers={"Accept-Language": "it"})

    assert '<html lang="it-it">' in response.text
    assert 'href="docs"' in response.text
    assert "Documentazione" in words(response.text)


async def test_no_text_of_a_liveblog_becomes_code_in_the_list(public):
    """Titles, teams, summaries and scores of others stand in it as text."""
    await public.add(poison.xss_liveblog())
    for query in ("", "?fragment=1"):
        response = await public.http.get(f"/{query}")
        listed = read(response.text)
        assert (response.status_code, listed.bad) == (200, [])
        assert "alert(1)" in "".join(listed.text)
