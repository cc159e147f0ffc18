"""The card of a liveblog: names and score as a picture, once a version, for whom the page is; and what it cannot write."""

import re
from io import BytesIO

import pytest
from PIL import Image

from api.page import card_drawing
from api.page.card import KEPT_BYTES, Cards, facts_of
from api.page.card_drawing import SIZE, draw_card, writable_name
from api.page.share_links import CardFacts, CardSide, card_url, has_card
from store.engine.liveblog_records import Change
from store.liveblogs.liveblogs import record
from tests.kit import matchday, poison
from tests.kit.matchday import pair

PATH = "/liveblogs/gderby/card.png"
ARABIC = "نادي الهلال"


def card_of(**changes):
    sides = (CardSide("SV Hafenstadt", "HAF", "HAF"), CardSide("Alpenverein Bergheim", "AVB", "AVB"))
    known = {
        "title": "", "sides": sides, "score": "2-1", "decided": "", "state": "Live", "live": True, "lines": (),
        "above": "Cup",
    }  # fmt: skip
    return CardFacts(**{**known, "publisher": "Newsroom", **changes})


def pixels(body):
    with Image.open(BytesIO(body)) as image:
        assert (image.format, image.size) == ("PNG", SIZE)
        return image.convert("RGB")


def part(image, left, right):
    """What is drawn of the names between these pixels."""
    return image.crop((left, 370, right, 450)).tobytes()


async def test_the_page_names_its_card(public):
    """As an image of social networks, by version, with its size and a text; the address gives it."""
    await public.add(matchday.derby())
    html = (await public.http.get("/liveblogs/gderby")).text
    named = dict(re.findall(r'<meta property="(og:image[^"]*)" content="([^"]*)">', html))
    response = await public.http.get(PATH)

    assert named["og:image"] == "https://live.example.org/blogs/liveblogs/gderby/card.png?v=1"
    assert (named["og:image:width"], named["og:image:height"]) == ("1200", "630")
    assert "SV Hafenstadt" in named["og:image:alt"]
    assert '<meta property="og:locale" content="en_US">' in html
    assert 'name="twitter:card" content="summary_large_image"' in html
    assert response.headers["content-type"] == "image/png"
    pixels(response.content)
    again = await public.http.get(PATH, headers={"If-None-Match": response.headers["etag"]})
    assert again.status_code == 304


async def test_a_card_is_drawn_once_a_version(public, store, monkeypatch):
    """However many want it at once; a new score is a new one."""
    drawn = []
    monkeypatch.setattr("api.page.card_drawing.draw_card", lambda *given: drawn.append(given) or draw_card(*given))
    await public.add(matchday.derby())
    first = [(await public.http.get(PATH)).headers["etag"] for _ in range(3)]
    board = {**matchday.document()["scoreboard"], "score": pair(3, 1)}
    await store.write(lambda unit: record(unit, "6a" * 12, Change(game=matchday.document(scoreboard=board))))
    second = (await public.http.get(PATH)).headers["etag"]

    assert len(drawn) == 2
    assert len(set(first)) == 1
    assert second not in first


def test_an_image_of_the_liveblog_comes_first():
    """One that an editor or a team has chosen."""
    assert has_card(matchday.document())
    assert not has_card(matchday.document(marketplace_info={"cover_image": "https://img.example.org/c.jpg"}))
    assert (
        card_url(
            "https://l.example.org", matchday.document(marketplace_info={"cover_image": "https://i.example.org/c"}), 0
        )
        == ""
    )


def test_no_name_is_wider_than_its_place():
    """The letters get smaller, then the name is cut; nothing reaches the score."""
    long = CardSide("Wolverhampton Wanderers and the whole of the Black Country " * 3, "", "WOL")
    shown, empty = (
        pixels(draw_card(card_of(sides=(side, card_of().sides[1])), ())) for side in (long, CardSide("", "", "WOL"))
    )

    assert part(shown, 0, 500) != part(empty, 0, 500)
    assert part(shown, 500, 700) == part(empty, 500, 700)


@pytest.fixture
def bare(monkeypatch):
    """A machine without fonts: there is the one that is shipped."""
    monkeypatch.setattr(card_drawing, "FONTS", ())


@pytest.mark.parametrize(
    "name", [ARABIC, "מכבי חיפה", "Динамо Київ", "Παναθηναϊκός", "Ćaleta-Car", "1. FC Köln", "Fenerbahçe İ"]
)
def test_names_of_most_scripts_are_written_on_every_machine(bare, name):
    """By the font that is shipped; also one that comes with isolates."""
    assert writable_name((f"\u2068{name}\u2069", "X"), ()) == name


def test_a_name_that_no_font_can_write_is_left_out(bare):
    """Never as a row of boxes: the short name where that can be written, else nothing; the score is there."""
    assert writable_name(("東京", "TOK"), ()) == "TOK"
    assert writable_name(("東京", "โตเกียว"), ()) == ""
    unwritable = (CardSide("東京", "", "東"), card_of().sides[1])
    empty = (CardSide("", "", ""), card_of().sides[1])
    assert draw_card(card_of(sides=unwritable), ()) == draw_card(card_of(sides=empty), ())


def test_a_crest_stands_in_the_place_of_initials():
    """What is no image after all is none on the card either."""
    body = BytesIO()
    Image.new("RGBA", (400, 300), (255, 0, 255, 255)).save(body, "PNG")
    with_crest = tuple(CardSide(each.name, each.short_name, each.initials, body.getvalue()) for each in card_of().sides)
    broken = tuple(CardSide(each.name, each.short_name, each.initials, b"<svg/>") for each in card_of().sides)

    assert pixels(draw_card(card_of(sides=with_crest), ())).getpixel((250, 230)) == (255, 0, 255)
    assert draw_card(card_of(sides=broken), ()) == draw_card(card_of(), ())


async def test_the_cards_in_memory_are_bounded(public):
    """By their bytes."""
    await public.add(matchday.derby())
    await public.http.get(PATH)
    kept = public.services.find(Cards)
    assert kept is None or kept._kept.maxsize == KEPT_BYTES


RACE = {
    "_type": "Svc::Model::GameStateInfo::RankedGameStateInfo",
    "gamestate": 31,
    "ranking": [{"position": place, "player": {"name": f"Driver {place}"}} for place in (1, 2, 3)],
}
SHOWN = frozenset({"name", "short_name", "title", "home_score", "away_score", "summary"})


def broken(value, name=""):
    """The document with line breaks in each text that people read."""
    if isinstance(value, dict):
        return {each: broken(inner, each) for each, inner in value.items()}
    if isinstance(value, list):
        return [broken(each) for each in value]
    return f"{value[:1]}\n{value[1:]}\u2028\r\x0b" if name in SHOWN else value


@pytest.mark.parametrize("race", [False, True])
async def test_no_line_break_of_any_text_breaks_the_card(public, race):
    """Names, scores and their titles, the drivers on the podium: each is written on one line."""
    meta = {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": "Grand Prix"}
    given = {"meta_info": meta, "scoreboard": None, "state_info": RACE} if race else {}
    board = matchday.document()["scoreboard"]
    board["score"]["title"] = "after extra time"
    document = broken(matchday.document(**({"scoreboard": board} | given)))
    await public.add(matchday.Liveblog(sportstype="motorsports" if race else "soccer", document=document))
    response = await public.http.get(PATH)

    assert response.status_code == 200, response.text
    pixels(response.content)


async def test_a_poisoned_liveblog_has_a_card_or_none(public):
    """No text breaks the drawing."""
    await public.add(poison.xss_liveblog())
    assert (await public.http.get("/liveblogs/gxss/card.png")).status_code in {200, 404}
    game = matchday.document()
    game["scoreboard"]["score"]["home_score"] = "\ud800" * 500
    game["meta_info"]["home_team"] = {**matchday.HOME, "name": "\u202e\x00" + "A" * 5000}
    facts = facts_of(game, 0, "\U0010ffff")
    sides = tuple(CardSide(each["name"], each["short_name"], each["initials"]) for each in facts["sides"])
    pixels(draw_card(CardFacts(**{**facts, "sides": sides, "lines": ()}), ()))
