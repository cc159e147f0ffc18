"""A second factor: no session before the code, codes that count once, and what happens when the app is lost."""

import json
import re
from functools import partial
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pyotp
import pytest
import segno
import structlog

from api.desk.cookies import PROTECTED, SESSION, STEP
from api.desk.credential_checks import OF_ACCOUNT, OF_CODES
from api.desk.handlers import CODE_STEP
from mapping.desk.account_roles import SignInProof
from mapping.desk.one_time_codes import RECOVERY_CODES, STEP_SECONDS, step_of
from store.accounts import accounts, audit, sessions, sign_in_steps
from tests.api.conftest import NOW, contents
from tests.api.desk.conftest import desk_at
from tests.kit.people import (
    OWN_SITE,
    PASSWORD,
    SignedInBrowser,
    add_account,
    from_address,
    session_of,
    signed_in,
    try_password,
)

FACTOR = "/desk/account/second-factor"
SEARCH = "/api/v5/write/ticker/search.json"
SECRET = re.compile(r"secret=([A-Z2-7]{32})")
RECOVERY = re.compile(r'<code class="secret">([a-z2-7 ]{29})</code>')


@pytest.fixture
async def account(server):
    return await add_account(server.store)


@pytest.fixture
async def browser(server, account):
    return await signed_in(server, account)


def code_of(secret, at):
    """What an app shows at that time."""
    return pyotp.TOTP(secret).at(int(at))


def step_cookie(response):
    """The token in the cookie of the step behind the password."""
    header = next(each for each in response.headers.get_list("set-cookie") if STEP in each)
    return header.partition("=")[2].partition(";")[0]


def cookie_of(response):
    """The cookie of the step as a browser sends it."""
    return {"Cookie": f"{PROTECTED.name(STEP)}={step_cookie(response)}"}


async def set_up(server, browser):
    """The secret, and the response to its first code."""
    shown = await browser.submit(FACTOR, {"act": "app", "password": PASSWORD})
    secret = SECRET.search(shown.text)[1]
    return secret, await send_code(server, step_cookie(shown), code_of(secret, server.now), next="/desk/account")


@pytest.fixture
async def factor(server, browser):
    """An account with a second factor: secret and recovery codes, half a minute after it was set up."""
    secret, response = await set_up(server, browser)
    assert response.status_code == 200, response.text
    server.now += STEP_SECONDS
    return secret, RECOVERY.findall(response.text)


async def send_code(server, token, code, **more):
    """What the form of the step sends."""
    headers = {**OWN_SITE, "Cookie": f"{PROTECTED.name(STEP)}={token}", **more.pop("headers", {})}
    return await server.http.post("/desk/sign-in/code", data={"code": code, **more}, headers=headers)


async def test_a_second_factor_is_set_up_by_password_and_first_code(server, account, browser):
    """The secret is shown as text, as an address and as its QR code; the browser gets a new session, all others end."""
    begin = partial(sessions.begin, account_id=account.id, browser="x", lasts=1000, proof=SignInProof.PROVIDER)
    other = SignedInBrowser(server.http, await server.store.write(begin))
    page = (await browser.send("GET", "/desk/account")).text
    assert "Set up an app for codes" in page

    shown = await browser.submit(FACTOR, {"act": "app", "password": PASSWORD})
    address = unescape(re.search(r'href="(otpauth:[^"]+)"', shown.text)[1])
    secret = parse_qs(urlsplit(address).query)["secret"][0]
    assert address.startswith("otpauth://totp/matchwire:kim%40example.org?")
    assert secret in shown.text.replace(" ", "")
    assert segno.make_qr(address).svg_inline(light="#fff", omitsize=True, lineclass=None) in shown.text
    assert "style=" not in shown.text, "which the policy of the page forbids"
    done = await send_code(server, step_cookie(shown), code_of(secret, server.now))

    assert done.status_code == 200
    assert len(set(RECOVERY.findall(done.text))) == RECOVERY_CODES
    assert done.headers["cache-control"] == "no-store"
    fresh = SignedInBrowser(server.http, session_of(done))
    assert (await fresh.send("GET", SEARCH)).status_code == 200
    for each in (browser, other):
        assert (await each.send("GET", SEARCH)).status_code == 401
    page = (await fresh.send("GET", "/desk/account")).text
    assert f"Recovery codes left: {RECOVERY_CODES}" in page
    assert not RECOVERY.findall(page)


async def test_there_is_no_session_before_both(server, factor):
    """The password gives a cookie that is none; the code behind it gives the session, and leads on."""
    secret, _ = factor

    first = await try_password(server, next="/desk/account")

    assert first.status_code == 303
    assert first.headers["location"] == "../desk/sign-in/code?next=%2Fdesk%2Faccount"
    assert SESSION not in str(first.headers.get_list("set-cookie"))
    (header,) = first.headers.get_list("set-cookie")
    assert {"Path=/", "HttpOnly", "SameSite=Lax", "Secure"} < set(header.split("; "))
    token = step_cookie(first)
    assert (await SignedInBrowser(server.http, token).send("GET", SEARCH)).status_code == 401
    cookie = cookie_of(first)
    assert (await server.http.get("/desk/account", headers=cookie)).status_code == 303
    page = await server.http.get("/desk/sign-in/code?next=%2Fdesk%2Faccount", headers=cookie)
    assert 'autocomplete="one-time-code"' in page.text
    second = await send_code(server, token, code_of(secret, server.now), next="/desk/account")

    assert (second.status_code, second.headers["location"]) == (303, "../../desk/account")
    assert (await SignedInBrowser(server.http, session_of(second)).send("GET", SEARCH)).status_code == 200
    assert (await send_code(server, token, code_of(secret, server.now))).status_code == 409


async def test_nobody_is_led_to_another_site_behind_a_code(server, factor):
    """Whatever `next` says there."""
    secret, _ = factor
    first = await try_password(server)
    token = step_cookie(first)

    page = await server.http.get("/desk/sign-in/code?next=//evil.example", headers=cookie_of(first))
    led = await send_code(server, token, code_of(secret, server.now), next="https://evil.example/")

    assert 'name="next" value="/desk"' in page.text
    assert led.headers["location"] == "../../desk"


@pytest.mark.parametrize("wrong", ["", "000000", "12345", "1234567", "abcdef", "٣٤٥٦٧٨", "x" * 5000, "'; --"])
async def test_a_wrong_code_opens_nothing(server, factor, wrong):
    """Of whatever form."""
    token = step_cookie(await try_password(server))

    response = await send_code(server, token, wrong)

    assert response.status_code == 403
    assert "set-cookie" not in response.headers


def test_a_code_lasts_its_step_and_while_one_types_it():
    """Thirty seconds, and those of the next step; the test vectors of RFC 6238, as far as six digits go."""
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    vectors = {59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037"}

    for at, code in vectors.items():
        begun = at - at % STEP_SECONDS
        assert step_of(secret, f"{code[:3]} {code[3:]}", at) == at // STEP_SECONDS
        assert step_of(secret, code, begun + 2 * STEP_SECONDS - 1) == at // STEP_SECONDS
        assert step_of(secret, code, begun + 2 * STEP_SECONDS) is None
        assert step_of(secret, code, begun - 1) is None


async def test_a_recovery_code_opens_once(server, factor):
    """However it is written; the others stay, and the use is written down."""
    _, codes = factor
    for code, status in ((codes[0].upper().replace(" ", "-"), 303), (codes[0], 403), (codes[1], 303)):
        token = step_cookie(await try_password(server))
        assert (await send_code(server, token, code)).status_code == status

    entries = await server.store.read(lambda conn: list(audit.all_entries(conn)))
    assert [each.operation for each in entries].count("desk.use_recovery_code") == 2


async def test_what_is_stored_of_codes_opens_nothing(server, factor):
    """Recovery codes are hashes of 120 random bits, and of a step its hash; no export, log or list of deeds has a secret."""
    from store.upkeep.portable_rows import PORTABLE, STAYS

    secret, codes = factor
    with structlog.testing.capture_logs() as lines:
        token = step_cookie(await try_password(server))
        await send_code(server, token, "123456")
        await send_code(server, token, codes[0])
    rows = {name: str([tuple(row) for row in found]) for name, found in (await contents(server)).items()}

    assert all(len(each.replace(" ", "")) == 24 for each in codes)
    for name, text in rows.items():
        assert not any(each in text or each.replace(" ", "") in text for each in codes)
        assert token not in text
        assert (secret in text) == (name == "second_factors")
    assert {"second_factors", "recovery_codes", "sign_in_steps"} <= STAYS.keys()
    assert "second_factors" not in {each.table.name for each in PORTABLE}
    for hidden in (secret, token, "123456", codes[0], *codes[0].split()):
        assert hidden not in json.dumps(lines, default=str)


async def test_guessing_codes_is_slowed_down_as_guessing_passwords_is(server, factor):
    """A right password gives no guess for free: the count goes on until a code is right."""
    secret, _ = factor
    token = step_cookie(await try_password(server))

    tried = [await send_code(server, token, f"00000{n}") for n in range(5)]
    waits = await send_code(server, token, code_of(secret, server.now))
    again = step_cookie(await try_password(server))
    still = await send_code(server, again, code_of(secret, server.now))

    assert [each.status_code for each in tried] == [403] * 5
    assert (waits.status_code, still.status_code) == (429, 429)
    assert waits.headers["retry-after"] == "1"
    server.now += 2
    assert (await send_code(server, again, "000009")).status_code == 403
    assert (await send_code(server, again, "000009")).headers["retry-after"] == "2"
    server.now += 3
    assert (await send_code(server, again, code_of(secret, server.now))).status_code == 303
    server.now += STEP_SECONDS
    once_more = step_cookie(await try_password(server))
    assert (await send_code(server, once_more, "000000")).status_code == 403
    assert (await send_code(server, once_more, code_of(secret, server.now))).status_code == 303


async def test_guesses_from_many_networks_are_few_and_the_owner_gets_in(server, factor):
    """Whoever knows the password and has many networks: a wait for all codes of the account, and none for a recovery code."""
    _, codes = factor
    cookie = cookie_of(await try_password(server))
    statuses = [
        (await from_address(server, f"198.51.{n}.7", path=CODE_STEP, code="000000", headers=cookie)).status_code
        for n in range(25)
    ]

    assert statuses == [403] * 20 + [429] * 5
    assert max(OF_CODES.values()) <= 60 < max(OF_ACCOUNT.values())
    led = await from_address(server, "203.0.113.5", path=CODE_STEP, code=codes[0], headers=cookie)
    assert led.status_code == 303


async def test_a_code_belongs_to_the_sign_in_whose_password_was_entered(server, factor):
    """Without it or with one of somebody else the code opens nothing."""
    secret, _ = factor
    other = await add_account(server.store, "lee@example.org")
    token, _ = await server.store.write(partial(sign_in_steps.begin_set_up, account_id=other.id, has_factor=False))
    assert (await send_code(server, token, code_of(secret, server.now))).status_code == 403
    for token in ("made-up", session_of(await try_password(server, "lee@example.org"))):
        assert (await send_code(server, token, code_of(secret, server.now))).status_code == 409


async def test_sessions_of_a_password_alone_end_with_the_second_factor(server, account, factor):
    """Also one that a process of before has begun meanwhile, which knew of no second factor."""
    assert factor
    alone = await signed_in(server, account)
    begin = partial(sessions.begin, account_id=account.id, browser="x", lasts=1000)
    coded = SignedInBrowser(server.http, await server.store.write(partial(begin, proof=SignInProof.CODE)))
    elsewhere = SignedInBrowser(server.http, await server.store.write(partial(begin, proof=SignInProof.PROVIDER)))

    assert (await alone.send("GET", SEARCH)).status_code == 401
    assert (await coded.send("GET", SEARCH)).status_code == 200
    assert (await elsewhere.send("GET", SEARCH)).status_code == 200


@pytest.fixture
async def strict(tmp_path):
    async with desk_at(tmp_path, desk__second_factor="required") as made:
        yield made


async def test_where_it_is_required_nobody_does_anything_without_one(strict):
    """No session of a password alone counts, as one of a provider does; the sign-in shows what to set up, and nothing else."""
    account = await add_account(strict.store)
    before = await signed_in(strict, account)
    assert (await before.send("GET", SEARCH)).status_code == 401
    assert (await before.send("GET", "/desk/account")).status_code == 303
    begin = partial(sessions.begin, account_id=account.id, browser="x", lasts=1000, proof=SignInProof.PROVIDER)
    elsewhere = SignedInBrowser(strict.http, await strict.store.write(begin))
    assert (await elsewhere.send("GET", SEARCH)).status_code == 200

    first = await try_password(strict, next="/desk/account")
    token, secret = step_cookie(first), SECRET.search(first.text)[1]
    assert SESSION not in str(first.headers)
    done = await send_code(strict, token, code_of(secret, strict.now), next="/desk/account")

    assert done.status_code == 200
    assert len(RECOVERY.findall(done.text)) == RECOVERY_CODES
    assert 'href="../../desk/account"' in done.text
    browser = SignedInBrowser(strict.http, session_of(done))
    assert (await browser.send("GET", SEARCH)).status_code == 200
    account_page = (await browser.send("GET", "/desk/account")).text
    assert "Remove the second factor" not in account_page
    strict.now += STEP_SECONDS
    fields = {"act": "remove", "password": PASSWORD, "code": code_of(secret, strict.now)}
    assert (await browser.submit(FACTOR, fields)).status_code == 403


async def test_whoever_knows_the_password_reads_no_secret_of_its_owner(strict):
    """Each who has entered it has a secret of its own, and whose code comes first ends the steps of all others."""
    await add_account(strict.store)
    before, owners, after = [await try_password(strict) for _ in range(3)]
    secret, *others = [SECRET.search(each.text)[1] for each in (owners, before, after)]

    for each in (before, after):
        pages = [await strict.http.get("/desk/sign-in/code", headers=cookie_of(each)), each]
        pages.append(await send_code(strict, step_cookie(each), code_of(secret, strict.now)))
        assert [page.status_code for page in pages] == [200, 200, 403]
        assert not any(secret in page.text.replace(" ", "") for page in pages)
    assert (await send_code(strict, step_cookie(owners), code_of(secret, strict.now))).status_code == 200
    for each, other in zip((before, after), others, strict=True):
        assert (await send_code(strict, step_cookie(each), code_of(other, strict.now))).status_code == 409


@pytest.mark.parametrize("act", ["app", "codes", "remove", "password"])
async def test_a_change_wants_password_and_code_again(server, account, factor, act):
    """A stolen session is not enough, nor is one of the two."""
    secret, codes = factor
    begin = partial(sessions.begin, account_id=account.id, browser="x", lasts=10_000, proof=SignInProof.CODE)
    browser = SignedInBrowser(server.http, await server.store.write(begin))
    before = (await contents(server))["second_factors"], (await contents(server))["recovery_codes"]
    good = code_of(secret, server.now)
    form = partial(browser.submit, "/desk/account/password" if act == "password" else FACTOR)
    sent = {"act": act, "new_password": "seven wet umbrellas in May"}

    for fields in ({}, {"password": PASSWORD}, {"code": good}, {"password": "wrong", "code": good}):
        refused = await form({**sent, **fields})
        assert refused.status_code == 422
        server.now += 1
    assert ((await contents(server))["second_factors"], (await contents(server))["recovery_codes"]) == before
    server.now += 200
    done = await form({**sent, "password": PASSWORD, "code": codes[0]})

    assert done.status_code == (303 if act == "password" else 200)
    if act == "app":
        new = SECRET.search(done.text)[1]
        assert new != secret
        server.now += 5
        assert step_cookie(await try_password(server))
        confirmed = await send_code(server, step_cookie(done), code_of(new, server.now))
        assert len(RECOVERY.findall(confirmed.text)) == RECOVERY_CODES
    elif act == "codes":
        assert set(RECOVERY.findall(done.text)).isdisjoint(codes)
        token = step_cookie(await try_password(server))
        assert (await send_code(server, token, codes[1])).status_code == 403
    elif act == "remove":
        assert SESSION in str((await try_password(server)).headers)
    else:
        assert (await try_password(server)).status_code == 403
        assert step_cookie(await try_password(server, password=sent["new_password"]))


async def test_setting_up_wants_the_password_again(server, browser):
    """And the first code of the secret within a quarter of an hour, by the browser to which it was shown, and once."""
    refused = await browser.submit(FACTOR, {"act": "app", "password": "wrong"})
    shown = await browser.submit(FACTOR, {"act": "app", "password": PASSWORD})
    secret, token = SECRET.search(shown.text)[1], step_cookie(shown)
    session = {"Cookie": f"{PROTECTED.name(SESSION)}={browser.token}"}

    assert (refused.status_code, SECRET.search(refused.text)) == (422, None)
    stolen = await server.http.post("/desk/sign-in/code", data={"code": "000000"}, headers={**OWN_SITE, **session})
    wrong = await send_code(server, token, "000000")
    read = await server.http.get("/desk/sign-in/code", headers=cookie_of(shown))
    assert [each.status_code for each in (stolen, wrong, read)] == [409, 403, 200]
    assert not any(secret in each.text.replace(" ", "") or "<svg" in each.text for each in (stolen, wrong, read))
    server.now += 901
    assert (await send_code(server, token, code_of(secret, server.now))).status_code == 409
    assert SESSION in str((await try_password(server)).headers)


async def test_a_form_that_does_nothing_of_ours_is_refused(server, account, browser):
    """An act that there is none of, one that needs a second factor first, and a person without a password."""
    assert (await browser.submit(FACTOR, {"act": "other", "password": PASSWORD})).status_code == 400
    assert (await browser.submit(FACTOR, {"act": "remove", "password": PASSWORD})).status_code == 403
    await server.store.write(partial(accounts.change, account_id=account.id, password_hash=None))
    assert (await browser.submit(FACTOR, {"act": "app", "password": PASSWORD})).status_code == 403
    assert "second-factor" not in (await browser.send("GET", "/desk/account")).text


async def test_ending_sessions_wants_the_password_again(server, account, browser):
    """Of others and of all; one signs out of the browser's own without."""
    second = await signed_in(server, account)
    of = partial(sessions.of_account, account_id=account.id, now=NOW, idle=100)
    ids = [each.id for each in await server.store.read(of)]
    page = (await browser.send("GET", "/desk/account")).text
    own = next(each for each in ids if f'{each}"><strong>' in page)
    other = next(each for each in ids if each != own)

    for fields in ({}, {"password": "wrong"}):
        assert (await browser.submit("/desk/account/end-session", {"session": other, **fields})).status_code == 422
        assert (await browser.submit("/desk/account/end-everywhere", fields)).status_code == 422
    assert (await second.send("GET", SEARCH)).status_code == 200
    assert (await browser.submit("/desk/account/end-session", {"session": own})).status_code == 303
    assert (await browser.send("GET", SEARCH)).status_code == 401
