"""Every list of the API by every kind of page on both databases: nothing twice, nothing missing, and no limit beyond its bounds.

A list is an operation that takes a `limit`; LISTS has a row for each. What is sent is the row of the operation in
tests/kit/doors.py: of an organization or a liveblog that has seven of everything, and of one that has nothing.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import httpx
import pytest
import pytest_asyncio

from config.organizations import ThemeConfig
from mapping.match.fixture import Fixture
from store.clients import clients
from store.comments import comments
from store.comments.comments import NewComment
from store.engine.liveblog_records import EventWrite
from store.engine.unit import Unit
from store.following import rules
from store.tables import webhook_rounds, webhooks
from tests.api.conftest import Server, open_store, serving
from tests.kit import matchday
from tests.kit.described import operations
from tests.kit.desk import player, refused, team, tournament
from tests.kit.doors import BY_NAME, DOORS
from tests.kit.followed import ask_for_standby
from tests.kit.full_house import MISSING, OTHER, OWNER, SCOPES, SECRET
from tests.kit.settings import configure
from tests.kit.sqlite import migrated_url
from tests.tables.conftest import DATABASES

pytestmark = pytest.mark.usefixtures("quiet")
SEVEN = 7
"""Records of each list; with `THREE` on a page, the third page is the last one and holds one."""
THREE = 3
POSTS = [f"epost{number}" for number in range(SEVEN)]
URLS = [f"https://cms.example.org/{number}" for number in range(SEVEN)]
FULL = replace(MISSING, organization=OWNER, ticker="gfull", event=POSTS[0], url=URLS[0])
NONE_OF_ALL = replace(MISSING, organization=OTHER)
NONE_IN_IT = replace(FULL, ticker="gempty", event="equiet")
"""A liveblog without posts, and a post without comments."""

CLIENTS = (matchday.client("owner", *SCOPES), matchday.client("nobody", *SCOPES, organization=OTHER))

Query = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A list. `ids`: those on a page, in its order; `following`: the query of the next page, None on the last one.

    `number`: the parameter that counts the pages, where they have numbers; `behind`: else the query of the page behind the
    record of that id, the last one. `most`: how many of the seven it ever shows; `query`: what is always sent.
    """

    ids: Callable[[httpx.Response], list[str]]
    following: Callable[[httpx.Response], Query | None]
    number: str | None = None
    behind: Callable[[str], Query] = lambda last: {"continue_event_id": last}
    most: int = SEVEN
    query: Query = field(default_factory=dict)


def member(name: str, key: str) -> Callable[[httpx.Response], list[str]]:
    return lambda response: [str(each[key]) for each in response.json()[name]]


def collection(number: str, key: str = "_id") -> Listing:
    """A collection of records, whose pages have numbers."""

    def following(response: httpx.Response) -> Query | None:
        document = response.json()
        return {number: str(document["page"] + 1)} if document["more"] else None

    return Listing(ids=member("objects", key), following=following, number=number)


def cursor(name: str, key: str, parameter: str, end: str | None = None) -> Listing:
    """A list whose pages say in `next` where the next one begins; `end`: a value behind all, if ids are none."""

    def following(response: httpx.Response) -> Query | None:
        found = response.json().get("next")
        return None if found is None else {parameter: found}

    return Listing(ids=member(name, key), following=following, behind=lambda last: {parameter: end or last})


def posts(following: Callable[[httpx.Response], Query | None]) -> Listing:
    """The posts of a liveblog, in whatever form: by their headlines, which stand in nothing else."""
    return Listing(ids=lambda response: list(dict.fromkeys(HEADLINE.findall(response.text))), following=following)


def go_on(pattern: str, response: httpx.Response) -> Query | None:
    """By the address of the next page, which follows the pattern."""
    found = re.search(pattern + r'[^"]*continue_event_id=(epost\d)', response.text)
    return None if found is None else {"continue_event_id": found[1]}


def go_on_in_delta(response: httpx.Response) -> Query | None:
    document = response.json()
    return {"continue_event_id": document["events"][-1]["local_id"]} if document["more"] else None


def no_more(_: httpx.Response) -> None:
    """It has one page alone: the newest posts."""


HEADLINE = re.compile(r"Post (epost\d)")
NEXT_LINK = r'<(?:atom:)?link[^>]*rel="next"[^>]*href="'
LISTS: dict[str, Listing] = {
    "player.index": collection("page"),
    "team.index": collection("page"),
    "tournament.index": collection("page"),
    "ticker.search": collection("more", "local_id"),
    "fixture.index": collection("page", "matchId"),
    "standby.questions": collection("page", "provider"),
    "rule.index": collection("page", "key"),
    "comments.index": cursor("comments", "id", "next"),
    "comments.list": cursor("comments", "id", "next"),
    "webhooks.list": cursor("webhooks", "url", "after", "f" * 24),
    "webhooks.v5.index": cursor("webhooks", "url", "after", "f" * 24),
    "webhooks.deliveries": cursor("deliveries", "id", "before"),
    "feed.rss": posts(partial(go_on, NEXT_LINK)),
    "feed.atom": posts(partial(go_on, NEXT_LINK)),
    "feed.json": posts(partial(go_on, '"next_url":"')),
    "ticker.delta": posts(go_on_in_delta),
    "liveblog.page": posts(partial(go_on, 'href="')),
    "liveblog.frame": posts(no_more),
    "prefetch.liveblog": replace(posts(no_more), query={"themeId": "plain"}),
    "prefetch.teaser": replace(posts(no_more), most=THREE, query={"themeId": "plain"}),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=DATABASES)
async def filled(request, tmp_path_factory):
    """The API over a database with seven of everything, and a liveblog and an organization with nothing."""
    if request.param == "sqlite":
        url = migrated_url(tmp_path_factory.mktemp("lists") / "lists.db")
    else:
        cluster = request.getfixturevalue("postgres_cluster")
        url = cluster.create_database("lists", request.getfixturevalue("postgres_template"))
    store = await open_store(url)
    try:
        async with serving(
            store, client_per_second=0, public_per_second=0, themes={"plain": ThemeConfig(posts=SEVEN)}
        ) as server:
            configure(server.services.settings, OWNER, comments="post")
            await fill(server)
            yield server
    finally:
        await store.close()
    if request.param == "postgresql":
        cluster.drop_database("lists")


async def fill(server: Server) -> None:
    """All in one second: no order may depend on the clock."""
    await server.store.write(lambda unit: clients.declare(unit, CLIENTS))
    about = matchday.document()
    about["meta_info"] = {**about["meta_info"], "allow_comments": True}
    written = tuple(matchday.event(name, matchday.KICK_OFF, headline=f"Post {name}") for name in POSTS)
    quiet = matchday.event("equiet", matchday.KICK_OFF)
    for number, (name, events) in enumerate(liveblogs_of(written, quiet).items(), start=1):
        await server.add(matchday.Liveblog(name, f"{number:024x}", document=about, events=events))
    makers = {"player": player, "team": team, "tournament": tournament}
    for kind, maker in makers.items():
        for number in range(SEVEN):
            await sent(server, f"/api/v5/write/{kind}/create.json", maker(name=f"Name {number}"))
    for url in URLS:
        await sent(server, f"/apigw/webhooks/v2/organization/{OWNER}/subscribe", {"url": url})
    await server.store.write(write_rows)
    server.listed[OWNER] = tuple(Fixture(match_id=str(number)) for number in range(SEVEN))


def liveblogs_of(written: tuple[EventWrite, ...], quiet: EventWrite) -> dict[str, tuple[EventWrite, ...]]:
    """Seven liveblogs: one is full, one is empty, one has the post without comments."""
    others: dict[str, tuple[EventWrite, ...]] = {f"gother{number}": () for number in range(SEVEN - 3)}
    return {"gfull": written, "gempty": (), "gquiet": (quiet,)} | others


def write_rows(unit: Unit) -> None:
    """Comments, rules, questions, and rounds of deliveries."""
    ask_for_standby(unit, f"{2:024x}", *(f"p{number}" for number in range(SEVEN)))
    for number in range(SEVEN):
        rules.add_rule(unit, OWNER, f"rule{number}", {"provider": "heim", "team": "1"})
        new = NewComment(
            id=f"{number:024x}", organization_id=OWNER, game_id=f"{1:024x}", channel_id=POSTS[0], parent_id=None,
            reader_id=f"reader {number}", author_name="Kim", author_image=None, text="Well played", status="approved",
        )  # fmt: skip
        comments.create(unit, new, duplicate_period=0)
    hook = unit.conn.scalar(webhooks.select().with_only_columns(webhooks.c.id).where(webhooks.c.url == URLS[0]))
    row = {
        "webhook_id": hook, "organization_id": OWNER, "game_id": f"{1:024x}", "local_id": "gfull", "version": 1,
        "kind": "update", "round": 1, "tries": 1, "at": 1.0, "took_ms": 1, "success": True, "message": "",
    }  # fmt: skip
    unit.conn.execute(webhook_rounds.insert(), [{**row, "number": number} for number in range(SEVEN)])


async def sent(server: Server, path: str, body: Any) -> None:
    response = await server.http.post(path, json=body, auth=("owner", SECRET))
    assert response.status_code == 200, response.text


@dataclass(frozen=True)
class Reading:
    """A list, and who reads it."""

    server: Server
    name: str

    @property
    def listing(self) -> Listing:
        return LISTS[self.name]

    @property
    def largest(self) -> int:
        """The largest limit, as the document has it."""
        found: int = (parameter_of(self.name, "limit") or {})["maximum"]
        return found

    async def page(self, query: Query, *, full: bool = True) -> httpx.Response:
        """One page of what is full, or of what is empty."""
        door, route = DOORS[self.name], BY_NAME[self.name]
        nothing = NONE_IN_IT if door.open else NONE_OF_ALL
        sends = door.sends(FULL if full else nothing)
        client = "owner" if full or door.open else "nobody"
        params = {**sends.query, **self.listing.query, **query}
        return await self.server.http.get(route.path.format(**sends.path), params=params, auth=(client, SECRET))

    async def read(self, query: Query, *, full: bool = True) -> httpx.Response:
        response = await self.page(query, full=full)
        assert response.status_code == 200, response.text
        return response

    async def pages(self, limit: int) -> list[httpx.Response]:
        """All pages, one after the other."""
        query: Query | None = {"limit": str(limit)}
        found: list[httpx.Response] = []
        while query is not None:
            assert len(found) <= SEVEN, "the list does not end"
            found.append(await self.read(query))
            following = self.listing.following(found[-1])
            query = None if following is None else {"limit": str(limit), **following}
        return found

    def check_fields(self, response: httpx.Response, number: int, limit: int, total: int) -> None:
        """What a collection says of its page."""
        if self.listing.number is None:
            return
        document = response.json()
        about = {key: document[key] for key in ("total", "total_exact", "page", "limit", "more")}
        more = number * limit < total
        assert about == {"total": total, "total_exact": True, "page": number, "limit": limit, "more": more}


async def empty(reading: Reading) -> None:
    """Where there is nothing, there is an empty page, which is the last one."""
    response = await reading.read({"limit": str(THREE)}, full=False)

    assert reading.listing.ids(response) == []
    assert reading.listing.following(response) is None
    reading.check_fields(response, 1, THREE, 0)


async def one_page(reading: Reading) -> None:
    """What fits exactly is one page, and no other follows."""
    (response,) = await reading.pages(SEVEN)

    ids = reading.listing.ids(response)
    assert (len(ids), len(set(ids))) == (reading.listing.most, reading.listing.most)
    reading.check_fields(response, 1, SEVEN, SEVEN)


async def last_page(reading: Reading) -> None:
    """All pages together are the list, in its order, with nothing twice; all are full but the last one."""
    whole = reading.listing.ids(await reading.read({"limit": str(SEVEN)}))
    found = await reading.pages(THREE)

    read = [reading.listing.ids(each) for each in found]
    assert list(chain.from_iterable(read)) == whole[: sum(map(len, read))]
    one_alone = reading.listing.following is no_more
    assert [len(each) for each in read] == ([THREE] if one_alone else [THREE, THREE, 1])
    for number, response in enumerate(found, start=1):
        reading.check_fields(response, number, THREE, SEVEN)


async def page_beyond(reading: Reading) -> None:
    """Behind the last page there is an empty one, and far behind it too; where the pages have no end, none."""
    if reading.listing.following is no_more:
        return
    if reading.listing.number is not None:
        for number in (4, 999):
            query = {"limit": str(THREE), reading.listing.number: str(number)}
            response = await reading.read(query)
            assert reading.listing.ids(response) == []
            reading.check_fields(response, number, THREE, SEVEN)
        for number, limit in ((0, THREE), (-1, THREE), (400_000, THREE)):
            query = {"limit": str(limit), reading.listing.number: str(number)}
            assert refused(await reading.page(query)) == (400, reading.listing.number)
        return
    everything = reading.listing.ids(await reading.read({"limit": str(SEVEN)}))
    response = await reading.read({"limit": str(THREE), **reading.listing.behind(everything[-1])})
    assert reading.listing.ids(response) == []
    assert reading.listing.following(response) is None


async def no_such_place(reading: Reading) -> None:
    """Whoever wants to go on after what there never was gets an error that names the parameter."""
    if reading.listing.following is no_more or reading.listing.number is not None:
        return
    (parameter,) = reading.listing.behind("")
    for place in ("never", "\u0661"):
        assert refused(await reading.page({parameter: place})) == (400, parameter), place


async def limit_0(reading: Reading) -> None:
    """No page without anything, nor with less, nor of what is no number in digits."""
    for limit in ("0", "-1", "x", "1.0", "1_0", "\u0661"):
        assert refused(await reading.page({"limit": limit})) == (400, "limit"), limit


async def limit_too_large(reading: Reading) -> None:
    """The largest limit is that of the document; one more is refused, and so is one that no number holds."""
    most = reading.largest
    await reading.read({"limit": str(most)})
    for limit in (str(most + 1), "9" * 400):
        assert refused(await reading.page({"limit": limit})) == (400, "limit"), limit


CASES = {
    case.__name__.replace("_", " "): case
    for case in (empty, one_page, last_page, page_beyond, no_such_place, limit_0, limit_too_large)
}


def test_every_list_has_a_row():
    """What takes a limit is a list."""
    lists = {name for name in BY_NAME if parameter_of(name, "limit")}
    missing, gone = lists - LISTS.keys(), LISTS.keys() - lists

    assert not missing, (
        f"add a row to LISTS in {__file__} for {sorted(missing)}: how its page is read, and which one follows"
    )
    assert not gone, f"this is no list any more; take its row out of LISTS in {__file__}: {sorted(gone)}"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.asyncio(loop_scope="module")
async def test_pages(filled: Server, name: str, case: str):
    """Each list in each of the cases."""
    await CASES[case](Reading(filled, name))


def parameter_of(name: str, parameter: str) -> dict[str, Any] | None:
    """How the document describes a parameter of the operation."""
    described = operations()[name][2].get("parameters", ()) if name in operations() else ()
    return next((each["schema"] for each in described if each["name"] == parameter), None)
