"""No parameter that means nothing, and no value that somebody has made up, has a body rendered and kept for it alone."""

import pytest

from api.view.read_cache import ReadCounts
from tests.kit import matchday
from tests.kit.delayed import EMBED

PAGE, NAME = "/liveblogs/gderby", {"liveblogId": "gderby"}
READS = {
    PAGE: {},
    "/embed/gderby": {},
    f"{EMBED}/feed/liveblog.rss": NAME,
    f"{EMBED}/feed/liveblog.atom": NAME,
    f"{EMBED}/feed/liveblog.json": NAME,
    f"{EMBED}/prefetch/liveblog.json": NAME,
    f"{EMBED}/prefetch/liveblog-teaser.json": NAME,
    "/api/v6/ticker/show.json": {"id": "gderby"},
    "/": {},
}
MADE_UP = (
    [{"post": f"e{each}"} for each in range(9)],
    [{"x": str(each)} for each in range(9)],
    [{"include_continue_event": "1"}, {"include_continue_event": "true"}, {"themeId": "nobodys"}],
    [{"delay": "0" * each} for each in range(1, 9)],
    [{"refresh": str(10**12 + each)} for each in range(9)],
    [{"liveblogUrl": f"https://news.example/{each}"} for each in range(9)],
    [{"includeLiveblogUrl": f"https://news{each}.example"} for each in range(9)],
)


@pytest.fixture
async def room(public):
    await public.add(matchday.derby())
    return public


def made(server):
    return server.services[ReadCounts].made


@pytest.mark.parametrize("path", READS)
async def test_what_is_made_up_makes_no_entry(room, path):
    await room.http.get(path, params=READS[path])
    for wanted in MADE_UP:
        for first in ({}, wanted[0]):  # what is there for all of them
            await room.http.get(path, params={**READS[path], **first})
        before = made(room)
        for each in wanted:
            response = await room.http.get(path, params={**READS[path], **each})
            assert response.status_code == 200
        assert made(room) == before, wanted


async def test_a_post_of_the_liveblog_is_found_by_its_address(room):
    """What means something is shown, of course."""
    response = await room.http.get(PAGE, params={"post": "egoal", "limit": 1})
    assert "egoal" in response.text
