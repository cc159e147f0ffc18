"""Delayed reads: a liveblog as it stood, and not a byte of what came since, however the delay is wanted."""

import asyncio
import re
import secrets
from functools import cache, partial
from pathlib import Path

import pytest

import api
from api.liveblogs import stream_messages
from api.stream import streams
from mapping.belief.confirm import confirm_answer
from mapping.documents.import_options import ImportOptions
from mapping.liveblog.prefill import game_document
from mapping.match.references import References
from mapping.posts.posts import wanted_posts
from providers.fault_collector import RowCache
from providers.heim.translate import translate
from providers.replay.demo import demo_files
from store.engine.liveblog_records import Change, EventWrite, NewGame
from store.liveblogs import liveblogs
from store.masterdata import masterdata, masterdata_edit
from store.tables import teams
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.kit.delayed import EMBED, seen, served
from tests.kit.opening import store_at
from tests.kit.recordings import course, others, required, soccer_recordings
from tests.kit.scripted import BERLIN, NAMES
from tests.kit.sqlite import migrated_url
from tests.kit.streams import TICKER, Follower

SEVERAL = 1
"""So many recordings are read in a bounded run, as each costs a hundred responses; eight in the soak."""
PARTING = NOW
"""The second in which the two liveblogs part."""


CLOCK = {"check_time": PARTING - 110, "check_seconds": 0, "timeout": False}
"""The third minute of a phase begins ten seconds after they part."""


class Course:
    """A match as it was recorded: what its liveblog says, and its posts, at any of the recorded answers."""

    def __init__(self, path, number):
        self.name, self.ticker_id = f"g{number}", f"{number:024x}"
        match_id, snapshots = course(path)
        self._at = cache(partial(self._liveblog, match_id, snapshots, RowCache(2**20)))

    def _liveblog(self, match_id, snapshots, rows, share):
        bodies = snapshots[int(share * (len(snapshots) - 1))]
        answer = translate(match_id, {"match-event": b"[]", **bodies}, names=NAMES, zone=BERLIN, rows=rows)
        match = confirm_answer(None, answer, good=frozenset()).match
        terms = ImportOptions(sport=match.sport, auto_post=True)
        nobody = References(owner_id=matchday.ORGANIZATION)
        posts = wanted_posts(match, terms, nobody, block_id=lambda key, name: f"{key} {name}")
        document = game_document(match, terms, nobody)
        writes = [
            EventWrite.new(
                local_id=f"{self.name}{each.key}", document=each.document, created_at=PARTING - 7200 + number
            )
            for number, each in enumerate(posts)
        ]
        board = {**document.get("scoreboard", {}), "home_team": {"_type": "Svc::Model::Team", "_id": "t1"}}
        state = {**document.get("state_info", {}), "gamestate": 1, "is_break": False, **CLOCK}
        return {**document, "scoreboard": board, "state_info": state}, tuple(writes)

    def begins(self, unit):
        document, posts = self._at(0.2)
        new = NewGame(
            id=self.ticker_id, local_id=self.name, organization_id=matchday.ORGANIZATION, sportstype=document["sportstype"],
            template_id=document["sportstype"], document=document, events=posts,
        )  # fmt: skip
        liveblogs.insert_game(unit, new)

    def goes_on(self, unit, share):
        """The next step of the recording."""
        document, posts = self._at(share)
        known = {each.local_id: each for each in liveblogs.events(unit.conn, self.ticker_id)}
        new = [each for each in posts if each.local_id not in known or known[each.local_id].document != each.document]
        liveblogs.record(unit, self.ticker_id, Change(game=document, events=tuple(new)))

    def is_edited(self, unit):
        """What editors can do to a liveblog, all at once: posts, order, pictures, head, clock and squads."""
        events = liveblogs.events(unit.conn, self.ticker_id, descending=False)
        first, second, *_ = events
        edited = [
            _again(first, created_at=PARTING, document={**first.document, "headline": "moved to the top"}),
            _again(second, document={**second.document, "headline": "corrected", "media": [PICTURE], "tag_ids": ["a"]}),
            EventWrite.new(
                local_id=f"{self.name}new", document={"headline": "A goal", "highlight": "sticky"}, created_at=PARTING
            ),
        ]
        game = liveblogs.find_game(unit.conn, self.ticker_id)
        meta = {**game.document.get("meta_info", {}), "title": "A new title", "starts_at": PARTING}
        state = {**game.document.get("state_info", {}), "gamestate": 2, "is_break": True}
        board = {"score": matchday.pair(9, 9), "home_team": matchday.HOME, "away_team": matchday.AWAY}
        document = {
            **game.document,
            "meta_info": meta,
            "state_info": state,
            "scoreboard": board,
            "squads": {},
            "locale": "fr",
        }
        liveblogs.record(unit, self.ticker_id, Change(game=document, events=tuple(edited)))
        waits = EventWrite.new(
            local_id=f"{self.name}soon",
            document={"headline": "soon"},
            created_at=PARTING + 400,
            publish_at=PARTING + 400,
        )
        liveblogs.schedule(unit, liveblogs.lock_game(unit, self.ticker_id), waits)


PICTURE = {"_type": "Svc::Model::Media", "local_id": "m1", "url": "https://pictures.example/new.jpg", "type": "image"}


def _again(event, **changes):
    same = {"document": event.document, "created_at": event.created_at, "local_status": event.local_status}
    return EventWrite.new(local_id=event.local_id, **{**same, **changes})


def is_renamed(unit):
    [known] = masterdata.find(unit.conn, teams, ["t1"]).values()
    masterdata_edit.change(unit, teams, known, {"name": "Renamed"})


def recorded(several):
    """A recording of each kind that we have, those of soccer first."""
    paths = [*required(soccer_recordings()), *others(), *demo_files("en")]
    return [Course(path, number) for number, path in enumerate(paths[:several], 1)]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.proof)])
def urls(request, tmp_path):
    if request.param == "sqlite":
        return [migrated_url(tmp_path / f"{name}.db") for name in "ab"]
    made = request.getfixturevalue("postgres_cluster").create_database
    return [made(f"delay_{name}_{secrets.token_hex(4)}") for name in "ab"]


@pytest.fixture
def migrated(tmp_path):
    return migrated_url(tmp_path / "test.db")


@pytest.mark.proof
@pytest.mark.parametrize("several", [SEVERAL, pytest.param(8, marks=pytest.mark.soak)])
async def test_what_came_since_is_in_no_public_byte(urls, several):
    """Two liveblogs of each recording that part at a second: until the delay has gone by, all bytes and headers are equal."""
    time, courses = [PARTING - 300.0], recorded(several)
    delays = {"delay_max": 100, "client_delays": {"reader": 30}, "public_delays": {matchday.OTHER: 30}}
    async with served(urls[0], lambda: time[0], **delays) as one, served(urls[1], lambda: time[0], **delays) as other:
        both = (one, other)
        for server in both:
            for each in courses:
                await server.store.write(each.begins)
        time[0] = PARTING - 100
        for server in both:
            for each in courses:
                await server.store.write(partial(each.goes_on, share=0.6))
            server.now = PARTING
        present = await seen(one, courses)
        assert {each[0] for each in present.values()} <= {200, 204, 400}
        assert differing(present, await seen(other, courses)) == []

        time[0] = PARTING + 0.5  # within the second of the present that was read
        for each in courses:
            await one.store.write(partial(each.goes_on, share=0.9))
            await other.store.write(each.is_edited)
        await other.store.write(is_renamed)
        await other.store.write(partial(matchday.insert, matchday.Liveblog()))
        for later, delay in ((30.4, 30), (89.9, 90)):
            one.now = other.now = PARTING + later
            found = await seen(one, courses, delay=delay)
            assert differing(found, await seen(other, courses, delay=delay)) == []
            assert [
                name for name in found if undelayed(found[name][2], delay) != undelayed(present[name][2], delay)
            ] == []
            same = [name for name in found if "show.json" in name]  # those that do not name the delay
            assert [found[name] for name in same] == [present[name] for name in same]
            dates = [[each[1].get("last-modified") for each in reads.values()] for reads in (found, present)]
            assert dates[0] == dates[1] != [None] * len(found)
        one.now = other.now = PARTING + 29
        by_client = [await seen(server, courses[:1], client_id="reader") for server in both]
        assert differing(*by_client) == []
        one.now = other.now = PARTING + 31
        late = [await seen(server, courses[:1], delay=30) for server in both]
        assert len(differing(*late)) > len(late[0]) - 6


HUB = re.compile(rb'<(atom:)?link [^>]*rel="hub"[^>]*/>|"hubs":\[[^\]]*\],')


def undelayed(body, delay):
    """The body without the delay in its links and attributes, and without the hub, which delayed feeds have none of."""
    late, body = b"delay=%d" % delay, HUB.sub(b"", body)
    body = re.sub(rb"([?]|&(amp;)?|\\+u0026)%b" % late, b"", re.sub(rb"%b&(amp;)?" % late, b"", body))
    body = re.sub(rb'(data-delay=.?")%d' % delay, rb"\g<1>0", body)
    return re.sub(rb'[?](?=.?")', b"", re.sub(rb' delay=.?"%d.?"' % delay, b"", body))


def differing(one, other):
    """The names of the reads that are not the same to the byte."""
    return [name for name in one.keys() & other.keys() if one[name] != other[name]]


async def test_a_stream_sends_each_version_after_its_delay(migrated, monkeypatch):
    """As it was, whatever has become of it since: to readers that wait, and to those that come back with the last version."""
    time, said = [PARTING - 300.0], []
    store = await store_at(migrated, clock=lambda: time[0])
    await store.write(partial(matchday.insert, matchday.Liveblog()))
    time[0] = PARTING - 100
    real = stream_messages.read
    monkeypatch.setattr(stream_messages, "read", lambda conn, **what: said.append(what["since"]) or real(conn, **what))

    async def write(second, headline):
        time[0] = PARTING + second
        event = EventWrite.new(local_id="e1", document={"headline": headline}, created_at=PARTING)
        return await store.write(partial(liveblogs.record, game_id=TICKER, change=Change(events=(event,))))

    hub = streams.Streams(store, clock=lambda: time[0], poll=0.02)
    late = [await Follower(hub).join(delay=30) for _ in range(5)]
    later, now = await Follower(hub).join(delay=90), await Follower(hub).join()
    assert [await write(0, "one"), await write(0.5, "two"), await write(10, "three")] == [2, 3, 4]
    for each in (*late, later):
        await each.has(1)
    await now.has(4)
    time[0] = PARTING + 30.9  # the second of the first two is not over
    await asyncio.sleep(0.1)
    assert [each.versions for each in (*late, later)] == [[1]] * 6
    said.clear()
    time[0] = PARTING + 31
    for each in late:
        await each.has(3)
    again = await Follower(hub).join(delay=30, since=3)
    time[0] = PARTING + 41
    for each in (*late, again):
        await each.has(4)
    assert said == [1, 3]
    assert [each.posts[1:] for each in late] == [[["two"], ["three"]]] * 5
    assert (again.versions, again.posts, later.versions) == ([4], [["three"]], [1])
    assert (now.versions[-1], now.posts[-1]) == (4, ["three"])
    await hub.close()
    await store.close()


async def visible(server, age, query):
    """Whether page, list, feed and stream show the liveblog so many seconds after it was written."""
    server.now = NOW - 60 + age
    named = {"liveblogId": "gderby", **query}
    listed = await server.http.get("/", params=query)
    found = [
        await server.http.get("/liveblogs/gderby", params=query),
        await server.http.get(f"{EMBED}/feed/liveblog.json", params=named),
        await server.http.head(f"{EMBED}/stream", params=named),
    ]
    return [listed.text.count("/gderby"), *(int(each.status_code == 200) for each in found)]


async def test_whose_delay_counts(public):
    """The longest one of query, client and organization; writers of the organization that prove it see the present."""
    await public.add(matchday.Liveblog())
    settings = {"delay_max": 100, "client_delays": {"reader": 20}, "public_delays": {matchday.ORGANIZATION: 50}}
    writer = {"client_id": "desk", "client_secret": matchday.SECRET}
    reads = {
        50: [{}, {"delay": 49}, {"client_id": "reader"}, {"client_id": "desk"}, {"client_id": "stranger"}],
        70: [{"delay": 70}, {"delay": 70, "client_id": "reader"}, {**writer, "delay": 70}],
        0: [writer],
    }
    async with serving(public.store, client_per_second=0, public_per_second=0, public_feeds=True, **settings) as server:
        for delay, queries in reads.items():
            for query in queries:
                found = [await visible(server, age, query) for age in (delay, delay + 1)]
                assert found == ([[1] * 4] * 2 if delay == 0 else [[0] * 4, [1] * 4]), query
        too_long = await server.http.get("/liveblogs/gderby", params={"delay": 101})
        assert (too_long.status_code, too_long.json()["field"]) == (400, "delay")


async def test_links_of_a_delayed_read_lead_to_delayed_pages(public):
    """From feed, list, embed, teaser and page to the page, its posts and its older ones; search engines get the one address."""
    await public.add(matchday.derby())
    public.now = NOW - 10
    named = {"liveblogId": "gderby", "delay": 30}
    paths = [f"feed/liveblog.{form}" for form in ("rss", "atom", "json")]
    for path in (*paths, "prefetch/liveblog-teaser.json", "prefetch/liveblog.json"):
        body = (await public.http.get(f"{EMBED}/{path}", params=named)).content
        links = re.sub(rb'initialData=\\"[^"]*"', b"", body.partition(b'"schema"')[0])
        found = re.findall(rb"/liveblogs/gderby[^\\\"<> ]*", links)
        assert {b"?delay=30" in each for each in found} == {True}, (path, found)
    embedded = (await public.http.get(f"{EMBED}/prefetch/liveblog.json", params=named)).json()
    assert ' delay="30" initialData="' in embedded["html"]
    assert embedded["schema"]["url"].endswith("/gderby")
    assert 'href="liveblogs/gderby?delay=30"' in (await public.http.get("/", params={"delay": 30})).text
    page = (await public.http.get("/liveblogs/gderby", params={"delay": 30, "limit": 2})).text
    assert 'data-delay="30"' in page
    assert "?delay=30&amp;limit=2&amp;continue_event_id=" in page
    assert (page.count("?delay=30&amp;post="), page.count("?post=")) == (page.count("post="), 0)


def test_nothing_public_is_read_without_its_moment():
    """Who reads a liveblog for readers goes through `api.view.liveblog_reads`, which alone looks it up."""
    for path in Path(api.__path__[0]).rglob("*.py"):
        used = re.findall(r"(?:reads\.game|streams\.find)(?=\()", path.read_text(encoding="utf-8"))
        assert used == [], path
