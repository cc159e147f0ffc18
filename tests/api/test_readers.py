"""Who a reader is: tokens that cannot be guessed, altered or lent, and sign-ins that count once."""

import base64
import json
from dataclasses import dataclass
from functools import partial

import jwt
import pytest
import structlog

from api.http.request import RequestHeaders
from api.readers import request_reader
from api.readers.request_reader import ReaderLimits
from mapping.errors import RateLimited, Unauthorized
from store.readers.reader_sign_ins import FORGOTTEN, reader_sign_ins, use_once
from tests.api.conftest import NOW, serving
from tests.kit.comments import SECRET
from tests.kit.matchday import ORGANIZATION, OTHER

SETTINGS = {
    "token_age": 3600.0, "sign_in_age": 300.0, "tokens_per_second": 1.0, "tokens_burst": 100,
    "reader_per_second": 1.0, "reader_burst": 3, "address_per_second": 1.0, "address_burst": 5,
}  # fmt: skip


@dataclass
class FakeRequest:
    """What the functions of access look at."""

    services: object
    headers: object
    client: object = None


def path(organization=ORGANIZATION):
    return f"/api/readers/v1/organization/{organization}/token"


@pytest.fixture
async def site(store):
    """A service whose first organization signs its readers in, the second one with another secret."""
    secrets = {ORGANIZATION: SECRET, OTHER: SECRET[::-1]}
    async with serving(store, client_per_second=0, public_per_second=0, sign_in_secrets=secrets, **SETTINGS) as server:
        yield server


async def minted(site, organization=ORGANIZATION, client="desk", status=200, headers=None, **body):
    response = await site.http.post(path(organization), json=body, params={"client_id": client}, headers=headers)
    assert response.status_code == status, response.text
    assert response.headers["access-control-allow-origin"] == "*"
    return response.json()


def reader_of(site, token, organization=ORGANIZATION):
    """Who the service says the bearer of the token is."""
    headers = RequestHeaders({"headers": [(b"reader-token", token.encode())]})
    return request_reader.known_reader(FakeRequest(site.services, headers), organization)


def signed(key=SECRET, algorithm="HS256", without=(), **changes):
    claims = {"sub": "account-7", "name": "Kim", "iat": NOW, "exp": NOW + 120, "jti": "one"} | changes
    return jwt.encode({name: each for name, each in claims.items() if name not in without}, key, algorithm)


async def test_an_anonymous_reader_has_a_name_of_its_choice_and_an_id_that_nobody_guesses(site):
    """Each token is another reader, unless one that is valid is given again; names are plain text."""
    first, second = await minted(site, name="  Kim\u202e\n\x07 <b>B</b> "), await minted(site)
    renamed = await minted(site, name="x" * 200, headers={"Reader-Token": first["token"]})

    assert first["reader"] == {"id": first["reader"]["id"], "name": "Kim <b>B</b>", "image": None, "signed_in": False}
    assert second["reader"]["name"] is None
    assert len(first["reader"]["id"]) == 33
    assert first["reader"]["id"] != second["reader"]["id"]
    assert renamed["reader"]["id"] == first["reader"]["id"]
    assert renamed["reader"]["name"] == "x" * 60
    assert reader_of(site, first["token"]).id == first["reader"]["id"]


async def test_no_other_token_is_a_reader(site):
    """Altered, of another key, algorithm or organization, ended, of the future: refused, and never in a log."""
    token, other = (await minted(site, name="Kim"))["token"], (await minted(site, OTHER, "stranger"))["token"]
    head, claims, signature = token.split(".")
    said = jwt.decode(token, options={"verify_signature": False})
    forged = base64.urlsafe_b64encode(json.dumps({**said, "sub": "somebody"}).encode()).decode().rstrip("=")
    none = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    key = site.services.keys.readers

    wrong = {
        "claims altered": f"{head}.{forged}.{signature}",
        "signature cut": f"{head}.{claims}.{signature[:-2]}",
        "not signed": f"{none}.{claims}.",
        "another algorithm": jwt.encode(said, key * 2, "HS512"),
        "another key": jwt.encode(said, b"x" * 32, "HS256"),
        "several organizations": jwt.encode({**said, "aud": [ORGANIZATION, OTHER]}, key, "HS256"),
        "without a time": jwt.encode({**said, "iat": None}, key, "HS256"),
        "of the future": jwt.encode({**said, "iat": NOW + 3600}, key, "HS256"),
        "another organization": other,
        "empty": "",
        "nonsense": "a.b.c",
        "endless": token + "x" * 5000,
        "sign-in": signed(),
    }
    with structlog.testing.capture_logs() as logs:
        for what, each in wrong.items():
            with pytest.raises(Unauthorized, match="missing or not valid"):
                reader_of(site, each)
            assert (await minted(site, headers={"Reader-Token": each.encode()}, status=401))["code"], what
    assert signature not in repr(logs)

    site.now += 3599
    assert reader_of(site, token)
    site.now += 1
    with pytest.raises(Unauthorized):
        reader_of(site, token)


async def test_an_organization_signs_its_readers_in_once_a_token(site):
    """A person is one reader whoever issues the token and when; another organization's account of that name is another."""
    image = "https://img.example.org/kim.png"
    first = (await minted(site, sign_in=signed(image=image, name="Kim\u202e"), name="Ignored"))["reader"]
    again = (await minted(site, sign_in=signed(jti="two", name="Kimberly")))["reader"]
    theirs = (await minted(site, OTHER, "stranger", sign_in=signed(SECRET[::-1])))["reader"]
    kept = await minted(site, sign_in=signed(jti="three"))

    assert (first["name"], first["signed_in"]) == ("Kim", True)
    assert first["image"].startswith("https://live.example.org/blogs/media/")
    assert "img.example.org" not in first["image"]
    assert again["id"] == first["id"]
    assert again["name"] == "Kimberly"
    assert theirs["id"] != first["id"]
    assert "account-7" not in json.dumps(first)
    for bad in ("http://img.example.org/a.png", "https://127.1/a.png", "javascript:alert(1)"):
        assert (await minted(site, sign_in=signed(jti=bad, image=bad)))["reader"]["image"] is None
    renamed = await minted(site, name="Somebody", headers={"Reader-Token": kept["token"]})
    assert renamed["reader"]["id"] != first["id"], "a name of its own choice is no name of the organization's"


async def test_a_forged_or_replayed_sign_in_is_refused(site):
    """One and the same 401 whatever is wrong; what is refused uses up nothing."""
    unsigned = jwt.encode({"sub": "account-7", "iat": NOW, "exp": NOW + 120, "jti": "one"}, None, "none")
    wrong = {
        "not signed": unsigned,
        "another algorithm": signed(SECRET * 2, "HS512"),
        "another organization's secret": signed(SECRET[::-1]),
        "ended": signed(exp=NOW),
        "ends too late": signed(exp=NOW + 301),
        "ends never": signed(exp=1e400),
        "of the future": signed(iat=NOW + 61),
        "a reader's token": (await minted(site))["token"],
        "a subject that is no text": signed(sub=7),
        "an empty subject": signed(sub=""),
        "no text for a name of it": signed(jti=["one"]),
        **{f"without {name}": signed(without=(name,)) for name in ("sub", "iat", "exp", "jti")},
    }
    for what, each in wrong.items():
        error = await minted(site, sign_in=each, status=401)
        assert (what, error["message"]) == (what, "the sign-in token is not valid")

    assert (await minted(site, sign_in=signed()))["reader"]["signed_in"]
    await minted(site, sign_in=signed(), status=401)
    await minted(site, OTHER, "stranger", sign_in=signed(SECRET[::-1]))
    await minted(site, sign_in=signed(name="Sam", sub="another"), status=401)


async def test_used_tokens_are_kept_until_they_end_and_no_longer(site):
    """Of two processes that use the same one, one is first; ended ones go a hundred at a time."""
    use = partial(use_once, organization_id=ORGANIZATION)
    assert [await site.store.write(partial(use, jti="one", until=NOW + 60)) for _ in range(2)] == [True, False]
    for number in range(FORGOTTEN + 5):
        await site.store.write(
            lambda unit, n=number: unit.conn.execute(
                reader_sign_ins.insert().values(organization_id=OTHER, jti_digest=str(n), until=NOW - 3600)
            )
        )
    for left in (5 + 2, 3):
        assert await site.store.write(partial(use, jti=f"left {left}", until=NOW + 60))
        rows = await site.store.read(lambda conn: conn.execute(reader_sign_ins.select()).all())
        assert len(rows) == left


async def test_tokens_and_writes_are_limited(site):
    """Tokens by address; writes by reader and by address, IPv6 networks counting as one."""
    limits = ReaderLimits(site.services.settings.readers, lambda: site.ticks)
    for _ in range(SETTINGS["reader_burst"]):
        limits.charge("kim", "10.0.0.1")
    with pytest.raises(RateLimited):
        limits.charge("kim", "10.0.0.1")
    for name in "ab":
        limits.charge(name, "10.0.0.1")
    with pytest.raises(RateLimited):
        limits.charge("c", "10.0.0.1")
    limits.charge("c", "10.0.0.2")
    for _ in range(SETTINGS["tokens_burst"]):
        await minted(site)
    assert (await minted(site, status=429))["code"] == "rate_limited"
    site.ticks += 1
    await minted(site)


async def test_scripts_of_other_sites_may_send_what_a_reader_sends(site):
    """A preflight allows the headers; nothing else of the API has one."""
    response = await site.http.options(path(), headers={"Origin": "https://news.example"})
    assert response.status_code == 204
    assert "Reader-Token" in response.headers["access-control-allow-headers"]
    assert (await site.http.options("/api/v5/write/event/create.json")).status_code == 405


@pytest.mark.parametrize("field", ["name", "sub", "image", "jti"])
async def test_half_an_emoji_in_a_sign_in_is_no_sign_in(site, field):
    """A lone surrogate can be signed, and neither stored nor sent."""
    await minted(site, sign_in=signed(**{field: "https://img.example/\ud83d"}), status=401)
