"""Sessions: how long they last, how they end, and what other sites can make a browser do with them."""

import time
from functools import partial

import pytest

from api.desk.desk_routes import DESK_ROUTES
from api.routes import ROUTES
from mapping.desk.account_roles import AccountRole
from mapping.desk.password_rules import PasswordFault, common_passwords, password_fault
from store.accounts import accounts, audit, sessions
from tests.api.conftest import NOW, contents, serving
from tests.kit import matchday
from tests.kit.desk import news
from tests.kit.event_desk import post
from tests.kit.people import EMAIL, PASSWORD, SignedInBrowser, add_account, session_of, signed_in, try_password

SEARCH = "/api/v5/write/ticker/search.json"
CREATE = "/api/v5/write/ticker/create.json"
BEFORE = ("/desk/sign-in", "/desk/sign-in/code")
"""Forms of whoever is not signed in yet."""
FORMS = [row.path for row in DESK_ROUTES if row.method == "POST" and row.path not in BEFORE]


@pytest.fixture
async def account(server):
    return await add_account(server.store)


@pytest.fixture
async def browser(server, account):
    return await signed_in(server, account)


async def test_readers_see_nobody(store):
    """No public answer names a person: neither by id, by name nor by e-mail address."""
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True) as server:
        browser = await signed_in(server, account := await add_account(store))
        name = (await browser.send("POST", CREATE, json=news())).json()["local_id"]
        await browser.send(
            "POST", "/api/v5/write/event/create.json", params={"ticker_local_id": name}, json=post("It rains.")
        )
        query = {"liveblogId": name}
        for path, parameters in (
            (f"/liveblogs/{name}", {}),
            ("/api/embed/v4/feed.json", query),
            ("/api/embed/v4/delta.json", {"id": name}),
            *((row.path, query) for row in ROUTES if row.access == "feed"),
        ):
            response = await server.http.get(path, params=parameters)
            for known in (account.id, "Kim Example", EMAIL):
                assert known not in response.text, path


async def test_public_answers_are_the_same_with_and_without_a_session(store):
    """The cookie is looked at where a session counts, and nowhere else: the bytes are the same, and no header says whose."""
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True) as server:
        await server.add(matchday.derby())
        browser = await signed_in(server, await add_account(store))
        for path in ("/", "/liveblogs/gderby", "/liveblogs/gderby/snippets", "/docs", "/openapi.json"):
            alone, known = await server.http.get(path), await browser.send("GET", path)
            own = ("x-request-id", "ratelimit-remaining")
            heads = [{k: v for k, v in each.headers.items() if k not in own} for each in (alone, known)]
            assert (alone.status_code, alone.content, heads[0]) == (known.status_code, known.content, heads[1]), path
            assert "set-cookie" not in known.headers


async def test_a_clients_secret_goes_before_a_session(server, browser, auth):
    """What is given on purpose counts: the client and its scopes, whomever the page was made for."""
    response = await browser.send("POST", CREATE, params=auth, json=news(), headers={"X-Account": None})

    assert response.status_code == 200
    wrong = await browser.send("GET", SEARCH, params={**auth, "client_secret": "wrong"})
    assert wrong.status_code == 401


ELSEWHERE = {
    "another site": {"Sec-Fetch-Site": "cross-site"},
    "a sub-domain beside": {"Sec-Fetch-Site": "same-site"},
    "typed by hand": {"Sec-Fetch-Site": "none"},
    "an old browser at another site": {"Sec-Fetch-Site": None, "Origin": "https://evil.example"},
    "an old browser at a sub-domain": {"Sec-Fetch-Site": None, "Origin": "https://live.example.org.evil.example"},
    "another scheme": {"Sec-Fetch-Site": None, "Origin": "http://live.example.org"},
    "another port": {"Sec-Fetch-Site": None, "Origin": "https://live.example.org:8443"},
    "no origin": {"Sec-Fetch-Site": None, "Origin": "null"},
    "neither header": {"Sec-Fetch-Site": None},
    "both, and only one is right": {"Sec-Fetch-Site": "cross-site", "Origin": "https://live.example.org"},
}


@pytest.mark.parametrize("site", ELSEWHERE)
async def test_no_other_site_writes_with_a_session(server, browser, site):
    """Even if it knows the account; nothing is written, and nobody is signed in or out."""
    before, let_in = await contents(server), []
    for path in (CREATE, *FORMS, *BEFORE):
        response = await browser.submit(path, {"email": EMAIL, "password": PASSWORD}, headers=ELSEWHERE[site])
        if response.status_code != 403 or "set-cookie" in response.headers:
            let_in.append(path)

    assert let_in == []
    assert await contents(server) == before


async def test_a_browser_without_the_newer_header_is_known_by_its_origin(server, browser):
    """That of the public address, or of the address that it has used: for scripts, forms and the sign-in."""
    for origin in ("https://live.example.org", "http://testserver"):
        headers = {"Sec-Fetch-Site": None, "Origin": origin}
        assert (await browser.send("POST", CREATE, json=news(), headers=headers)).status_code == 200
        assert (
            await browser.submit(
                "/desk/account/end-session", {"session": "none", "password": PASSWORD}, headers=headers
            )
        ).status_code == 303
        form = {"email": EMAIL, "password": PASSWORD}
        assert (await server.http.post("/desk/sign-in", data=form, headers={"Origin": origin})).status_code == 303


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_other_sites_do_not_even_read(server, browser, site):
    """A script or picture of theirs is nobody's request; a link of theirs to a page of the desk works."""
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
    assert (await browser.send("GET", SEARCH, headers=headers)).status_code == 401
    assert (await browser.send("GET", "/desk", headers=headers)).status_code == 303

    link = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
    assert (await browser.send("GET", "/desk", headers=link)).status_code == 200
    assert (await browser.send("GET", SEARCH, headers=link)).status_code == 401


async def test_no_script_of_another_site_may_read_or_send_it(server, browser):
    """No answer to a session allows another origin, and no preflight allows credentials or the account's header."""
    answers = [await browser.send("GET", path) for path in ("/desk", SEARCH)]
    answers += [
        await server.http.options(
            path, headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        )
        for path in ("/desk", CREATE)
    ]

    for each in answers:
        assert not any(name.startswith("access-control-") for name in each.headers)


async def test_no_site_shows_the_desk_in_a_frame(server, browser):
    """All pages and redirects say so twice, run nothing inline, and are kept nowhere."""
    for path in ("/desk", "/desk/account", "/desk/sign-in"):
        for response in (await browser.send("GET", path), await server.http.get(path)):
            policy = response.headers["content-security-policy"]
            assert {"frame-ancestors 'none'", "base-uri 'none'", "default-src 'none'"} <= set(policy.split("; "))
            assert "unsafe" not in policy
            assert response.headers["referrer-policy"] == "same-origin"
            assert response.headers["x-frame-options"] == "DENY"
            assert response.headers["cache-control"] == "no-store"
            assert response.headers["cross-origin-opener-policy"] == "same-origin"
            assert response.headers["x-content-type-options"] == "nosniff"
            assert "style=" not in response.text
            assert " onclick" not in response.text


async def test_a_session_ends_after_a_while_and_at_the_latest(server, account):
    """Four hours without a request, twelve altogether; each request keeps it."""
    idle, used = await signed_in(server, account), await signed_in(server, account)

    for _ in range(3):
        server.now += 3 * 3600
        assert (await used.send("GET", SEARCH)).status_code == 200
    assert (await idle.send("GET", SEARCH)).status_code == 401
    server.now += 3 * 3600 + 1
    assert (await used.send("GET", SEARCH)).status_code == 401


async def test_signing_out_ends_the_session(server, browser):
    """The token is worth nothing from then on, and the browser forgets it."""
    response = await browser.submit("/desk/sign-out")

    assert response.headers["location"] == "../desk/sign-in"
    assert "Max-Age=0" in response.headers["set-cookie"]
    assert (await browser.send("GET", SEARCH)).status_code == 401


async def test_one_of_ones_sessions_is_ended_and_all_are(server, account, browser):
    """Those of others are not: an id of somebody else's does nothing."""
    second = await signed_in(server, account)
    stranger = await signed_in(server, await add_account(server.store, "lee@example.org"))
    of = partial(sessions.of_account, now=NOW, idle=100)
    ids = {each.id for each in await server.store.read(lambda conn: of(conn, account.id))}
    (theirs,) = [each.id for each in await server.store.read(lambda conn: of(conn, stranger_id(conn)))]
    own = (await browser.send("GET", "/desk/account")).text

    await browser.submit("/desk/account/end-session", {"session": theirs, "password": PASSWORD})
    assert (await stranger.send("GET", SEARCH)).status_code == 200
    assert all(each in own for each in ids)
    assert theirs not in own

    assert (await second.send("GET", SEARCH)).status_code == 200
    (other,) = [each for each in ids if f'{each}"><strong>' not in own]
    await browser.submit("/desk/account/end-session", {"session": other, "password": PASSWORD})
    assert (await second.send("GET", SEARCH)).status_code == 401
    assert (await browser.send("GET", SEARCH)).status_code == 200

    third = await signed_in(server, account)
    response = await browser.submit("/desk/account/end-everywhere", {"password": PASSWORD})
    assert response.status_code == 303
    for each in (browser, third):
        assert (await each.send("GET", SEARCH)).status_code == 401
    assert (await stranger.send("GET", SEARCH)).status_code == 200


SCRIPT, PAGE = (
    {"Sec-Fetch-Mode": "cors", "Accept": "*/*"},
    {"Sec-Fetch-Mode": "navigate", "Accept": "text/html,*/*;q=0.8"},
)
OF_SCRIPTS = [row for row in ROUTES if row.takes_sessions and "openid" not in row.path]


async def run_out(server, _account):
    server.now += 12 * 3600 + 1


async def end_everywhere(server, account):
    await server.store.write(partial(sessions.end_all, account_id=account.id))


async def sign_in_again(server, account):
    await end_everywhere(server, account)
    return (await signed_in(server, account)).token


@pytest.mark.parametrize("end", [run_out, end_everywhere, sign_in_again], ids=lambda each: each.__name__)
@pytest.mark.parametrize("headers", [SCRIPT, PAGE], ids=["script", "page"])
async def test_no_window_for_a_password_opens_where_a_session_has_ended(server, account, end, headers):
    """Whatever is requested with the cookie, by a script or as a page; a form of the desk is answered by a page, in HTML."""
    browser = await signed_in(server, account)
    browser.token = await end(server, account) or browser.token
    for row in OF_SCRIPTS:
        sent = {"data": {"account": account.id}} if row.access == "desk" and row.method == "POST" else {}
        response = await browser.send(row.method, row.path, headers=headers, **sent)
        assert "www-authenticate" not in response.headers, row.path
        assert response.status_code < 500, row.path
        if headers is PAGE and sent and response.status_code != 303 and not row.path.endswith("/open"):
            assert response.headers["content-type"].startswith("text/html"), row.path


async def test_an_address_that_is_typed_wants_a_password(server):
    """By the browser's own window, which a script's request does not open, with a session or without."""
    for headers, wants in (({}, True), (PAGE, True), (SCRIPT, False), ({"Sec-Fetch-Mode": "no-cors"}, False)):
        response = await server.http.get("/status", headers=headers)
        assert (response.status_code, "www-authenticate" in response.headers) == (401, wants), headers


def stranger_id(conn):
    found = accounts.find_by_email(conn, "lee@example.org")
    assert found is not None
    return found.id


async def test_a_new_password_ends_all_sessions_and_gives_a_new_token(server, account, browser):
    """The old one is needed, and is none any more."""
    second = await signed_in(server, account)
    new = "seven wet umbrellas in May"
    wrong = await browser.submit("/desk/account/password", {"password": "not it", "new_password": new})
    assert wrong.status_code == 422
    assert (await second.send("GET", SEARCH)).status_code == 200

    response = await browser.submit("/desk/account/password", {"password": PASSWORD, "new_password": new})

    fresh = SignedInBrowser(server.http, session_of(response))
    assert (response.status_code, fresh.token != browser.token) == (303, True)
    assert (await fresh.send("GET", SEARCH)).status_code == 200
    for each in (browser, second):
        assert (await each.send("GET", SEARCH)).status_code == 401
    assert (await try_password(server)).status_code == 403
    assert (await try_password(server, password=new)).status_code == 303


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("short", "too short"), ("x" * 300, "too long"), ("qwertyuiop123", "easily guessed"),
        ("123456789012", "easily guessed"), ("qwertyqwerty", "easily guessed"),
        ("PasswordPassword", "easily guessed"), ("aaaaaaaaaaaaaaaa", "easily guessed"),
        ("kim.example!", "says too much"), ("matchwire2026", "says too much"),
    ],
)  # fmt: skip
async def test_weak_passwords_are_refused(browser, new, said):
    """With the reason; the old one stays."""
    response = await browser.submit("/desk/account/password", {"password": PASSWORD, "new_password": new})

    assert response.status_code == 422
    assert said in response.text


def test_the_frequent_passwords_of_twelve_characters_or_more_are_known():
    """Three thousand of them at least, each one that no other rule refuses."""
    listed = common_passwords()

    assert len(listed) >= 3000
    assert {password_fault(each) for each in listed} == {PasswordFault.COMMON}


@pytest.mark.parametrize("new", ["ünïcödé päßwörd 🐦", "x " * 40 + "y 1 2 3", "            x y z 1"])
async def test_a_password_may_consist_of_anything(server, browser, new):
    """And counts as it was sent, blanks at its ends too."""
    response = await browser.submit("/desk/account/password", {"password": PASSWORD, "new_password": new})

    assert response.status_code == 303
    assert (await try_password(server, password=new.strip().upper())).status_code == 403
    assert (await try_password(server, password=new)).status_code == 303


async def test_guessing_the_old_password_with_a_stolen_session_is_slowed_down(browser):
    """As at the sign-in."""
    tries = [
        await browser.submit(
            "/desk/account/password", {"password": f"guess {n}", "new_password": "seven wet umbrellas"}
        )
        for n in range(6)
    ]

    assert [each.status_code for each in tries] == [422] * 5 + [429]


async def test_what_becomes_of_an_account_counts_at_once(server, account, browser):
    """Another role, and disabling it: with the very next request."""
    await server.store.write(partial(accounts.change, account_id=account.id, role=AccountRole.VIEWER))
    assert (await browser.send("POST", CREATE, json=news())).status_code == 403
    assert (await browser.send("GET", SEARCH)).status_code == 200

    await server.store.write(partial(accounts.change, account_id=account.id, disabled_at=NOW))
    assert (await browser.send("GET", SEARCH)).status_code == 401


async def test_a_session_that_ends_in_one_process_is_over_in_all(two_stores):
    """Two processes on one PostgreSQL: the very next request is refused."""
    first, second = two_stores
    settings = {"client_per_second": 0, "public_per_second": 0}
    async with serving(first, **settings) as one, serving(second, **settings) as two:
        here = await signed_in(one, await add_account(first))
        there = SignedInBrowser(two.http, here.token)
        one.now = two.now = time.time()
        assert (await there.send("GET", SEARCH)).status_code == 200

        await here.submit("/desk/account/end-everywhere", {"password": PASSWORD})

        assert (await there.send("GET", SEARCH)).status_code == 401


async def test_made_up_sessions_are_charged_to_their_address(store):
    """Apart from readers of the same address, whom they do not keep out; who is signed in is not kept out by readers."""
    async with serving(store, client_per_second=0, public_per_second=2) as server:
        browser = await signed_in(server, await add_account(store))
        answers = [await SignedInBrowser(server.http, f"made-up-{n}").send("GET", SEARCH) for n in range(8)]
        assert answers[-1].status_code == 429
        server.ticks += 60
        for _ in range(8):
            await server.http.get(SEARCH)
        assert (await server.http.get(SEARCH)).status_code == 429
        assert (await browser.send("GET", SEARCH)).status_code == 200


async def test_what_a_person_does_is_written_down(server, account, browser):
    """Operation and target of each write, of a page and of the API; reads and what was refused are not."""
    name = (await browser.send("POST", CREATE, json=news())).json()["local_id"]
    await browser.send("POST", CREATE, json={})
    await browser.send("GET", SEARCH)
    await browser.submit("/desk/sign-out")

    found = await server.store.read(lambda conn: list(audit.all_entries(conn)))

    assert [(each.account_id, each.email, each.operation, each.target) for each in found] == [
        (account.id, EMAIL, "ticker.create", name),
        (account.id, EMAIL, "desk.sign_out", ""),
    ]


async def test_what_is_over_is_deleted(server, account):
    """Sessions, tries and old entries of the audit; what lasts stays."""
    await signed_in(server, account)
    old = await signed_in(server, account, lasts=0)

    assert not await server.store.write(partial(sessions.purge, idle=100))
    await server.store.write(partial(audit.record, organization_id="o", account_id=account.id, operation="x"))
    await server.store.write(partial(audit.purge, before=NOW + 1000))

    rows = await contents(server)
    assert len(rows["desk_sessions"]) == 1
    assert rows["audit_entries"] == []
    assert old.token


async def test_an_account_has_so_many_sessions(server, account):
    """Of more the one that was seen longest ago ends."""
    for _ in range(sessions.SESSIONS_KEPT + 1):
        await signed_in(server, account)

    assert len((await contents(server))["desk_sessions"]) == sessions.SESSIONS_KEPT
