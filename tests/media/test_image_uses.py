"""An image of a third party is shown as long as something published names it, on both databases, however it is signed."""

from dataclasses import dataclass
from functools import partial

import httpx
import pytest

from api.app import create_app
from api.media.proxy import ImageProxy, StoredUploads
from config.sections import MediaConfig
from mapping.rules.media_address import ImageOptions, ImageRequest, image_path
from store.comments import comments, moderation
from store.comments.comments import NewComment
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from store.media import file_uses
from tests.api.conftest import NoFiles, serving
from tests.kit import matchday, pictures
from tests.kit.event_desk import Desk, photo
from tests.kit.masterdata import importing, match, person
from tests.kit.name_servers import Names
from tests.kit.pictures import Answer
from tests.kit.places import PLACES, Places

URL = "https://photos.example.org/a.jpg"
OWNER = matchday.ORGANIZATION
TICKER = matchday.Liveblog().ticker_id


@dataclass
class Room:
    """A service with an image proxy whose origins give every image, and a desk that writes."""

    store: object
    http: httpx.AsyncClient
    desk: Desk
    key: bytes

    async def status(self, url=URL, owner=OWNER, **more):
        path = image_path(self.key, ImageRequest(owner, url, ImageOptions(width=64)))
        return (await self.http.get(path, headers={"accept": "application/json"}, **more)).status_code

    async def step(self, **change):
        await self.store.write(partial(liveblogs.record, game_id=TICKER, change=Change(**change)))

    async def do(self, work):
        return await self.store.write(work)


@pytest.fixture
async def room(store, tmp_path):
    async def fetch(_owner, _url, *, etag, most):
        return Answer(body=pictures.picture())

    async with serving(store, client_per_second=0, public_per_second=0) as server:
        settings = MediaConfig(folder=str(tmp_path / "media"))
        proxy = ImageProxy(settings, fetch, StoredUploads(store, NoFiles()), lambda: server.now, lambda: server.ticks)
        store.on_step(proxy.forget)
        app = create_app(server.services.having(proxy), monotonic=lambda: server.ticks)
        await server.add(matchday.Liveblog())
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://testserver") as http:
            yield Room(store, http, Desk(http), server.services.keys.media)
        proxy.close()


async def test_an_image_is_shown_once_something_names_it(room):
    """In each place that takes an image; not before, to no other organization's readers, and to its writers all along."""
    places, urls = Places(room.desk, Names()), {name: f"{URL}?{number}" for number, name in enumerate(PLACES)}
    assert {name: await room.status(url) for name, url in urls.items()} == dict.fromkeys(PLACES, 404)
    assert {await room.status(url, auth=("desk", matchday.SECRET)) for url in urls.values()} == {200}
    for name, (path, send) in PLACES.items():
        response = await send(places, urls[name])
        assert response.status_code == 200, (path, response.text)
        await room.step()  # master data steps no liveblog: otherwise it takes a second
        assert await room.status(urls[name]) == 200, name
        assert await room.status(urls[name], owner=matchday.OTHER) == 404, name


async def test_an_entry_that_is_not_published_shows_nothing(room):
    await room.desk.create({"local_id": "ephoto", "media": [{"local_id": "mone", "url": URL, "local_status": 60}]})
    assert await room.status() == 404


async def test_what_an_operator_purged_can_be_shown_again(room):
    await room.desk.create({"local_id": "ephoto", "contents": [photo(URL)]})
    assert await room.do(lambda unit: file_uses.block(unit, URL))
    assert not await room.do(lambda unit: file_uses.block(unit, URL))
    await room.step()
    assert await room.status() == 404
    assert await room.do(lambda unit: file_uses.unblock(unit, URL))
    assert not await room.do(lambda unit: file_uses.unblock(unit, URL))
    await room.step()
    assert await room.status() == 200


async def test_pictures_that_a_provider_names_are_shown(room):
    """Of teams and players as imports make them; one that the provider replaces is gone."""

    def imported(image):
        return importing(match(home=(person(1, image=image),)))

    await room.do(imported(URL))
    await room.step()
    assert await room.status() == 200
    await room.do(imported(f"{URL}?new"))
    await room.step()
    assert (await room.status(), await room.status(f"{URL}?new")) == (404, 200)


async def test_the_picture_of_a_commenter_goes_with_the_comments(room):
    """Shown while one of them is public; neither before it is approved nor after a ban."""
    await room.desk.create({"local_id": "egoal", "contents": []})
    new = NewComment("c1", OWNER, TICKER, "egoal", None, "rkim", "Kim", URL, "What a goal!", "pending")
    await room.do(partial(comments.create, new=new, duplicate_period=0))

    async def after(work):
        await room.do(work)
        await room.step()
        return await room.status()

    decide = partial(moderation.decide, organization_id=OWNER, comment_id="c1", client_id="desk")
    ban = partial(moderation.ban, organization_id=OWNER, reader_id="rkim", client_id="desk")
    assert await room.status() == 404
    assert await after(partial(decide, status=comments.CommentStatus.APPROVED)) == 200
    assert await after(partial(ban, banned=True)) == 404
    assert await after(partial(ban, banned=False)) == 200
    assert await after(partial(decide, status=comments.CommentStatus.DELETED)) == 404
