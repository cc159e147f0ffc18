"""The queue of passwords that are checked: who guesses, from however many addresses of a network, waits for itself alone."""

import asyncio
import hashlib
import os
import random
import threading
import time
from collections import Counter
from functools import partial

import pytest
import structlog

from api.desk import passwords
from api.desk.credential_checks import wide_network
from api.desk.passwords import WAITING, PasswordChecks, PasswordQueue, PasswordsBusy, is_leaked, verify_password
from store.accounts import sign_in_tries
from tests.api.conftest import contents
from tests.api.desk.conftest import desk_at
from tests.kit.people import PASSWORD, add_account, from_address, real_hasher, signed_in


class Turns:
    """A queue whose turns a test ends one by one."""

    def __init__(self, at_once: int) -> None:
        self.queue = PasswordQueue(at_once)
        self.running: list[tuple[str, bool]] = []
        self.refused = 0

    async def try_from(self, network: str, *, known: bool = False) -> asyncio.Task[None]:
        async def wait() -> None:
            try:
                await self.queue.enter(network, known=known)
            except PasswordsBusy:
                self.refused += 1
            else:
                self.running.append((network, known))

        task = asyncio.ensure_future(wait())
        await asyncio.sleep(0)
        return task

    async def end_one(self) -> None:
        network, known = self.running.pop(0)
        self.queue.leave(network, known=known)
        await asyncio.sleep(0)


@pytest.mark.parametrize("at_once", [1, 2, 3])
async def test_a_network_that_floods_makes_others_wait_for_one_of_its_tries(at_once):
    """Sixty tries a second for a minute, of which ten are checked: whoever comes from elsewhere has the very next turn."""
    turns = Turns(at_once)
    for _ in range(60):
        for _ in range(60):
            await turns.try_from("2001:db8:1::/48")
        person = await turns.try_from("198.51.100.0/24")
        assert not person.done()
        await turns.end_one()
        assert turns.running[-1] == ("198.51.100.0/24", False)
        for _ in range(9):
            await turns.end_one()

    assert turns.refused > 2900
    while turns.running:
        await turns.end_one()
    assert turns.queue.__dict__ == PasswordQueue(at_once).__dict__, "all turns are given back, and nobody is kept"


async def test_networks_from_which_somebody_has_signed_in_have_a_share():
    """Against very many networks at once too: others that are new are refused, those that are known have the next turn."""
    turns = Turns(1)
    for number in range(1 + WAITING):
        await turns.try_from(f"10.0.{number}.0/24")
    assert turns.refused == 0
    await turns.try_from("198.51.100.0/24")
    assert turns.refused == 1
    for _ in range(3):
        await turns.try_from("192.0.2.0/24", known=True)
        await turns.end_one()
        assert turns.running[-1] == ("192.0.2.0/24", True)
        await turns.end_one()
        assert turns.running[-1][1] is False, "by turns"


async def test_whoever_goes_away_takes_no_turn():
    """Neither while it waits, nor in the moment in which it would have begun; one that has begun keeps its thread."""
    turns = Turns(1)
    await turns.try_from("a")
    gone, granted = await turns.try_from("b"), await turns.try_from("c")
    gone.cancel()
    await asyncio.sleep(0)
    turns.running.clear()
    turns.queue.leave("a", known=False)
    granted.cancel()
    await asyncio.sleep(0)
    await turns.try_from("d")
    assert turns.running == [("d", False)]

    running, most, go = [], [], threading.Event()

    def work():
        running.append(1)
        most.append(len(running))
        go.wait(10)
        running.pop()

    checks = PasswordChecks(1)
    tries = [
        asyncio.ensure_future(checks.in_turn("a", partial(checks._in_thread, work), known=False)) for _ in range(3)
    ]
    await asyncio.sleep(0)
    tries[0].cancel()
    go.set()
    await asyncio.gather(*tries, return_exceptions=True)
    assert most == [1, 1, 1]


async def test_of_a_flood_no_more_is_stored_than_is_checked(server, monkeypatch):
    """Two hundred tries from one network: few find room, the others leave nothing; meanwhile somebody signs in from elsewhere."""
    await add_account(server.store)
    go = threading.Event()

    def held(stored, password):
        go.wait(10)
        return verify_password(stored, password)

    monkeypatch.setattr(passwords, "verify_password", held)
    flood = [
        asyncio.ensure_future(from_address(server, f"2001:db8:1:{number:x}::1", f"name{number}@example.org", "guess"))
        for number in range(200)
    ]
    while sum(each.done() for each in flood) < 200 - 2 - 2 * WAITING:
        await asyncio.sleep(0.01)
    person = asyncio.ensure_future(from_address(server, "198.51.100.7"))
    while sum(each.done() for each in flood) < 200 - 1 - 2 * WAITING:
        await asyncio.sleep(0.01)
    go.set()

    assert (await person).status_code == 303
    statuses = [each.status_code for each in await asyncio.gather(*flood)]
    assert (statuses.count(403), statuses.count(429)) == (1 + 2 * WAITING, 199 - 2 * WAITING)
    rows = (await contents(server))["sign_in_tries"]
    assert len(rows) == 2 * statuses.count(403) + 1, "of the person, that it has signed in there"


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("198.51.100.7", "198.51.100.0/24"),
        ("2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_what_one_customer_may_have_is_one_network(address, network):
    """Of an address of IPv4, or of the network of an address of IPv6."""
    assert wide_network(address) == network


async def test_a_network_is_known_once_somebody_has_signed_in_from_it(server):
    """Its neighbours too, for ninety days, whatever an operator forgets; failures make nobody known."""
    await add_account(server.store)
    await from_address(server, "203.0.113.9", password="guess")
    await from_address(server, "198.51.100.7")

    async def known(network, later=0):
        return await server.store.read(partial(sign_in_tries.has_signed_in, network=network, now=server.now + later))

    assert await server.store.write(sign_in_tries.forgive_all) == 2
    server.now += 2 * 86_400
    await server.store.write(sign_in_tries.purge)
    assert [await known("198.51.100.0/24"), await known("203.0.113.0/24")] == [True, False]
    assert not await known("198.51.100.0/24", 89 * 86_400)
    server.now += 90 * 86_400
    await server.store.write(sign_in_tries.purge)
    assert (await contents(server))["sign_in_tries"] == []


@pytest.mark.soak
async def test_sixty_tries_a_second_delay_nobody_else_by_two_seconds(server, monkeypatch):
    """For a minute, from one network and with hashes as they are made; somebody from elsewhere signs in again and again."""
    monkeypatch.setattr(passwords, "password_hasher", real_hasher)
    passwords._nobodys_hash.cache_clear()
    await add_account(server.store, password_hash=passwords.hash_password(PASSWORD))
    begun, flood, waited = time.monotonic(), [], []

    async def guess():
        for number in range(3600):
            await asyncio.sleep(max(0, begun + number / 60 - time.monotonic()))
            sent = from_address(server, f"2001:db8:1:{number:x}::1", f"name{number}@example.org", "guess")
            flood.append(asyncio.ensure_future(sent))

    guessing = asyncio.ensure_future(guess())
    while not guessing.done():
        await asyncio.sleep(0.2)
        before = time.monotonic()
        assert (await from_address(server, "198.51.100.7")).status_code == 303
        waited.append(time.monotonic() - before)
    statuses = Counter(each.status_code for each in await asyncio.gather(*flood))
    passwords._nobodys_hash.cache_clear()

    waited.sort()
    figures = {"times": len(waited), "middle": waited[len(waited) // 2], "longest": waited[-1], "flood": dict(statuses)}
    structlog.get_logger().info("test.sign_ins_beside_a_flood", **figures)
    assert waited[-1] <= 2


LEAKED = "correct horse battery staple"


def digest(password):
    return hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper()


def write_list(path, passwords, *, end="\r\n", last=True):
    """The file as it is downloaded: sorted hashes, each with how often it leaked."""
    draw = random.Random(4)
    text = end.join(
        f"{each}:{draw.randrange(1, 10 ** draw.randrange(1, 9))}" for each in sorted(map(digest, passwords))
    )
    path.write_text(text + (end if last else ""), newline="")
    return str(path)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 500])
@pytest.mark.parametrize(("end", "last"), [("\r\n", True), ("\n", False)])
def test_each_of_a_list_is_found_and_no_other(tmp_path, count, end, last):
    """The first, the last and all between, whatever ends the lines and the file."""
    listed = [f"password {n}" for n in range(count)]
    path = write_list(tmp_path / "list", listed, end=end, last=last)

    assert all(is_leaked(path, each) for each in listed)
    assert not any(is_leaked(path, f"{each}!") for each in listed)


@pytest.mark.parametrize("content", [b"", b"\n", b"\n\n\n", b"x", b"no hashes at all\n" * 50, os.urandom(5000)])
def test_what_is_no_list_refuses_nothing(tmp_path, content):
    """And comes to an end."""
    path = tmp_path / "list"
    path.write_bytes(content)

    assert not is_leaked(str(path), LEAKED)


def test_without_a_file_nothing_is_looked_up_and_one_that_is_gone_is_logged(tmp_path):
    """Without the password, of course."""
    assert not is_leaked(None, LEAKED)
    with structlog.testing.capture_logs() as lines:
        assert not is_leaked(str(tmp_path / "none"), LEAKED)

    assert [each["event"] for each in lines] == ["desk.leaked_passwords_unreadable"]
    assert LEAKED not in str(lines)


async def test_a_leaked_password_is_refused(tmp_path):
    """At the desk, with the reason; another one is taken, and the one that the person has goes on."""
    path = write_list(tmp_path / "list", [LEAKED, PASSWORD, *map(str, range(50))])
    async with desk_at(tmp_path, desk__leaked_passwords=path) as server:
        browser = await signed_in(server, await add_account(server.store))

        refused = await browser.submit("/desk/account/password", {"password": PASSWORD, "new_password": LEAKED})
        taken = await browser.submit(
            "/desk/account/password", {"password": PASSWORD, "new_password": f"{LEAKED}, and so on"}
        )

    assert refused.status_code == 422
    assert "have leaked" in refused.text
    assert taken.status_code == 303
