"""Streams: one read and the same bytes for all readers of a liveblog, each at its own pace, and nothing that is withdrawn."""

import asyncio
from functools import partial
from itertools import pairwise
from types import SimpleNamespace

import pytest

from api.liveblogs import stream_messages
from api.stream import streams
from api.stream.channel import AT_A_TIME, UNKNOWN
from api.view.liveblog_reads import delay_in
from mapping.errors import StoreUnavailable
from store.clients import clients
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import record
from tests.kit import matchday
from tests.kit.event_desk import DESK, Desk, post
from tests.kit.streaming import STREAM, Reader, over_http
from tests.kit.streams import SOON, TICKER, Follower, hub

__all__ = ["hub"]

OPEN = {"liveblogId": "gderby"}


@pytest.fixture
async def desk(server):
    await server.add(matchday.Liveblog())
    return Desk(server.http)


@pytest.fixture
def reads(monkeypatch):
    """What was read of liveblogs: (since, forms)."""
    made, real = [], stream_messages.read
    monkeypatch.setattr(stream_messages, "read", lambda conn, **what: made.append(what) or real(conn, **what))
    return made


async def test_nothing_that_was_withdrawn_is_sent_to_a_reader_that_comes_back(desk, hub):
    """A message that is kept holds for its version alone: of a later withdrawal there is no trace before it."""
    stays = await Follower(hub).join(1)
    made = await desk.create(post("Regrettable"))
    before = [await (await Follower(hub).join(since)).has(2) for since in (0, 1)]
    await desk.update(made["local_id"], {"local_status": 60})
    await stays.has(3)
    after = await (await Follower(hub).join(1)).has(3)
    anew = await (await Follower(hub).join(0)).has(3)

    assert all(b"Regrettable" in follower.events[0] for follower in before)
    assert b"Regrettable" in stays.events[0]
    assert after.versions == anew.versions == [3]
    assert b"Regrettable" not in after.events[0] + anew.events[0]


async def test_who_has_room_is_sent_to_without_a_task(desk, hub):
    """One after the other in the turn that found the change; who has none, or says nothing of it, gets a task of its own."""
    roomy, full = SimpleNamespace(has_room=True), SimpleNamespace(has_room=False)
    followers = [await Follower(hub, each).join(1) for each in (*[roomy] * 20, full, UNKNOWN)]
    followers[20].room.clear()
    await desk.create()  # brings those up to date who have just come
    await asyncio.gather(*(each.has(2) for each in (*followers[:20], followers[21])))
    made, loop = [], asyncio.get_running_loop()
    loop.set_task_factory(
        lambda loop, coroutine, **more: made.append(coroutine) or asyncio.Task(coroutine, loop=loop, **more)
    )
    await desk.create()
    await asyncio.gather(*(each.has(3) for each in (*followers[:20], followers[21])))
    loop.set_task_factory(None)
    followers[20].room.set()
    await followers[20].has(3)

    assert len([each for each in made if each.__qualname__ == "Streams._send"]) == 1
    assert [each.versions for each in followers] == [[2, 3]] * 22


async def test_a_slow_reader_falls_behind_alone(desk, hub, reads):
    """Nothing is queued for it; once it has room it gets in one message all that it has missed, as things are by then."""
    slow, quick = await Follower(hub).join(1), await Follower(hub).join(1)
    slow.room.clear()
    made = await desk.create(post("Regrettable"))
    await quick.has(2)
    for version in range(3, 8):
        await desk.create()
        await quick.has(version)
    await desk.delete(made["local_id"])
    await quick.has(8)
    assert slow.events == []
    slow.room.set()
    await slow.has(8)

    assert quick.versions == [2, 3, 4, 5, 6, 7, 8]
    assert slow.versions == [2, 8], "the message that it was taking when it came to a halt, and one for the rest"
    assert [what["since"] for what in reads if what["since"] == 2] == [2, 2], "the step for all, and its own"


async def test_a_version_to_many_readers_holds_up_nobody_for_long(desk, hub, monkeypatch):
    """They are served in slices; between two of them the event loop does something else."""
    monkeypatch.setattr(streams, "SLICE", 10)
    followers = [await Follower(hub).join(1) for _ in range(100)]
    await asyncio.sleep(0.05)
    had = set()

    async def look():
        while not all(follower.events for follower in followers):
            had.add(sum(bool(follower.events) for follower in followers))
            await asyncio.sleep(0)

    looking = asyncio.create_task(look())
    await desk.create()
    await asyncio.wait_for(looking, SOON)

    steps = sorted(had | {len(followers)})
    assert max(after - before for before, after in pairwise(steps)) <= 10


async def test_what_other_processes_write_is_noticed(desk, server, monkeypatch):
    """Without a call from a commit of this process the poll finds the new version."""
    hub = streams.Streams(server.store, poll=0.05)
    server.store._listeners.clear()
    follower = await Follower(hub).join(1)
    await desk.create()
    await follower.has(2)
    await hub.close()


async def test_a_step_between_the_check_of_access_and_the_stream_is_not_missed(desk, hub):
    """Nobody watched yet, so its notification went unheard; the next look is an hour away."""
    game = await hub.find("gderby")
    await desk.create()
    hub.find = lambda *_: asyncio.sleep(0, game)
    await (await Follower(hub).join(1)).has(2)


async def test_a_liveblog_that_is_never_silent_delays_no_other(desk, server):
    """A step without a notification is found in its time, however many there are of others in between."""
    await server.add(matchday.Liveblog(local_id="gquiet", ticker_id="6b" * 12))
    hub = streams.Streams(server.store, poll=0.2)
    server.store._listeners.clear()
    loud, quiet = await Follower(hub).join(1), await Follower(hub).join(1, name="gquiet")
    await asyncio.sleep(0.1)
    await Desk(server.http, liveblog="gquiet").create()
    for version in range(2, 300):
        hub._hear({TICKER: version})
        await asyncio.sleep(0.01)
        if quiet.versions:
            break

    assert (quiet.versions, loud.versions) == ([2], [])
    await hub.close()


async def test_readers_with_many_delays_hold_up_nobody_who_sees_the_present(desk, server, monkeypatch):
    """What is committed while the versions of all delays are looked at is sent after the next one of these reads."""
    hub = streams.Streams(server.store, poll=0.05)
    live = await Follower(hub).join(1)
    late = [
        await Follower(hub).join(1, delay=each)
        for each in sorted({delay_in({"delay": str(n)}, 900) for n in range(1, 901)})
    ]
    real, moments, sent = server.store.read, [], []

    async def read(query, *, at=None):
        if at is not None and not sent:
            moments.append(at)
            if len(moments) == 3:
                await desk.create()
                moments.clear()
            elif 2 in live.versions:
                sent.append(len(moments))
        return await real(query, at=at)

    monkeypatch.setattr(server.store, "read", read)
    await live.has(2)
    async with asyncio.timeout(SOON):
        while not sent:
            await asyncio.sleep(0.01)

    assert sent[0] < 10 < 30 < len(late), "its own read runs beside theirs"
    await hub.close()


async def test_delays_of_requests_are_few():
    """Each second that a request may name becomes one of few delays, none of them shorter than what it names."""
    found = {each: delay_in({"delay": str(each)}, 900) for each in range(901)}

    assert all(found[each] >= each for each in found)
    assert len(set(found.values())) <= 40
    assert {each: found[each] for each in (0, 3, 10, 11, 30, 115, 130, 899)} == {
        0: 0, 3: 3, 10: 10, 11: 20, 30: 30, 115: 120, 130: 180, 899: 900
    }  # fmt: skip
    assert delay_in({"delay": "100"}, 100) == 100
    assert delay_in({"delay": "125"}, 150) == 150


async def test_what_an_outage_swallowed_is_looked_at(desk, hub, monkeypatch):
    """A step whose reading failed is sent as soon as the database is back."""
    follower = await Follower(hub).join(1)
    await asyncio.sleep(0.1)
    real, outage = stream_messages.read, iter([StoreUnavailable("away")])

    def failing_once(conn, **what):
        if error := next(outage, None):
            raise error
        return real(conn, **what)

    monkeypatch.setattr(stream_messages, "read", failing_once)
    monkeypatch.setattr(streams, "POLL", 0.05)
    await desk.create()
    await follower.has(2)


async def test_a_liveblog_that_cannot_be_read_silences_no_other(desk, server, hub, monkeypatch):
    """Its readers are let go when they come, which is logged once; the others are sent what happens."""
    await server.add(matchday.Liveblog(local_id="gbroken", ticker_id="6c" * 12))
    broken, whole = await Follower(hub).join(1, name="gbroken"), await Follower(hub).join(1)
    await asyncio.sleep(0.1)
    real = stream_messages.read

    def failing(conn, *, game_id, **what):
        if game_id != TICKER:
            raise ValueError(game_id)
        return real(conn, game_id=game_id, **what)

    monkeypatch.setattr(stream_messages, "read", failing)
    await Desk(server.http, liveblog="gbroken").create()
    await desk.create()
    await whole.has(2)
    await (await Follower(hub).join(0, name="gbroken")).end()

    assert broken.events == []


async def test_streams_end_when_the_service_stops(desk, server):
    """Closing ends them at once, so that the server need not wait, and no new one begins."""
    hub = streams.Streams(server.store)
    follower = await Follower(hub).join(1)
    await hub.close()
    await follower.end()  # its time would be over in a quarter of an hour

    with pytest.raises(StoreUnavailable):
        await hub.find("gderby")


async def test_a_stream_ends_after_its_time_and_is_let_in_anew_or_not(desk, server, hub, monkeypatch):
    """So a client that was revoked, or a liveblog that is no longer public, is read for that long at most."""
    monkeypatch.setattr(streams, "LIFETIME", 0.2)
    monkeypatch.setattr(streams, "TICK", 0.05)
    temp = clients.ClientSpec(id="temp", secrets=(), organizations=(matchday.ORGANIZATION,), scopes=("read",))
    await server.store.write(partial(clients.create, spec=temp))
    async with over_http(server.app) as http:
        reader = Reader(http, client="temp")
        await asyncio.wait_for(reader.read(), SOON)
        await server.store.write(partial(clients.revoke, client_id="temp"))
        server.ticks += 10  # what is known of clients is looked up anew
        again = await http.get(STREAM, params={**OPEN, "client_id": "temp"})

    assert (reader.version, again.status_code) == (1, 401)


async def test_whoever_shares_a_read_is_checked_alone(desk, server):
    """The liveblog is looked up once for all who open a stream of it at the same moment; access is each one's own."""
    async with over_http(server.app) as http:
        stranger = {**OPEN, "client_id": "stranger"}
        first = Reader(http)
        reading = asyncio.create_task(first.read(messages=1))
        async with asyncio.timeout(SOON):
            refused = await asyncio.gather(*(http.get(STREAM, params=stranger) for _ in range(5)))
        await reading

    assert {response.status_code for response in refused} == {404}
    assert first.version == 1


async def test_an_unpublished_liveblog_ends_all_of_its_streams(desk, server, hub):
    """Whatever version their readers have; the last message holds no post and no title."""
    await desk.create(post("Regrettable"))
    here, behind = await Follower(hub).join(2), await Follower(hub).join(1)
    behind.room.clear()
    await asyncio.sleep(0.1)
    await server.store.write(partial(record, game_id=TICKER, change=Change(local_status=60)))
    await here.end()
    anew = await Follower(hub).join(0)
    await anew.end()

    assert (here.versions, anew.versions) == ([3], [3])
    assert b"Regrettable" not in here.events[0] + anew.events[0]


async def test_who_leaves_is_sent_nothing_more(desk, hub):
    """Nothing is left of a reader, and nothing of a liveblog that nobody watches."""
    slow, gone = await Follower(hub).join(1), await Follower(hub).join(1)
    slow.room.clear()
    gone.leave()
    await desk.create()
    await asyncio.sleep(0.1)
    slow.leave()
    slow.room.set()
    await asyncio.sleep(0.05)

    assert (slow.events, gone.events, len(hub), hub._channels) == ([], [], 0, {})


async def test_openings_wait_for_their_turn(desk, hub, monkeypatch):
    """A few at a time read; the others wait instead of being refused, so that other requests find connections free."""
    under_way, most = 0, 0
    real = hub._store.read

    async def slowly(query, *, at):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return await real(query, at=at)

    monkeypatch.setattr(hub._store, "read", slowly)
    found = await asyncio.gather(*(hub.find(f"g{number}") for number in range(50)), hub.find("gderby"))

    assert most == AT_A_TIME
    assert (found[:-1], found[-1].id) == ([None] * 50, TICKER)


async def test_an_opening_whose_turn_does_not_come_is_refused_in_the_end(desk, hub, monkeypatch):
    """With 503 and a time, once it has waited for as long as anybody waits."""
    monkeypatch.setattr("api.stream.channel.PATIENCE", 0.05)
    free = asyncio.Event()
    monkeypatch.setattr(hub._store, "read", lambda _, at: free.wait())
    waiting = [asyncio.create_task(hub.find(f"g{number}")) for number in range(AT_A_TIME)]
    await asyncio.sleep(0)  # they find out that nobody reads yet
    await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable) as refused:
        await hub.find("gderby")
    free.set()
    await asyncio.gather(*waiting)

    assert refused.value.retry_after == 5


async def test_hundreds_of_streams_open_at_once(desk, server, monkeypatch):
    """None is refused, each has what there is and then what comes; the liveblog is read a few times, not for each."""
    await desk.create()
    counted, real = [], liveblogs.find_game
    monkeypatch.setattr(liveblogs, "find_game", lambda conn, name: counted.append(name) or real(conn, name))
    async with over_http(server.app) as http:
        port = http.base_url.port
        request = f"GET {STREAM}?liveblogId=gderby&client_id={DESK[0]} HTTP/1.1\r\nHost: x\r\n\r\n".encode()

        async def opened():
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            await reader.readuntil(b"id: 2\n")
            return reader, writer

        async with asyncio.timeout(60):
            streams_ = await asyncio.gather(*(opened() for _ in range(400)))
            before = len(counted)
            await desk.create()
            for reader, _ in streams_:
                await reader.readuntil(b"id: 3\n")
        for _, writer in streams_:
            writer.close()

    assert before < 100
    assert len(counted) - before < 10
