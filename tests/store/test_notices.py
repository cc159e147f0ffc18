"""Steps of which PostgreSQL notifies other processes: on COMMIT, all of them, also after the connection was lost."""

import asyncio
from functools import partial

import pytest

from store.engine.liveblog_records import Change
from store.engine.postgres.sessions import NotifySender, read
from store.liveblogs.liveblogs import insert_game, record
from tests.kit.notices import WITHIN, broken_off
from tests.store.conftest import new_game


class Ear:
    """What a process hears, in order."""

    def __init__(self, store):
        self.heard = asyncio.Queue()
        store.on_step(self.heard.put_nowait)

    async def next(self):
        return await asyncio.wait_for(self.heard.get(), WITHIN)


async def test_other_processes_are_notified_of_a_step(two_stores):
    """Liveblog and version, of creations too; first of all that anything may have happened before."""
    one, other = two_stores
    ear = Ear(other)
    assert await ear.next() is None
    game = await one.write(partial(insert_game, game=new_game()))
    assert await ear.next() == {game.id: 1}
    for version in (2, 3):
        await one.write(partial(record, game_id=game.id, change=Change(local_status=0)))
        assert await ear.next() == {game.id: version}


async def test_nobody_is_notified_of_what_is_rolled_back(two_stores):
    """A unit that fails after its step sends nothing; the next one sends its own."""
    one, other = two_stores
    ear = Ear(other)
    assert await ear.next() is None
    game = await one.write(partial(insert_game, game=new_game()))
    assert await ear.next() == {game.id: 1}

    def fails(unit):
        record(unit, game.id, Change(local_status=60))
        raise LookupError

    with pytest.raises(LookupError):
        await one.write(fails)
    await one.write(partial(insert_game, game=new_game(2)))

    assert await ear.next() == {new_game(2).id: 1}


async def test_a_lost_connection_is_made_again_and_everything_counts_as_stepped(two_stores):
    """None comes after each loss, so whatever happened meanwhile is looked at; afterwards steps are heard again."""
    one, other = two_stores
    ear = Ear(other)
    assert await ear.next() is None
    for number in (1, 2):
        async with broken_off(one):
            pass
        assert await ear.next() is None
        game = await one.write(partial(insert_game, game=new_game(number)))
        assert await ear.next() == {game.id: 1}


@pytest.mark.proof
async def test_a_server_that_restarts_is_heard_again(postgres_cluster, two_stores):
    """Attempts go on while it is away."""
    one, other = two_stores
    ear = Ear(other)
    assert await ear.next() is None
    await asyncio.to_thread(postgres_cluster.stop)
    await asyncio.sleep(1.5)  # a connection that was used less than a second ago is not checked
    await asyncio.to_thread(postgres_cluster.start)

    assert await ear.next() is None
    game = await one.write(partial(insert_game, game=new_game()))
    assert await ear.next() == {game.id: 1}


@pytest.mark.parametrize(
    ("payload", "stepped"),
    [("6a 3 one", {"6a": 3}), ("6a", None), ("6a 3", None), ("6a x one", None), ("", None), ("6a 3 one more", None)],
)
def test_a_notice_of_another_version_means_anything(payload, stepped):
    """What is not understood is looked at."""
    assert read(payload) == (stepped, "one" if stepped else "")


async def test_a_process_hears_its_own_steps_once(two_stores):
    """Right after the commit; the notice that comes back to it says nothing new."""
    one, other = two_stores
    own, ear = Ear(one), Ear(other)
    assert await own.next() is None
    assert await ear.next() is None
    games = [await one.write(partial(insert_game, game=new_game(number))) for number in (1, 2)]
    for game in games:
        assert await own.next() == await ear.next() == {game.id: 1}
    theirs = await other.write(partial(insert_game, game=new_game(3)))

    assert await own.next() == {theirs.id: 1}


async def test_a_process_that_ends_notifies_of_what_it_has_committed(two_stores):
    """Closing waits for the last notice, not for the next interval."""
    one, other = two_stores
    ear = Ear(other)
    assert await ear.next() is None
    game = await one.write(partial(insert_game, game=new_game()))
    for _ in range(3):
        await one.write(partial(record, game_id=game.id, change=Change(local_status=0)))
    await one.close()

    heard = await ear.next()
    while heard != {game.id: 4}:
        heard = await ear.next()


async def test_of_steps_that_report_late_the_last_version_is_sent():
    """Threads report their commits in any order: an earlier version that comes later takes nothing back."""
    sent = []

    async def run(statement):
        sent.extend(notice.removesuffix(f" {sender.name}") for notice in statement.keywords["notices"])

    sender = NotifySender(run)
    sender.notify({"g1": 31, "g2": 4})
    sender.notify({"g1": 30})
    sender.notify({"g2": 5})
    await sender.close()

    assert sent == ["g1 31", "g2 5"]


async def test_other_processes_hear_what_is_announced_and_nobody_else(two_stores):
    """In order, by topic; a word of one's own comes back to nobody, and one that is too long is not sent."""
    one, other = two_stores
    ear, words = Ear(other), asyncio.Queue()
    Ear(one)
    other.on_announcement("desk", words.put_nowait)
    one.on_announcement("desk", lambda word: words.put_nowait(f"back: {word}"))
    assert await ear.next() is None
    one.announce("elsewhere", "not for the desk")
    one.announce("desk", "x" * 7000)
    for number in range(3):
        one.announce("desk", f"word {number}, with an Umlaut: \N{LATIN SMALL LETTER A WITH DIAERESIS}")
    heard = [await asyncio.wait_for(words.get(), WITHIN) for _ in range(3)]
    assert [each.partition(",")[0] for each in heard] == ["word 0", "word 1", "word 2"]
    game = await one.write(partial(insert_game, game=new_game()))
    assert await ear.next() == {game.id: 1}
    assert words.empty()
