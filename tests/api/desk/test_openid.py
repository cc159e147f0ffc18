"""Signing in by OpenID Connect, with a provider that forges; names of rows are those of the OpenID certification of clients."""

import hmac
import json
from base64 import urlsafe_b64encode
from functools import partial
from urllib.parse import parse_qs

import pytest
import structlog
from joserfc.jwk import ECKey, OKPKey, RSAKey

from api.desk.openid_provider import KEPT
from api.desk.openid_sign_in import BACK, BEGIN
from mapping.desk.openid_claims import person_of_claims
from store.accounts import accounts
from tests.api.conftest import contents
from tests.kit.matchday import ORGANIZATION, OTHER
from tests.kit.openid_servers import (
    CLIENT,
    ENCRYPTS,
    HERE,
    KEY,
    OTHER_KEY,
    SECRET,
    cookie_in,
    desk,
    return_with,
    right,
    sent_in,
)  # fmt: skip
from tests.kit.people import SignedInBrowser, add_account, session_of

NAME = "matchwire-desk"


async def test_the_code_is_bound_to_this_browser_and_to_us(store, forged):
    """By PKCE with S256, a nonce, a state, our secret in a header, and a cookie that no script reads."""
    async with desk(store, forged.address) as server:
        await add_account(store)
        begun = await server.http.get(BEGIN)
        response = await return_with(server, forged, begun)

    sent = sent_in(begun)
    assert response.status_code == 303, response.text
    assert (sent["response_type"], sent["scope"], sent["code_challenge_method"]) == (
        "code",
        "openid email profile",
        "S256",
    )
    assert sent["redirect_uri"] == HERE + BACK
    assert "claims" not in sent, "it is not offered"
    assert "HttpOnly" in begun.headers["set-cookie"]
    path, body, authorization = next(each for each in forged.seen if each[0] == "/token")
    assert len(parse_qs(body)["code_verifier"][0]) >= 43
    assert SECRET not in path + body
    assert forged.way_of(authorization, body) == "client_secret_basic"


REFUSED_CLAIMS = {
    "nonce-invalid": {"nonce": "x"},
    "nonce-missing": {"nonce": None},
    "invalid-aud": {"aud": "another"},
    "missing-aud": {"aud": None},
    "invalid-azp": {"azp": "another", "aud": [CLIENT, "another"]},
    "invalid-iss": {"iss": "https://evil.example"},
    "missing-iss": {"iss": None},
    "missing-sub": {"sub": None},
    "unreadable-sub": {"sub": "x" * 301},
    "missing-iat": {"iat": None},
    "expired": {"exp": 1_700_000_000},
    "missing-exp": {"exp": None},
    "invalid-nbf": {"nbf": 4_000_000_000},
    "invalid-athash": {"at_hash": "x"},
}


async def test_claims_that_are_not_for_us_are_refused(store, forged):
    """Each one alone: nobody is signed in, and the log names the claim."""
    async with desk(store, forged.address) as server:
        await add_account(store)
        said = {}
        for row, claims in REFUSED_CLAIMS.items():
            with structlog.testing.capture_logs() as lines:
                response = await return_with(server, forged, **claims)
            said[row] = response.status_code, next(iter(claims)) in refusal(lines)

        assert said == dict.fromkeys(REFUSED_CLAIMS, (403, True))
        assert (await contents(server))["desk_sessions"] == []


def refusal(lines):
    """The one reason that the log gives, which holds no secret."""
    (line,) = (each for each in lines if each["event"] == "desk.openid_refused")
    assert SECRET not in str(lines)
    assert "kim@" not in str(lines)
    return line["reason"]


def by_public_key(claims):
    """A token signed by the provider's public key as if that were a secret, which anybody can do."""
    parts = [
        urlsafe_b64encode(json.dumps(each).encode()).rstrip(b"=") for each in ({"alg": "HS256", "kid": "one"}, claims)
    ]
    signed = hmac.digest(KEY.as_pem(private=False), b".".join(parts), "sha256")
    return b".".join([*parts, urlsafe_b64encode(signed).rstrip(b"=")]).decode()


EC, ED, THIRD = ECKey.generate_key("P-256", {"kid": "ec"}), OKPKey.generate_key("Ed25519"), RSAKey.generate_key(2048)


def public(*keys, **more):
    return [{**each.as_dict(private=False), **more} for each in keys]


SIGNED = {
    "idtoken-sig-rs256": {},
    "idtoken-sig-es256": {"key": EC, "header": {"alg": "ES256", "kid": "ec"}, "keys": public(KEY, EC)},
    "idtoken-sig-ed25519": {"key": ED, "header": {"alg": "Ed25519"}, "keys": public(KEY, ED)},
    "kid-absent-single-jwks": {"header": {"alg": "RS256"}},
    "kid-absent-single-encryption-key-beside": {"header": {"alg": "RS256"}, "keys": public(ENCRYPTS, KEY)},
    "kid-absent-multiple-jwks": {"header": {"alg": "RS256"}, "keys": public(THIRD, EC, KEY)},
    "kid-absent-in-jwks": {"keys": [{name: value for name, value in public(KEY)[0].items() if name != "kid"}]},
    "kid-of-several": {"keys": public(OTHER_KEY, KEY)},
    "header-of-its-own": {"header": {"alg": "RS256", "kid": "one", "x-tenant": "t"}},
    "ignores-unparseable-key-in-jwks": {"keys": [{"kty": "AKP"}, {"kty": "RSA"}, {"kty": "EC", "crv": "x"}, 7, *public(KEY)]},
}  # fmt: skip


async def statuses(store, forged, rows):
    """The status with each of these providers."""
    found, right_one = {}, dict(vars(forged))
    async with desk(store, forged.address) as server:
        await add_account(store)
        for row, has in rows.items():
            vars(forged).update({**right_one, **has})
            found[row] = (await return_with(server, forged)).status_code
            server.ticks += KEPT
        return found, len((await contents(server))["desk_sessions"])


async def test_a_token_that_a_key_of_the_provider_has_signed_opens(store, forged):
    """Whichever key of several it is, and whether it is named or not."""
    assert await statuses(store, forged, SIGNED) == (dict.fromkeys(SIGNED, 303), len(SIGNED))


NOT_SIGNED = {
    "idtoken-sig-none": {"token": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJraW0tYXQtc3NvIn0."},
    "invalid-sig-rs256": {"key": OTHER_KEY},
    "invalid-sig-es256": {"key": EC, "header": {"alg": "ES256", "kid": "one"}},
    "invalid-sig-hs256": {"token": by_public_key({"sub": "kim-at-sso", "aud": CLIENT})},
    "by-the-key-that-encrypts": {"key": KEY, "keys": public(KEY, use="enc")},
    "by-the-key-of-another-algorithm": {"key": KEY, "keys": public(KEY, alg="RS512")},
    "kid-of-another-key": {"header": {"alg": "RS256", "kid": "two"}},
    "no keys": {"keys": []},
    "no token": {"answers": {"/token": (200, {}, b"{}")}},
    "no JSON": {"answers": {"/token": (200, {}, b"<html>")}},
    "error": {"answers": {"/token": (400, {}, b'{"error":"invalid_grant"}')}},
}


async def test_tokens_that_the_provider_has_not_signed_are_refused(store, forged):
    """Without a signature, by a secret, by another key, or no token at all."""
    expected = {**dict.fromkeys(NOT_SIGNED, 403), "no JSON": 503}
    assert await statuses(store, forged, NOT_SIGNED) == (expected, 0)


async def test_a_new_key_of_the_provider_is_fetched_at_once(store, forged):
    """But once in ten seconds: tokens by unknown keys, which anybody can make up, do not make us fetch for each of them."""
    async with desk(store, forged.address) as server:
        await add_account(store)
        assert (await return_with(server, forged)).status_code == 303
        for rotated in (OTHER_KEY, KEY):
            forged.key, forged.keys = rotated, public(rotated)
            assert (await return_with(server, forged)).status_code == 303
            forged.key = THIRD
            assert [(await return_with(server, forged)).status_code for _ in range(3)] == [403] * 3
            server.ticks += 10

    assert forged.requests("/keys") == 3


BASIC, POST = "client_secret_basic", "client_secret_post"
TAKEN = [  # what it offers, how it takes our secret, and how many requests two who sign in make
    (None, BASIC, 2), ([BASIC], BASIC, 2), ([POST], POST, 2), ([POST, BASIC], BASIC, 2), ([POST, BASIC], POST, 3),
    ([POST, BASIC], "", 4), ([BASIC], POST, 2),
]  # fmt: skip


async def test_our_secret_is_sent_as_the_provider_takes_it(store, forged):
    """Encoded, by whichever way it offers; once more by the other one, which is tried first from then on; or as configured."""
    forged.secret = secret = "a+b/c=%41 ü&x"
    await add_account(store)
    for offered, taken, requests in TAKEN:
        forged.metadata = {} if offered is None else {"token_endpoint_auth_methods_supported": offered}
        forged.ways, before = {taken}, forged.requests("/token")
        opens = taken in (offered or [BASIC])
        async with desk(store, forged.address, secret=secret) as server:
            with structlog.testing.capture_logs() as lines:
                found = [(await return_with(server, forged)).status_code for _ in range(2)]
        assert (found, forged.requests("/token") - before) == ([303 if opens else 403] * 2, requests)
        assert opens or "desk.openid.client_id" in lines[-2]["reason"]
        assert secret not in str(lines)
        async with desk(store, forged.address, secret=secret, token_endpoint_auth_method=POST) as server:
            assert (await return_with(server, forged)).status_code == (303 if taken == POST else 403)
        assert forged.requests("/token") - before == requests + 1


async def test_tabs_of_one_browser_sign_in_each(store, forged):
    """In whichever order they come back; each once, and the first of more than eight is forgotten."""
    async with desk(store, forged.address) as server:
        await add_account(store)
        browser = server.http  # which keeps its cookies
        begun = [sent_in(await browser.get(BEGIN, params={"next": f"/desk/tab-{number}"})) for number in range(9)]
        assert len(browser.cookies) == 8

        for number, status in ((3, 303), (8, 303), (1, 303), (0, 403), (3, 403)):
            forged.claims = right(server, forged, begun[number]["nonce"])
            back = await browser.get(BACK, params={"code": "c", "state": begun[number]["state"]})
            assert back.status_code == status
            assert status == 403 or back.headers["location"] == f"../../../desk/tab-{number}"
        assert len(browser.cookies) == 6, "five tabs are under way, and there is a session"


async def test_a_code_of_another_browser_is_worth_nothing(store, forged):
    """Without the cookie, with another one, a changed state, none, or a cookie that is no JSON: refused before any call."""
    async with desk(store, forged.address) as server:
        await add_account(store)
        mine, other = await server.http.get(BEGIN), await server.http.get(BEGIN)
        state, before = sent_in(mine)["state"], len(forged.seen)
        named = cookie_in(mine).partition("=")[0]
        server.http.cookies.clear()
        for query, cookie, reason in (
            ({"code": "c", "state": state}, None, "this browser"),
            ({"code": "c", "state": state}, cookie_in(other), "this browser"),
            ({"code": "c", "state": state}, f"{named}={cookie_in(other).partition('=')[2]}", "this browser"),
            ({"code": "c", "state": f"{state[:20]}x"}, cookie_in(mine), "this browser"),
            ({"code": "c"}, cookie_in(mine), "this browser"),
            ({"state": state}, cookie_in(mine), "no code, and says: nothing"),
            ({"code": "c", "state": state}, f"{named}=bm9uZQ", "this browser"),
            ({"code": "c", "state": state}, f"{named}=WyIiLCIiLCIiLCIiXQ", "this browser"),
            ({"error": "access_denied", "state": state}, cookie_in(mine), "no code, and says: access_denied"),
            ({"error": "Kim\n was here", "state": state}, cookie_in(mine), "no code, and says: nothing"),
        ):
            with structlog.testing.capture_logs() as lines:
                sent = {} if cookie is None else {"Cookie": cookie}
                response = await server.http.get(BACK, params=query, headers=sent)
            assert response.status_code == 403
            assert reason in refusal(lines)
        assert len(forged.seen) == before


@pytest.mark.parametrize(
    "wrong",
    [
        (302, {"Location": "http://127.0.0.1:9/"}, b""),
        (200, {}, b"[" * 100_000),
        (200, {}, b'{"issuer": "' + b"x" * 2_000_000),
        (500, {}, b"{}"),
        (200, {}, b'{"issuer": "https://evil.example"}'),
        (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b\x08\x00"),
    ],
)
async def test_a_provider_that_is_not_in_order_is_said_and_nobody_waits(store, forged, wrong):
    """Redirects are not followed, answers have a size; the page stays, and passwords go on."""
    forged.answers["/.well-known/openid-configuration"] = wrong
    async with desk(store, forged.address) as server:
        with structlog.testing.capture_logs() as lines:
            response = await server.http.get(BEGIN)

        assert response.status_code == 503
        assert "did not work" in response.text
        assert any(each["event"] == "desk.openid_failed" for each in lines)
        assert SECRET not in str(lines)


async def test_a_provider_that_hangs_is_left_after_its_time(store, forged):
    """The time is for the answer as a whole."""
    forged.stalls = True
    async with desk(store, forged.address, timeout=0.3) as server:
        assert (await server.http.get(BEGIN)).status_code == 503


@pytest.mark.parametrize("name", ["token_endpoint", "jwks_uri", "authorization_endpoint"])
async def test_addresses_that_are_less_safe_than_the_providers_are_not_used(store, forged, name):
    """Neither a code nor our secret goes in the clear to another host."""
    status, headers, body = forged.answer("/.well-known/openid-configuration")
    document = {**json.loads(body), name: "http://elsewhere.example/token"}
    forged.answers["/.well-known/openid-configuration"] = (status, headers, json.dumps(document).encode())
    async with desk(store, forged.address) as server:
        assert (await server.http.get(BEGIN)).status_code == 503


async def test_groups_make_accounts_and_take_them_away(store, forged):
    """From the first time on with the role of the day; whom no group names any more is out, with all sessions."""
    rows = (("desk", ORGANIZATION, "editor"), ("heads", ORGANIZATION, "admin"), ("abroad", OTHER, "viewer"))
    async with desk(store, forged.address, *rows) as server:
        lee = {"sub": "lee-at-sso", "email": "lee@example.org", "name": "Lee"}
        first = await return_with(server, forged, **lee, groups=["desk"])
        browser = SignedInBrowser(server.http, session_of(first), NAME)
        assert "Role: Editor" in (await browser.send("GET", "/desk/account")).text

        await return_with(server, forged, **lee, groups=["desk", "heads"])
        assert "Role: Administrator" in (await browser.send("GET", "/desk/account")).text

        out = await return_with(server, forged, **lee, groups=["abroad"])
        assert out.status_code == 403
        assert (await browser.send("GET", "/desk")).status_code == 303


async def test_nobody_takes_an_account_by_an_address(store, forged):
    """One that the provider has not verified counts for nobody, nor does one whose account is somebody else's already."""
    async with desk(store, forged.address, ("desk", ORGANIZATION, "editor")) as server:
        await add_account(store, role="admin")
        for verified in (False, None, "false", 1, [True]):
            response = await return_with(server, forged, email_verified=verified, groups=["desk"])
            assert response.status_code == 403
        assert (await return_with(server, forged, email_verified="true")).status_code == 303, "as Cognito says it"
        assert (await return_with(server, forged, sub="mallory", groups=["desk"])).status_code == 403
        assert (await return_with(server, forged, email="new@example.org")).status_code == 303, "by who it is there"

        await store.write(partial(disable, email="kim@example.org"))
        assert (await return_with(server, forged)).status_code == 403


def disable(unit, email):
    accounts.change(unit, accounts.find_by_email(unit.conn, email).id, disabled_at=unit.now)


async def test_only_pages_of_the_desk_are_led_to(store, forged):
    """The same rule as with a password, also where the cookie is another's."""
    async with desk(store, forged.address) as server:
        await add_account(store)
        begun = await server.http.get(BEGIN, params={"next": "https://evil.example"})
        response = await return_with(server, forged, begun)

    assert response.headers["location"] == "../../../desk"


async def test_there_is_no_way_where_none_is_configured(server):
    """404, and no button."""
    assert (await server.http.get(BEGIN)).status_code == 404
    assert (await server.http.get(BACK)).status_code == 404
    assert "openid" not in (await server.http.get("/desk/sign-in")).text


@pytest.mark.parametrize(
    "groups", [None, "desks", "desk,x", {"desk": 1}, {"x": {"desk": {}}}, [1, None, ["desk"]], 7, []]
)
def test_groups_of_another_form_are_none(groups):
    """A list of texts is one, as is one text, and an object of objects; nothing else makes an account."""
    found = person_of_claims(
        {"sub": "s", "email": ["x"], "name": 7, "groups": groups},
        groups_claim="groups",
        trust_email=True,
        rows=[("desk", "o", "admin")],
    )

    assert (found.email, found.name, dict(found.grants)) == (None, "", {})
