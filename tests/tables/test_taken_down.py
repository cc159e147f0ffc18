"""Every public form of a liveblog and every way of taking something down: gone from the next request on, at every delay."""

import asyncio
import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import httpx
import pytest

from api.app import create_app
from api.media.proxy import ImageProxy, StoredUploads
from api.routes import ROUTES
from api.stream.streams import Streams
from config.sections import MediaConfig
from mapping.posts.reconcile import Entry, State
from mapping.rules.media_address import ImageOptions, ImageRequest, image_path, video_path
from store.clients import clients
from store.comments import comments
from store.comments.comments import NewComment
from store.files import video_facts
from store.files.disk import DiskFiles
from store.following import ledger
from store.masterdata import declarations
from store.media import file_uses
from tests.api.conftest import NOW, Server, serving
from tests.kit import matchday, pictures
from tests.kit.event_desk import CONTENT, DESK, Desk, photo, text
from tests.kit.opening import store_at
from tests.kit.pictures import MP4, Answer
from tests.kit.polling_readers import OPTIONS
from tests.kit.sqlite import migrated_url
from tests.kit.streams import Follower

ORGANIZATION, GAME, POST, COMMENT = matchday.ORGANIZATION, "gderby", "etaken", "c1"
VERSION = 3
"""Of the liveblog before anything is taken down."""
EMBED, PAGE = "/api/embed/v4", f"/liveblogs/{GAME}"
DELTA = "/api/v6/ticker/show.json"
WRITE, UPLOAD = "/api/v5/write", f"/api/mediaservice/v3/organization/{ORGANIZATION}/upload"
MODERATION = f"/api/comments/v1/organization/{ORGANIZATION}"
CHANNEL = f"/api/comments/v1/owner/{ORGANIZATION}/public/{POST}/comments.json"
DELAYS = (0, 900)
FILE_ADDRESS = re.compile(r"/media/[\w-]+/(?:video/[\w-]+/play|[\w@-]+/[\w-]+)")

WORDS = {
    "words": "Words-of-the-post",
    "poll": "Question-of-the-post",
    "comment": "Words-of-the-reader",
    "title": "Title-of-the-liveblog",
    "other": "Words-of-another-post",
}
COUNTED = (f'"{POST}":1', '"comments":1', f'"channel_id":"{POST}","count":1')
"""How forms say that the post has a comment."""
PARTS = "title words other poll photo upload video"
"""What a form of the whole liveblog shows."""
PHOTO, FACE = "https://photos.example.org/a.jpg", "https://photos.example.org/reader.jpg"


@dataclass
class World:
    """A liveblog that shows one of everything, older than every delay, and who reads it."""

    server: Server
    marks: dict[str, tuple[str, ...]] = field(
        default_factory=lambda: {name: (each,) for name, each in WORDS.items()} | {"count": COUNTED}
    )
    """What may be shown → the strings that show it."""
    addresses: set[str] = field(default_factory=set)
    """Of files, as forms named them, and as the service links them."""

    def know_file(self, name: str, url: str, *, video: bool = False) -> None:
        key = self.server.services.keys.media
        self.marks[name] = url, encoded(url), encoded(f"{ORGANIZATION} {url}")
        wanted = ImageRequest(ORGANIZATION, url, ImageOptions(width=64))
        self.addresses.add(video_path(key, url) if video else image_path(key, wanted))

    def shown_in(self, body: str) -> frozenset[str]:
        return frozenset(name for name, strings in self.marks.items() if any(each in body for each in strings))

    async def post(self, path: str, body: Any = None, **query: str) -> Any:
        response = await self.server.http.post(path, json=body, params=query, auth=DESK)
        assert response.status_code == 200, response.text
        return response.json()

    async def modify(self, kind: str, **fields: Any) -> None:
        change = {"_type": f"Svc::Model::Modification::{kind}", **fields}
        await self.post(f"{WRITE}/ticker/post_modifications.json", {"local_id": GAME, "modifications": [change]})


def encoded(content: str) -> str:
    return urlsafe_b64encode(content.encode()).decode().rstrip("=")


def words_and_poll() -> list[dict[str, Any]]:
    poll = {"_type": f"{CONTENT}::PollContentBlock", "local_id": "p1", "question": WORDS["poll"], "options": OPTIONS}
    return [text(f"<p>{WORDS['words']}</p>"), poll]


async def fill(world: World) -> None:
    uploads = {}
    for name, body in (("upload", pictures.picture("png", 40, 30)), ("video", MP4)):
        answer = await world.server.http.post(UPLOAD, content=body, auth=DESK)
        uploads[name] = answer.json()["url"]
        world.know_file(name, uploads[name], video=name == "video")
    world.know_file("photo", PHOTO)
    world.know_file("face", FACE)
    meta = {**matchday.document()["meta_info"], "title": WORDS["title"], "allow_comments": True}
    await world.server.add(matchday.Liveblog(document=matchday.document(meta_info=meta)))
    desk = Desk(world.server.http)
    video = photo(uploads["video"])
    video["items"][0]["_type"] = f"{CONTENT}::VideoMediaContent"
    files = [photo(PHOTO), photo(uploads["upload"]), video]
    await desk.create({"local_id": "eother", "headline": WORDS["other"], "highlight": "sticky", "tag_ids": ["a"]})
    await desk.create(
        {
            "local_id": POST, "headline": WORDS["words"], "highlight": "sticky", "tag_ids": ["a"],
            "contents": [*words_and_poll(), *files],
        }
    )  # fmt: skip
    game = matchday.Liveblog().ticker_id
    new = NewComment(COMMENT, ORGANIZATION, game, POST, None, "rkim", "Kim", FACE, WORDS["comment"], "approved")
    await world.server.store.write(partial(comments.create, new=new, duplicate_period=0))


async def origin(_organization: str, _url: str, *, etag: str | None, most: int) -> Answer:
    return Answer(body=pictures.picture("png", 40, 30))


@asynccontextmanager
async def world_at(url: str, folder: Path) -> AsyncIterator[World]:
    """The liveblog in the database of that address, when all of it is older than the longest delay."""
    clock = [NOW - 2000.0]
    store = await store_at(url, clock=lambda: clock[0])
    await store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
    await store.write(lambda unit: declarations.declare(unit, matchday.TAGS))
    files = DiskFiles(folder / "uploads")
    rates = {"client_per_second": 0, "public_per_second": 0}
    taken = {"public_feeds": True, "delay_max": DELAYS[-1], "comment_modes": {ORGANIZATION: "post"}}
    async with serving(store, files=files, **rates, **taken) as server:
        settings = MediaConfig(folder=str(folder / "images"))
        proxy = ImageProxy(settings, origin, StoredUploads(store, files), lambda: server.now, lambda: server.ticks)
        store.on_step(proxy.forget)
        server.services = server.services.having(proxy, Streams(store, clock=lambda: server.now))
        server.app = create_app(server.services, monotonic=lambda: server.ticks)
        server.http._transport.app = server.app
        world = World(server)
        await fill(world)
        clock[0] = NOW
        yield world
        proxy.close()
    await store.close()


class Form(NamedTuple):
    """A way to read a liveblog: the operation, path and query, and what it `shows`.

    `since`: it shows what has changed since the version before. `late`: it can be read with a delay.
    """

    operation: str
    path: str
    shows: frozenset[str]
    query: Mapping[str, Any]
    since: bool = False
    late: bool = True


def form(operation: str, path: str, shows: str = "", *, since: bool = False, late: bool = True, **query: Any) -> Form:
    return Form(operation, path, frozenset(shows.split()), query, since, late)


def feed(extension: str, shows: str, **query: Any) -> Form:
    return form(f"feed.{extension}", f"{EMBED}/feed/liveblog.{extension}", shows, liveblogId=GAME, **query)


def page(**query: Any) -> Form:
    return form("liveblog.page", PAGE, PARTS, **query)


def delta(**query: Any) -> Form:
    return form("ticker.delta", DELTA, f"{PARTS} count", id=GAME, **query)


def stream(**query: Any) -> Form:
    return form("ticker.stream", f"{EMBED}/stream", PARTS, liveblogId=GAME, **query)


PREFETCH = f"{EMBED}/prefetch"
FORMS = {
    "rss": feed("rss", PARTS, limit=1000),
    "atom": feed("atom", PARTS),
    "json feed": feed("json", f"{PARTS} count"),
    "json feed from a post on": feed(
        "json", f"{PARTS} count", sort="asc", continue_event_id="eother", include_continue_event=1
    ),
    "page": page(),
    "page at a post": page(post=POST),
    "fragment": page(fragment=1, refresh=0),
    "fragment since": page(fragment=1, refresh=VERSION, since=True),
    "frame": form("liveblog.frame", f"/embed/{GAME}", PARTS, limit=3),
    "snippets": form("liveblog.snippets", f"{PAGE}/snippets", "title"),
    "card": form("liveblog.card", f"{PAGE}/card.png", "title"),
    "prefetch": form("prefetch.liveblog", f"{PREFETCH}/liveblog.json", PARTS, liveblogId=GAME),
    "teaser": form("prefetch.teaser", f"{PREFETCH}/liveblog-teaser.json", "title words other", liveblogId=GAME),
    "oembed": form("oembed", "/oembed", "title", url=f"https://live.example.org/blogs{PAGE}"),
    "delta": delta(limit=1000),
    "delta since": delta(refresh=VERSION, since=True),
    "delta of highlights": delta(tags="a", highlights=1),
    "stream": stream(),
    "stream of the page": stream(html=1),
    "comments": form("comments.index", CHANNEL, "comment face"),
    "counts of comments": form("comments.counts", f"/api/comments/v1/liveblog/{GAME}/counts.json", "count"),
    "poll": form("polls.show", "/apigw/polls/v1/polls/p1", "poll"),
    "images": form("media.image", "/media/{signature}/{options}/{media}", "photo upload face", late=False),
    "videos": form("media.video", "/media/{signature}/video/{media}/play", "video", late=False),
    "front page": form("/", "/", "title"),
    "front page's fragment": form("/", "/", "title", fragment=1),
}
SHOWS_NO_LIVEBLOG = {
    "livez", "readyz", "/docs", "/docs/{name}", "/openapi.json", "/static/{name}", "/static/{version}/{name}",
}  # fmt: skip
PUBLIC = {"open", "page", "feed", "reader"}


def test_every_public_form_has_its_row() -> None:
    """Whatever a stranger may read is a form of this table, or shows no liveblog."""
    routes = [each for each in ROUTES if each.method == "GET" and each.access in PUBLIC and "/desk/" not in each.path]
    names = {each.path if each.operation is None else each.operation["operationId"] for each in routes}
    assert names == {each.operation for each in FORMS.values()} | SHOWS_NO_LIVEBLOG


class Read(NamedTuple):
    """What a form showed, and the validators by address for whoever asks again."""

    shown: frozenset[str]
    etags: dict[str, str]


async def read(world: World, wanted: Form, delay: int, before: Read | None = None) -> Read:
    """What the form shows at that delay; `before`: to whoever has what it showed then, and asks whether it has changed."""
    if wanted.operation == "ticker.stream":
        return Read(world.shown_in(await first_message(world.server.app, wanted, delay)), {})
    if wanted.operation.startswith("media."):
        kind = "/video/" in wanted.path
        addresses = sorted(each for each in world.addresses if ("/video/" in each) is kind)
    else:
        addresses = [wanted.path]
    shown, etags = frozenset[str](), {}
    for address in addresses:
        query = {**wanted.query, **({"delay": delay} if delay else {})}
        if "url" in query:
            query["url"] += f"?{urlencode({'delay': query.pop('delay', 0)})}"
        known = {} if before is None else before.etags
        headers = {"accept": "application/json", "if-none-match": known.get(address, '"none"')}
        response = await world.server.http.get(address, params=query, headers=headers)
        etags |= {address: response.headers["etag"]} if "etag" in response.headers else {}
        if response.status_code == 304:
            shown |= before.shown if before and len(addresses) == 1 else world.shown_in(address)
        elif response.status_code == 200:
            shown |= seen(world, address, response)
    return Read(shown, etags)


def seen(world: World, address: str, response: httpx.Response) -> frozenset[str]:
    """What a response shows; files and drawings are what they are called."""
    kind = response.headers["content-type"]
    if kind.startswith(("image/", "video/")):
        return world.shown_in(address) or frozenset({"title"})
    body = response.text
    world.addresses.update(FILE_ADDRESS.findall(body))
    return world.shown_in(body)


async def first_message(app: Any, wanted: Form, delay: int) -> str:
    """The first message of a stream, or nothing if it is refused: the test transport would wait for its end."""
    body, over = b"", asyncio.Event()
    query = urlencode({**wanted.query, "delay": delay}).encode()
    scope = {
        "type": "http", "method": "GET", "path": wanted.path, "raw_path": wanted.path.encode(), "query_string": query,
        "headers": [(b"host", b"testserver")], "client": ("127.0.0.1", 1), "server": ("testserver", 80),
        "scheme": "http", "root_path": "", "http_version": "1.1", "asgi": {"version": "3.0"},
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        await over.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        nonlocal body
        body += message.get("body", b"")
        if b"data: " in body or message.get("status", 200) != 200:
            over.set()

    async with asyncio.timeout(30):
        await app(scope, receive, send)
    return body.decode() if b"data: " in body else ""


class Takedown(NamedTuple):
    """What somebody does, and what nobody sees any more from then on."""

    act: Callable[[World], Awaitable[None]]
    takes: frozenset[str]


OF_FILES = frozenset({"photo", "upload", "video"})
OF_COMMENT = frozenset({"comment", "count", "face"})
OF_POST = OF_FILES | OF_COMMENT | {"words", "poll"}
OF_LIVEBLOG = OF_POST | {"title", "other"}


async def update(world: World, **fields: Any) -> None:
    await world.post(f"{WRITE}/event/update.json", fields, event_local_id=POST)


async def delete(world: World) -> None:
    await world.post(f"{WRITE}/event/delete.json", event_local_id=POST)


async def put_off(world: World) -> None:
    await update(world, publish_at=NOW + 3600)


async def change_files(world: World, status: int) -> None:
    """As a client sends it back that has read the post."""
    shown = await Desk(world.server.http).show()
    (event,) = [each for each in shown["events"] if each["local_id"] == POST]
    await update(world, media=[{**each, "local_status": status} for each in event["media"]])


async def remove_blocks(world: World) -> None:
    """As the desk sends it: the blocks that stay, and no word of the files."""
    await update(world, contents=words_and_poll())


async def take_liveblog(world: World, status: int) -> None:
    await world.modify("DeleteGameModification", local_status=status)


async def ban(world: World) -> None:
    await world.post(f"{MODERATION}/readers/rkim/ban.json", {"banned": True})


async def moderate(world: World, action: str) -> None:
    await world.post(f"{MODERATION}/comments/{COMMENT}/moderate.json", {"action": action})


async def purge(world: World) -> None:
    """A command does it, which is another process: within the second."""
    for url in (PHOTO, FACE, world.marks["upload"][0], world.marks["video"][0]):
        await world.server.store.write(partial(file_uses.block, url=url))
    world.server.ticks += 1


TAKEDOWNS = {
    "post unpublished": Takedown(partial(update, local_status=60), OF_POST),
    "post put off": Takedown(put_off, OF_POST),
    "post deleted": Takedown(delete, OF_POST),
    "files unpublished": Takedown(partial(change_files, status=60), OF_FILES),
    "files deleted": Takedown(partial(change_files, status=100), OF_FILES),
    "blocks of the files removed": Takedown(remove_blocks, OF_FILES),
    "liveblog unpublished": Takedown(partial(take_liveblog, status=60), OF_LIVEBLOG),
    "liveblog deleted": Takedown(partial(take_liveblog, status=100), OF_LIVEBLOG),
    "reader banned": Takedown(ban, OF_COMMENT),
    "comment hidden": Takedown(partial(moderate, action="reject"), OF_COMMENT),
    "comment deleted": Takedown(partial(moderate, action="delete"), OF_COMMENT),
    "files purged": Takedown(purge, OF_FILES | {"face"}),
}


class Outcome(NamedTuple):
    """What a form showed, and what it shows from the next request on."""

    before: frozenset[str]
    after: frozenset[str]


Cell = tuple[str, int]
"""A form by its name, and the delay with which it is read."""
CELLS: list[Cell] = [(name, delay) for delay in DELAYS for name, each in FORMS.items() if each.late or not delay]


def cells_of(takedown: str) -> list[Cell]:
    """What shows something that it takes; a purge takes the files alone."""
    takes = TAKEDOWNS[takedown].takes
    cells = [cell for cell in CELLS if FORMS[cell[0]].shows & takes]
    return cells if takedown != "files purged" else [(name, 0) for name, _ in cells if not FORMS[name].late]


async def play(url: str, folder: Path, takedown: str) -> dict[Cell, Outcome]:
    async with world_at(url, folder) as world:
        await read(world, FORMS["page"], 0)  # which names addresses of files
        before = {(name, delay): await read(world, FORMS[name], delay) for name, delay in cells_of(takedown)}
        await TAKEDOWNS[takedown].act(world)
        return {
            (name, delay): Outcome(known.shown, (await read(world, FORMS[name], delay, known)).shown)
            for (name, delay), known in before.items()
        }


@pytest.fixture(autouse=True)
def no_ffprobe(monkeypatch):
    """Nobody wants to know how long the video is."""
    monkeypatch.setattr(video_facts, "find_ffprobe", lambda: None)


@pytest.fixture(scope="module")
def outcomes(request, tmp_path_factory):
    """Plays a takedown on a database once for all its rows."""

    @cache
    def outcome(database: str, name: str) -> dict[Cell, Outcome]:
        folder = tmp_path_factory.mktemp("taken")
        if database == "sqlite":
            return asyncio.run(play(migrated_url(folder / "taken.db"), folder, name))
        cluster, made = request.getfixturevalue("postgres_cluster"), f"taken_{secrets.token_hex(8)}"
        url = cluster.create_database(made, request.getfixturevalue("postgres_template"))
        try:
            return asyncio.run(play(url, folder, name))
        finally:
            cluster.drop_database(made)

    return outcome


ON_BOTH = {"post deleted", "liveblog deleted"}
"""PostgreSQL plays the others in `make proof`."""
LIKE_OTHERS = {"post put off", "files unpublished", "comment hidden"}
"""Their like is played in `make test`: a post that is unpublished, files and a comment that are deleted."""


def rows():
    for takedown, database in product(TAKEDOWNS, ("sqlite", "postgresql")):
        late = takedown in LIKE_OTHERS or (database == "postgresql" and takedown not in ON_BOTH)
        later = [pytest.mark.proof] if late else []
        for name, delay in cells_of(takedown):
            delayed = f"-{delay} s late" if delay else ""
            id_ = f"{takedown}-{name}{delayed}-{database}"
            yield pytest.param(database, takedown, name, delay, id=id_, marks=later)


@pytest.mark.parametrize(("database", "takedown", "name", "delay"), [*rows()])
def test_what_is_taken_down_is_gone(outcomes, database, takedown, name, delay):
    """From each form that showed it, also for whoever asks whether anything has changed; all else stays as it was."""
    wanted, takes = FORMS[name], TAKEDOWNS[takedown].takes
    before, after = outcomes(database, takedown)[name, delay]
    if wanted.since:
        assert (before - {"title"}, after & takes) == (frozenset(), frozenset())
    else:
        assert (before, after) == (wanted.shows, wanted.shows - takes)


@pytest.fixture(params=["sqlite", "postgresql"])
async def world(request, tmp_path):
    sqlite = request.param == "sqlite"
    url = migrated_url(tmp_path / "world.db") if sqlite else request.getfixturevalue("postgres_url")
    async with world_at(url, tmp_path) as made:
        yield made


@pytest.mark.parametrize(("takedown", "left"), [("post deleted", {"eother"}), ("files deleted", {POST, "eother"})])
async def test_who_follows_with_a_delay_forgets_it_at_once(world, takedown, left):
    """The delta read and the page that ask with the version that they have begin anew."""
    late, http = {"refresh": VERSION, "delay": 60}, world.server.http
    assert [] == (await http.get(DELTA, params={"id": GAME, **late})).json()["events"]
    assert 204 == (await http.get(PAGE, params={"fragment": 1, **late})).status_code
    await TAKEDOWNS[takedown].act(world)
    changed = (await http.get(DELTA, params={"id": GAME, **late})).json()
    shown = (await http.get(PAGE, params={"fragment": 1, **late})).json()

    assert changed["reset"]
    assert left == {each["local_id"] for each in changed["events"]}
    assert (0, left) == (shown["since"], {each["id"] for each in shown["posts"]})


async def test_a_delayed_stream_begins_anew_when_a_post_is_taken_down(world):
    """Its readers forget files and posts long before the delay has gone by, those of one second too; the liveblog ends it."""
    follower = await Follower(world.server.services[Streams]).join(delay=60, since=VERSION)
    await remove_blocks(world)
    await follower.has_messages(1)
    for number, name in enumerate((POST, "eother"), 2):
        await world.post(f"{WRITE}/event/delete.json", event_local_id=name)
        await follower.has_messages(number)
    await take_liveblog(world, status=60)
    await follower.end()

    assert [[WORDS["other"], WORDS["words"]], [WORDS["other"]], [], []] == follower.posts
    assert PHOTO not in follower.events[0].decode()


async def test_what_the_provider_takes_back_follows_the_delay(world):
    """So that no score is ahead of its goal: readers with a delay see it as long as they see the score."""
    game = matchday.Liveblog().ticker_id
    entry = Entry(key="incident:1", kind="soccer.goal", source="play", local_id=POST, state=State.WITHDRAWN)
    await world.server.store.write(lambda unit: ledger.save(unit, game, [ledger.row_of(entry, 1)]))
    await update(world, local_status=60)

    shown = {delay: "words" in (await read(world, FORMS["rss"], delay)).shown for delay in DELAYS}
    assert {0: False, 900: True} == shown


AGAIN = {"post": partial(update, local_status=0), "liveblog": partial(take_liveblog, status=0)}
"""What publishes again what the takedown of that name has unpublished."""


@pytest.mark.parametrize("name", AGAIN)
async def test_what_is_published_again_is_shown_again(world, name):
    """In each form all of it, files and comments included; what shows changes alone begins anew."""
    await read(world, FORMS["page"], 0)
    await TAKEDOWNS[f"{name} unpublished"].act(world)
    await AGAIN[name](world)

    found = {form: (await read(world, each, 0)).shown for form, each in FORMS.items() if not each.since}
    assert found == {form: each.shows for form, each in FORMS.items() if not each.since}
