"""Accounts, sessions and tries on both databases: whoever writes at once, a count is exact and an end is an end."""

import asyncio
from functools import partial

import pyotp
import pytest
from sqlalchemy import select, text

from mapping.desk.account_roles import AccountRole
from mapping.errors import Conflict, RateLimited
from store.accounts import accounts, audit, second_factors, sessions, sign_in_steps, sign_in_tries
from store.accounts.accounts import AccountSpec
from store.accounts.tables import accounts as table
from tests.kit import matchday
from tests.store.conftest import ALIKE, BOTH

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"
SPEC = AccountSpec(organization_id=matchday.ORGANIZATION, email="Kim@Example.org ", name="Kim", role=AccountRole.EDITOR)


@pytest.fixture
async def account(store):
    return await store.write(partial(accounts.create, spec=SPEC))


@ALIKE
async def test_an_address_belongs_to_one_account(store, account):
    """However it is written; its id is none of a client."""
    with pytest.raises(Conflict):
        await store.write(partial(accounts.create, spec=SPEC))

    found = await store.read(partial(accounts.find_by_email, email="KIM@EXAMPLE.ORG"))
    assert found == account
    assert found.email == "kim@example.org"
    assert found.id.startswith("person.")


@ALIKE
async def test_a_session_is_found_by_its_token_as_long_as_it_lasts(store, account, clock):
    """Not by its id, nor by its hash; not when it is over, idle, or the account is disabled."""
    token = await store.write(partial(sessions.begin, account_id=account.id, browser="x", lasts=1000))
    find = partial(sessions.find, idle=100)

    (row,) = await store.read(partial(sessions.of_account, account_id=account.id, now=clock.now, idle=100))
    assert await store.read(partial(find, token=token, now=clock.now)) == row
    for wrong in (row.id, sessions.token_digest(token), token[:-1], ""):
        assert await store.read(partial(find, token=wrong, now=clock.now)) is None
    assert await store.read(partial(find, token=token, now=clock.now + 101)) is None
    clock.now += 90
    await store.write(partial(sessions.touch, session_id=row.id))
    assert await store.read(partial(find, token=token, now=clock.now + 90)) is not None
    assert await store.read(partial(sessions.find, token=token, now=clock.now + 1000, idle=5000)) is None
    await store.write(partial(accounts.change, account_id=account.id, disabled_at=1))
    assert await store.read(partial(find, token=token, now=clock.now)) is None


@ALIKE
async def test_an_account_of_another_version_is_nobodys(store, account, clock):
    """A role that this one does not know opens nothing, and breaks no list."""
    token = await store.write(partial(sessions.begin, account_id=account.id, browser="x", lasts=1000))
    await store.write(lambda unit: unit.conn.execute(table.update().values(role="owner")))

    assert await store.read(partial(sessions.find, token=token, now=clock.now, idle=100)) is None
    assert await store.read(accounts.list_accounts) == []


@BOTH
async def test_tries_at_once_are_counted_one_by_one(store):
    """Of twenty at once as many pass as the delay lets, whichever database and however many connections."""
    delays = {sign_in_tries.try_key("kim", "n"): {5: 60}, sign_in_tries.try_key("", "n"): {100: 60}}

    async def attempt():
        try:
            await store.write(partial(sign_in_tries.begin, delays=delays))
        except RateLimited as error:
            return error.retry_after
        return 0

    waits = await asyncio.gather(*(attempt() for _ in range(20)))

    assert waits.count(0) == 5
    assert {round(each) for each in waits} == {0, 60}


@ALIKE
async def test_a_clock_that_was_a_day_ahead_makes_nobody_wait_a_day(store, clock):
    """A failure of then costs what as many failures of now do: one nothing, two the delay of two."""
    begin = partial(sign_in_tries.begin, delays={sign_in_tries.try_key("kim", "n"): {2: 60}})
    clock.now += 86_400
    await store.write(begin)
    clock.now -= 86_400
    await store.write(begin)
    clock.now += 86_400 * 2
    for _ in range(2):
        await store.write(begin)
    clock.now -= 86_400
    with pytest.raises(RateLimited) as refused:
        await store.write(begin)

    assert refused.value.retry_after == 60


@ALIKE
async def test_a_success_forgives_and_a_day_forgets(store, clock):
    """What has been forgiven, or is a day old, counts no more; under a key that others share a success is no failure."""
    key, shared = sign_in_tries.try_key("kim", "n"), sign_in_tries.try_key("", "n")
    begin = partial(sign_in_tries.begin, delays={key: {2: 900}, shared: {100: 900}})
    for _ in range(2):
        await store.write(begin)
        await store.write(lambda unit: sign_in_tries.forgive(unit, key, shared=shared))
    assert await store.read(lambda conn: conn.execute(select(sign_in_tries.sign_in_tries)).all()) == []
    await store.write(begin)
    await store.write(begin)
    with pytest.raises(RateLimited):
        await store.write(begin)
    clock.now += sign_in_tries.KEPT + 1
    await store.write(begin)
    clock.now += sign_in_tries.KEPT + 1
    assert not await store.write(sign_in_tries.purge)
    assert await store.read(lambda conn: conn.execute(select(sign_in_tries.sign_in_tries)).all()) == []


@ALIKE
async def test_the_audit_is_read_in_order_and_by_organization(store, account, monkeypatch):
    """All of it, in batches, oldest first."""
    monkeypatch.setattr(audit, "BATCH", 7)
    for n in range(20):
        await store.write(
            partial(audit.record, organization_id="a" if n % 2 else "b", account_id=account.id, operation=f"o{n}")
        )

    found = await store.read(lambda conn: list(audit.all_entries(conn)))
    some = await store.read(lambda conn: list(audit.all_entries(conn, "a")))

    assert [each.operation for each in found] == [f"o{n}" for n in range(20)]
    assert {each.organization_id for each in some} == {"a"}
    assert found[0].email == "kim@example.org"


@BOTH
async def test_codes_and_recovery_codes_count_once_whoever_sends_them_at_once(store, account, clock):
    """Eight sign-ins with one code: one is right; the same with a recovery code, and a used step is used for good."""
    begin = partial(sign_in_steps.begin_set_up, account_id=account.id)
    token, secret = await store.write(partial(begin, has_factor=False))
    app, set_up = pyotp.TOTP(secret), partial(sign_in_steps.set_up, token=token)
    assert await store.write(partial(set_up, entered="000000")) is None
    assert not await store.read(partial(second_factors.has_one, account_id=account.id))
    codes = await store.write(partial(set_up, entered=app.at(int(clock.now))))
    assert await store.read(partial(second_factors.has_one, account_id=account.id))
    use = partial(second_factors.use_code, account_id=account.id)
    assert not await store.write(partial(use, entered=app.at(int(clock.now)))), "its first code counted already"
    clock.now += 30

    for used in (
        partial(use, entered=app.at(int(clock.now))),
        partial(second_factors.use_recovery_code, account_id=account.id, entered=codes[3]),
    ):
        assert sorted(await asyncio.gather(*(store.write(used) for _ in range(8)))) == [False] * 7 + [True]
    assert not await store.write(partial(use, entered=app.at(int(clock.now) - 30))), "of before the one that counted"
    assert await store.read(partial(second_factors.recovery_codes_left, account_id=account.id)) == 9
    await store.write(partial(begin, has_factor=True))
    clock.now += 30
    assert await store.write(partial(use, entered=app.at(int(clock.now)))), "until a code of the new secret is entered"
    assert await store.write(partial(second_factors.remove, account_id=account.id))
    assert not await store.write(partial(use, entered=app.at(int(clock.now))))


@BOTH
async def test_of_those_who_set_up_an_app_at_once_one_has_it(store, account, clock):
    """Eight with secrets of their own: the account has the codes of the one that came first, and the steps of the others end."""
    begin = partial(sign_in_steps.begin_set_up, account_id=account.id, has_factor=False)
    apps = [(token, pyotp.TOTP(secret)) for token, secret in [await store.write(begin) for _ in range(8)]]

    def enter(token, app):
        return store.write(partial(sign_in_steps.set_up, token=token, entered=app.at(int(clock.now))))

    done = await asyncio.gather(*(enter(*each) for each in apps), return_exceptions=True)
    again = await asyncio.gather(*(enter(*each) for each in apps), return_exceptions=True)

    (codes,) = [each for each in done if not isinstance(each, Conflict)]
    assert {type(each) for each in again} == {Conflict}
    clock.now += 30
    use = partial(second_factors.use_code, account_id=account.id)
    used = [await store.write(partial(use, entered=app.at(int(clock.now)))) for _, app in apps]
    assert (len(codes), used) == (10, [each is codes for each in done])


@BOTH
async def test_nobody_begins_to_set_up_an_app_beside_one_that_comes_first(store, account, clock):
    """Whoever knows the password alone waits until the other is there, and is refused then."""
    begin = partial(sign_in_steps.begin_set_up, account_id=account.id, has_factor=False)
    loop, there = asyncio.get_running_loop(), asyncio.Event()
    token, secret = await store.write(begin)

    def enter(unit):
        codes = sign_in_steps.set_up(unit, token, pyotp.TOTP(secret).at(int(clock.now)))
        loop.call_soon_threadsafe(there.set)
        if unit.conn.dialect.name == "postgresql":  # else there is one writer
            assert any(unit.conn.scalar(text(WAITING)) for _ in range(20_000))
        return codes

    first = asyncio.create_task(store.write(enter))
    await there.wait()
    with pytest.raises(Conflict):
        await store.write(begin)
    assert len(await first) == 10


@ALIKE
async def test_a_step_of_a_sign_in_lasts_a_while_and_is_no_session(store, account, clock):
    """It ends with all sessions of the account, by itself, and once it is done; what is over is deleted."""
    begin = partial(sign_in_steps.begin, account_id=account.id)
    find = partial(sign_in_steps.find, now=clock.now)
    first, second = [await store.write(begin) for _ in range(2)]

    assert (await store.read(partial(find, token=first))).account == account
    assert await store.read(partial(find, token=sessions.token_digest(first))) is None
    assert await store.read(partial(sessions.find, token=first, now=clock.now, idle=100)) is None
    assert await store.read(partial(sign_in_steps.find, token=first, now=clock.now + sign_in_steps.LASTS)) is None
    await store.write(partial(sign_in_steps.end, token=first))
    assert await store.read(partial(find, token=first)) is None
    assert (await store.read(partial(find, token=second))).account == account
    await store.write(partial(sessions.end_all, account_id=account.id))
    assert await store.read(partial(find, token=second)) is None
    third = await store.write(begin)
    for disabled_at in (clock.now, None):
        await store.write(partial(accounts.change, account_id=account.id, disabled_at=disabled_at))
        assert (await store.read(partial(find, token=third)) is None) == (disabled_at is not None)
    clock.now += sign_in_steps.LASTS
    assert not await store.write(sign_in_steps.purge)
    clock.now -= 1
    assert await store.read(partial(sign_in_steps.find, token=third, now=clock.now)) is None
