"""Signing in by password: the cookie, what is said to whom, where one is led, and how often one may try."""

import asyncio
from functools import partial

import pytest
import structlog
from argon2 import PasswordHasher

from api.desk import passwords
from api.desk.cookies import LOOPBACK, PROTECTED, cookie_kind
from api.desk.credential_checks import OF_ACCOUNT
from api.desk.passwords import verify_password
from store.accounts import accounts, sessions
from tests.api.conftest import NOW, contents, serving
from tests.kit.people import (
    EMAIL,
    PASSWORD,
    SignedInBrowser,
    add_account,
    from_address,
    real_hasher,
    session_of,
    signed_in,
    try_password,
)

ABROAD = "203.0.113.9"


async def test_an_editor_signs_in_and_is_led_on(server):
    """Without the slightest difference in how the address is written; the first page says who is signed in."""
    await add_account(server.store)

    response = await try_password(server, " KIM@example.org ", next="/desk/account")

    assert response.status_code == 303
    assert response.headers["location"] == "../desk/account"
    browser = SignedInBrowser(server.http, session_of(response))
    page = await browser.send("GET", "/desk")
    assert page.status_code == 200
    assert "Kim Example" in page.text


async def test_the_cookie_is_for_this_host_alone_and_no_script(server):
    """By its prefix, its attributes, and no word of whose it is; the token is stored nowhere."""
    await add_account(server.store)

    response = await try_password(server)

    (header,) = response.headers.get_list("set-cookie")
    name, _, rest = header.partition("=")
    assert name == "__Host-matchwire-desk"
    assert set(rest.split("; ")[1:]) == {"Path=/", "HttpOnly", "SameSite=Lax", "Secure"}
    token = session_of(response)
    assert len(token) >= 43
    assert not any(token in str(tuple(row)) for rows in (await contents(server)).values() for row in rows)


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("https://live.example.org/blogs/", PROTECTED), ("http://127.0.0.1:8080", LOOPBACK),
        ("http://[::1]:8080", LOOPBACK), ("http://localhost:8080", LOOPBACK), ("http://desk.localhost", LOOPBACK),
        ("http://live.example.org", None), ("http://10.0.0.5:8080", None), ("http://127.0.0.1.example.org", None),
        ("http://0.0.0.0:8080", None),
    ],
)  # fmt: skip
def test_cookies_go_over_https_or_stay_on_this_machine(address, kind):
    """Elsewhere nobody signs in: the password would cross a network in the clear."""
    assert cookie_kind(address) is kind


async def test_nobody_signs_in_where_passwords_would_be_read_on_the_way(store):
    """The page says so, and a form that is sent all the same is refused."""
    async with serving(store, public_url="http://10.0.0.5:8080") as server:
        await add_account(server.store)

        page = await server.http.get("/desk/sign-in")

        assert "https" in page.text
        assert "<form" not in page.text
        assert (await try_password(server)).status_code == 403


async def test_no_desk_is_no_door(store):
    """Switched off there are no pages, and a session opens nothing."""
    account = await add_account(store)
    async with serving(store, desk__enabled=False, client_per_second=0, public_per_second=0) as server:
        browser = await signed_in(server, account)

        assert (await server.http.get("/desk/sign-in")).status_code == 404
        assert (await browser.send("GET", "/api/v5/write/ticker/search.json")).status_code == 401


async def test_wrong_unknown_disabled_and_without_a_password_are_said_alike(server):
    """No answer says whether there is an account."""
    await add_account(server.store)
    gone = await add_account(server.store, "gone@example.org")
    await server.store.write(partial(accounts.change, account_id=gone.id, disabled_at=NOW))
    elsewhere = await add_account(server.store, "sso@example.org")
    await server.store.write(partial(accounts.change, account_id=elsewhere.id, password_hash=None))

    tries = [
        await try_password(server, EMAIL, "not the password"),
        await try_password(server, "nobody@example.org"),
        await try_password(server, "gone@example.org"),
        await try_password(server, "sso@example.org"),
        await try_password(server, "sso@example.org", "nobody has this password"),
        await try_password(server, "", ""),
    ]

    assert {each.status_code for each in tries} == {403}
    assert not any("set-cookie" in each.headers for each in tries)
    pages = {
        each.text.replace("nobody@", "x@").replace("gone@", "x@").replace("sso@", "x@").replace("kim@", "x@")
        for each in tries[:4]
    }
    assert len(pages) == 1


async def test_an_account_of_an_organization_that_is_not_configured_is_nobodys(server):
    """It may come back with its organization; until then nobody signs in, and sessions of before open nothing."""
    account = await add_account(server.store, organization="5f0c1de2a1b2c3d4e5f60777")

    assert (await try_password(server)).status_code == 403
    browser = await signed_in(server, account)
    assert (await browser.send("GET", "/desk")).status_code == 303


def test_the_work_is_the_same_for_nobodys_password(monkeypatch):
    """One check of the same parameters, whoever is meant: for an account, none, one without a password, one that is broken."""
    checked = []
    real = real_hasher()
    stored_hash = real.hash(PASSWORD)
    monkeypatch.setattr(passwords, "password_hasher", real_hasher)
    passwords._nobodys_hash.cache_clear()
    verify_password(None, PASSWORD)

    class Counting:
        check_needs_rehash, hash = real.check_needs_rehash, real.hash

        def verify(self, stored, password):
            checked.append(stored.split("$")[1:4])
            return real.verify(stored, password)

    monkeypatch.setattr(passwords, "password_hasher", Counting)

    for stored in (stored_hash, None):
        verify_password(stored, "wrong all the same")

    assert checked == [["argon2id", "v=19", "m=65536,t=3,p=4"]] * 2
    assert verify_password("no hash at all", PASSWORD) == (False, None)
    passwords._nobodys_hash.cache_clear()


def test_a_hash_of_older_parameters_is_made_anew():
    """When its password is given, the only moment at which it is known."""
    older = PasswordHasher(time_cost=1, memory_cost=8192, parallelism=1).hash(PASSWORD)

    opens, better = verify_password(older, PASSWORD)

    assert opens
    assert verify_password(better, PASSWORD) == (True, None)


async def test_signing_in_ends_the_browsers_session_of_before(server):
    """A token that somebody has put there before is worth nothing afterwards, and never becomes a session."""
    account = await add_account(server.store)
    other = await add_account(server.store, "attacker@example.org")
    planted = await signed_in(server, other)

    response = await try_password(server, headers={"Cookie": f"{planted.name}={planted.token}"})
    fixed = await try_password(server, headers={"Cookie": f"{planted.name}=chosen-by-somebody-else"})

    assert session_of(response) != planted.token
    assert session_of(fixed) != "chosen-by-somebody-else"
    assert (await planted.send("GET", "/desk")).status_code == 303
    mine = await server.store.read(partial(sessions.of_account, account_id=account.id, now=NOW, idle=1000))
    assert len(mine) == 2


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "/desk//evil.example", "/desk/../x",
        "/desk/..%2f..", "javascript:alert(1)", "/desk\n//evil.example", "/desk\r\nLocation: https://evil.example",
        " https://evil.example", "/desk@evil.example", "/deskevil", "desk", "/", "", "/desk/%2f%2fevil.example",
        "https:/desk", "/\tevil.example", "http:///evil.example", "/desk?next=//evil.example#x", "x" * 3000, "/api/v5/write",
    ],
)  # fmt: skip
async def test_nobody_is_led_to_another_site(server, wanted):
    """Whatever `next` says: to the desk's first page, by the form and where one is signed in already."""
    account = await add_account(server.store)

    response = await try_password(server, next=wanted)
    browser = await signed_in(server, account)
    led = await browser.send("GET", "/desk/sign-in", params={"next": wanted})
    page = await server.http.get("/desk/sign-in", params={"next": wanted})

    assert (response.status_code, response.headers["location"]) == (303, "../desk")
    assert (led.status_code, led.headers["location"]) == (303, "../desk")
    assert 'name="next" value="/desk"' in page.text


async def test_whoever_opens_a_page_is_led_back_to_it(server):
    """With its query; the sign-in of the first page needs none."""
    first = await server.http.get("/desk")
    account = await server.http.get("/desk/account?done=password")

    assert first.headers["location"] == "desk/sign-in"
    assert account.headers["location"] == "../desk/sign-in?next=%2Fdesk%2Faccount%3Fdone%3Dpassword"
    page = await server.http.get("/desk/sign-in?next=%2Fdesk%2Faccount%3Fdone%3Dpassword")
    assert 'name="next" value="/desk/account?done=password"' in page.text


async def fail(server, times, email=EMAIL, **more):
    return [await try_password(server, email, f"guess number {n}", **more) for n in range(times)]


async def test_guessing_is_slowed_down_ever_more(server):
    """From the fifth failure on; while one waits nothing is checked, not even the right password."""
    await add_account(server.store)

    failed = await fail(server, 5)
    waits = await try_password(server)

    assert [each.status_code for each in failed] == [403] * 5
    assert waits.status_code == 429
    assert waits.headers["retry-after"] == "1"
    assert "set-cookie" not in waits.headers
    server.now += 2
    assert (await try_password(server)).status_code == 303
    assert list(OF_ACCOUNT.values()) == sorted(OF_ACCOUNT.values())
    assert max(OF_ACCOUNT.values()) == 900


async def test_who_guesses_locks_out_neither_the_owner_nor_anybody_else(server):
    """The account's owner signs in from elsewhere, and colleagues on the network of whoever guesses do so too."""
    await add_account(server.store)
    await add_account(server.store, "lee@example.org")
    for _ in range(12):
        await from_address(server, ABROAD, password="guess")
        server.now += 70

    assert (await from_address(server, ABROAD)).status_code == 429
    assert (await from_address(server, "198.51.100.7")).status_code == 303
    assert (await from_address(server, ABROAD, "lee@example.org")).status_code == 303


async def test_one_network_waits_for_seconds_whatever_it_tries(server):
    """Many names, one try each: of a network that is shared nobody waits long."""
    await add_account(server.store)
    for n in range(70):
        response = await from_address(server, ABROAD, f"name{n}@example.org", "guess")
        server.now += 9 if response.status_code == 429 else 0

    response = await from_address(server, ABROAD)

    assert response.status_code == 429
    assert 1 <= int(response.headers["retry-after"]) <= 8


async def test_right_sign_ins_make_no_colleague_wait(server):
    """Many from one network; and failures of it count for a day, also where it never rests."""
    await add_account(server.store)
    for _ in range(25):
        assert (await from_address(server, ABROAD)).status_code == 303
    assert [row for row in (await contents(server))["sign_in_tries"] if row["failures"]] == []
    for number in range(12):
        guesses = [await from_address(server, ABROAD, f"name{number}@example.org", "guess") for _ in range(4)]
        assert {each.status_code for each in guesses} == {403}
        server.now += 40_000


async def test_who_guesses_and_has_an_account_waits_all_the_same(server):
    """Signing in now and then makes no guess for other names free."""
    await add_account(server.store)
    statuses = set()
    for n in range(4):
        for guess in range(9):
            statuses.add((await from_address(server, ABROAD, f"name{n}-{guess}@example.org", "guess")).status_code)
        await from_address(server, ABROAD)

    assert statuses == {403, 429}


@pytest.mark.parametrize(
    ("tried", "same", "other"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::1", "2001:db8:1:3::1"),
        (f"::ffff:{ABROAD}", ABROAD, "::ffff:198.51.100.7"),
    ],
)
async def test_addresses_count_as_the_network_of_a_customer(server, tried, same, other):
    """Who has IPv6 has 2⁶⁴ of them; one of IPv4 is itself, however a proxy writes it."""
    await add_account(server.store)
    for _ in range(5):
        await from_address(server, tried, password="guess")

    assert (await from_address(server, same)).status_code == 429
    assert (await from_address(server, other)).status_code == 303


async def test_tries_at_once_are_all_counted(server):
    """Each counts before its password is looked at, so that none slips through beside others."""
    await add_account(server.store)

    tried = await asyncio.gather(*(try_password(server, password=f"guess {n}") for n in range(12)))

    checked = [each for each in tried if each.status_code == 403]
    assert len(checked) <= 5
    assert {each.status_code for each in tried} <= {403, 429}


async def test_no_log_line_holds_a_password_a_token_or_an_address(server):
    """Whether it works or not: logs name accounts by their ids."""
    await add_account(server.store)
    with structlog.testing.capture_logs() as lines:
        response = await try_password(server)
        await try_password(server, password="wrong password here")
        browser = SignedInBrowser(server.http, session_of(response))
        await browser.submit("/desk/account/password", {"password": PASSWORD, "new_password": "another good long one"})

    text = str(lines)
    assert "desk.signed_in" in text
    for secret in (PASSWORD, "wrong password here", "another good long one", browser.token, EMAIL):
        assert secret not in text
