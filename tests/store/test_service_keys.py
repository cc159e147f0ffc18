"""Secrets that the service makes for itself: made once, rotated, and what was signed before holds until the next time."""

from dataclasses import replace

import httpx
import pytest
from sqlalchemy import delete, insert

from api.app import create_app
from mapping.errors import NotFound, Unauthorized
from mapping.readers import reader_token
from mapping.readers.reader_token import VerifiedReader
from mapping.rules.image_address import ImageOptions, ImageRequest, image_path, read_path
from store.clients import clients, service_keys
from store.tables import service_keys as table
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.store.conftest import ALIKE

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
