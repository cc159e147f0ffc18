"""Secrets that the service makes, whose rotation holds what was signed before; and votes of readers, counted once each."""

import asyncio
import random
from collections import Counter
from dataclasses import replace
from functools import partial

import httpx
import pytest
from sqlalchemy import delete, insert

from api.app import create_app
from mapping.documents.scalars import LocalStatus
from mapping.errors import NotFound, Unauthorized
from mapping.readers import reader_token
from mapping.readers.reader_token import VerifiedReader
from mapping.rules.media_address import ImageOptions, ImageRequest, image_path, read_path
from store.clients import clients, service_keys
from store.engine.liveblog_records import Change
from store.liveblogs import history
from store.liveblogs.liveblogs import insert_game, record
from store.polls import votes
from store.polls.votes import poll_votes
from store.tables import service_keys as table
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.store.conftest import ALIKE, GAME, new_game

IMAGE = ImageRequest(matchday.ORGANIZATION, "https://photos.example.org/a.jpg", ImageOptions(width=64))
KIM = VerifiedReader(matchday.ORGANIZATION, "pkim", "Kim", None, signed_in=True)


async def rotated(store, name):
    await store.write(lambda unit: service_keys.rotate(unit, name))
    return await store.write(service_keys.all_keys)


def reads(keys, path):
    try:
        return read_path((keys.media, *keys.media_before), *path.split("/")[2:]) == IMAGE
    except NotFound:
        return False


def knows(keys, token):
    try:
        found = reader_token.read_token(
            (keys.readers, *keys.readers_before), token, matchday.ORGANIZATION, now=NOW, token_age=60
        )
    except Unauthorized:
        return False
    return found == KIM


@ALIKE
async def test_keys_are_made_once(store):
    first = await store.write(service_keys.all_keys)
    assert await store.write(service_keys.all_keys) == first
    assert len({first.media, first.readers}) == 2
    assert first.reader_ids == first.readers


@ALIKE
@pytest.mark.parametrize("name", service_keys.ROTATED)
async def test_what_was_signed_holds_until_the_key_is_rotated_again(store, name):
    """The other key stays as it is, and ids of readers stay whatever is rotated."""
    keys = await store.write(service_keys.all_keys)
    before = image_path(keys.media, IMAGE), reader_token.issue(keys.readers, KIM, NOW)
    once = await rotated(store, name)
    assert (once.media == keys.media, once.readers == keys.readers) == (name != "media", name != "readers")
    assert (reads(once, before[0]), knows(once, before[1])) == (True, True)
    after = image_path(once.media, IMAGE), reader_token.issue(once.readers, KIM, NOW)
    twice = await rotated(store, name)
    assert (reads(twice, before[0]), knows(twice, before[1])) == (name != "media", name != "readers")
    assert (reads(twice, after[0]), knows(twice, after[1])) == (True, True)
    assert keys.reader_ids == once.reader_ids == twice.reader_ids


@ALIKE
async def test_a_database_of_before_keeps_its_ids(store):
    """Where there was one key for both, ids go on by it, although it is rotated before a daemon has seen it."""
    await store.write(lambda unit: unit.conn.execute(delete(table)))
    await store.write(lambda unit: unit.conn.execute(insert(table).values(name="readers", value=b"k" * 32)))
    keys = await rotated(store, "readers")
    assert keys.reader_ids == b"k" * 32
    assert keys.readers_before == (b"k" * 32,)
    assert await store.read(service_keys.known_reader_id_key) == b"k" * 32


@ALIKE
async def test_a_reader_is_the_same_after_a_rotation(store):
    """Over HTTP, as after SIGHUP: the token that the reader has is taken, with its name kept."""
    await store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
    path = f"/api/readers/v1/organization/{matchday.ORGANIZATION}/token"
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True) as server:

        async def token(**headers):
            app = create_app(replace(server.services, keys=await store.write(service_keys.all_keys)))
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://testserver") as http:
                return await http.post(path, json={"name": "Kim"}, headers=headers)

        first = (await token()).json()
        await rotated(store, "readers")
        again = (await token(**{"Reader-Token": first["token"]})).json()
        assert again["reader"]["id"] == first["reader"]["id"]
        await rotated(store, "readers")
        assert (await token(**{"Reader-Token": first["token"]})).status_code == 401
        assert (await token(**{"Reader-Token": again["token"]})).json()["reader"]["id"] == first["reader"]["id"]


READERS = 12


async def vote(store, reader, *options, poll="p1"):
    return await store.write(
        partial(votes.vote, game_id=GAME, poll_id=poll, reader_id=reader, choose=lambda _: options)
    )


async def tally(store, at=None, poll="p1"):
    found = await store.read(partial(votes.tallies, game_id=GAME, poll_ids=[poll]), at=at)
    return dict(found[poll].counts), found[poll].changes


async def test_readers_vote_change_and_take_back_at_once(store):
    """The tally equals the votes, whatever the order: no vote is lost, none counts twice, and the liveblog does not step."""
    await store.write(partial(insert_game, game=new_game()))
    chance = random.Random(7)
    last = {}

    async def reader(name):
        for _ in range(6):
            options = tuple(chance.sample(("a", "b", "c"), chance.choice((0, 1, 1, 2))))
            await vote(store, name, *options)
            last[name] = options

    await asyncio.gather(*(reader(f"r{number}") for number in range(READERS)))

    counts, _ = await tally(store)
    stored = await store.read(lambda conn: {each.reader_id: tuple(each.options) for each in votes.page(conn, GAME)})
    assert stored == {name: options for name, options in last.items() if options}
    assert counts == Counter(option for options in last.values() for option in options)
    assert await tally(store, poll="p2") == ({}, 0)
    await vote(store, "r0", "a", poll="p0")
    listed, after = [], None
    while some := await store.read(partial(votes.page, game_id=GAME, after=after, limit=7)):
        listed, after = listed + some, some[-1]
    assert listed == await store.read(partial(votes.page, game_id=GAME))
    assert len(listed) == len(stored) + 1
    assert (await store.read(lambda conn: votes.changes(conn, [GAME, "gnone"]))).keys() == {GAME}


@ALIKE
async def test_results_are_read_as_they_stood_and_leave_with_the_liveblog(store, clock):
    """One row a second is kept of what stood; an unchanged vote writes nothing; a deleted liveblog loses its votes in steps."""
    await store.write(partial(insert_game, game=new_game()))
    start = int(clock.now)
    stood = {}
    for second, (reader, options) in enumerate(
        [("r1", "a"), ("r2", "b"), ("r1", "b"), ("r1", "b"), ("r2", ""), ("r3", "a")]
    ):
        clock.now = start + 2 * second + 0.5
        await vote(store, reader, "c")
        await vote(store, reader, *options)
        stood[start + 2 * second + 1] = await tally(store)

    for moment, found in stood.items():
        assert await tally(store, at=moment) == await tally(store, at=moment + 1) == found
    assert await tally(store, at=start) == ({}, 0)
    before = await tally(store)
    assert (await vote(store, "r3", "a")).options == ("a",)
    assert await tally(store) == before
    assert await store.read(partial(votes.changes, game_ids=[GAME]), at=start + 1) == {GAME: {"p1": 2}}

    await store.write(partial(history.purge, before=start + 5))
    assert await tally(store, at=start + 7) == stood[start + 7]

    assert not await store.write(votes.purge)
    await store.write(partial(record, game_id=GAME, change=Change(local_status=LocalStatus.DELETED)))
    steps = 0
    while await store.write(partial(votes.purge, limit=1)):
        steps += 1
    assert steps == 3  # two votes, and the step that finds none
    assert await store.read(lambda conn: conn.execute(poll_votes.select()).all()) == []
    assert await tally(store, at=start + 11) == ({}, 0)
