"""Signing in by OpenID Connect: with a real provider, and with one that forges."""

import hmac
import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import partial
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import structlog
from pydantic import SecretStr

from api.desk.openid_sign_in import BACK, BEGIN
from config.sections import OpenId, OpenIdRole
from mapping.desk.openid_claims import person_of_claims
from store.accounts import accounts
from tests.api.conftest import contents, declared_database, serving
from tests.kit.matchday import ORGANIZATION, OTHER
from tests.kit.openid_servers import CLIENT, KEY, OTHER_KEY, SECRET, forger, provider
from tests.kit.opening import store_at
from tests.kit.people import SignedInBrowser, add_account, session_of
from tests.kit.sqlite import copied_url

HERE = "http://127.0.0.1:8080"
NAME = "matchwire-desk"


@pytest.fixture
async def store(tmp_path):
    """Its time is that of the provider, which is a process of its own."""
    opened = await store_at(copied_url(tmp_path / "openid.db", declared_database), clock=time.time)
    yield opened
    await opened.close()


def desk(store, issuer, *roles, **more):
    """The service with this provider; the time is that of the provider."""
    rows = tuple(OpenIdRole(group=group, organization=owner, account_role=role) for group, owner, role in roles)
    openid = OpenId(issuer=issuer, client_id=CLIENT, client_secret=SecretStr(SECRET), roles=rows, **more)
    return serving(store, public_url=HERE, desk__openid=openid, client_per_second=0, public_per_second=0)


def cookie_in(response):
    """The cookie that binds the browser, as it is sent back."""
    return next(
        each.partition(";")[0]
        for each in response.headers.get_list("set-cookie")
        if each.startswith("matchwire-openid=")
    )


async def sign_in(server, subject, wanted="/desk/account"):
    """All redirects of a person who signs in with the provider: the last response."""
    server.now = time.time()
    begun = await server.http.get(BEGIN, params={"next": wanted})
    assert begun.status_code == 303, begun.text
    async with httpx.AsyncClient(trust_env=False) as http:
        allowed = await http.post(begun.headers["location"], data={"sub": subject})
    back = urlsplit(allowed.headers["location"])
    assert f"{back.scheme}://{back.netloc}{back.path}" == HERE + BACK
    return await server.http.get(f"{BACK}?{back.query}", headers={"Cookie": cookie_in(begun)})


@pytest.mark.proof
async def test_people_of_a_real_provider_sign_in(store):
    """By the address of an account that the operator has made, then by who they are there; by a group; and nobody else."""
    people = (
        {"sub": "kim-at-sso", "email": "kim@example.org", "email_verified": True, "name": "Kim"},
        {
            "sub": "lee-at-sso",
            "email": "lee@example.org",
            "email_verified": True,
            "name": "Lee",
            "groups": ["desk", "x"],
        },
        {"sub": "eve-at-sso", "email": "eve@example.org", "email_verified": True, "groups": ["others"]},
        {"sub": "mal-at-sso", "email": "boss@example.org", "name": "Mal", "groups": ["desk"]},
    )
    async with (
        provider(*people) as issuer,
        desk(
            store, issuer, ("desk", ORGANIZATION, "editor"), scopes=("openid", "email", "profile", "groups")
        ) as server,
    ):
        kim = await add_account(store, role="admin")
        await add_account(store, "boss@example.org", role="admin")

        led = await sign_in(server, "kim-at-sso")
        assert (led.status_code, led.headers["location"]) == (303, "../../../desk/account"), led.text
        browser = SignedInBrowser(server.http, session_of(led), NAME)
        assert "Kim Example" in (await browser.send("GET", "/desk")).text
        bound = await store.read(partial(accounts.find, account_id=kim.id))
        assert (bound.issuer, bound.subject, bound.role) == (issuer, "kim-at-sso", "admin")

        refused = [await sign_in(server, subject) for subject in ("eve-at-sso", "mal-at-sso", "nobody@example.org")]
        assert [each.status_code for each in refused] == [403] * 3
        assert not any(
            "matchwire-desk=" in each for response in refused for each in response.headers.get_list("set-cookie")
        )


@pytest.fixture
def forged():
    with forger() as made:
        yield made


async def return_with(server, forged, begun=None, **claims):
    """Come back from the forger with claims that are right but for these."""
    server.now = time.time()
    begun = begun or await server.http.get(BEGIN)
    sent = parse_qs(urlsplit(begun.headers["location"]).query)
    forged.claims = {
        "iss": forged.address, "aud": CLIENT, "sub": "kim-at-sso", "nonce": sent["nonce"][0], "email": "kim@example.org",
        "email_verified": True, "iat": int(server.now), "exp": int(server.now) + 300, **claims,
    }  # fmt: skip
    query = {"code": "c", "state": sent["state"][0]}
    return await server.http.get(BACK, params=query, headers={"Cookie": cookie_in(begun)})


async def test_the_code_is_bound_to_this_browser_and_to_us(store, forged):
    """By PKCE with S256, a nonce, a state, our secret in a header, and a cookie that no script reads."""
    async with desk(store, forged.address) as server:
        await add_account(store)
        begun = await server.http.get(BEGIN)
        response = await return_with(server, forged, begun)

    sent = parse_qs(urlsplit(begun.headers["location"]).query)
    assert response.status_code == 303, response.text
    assert sent["code_challenge_method"] == ["S256"]
    assert sent["redirect_uri"] == [HERE + BACK]
    assert "HttpOnly" in begun.headers["set-cookie"]
    path, body, authorization = next(each for each in forged.seen if each[0] == "/token")
    assert len(parse_qs(body)["code_verifier"][0]) >= 43
    assert SECRET not in path + body
    assert urlsafe_b64decode(authorization.removeprefix("Basic ")).decode() == f"{CLIENT}:{SECRET}"


WRONG = {
    "another nonce": {"nonce": "x"},
    "no nonce": {"nonce": None},
    "for another client": {"aud": "another"},
    "also for another client": {"aud": [CLIENT, "another"], "azp": "another"},
    "of another issuer": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "no subject": {"sub": None},
    "over": {"exp": 1_700_000_000},
    "without an end": {"exp": None},
    "of a time to come": {"nbf": 4_000_000_000},
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_claims_that_are_not_for_us_are_refused(store, forged, wrong):
    """Each one alone, and nobody is signed in."""
    async with desk(store, forged.address) as server:
        await add_account(store)
        response = await return_with(server, forged, **WRONG[wrong])

        assert response.status_code == 403
        assert (await contents(server))["desk_sessions"] == []


def by_public_key(claims):
    """A token signed by the provider's public key as if that were a secret, which anybody can do."""
    parts = [
        urlsafe_b64encode(json.dumps(each).encode()).rstrip(b"=") for each in ({"alg": "HS256", "kid": "one"}, claims)
    ]
    signed = hmac.digest(KEY.as_pem(private=False), b".".join(parts), "sha256")
    return b".".join([*parts, urlsafe_b64encode(signed).rstrip(b"=")]).decode()


@pytest.mark.parametrize("how", ["none", "shared", "other key", "no token", "no JSON", "error"])
async def test_tokens_that_the_provider_has_not_signed_are_refused(store, forged, how):
    """Without a signature, by a secret, by another key, or no token at all."""
    async with desk(store, forged.address) as server:
        await add_account(store)
        if how == "none":
            forged.token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJraW0tYXQtc3NvIn0."
        elif how == "shared":
            forged.token = by_public_key({"sub": "kim-at-sso", "aud": CLIENT, "iss": forged.address})
        elif how == "other key":
            forged.key = OTHER_KEY
        else:
            body = {"no token": b"{}", "no JSON": b"<html>", "error": b'{"error":"invalid_grant"}'}[how]
            forged.answers["/token"] = (400 if how == "error" else 200, {}, body)

        response = await return_with(server, forged)

        assert response.status_code in {403, 503}
        assert (await contents(server))["desk_sessions"] == []


async def test_a_new_key_of_the_provider_is_fetched_once_a_minute(store, forged):
    """Tokens by unknown keys, which anybody can make up, do not make us fetch for each of them."""
    async with desk(store, forged.address) as server:
        await add_account(store)
        assert (await return_with(server, forged)).status_code == 303
        forged.key, forged.keys = OTHER_KEY, {"keys": [OTHER_KEY.as_dict(private=False)]}
        for _ in range(3):
            assert (await return_with(server, forged)).status_code == 403
        server.ticks += 61
        assert (await return_with(server, forged)).status_code == 303

    assert len([each for each in forged.seen if each[0] == "/keys"]) == 2


async def test_a_code_of_another_browser_is_worth_nothing(store, forged):
    """Without the cookie, with another one, a changed state, none, or a cookie that is no JSON: refused before any call."""
    async with desk(store, forged.address) as server:
        await add_account(store)
        mine, other = await server.http.get(BEGIN), await server.http.get(BEGIN)
        state = parse_qs(urlsplit(mine.headers["location"]).query)["state"][0]
        before = len(forged.seen)
        for query, cookie in (
            ({"code": "c", "state": state}, None),
            ({"code": "c", "state": state}, cookie_in(other)),
            ({"code": "c", "state": "x"}, cookie_in(mine)),
            ({"code": "c"}, cookie_in(mine)),
            ({"state": state}, cookie_in(mine)),
            ({"code": "c", "state": state}, "matchwire-openid=bm9uZQ"),
            ({"code": "c", "state": state}, "matchwire-openid=WyIiLCIiLCIiLCIiXQ"),
            ({"error": "access_denied", "state": state}, cookie_in(mine)),
        ):
            response = await server.http.get(BACK, params=query, headers={} if cookie is None else {"Cookie": cookie})
            assert response.status_code == 403
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
    rows = (("desk", ORGANIZATION, "editor"), ("heads", ORGANIZATION, "admin"), ("abroad", OTHER, "reader"))
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
        for verified in (False, None, "true", 1):
            response = await return_with(server, forged, email_verified=verified, groups=["desk"])
            assert response.status_code == 403
        assert (await return_with(server, forged)).status_code == 303
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


@pytest.mark.parametrize("groups", [None, "desk", {"desk": 1}, [1, None, ["desk"]], 7])
def test_groups_of_another_form_are_none(groups):
    """A list of texts is one; nothing else makes an account."""
    found = person_of_claims(
        {"sub": "s", "email": ["x"], "name": 7, "groups": groups},
        groups_claim="groups",
        trust_email=True,
        rows=[("desk", "o", "admin")],
    )

    assert (found.email, found.name, dict(found.grants)) == (None, "", {})
