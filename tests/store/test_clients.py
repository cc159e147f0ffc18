"""Clients, declared and created, their secrets, and idempotency keys."""

from functools import partial

import pytest

from mapping.errors import Conflict, NotFound
from store.clients import clients, idempotency
from store.clients.clients import ClientSpec, hash_secret
from tests.store.conftest import ALIKE


def spec(client_id, *secrets, scopes=("read",)):
    return ClientSpec(
        id=client_id, secrets=tuple(map(hash_secret, secrets)), organizations=("o1", "o2"), scopes=tuple(scopes)
    )


def declaring(*specs):
    return partial(clients.declare, declared=specs)


def creating(value):
    return partial(clients.create, spec=value)


async def find(store, client_id):
    return await store.read(partial(clients.find, client_id=client_id))


def test_secrets_are_stored_as_sha256():
    """The hash is the published one, so that `matchwire clients hash` and others agree."""
    assert hash_secret("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@ALIKE
async def test_declared_clients_are_exactly_those_of_the_configuration(store):
    """A second declaration changes, adds and removes; clients created by command are not touched."""
    await store.write(creating(spec("cli", "s0")))
    await store.write(declaring(spec("a", "s1"), spec("b", "s2")))
    await store.write(declaring(spec("b", "s3", scopes=("read", "write")), spec("c", "s4")))

    changed = await find(store, "b")
    assert [row.id for row in await store.read(clients.list_clients)] == ["b", "c", "cli"]
    assert (changed.secrets, changed.scopes, changed.organizations, changed.declared) == (
        (hash_secret("s3"),),
        ("read", "write"),
        ("o1", "o2"),
        True,
    )
    assert (await find(store, "cli")).declared is False
    assert await find(store, "a") is None


@ALIKE
async def test_an_id_cannot_be_declared_and_created(store):
    """Neither way takes over a client of the other, and nothing of the declaration stays."""
    await store.write(creating(spec("cli", "s0")))
    with pytest.raises(Conflict, match="cli"):
        await store.write(declaring(spec("a", "s1"), spec("cli", "s1")))
    assert await find(store, "a") is None

    await store.write(declaring(spec("a", "s1")))
    with pytest.raises(Conflict):
        await store.write(creating(spec("a", "s1")))
    for change in (partial(clients.rotate, client_id="a", secret_hash="x"), partial(clients.revoke, client_id="a")):
        with pytest.raises(Conflict, match="declared"):
            await store.write(change)


@ALIKE
async def test_a_rotation_keeps_two_secrets_alive(store):
    """The newest two count, the one before is gone."""
    await store.write(creating(spec("cli", "s1")))
    for secret in ("s2", "s3"):
        await store.write(partial(clients.rotate, client_id="cli", secret_hash=hash_secret(secret)))

    assert (await find(store, "cli")).secrets == (hash_secret("s2"), hash_secret("s3"))


@ALIKE
async def test_a_revoked_client_is_as_unknown_as_one_that_never_was(store):
    """Nothing finds it, nothing rotates it, its id is not given again, and no hash is left."""
    await store.write(creating(spec("cli", "s1")))
    await store.write(partial(clients.revoke, client_id="cli"))

    assert await find(store, "cli") is None
    assert await find(store, "nobody") is None
    with pytest.raises(NotFound):
        await store.write(partial(clients.rotate, client_id="cli", secret_hash="x"))
    with pytest.raises(NotFound):
        await store.write(partial(clients.revoke, client_id="nobody"))
    with pytest.raises(Conflict):
        await store.write(creating(spec("cli", "s2")))
    assert [(row.revoked_at, row.secrets) for row in await store.read(clients.list_clients)] == [(1_700_000_000, ())]


def saving(key, client="c1", organization="o1", game="g1"):
    names = {"organization_id": organization, "client_id": client, "key": key}
    return partial(idempotency.save, **names, digest="d1", game_id=game)


@ALIKE
async def test_keys_are_forgotten_after_seven_days(store, clock):
    """A key lives a week, not less; then the same key is new."""
    await store.write(saving("old"))
    clock.now += 7 * 86_400
    await store.write(saving("day seven"))
    assert await store.read(lambda conn: idempotency.find(conn, "o1", "c1", "old"))
    clock.now += 1
    await store.write(saving("later"))

    assert await store.read(lambda conn: idempotency.find(conn, "o1", "c1", "old")) is None
    await store.write(saving("old"))
