"""What every request passes and every answer carries: limits, headers, rates."""

import httpx
import pytest

from api.http.request import DeskPerson, loggable
from api.view.liveblog_access import holders
from mapping.errors import StoreUnavailable
from tests.api.conftest import open_store, serving
from tests.kit import matchday
from tests.kit.desk import Desk, match, player, refused
from tests.kit.full_house import OTHER, OWNER, UNKNOWN, sqlite_house
from tests.kit.sqlite import copied_url

PATH = f"/apigw/sports/v2/{matchday.ORGANIZATION}/liveblog/createFromExternal"
FEED = "/api/embed/v4/feed/liveblog.json?liveblogId=gderby"


async def chunks(size):
    for _ in range(size // 1000 + 1):
        yield b" " * 1000


@pytest.mark.parametrize("path", ["/livez", "/nowhere", FEED, "/liveblogs/gderby", "/openapi.json", PATH])
async def test_every_answer_carries_the_safe_headers(server, path):
    """Also errors, also pages."""
    response = await server.http.get(path)

    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "base-uri 'none'" in policy
    assert "frame-ancestors" in policy or path.startswith("/docs")
    assert len(response.headers["x-request-id"]) == 16
    assert "cache-control" in response.headers


async def test_a_large_body_is_refused_by_its_length(store, auth):
    """413 with the error body; at the limit it is read."""
    async with serving(store, body_bytes=100) as server:
        big = await server.http.post(PATH, params=auth, content=b" " * 101)
        fits = await server.http.post(PATH, params=auth, content=b'{"provider":"heim","matchId":"1"}'.ljust(100))

    assert (big.status_code, big.json()["code"], big.json()["retryable"]) == (413, "payload_too_large", False)
    assert fits.status_code == 200


async def test_a_large_body_in_chunks_is_refused_too(store, auth):
    """Counted where no length is announced."""
    async with serving(store, body_bytes=5000) as server:
        response = await server.http.post(PATH, params=auth, content=chunks(6000))

    assert response.status_code == 413


async def test_a_long_url_is_refused(server):
    """414 beyond 8 kB, query included."""
    assert (await server.http.get("/livez?x=" + "a" * 8000)).status_code == 200
    response = await server.http.get("/livez?x=" + "a" * 8200)
    assert (response.status_code, response.json()["code"]) == (414, "invalid_request")


async def test_a_compressed_body_is_refused(server, auth):
    """415; identity is no compression."""
    good = b'{"provider":"heim","matchId":"1"}'
    refused = await server.http.post(PATH, params=auth, content=good, headers={"Content-Encoding": "gzip"})
    taken = await server.http.post(PATH, params=auth, content=good, headers={"Content-Encoding": "identity"})

    assert (refused.status_code, taken.status_code) == (415, 200)


@pytest.mark.parametrize("path", ["/liveblogs/a%00b", "/%00", "/livez%00"])
async def test_nul_in_a_path_is_malformed(server, path):
    """It reaches no database."""
    assert (await server.http.get(path)).status_code == 400


async def test_too_many_parameters_are_malformed(server):
    """A hundred is enough for anybody."""
    assert (await server.http.get("/livez?" + "&".join(f"a{n}=1" for n in range(101)))).status_code == 400


async def test_a_client_has_a_bucket_of_its_own(store, auth):
    """The burst passes, then 429 with the time to wait; another client is not touched."""
    async with serving(store, client_per_second=0.5, client_burst=3) as server:
        await server.add(matchday.derby())
        show = "/api/v5/write/ticker/show.json?local_id=gderby"
        responses = [
            await server.http.get(show, params={**dict(httpx.QueryParams("local_id=gderby")), **auth}) for _ in range(4)
        ]
        assert [response.status_code for response in responses] == [200, 200, 200, 429]
        assert [response.headers["ratelimit-remaining"] for response in responses] == ["2", "1", "0", "0"]
        assert responses[0].headers["ratelimit-limit"] == "3"
        assert (responses[3].headers["retry-after"], responses[3].json()["code"]) == ("2", "rate_limited")
        assert responses[3].json()["retryable"] is True

        other = {"local_id": "gderby", "client_id": "reader", "client_secret": matchday.SECRET}
        assert (await server.http.get(show, params=other)).status_code == 200

        server.ticks += 2
        assert (await server.http.get(show, params={"local_id": "gderby", **auth})).status_code == 200


async def test_an_address_has_a_bucket_on_public_reads(store):
    """Twice the rate at once, then so many a second; probes are never refused."""
    async with serving(store, public_per_second=2, public_feeds=True) as server:
        await server.add(matchday.derby())
        statuses = [(await server.http.get(FEED)).status_code for _ in range(5)]
        assert statuses == [200, 200, 200, 200, 429]
        assert (await server.http.get("/livez")).status_code == 200


async def test_numbers_are_read_whatever_the_limit(store):
    """Monitoring goes on while its address or its client has used up what it may ask for; wrong secrets are charged."""
    limits = {"public_per_second": 1, "client_per_second": 1, "client_burst": 1}
    async with serving(store, public_metrics=True, metrics=lambda _: (b"", "text/plain"), **limits) as server:
        for params in ({"client_id": "desk", "client_secret": matchday.SECRET}, {}):
            assert [(await server.http.get("/metrics", params=params)).status_code for _ in range(5)] == [200] * 5
        wrong = {"client_id": "desk", "client_secret": "guess"}
        assert [(await server.http.get("/metrics", params=wrong)).status_code for _ in range(3)] == [401, 401, 429]


async def test_an_ipv6_network_is_one_address(store):
    """Who has a network of 64 bits has not as many buckets as it has addresses."""
    async with serving(store, public_per_second=1, public_feeds=True) as server:
        statuses = []
        for number in range(3):
            transport = httpx.ASGITransport(app=server.app, client=(f"2001:db8::{number}", 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as http:
                statuses.append((await http.get("/")).status_code)

    assert statuses == [200, 200, 429]


@pytest.mark.parametrize("headers", [[], [("Host", "a"), ("Host", "b")]])
async def test_a_request_names_one_host(server, headers):
    """None or several are malformed: somebody on the way may have read another one."""
    request = httpx.Request("GET", "http://testserver/livez")
    request.headers = httpx.Headers(headers)
    response = await server.http.send(request)

    assert (response.status_code, response.headers["connection"]) == (400, "close")


async def test_guessing_secrets_is_slowed_down(store):
    """Wrong credentials are charged to the address."""
    async with serving(store, public_per_second=1) as server:
        wrong = {"client_id": "desk", "client_secret": "guess"}
        statuses = [(await server.http.get(FEED, params=wrong)).status_code for _ in range(3)]

    assert statuses == [401, 401, 429]


async def test_a_database_that_does_not_answer_is_503(public, monkeypatch):
    """Retryable, with `Retry-After`."""

    async def fails(_):
        raise StoreUnavailable("the database does not answer")

    monkeypatch.setattr(public.store, "read", fails)
    response = await public.http.get(FEED)

    assert (response.status_code, response.json()["retryable"]) == (503, True)
    assert int(response.headers["retry-after"]) >= 1


async def test_an_error_in_a_plain_read_reveals_nothing(public, monkeypatch, capsys, failed_requests):
    """500 `internal`; the log holds the trace, without secrets."""

    async def fails(_):
        raise RuntimeError("client_secret=hunter2 went wrong")

    monkeypatch.setattr(public.store, "read", fails)
    response = await public.http.get(FEED)

    assert (response.status_code, response.json()["code"]) == (500, "internal")
    assert failed_requests.pop().endswith("client_secret=hunter2 went wrong')")
    assert "hunter2" not in response.text
    logged = capsys.readouterr().out
    assert "request.failed" in logged
    assert "went wrong" in logged
    assert "hunter2" not in logged


@pytest.mark.parametrize("text", ["\r\nforged line", "\ud800", "\x1b[31m", "ü" * 500])
def test_what_is_logged_stays_on_one_line(text):
    """Control characters are escaped, length is bounded, nothing fails to encode."""
    line = loggable(text)

    assert line.isascii()
    assert line.isprintable()
    assert len(line) <= 2000


@pytest.fixture
def owned():
    """The owner's records."""
    return sqlite_house()[1].names


@pytest.fixture
async def service(tmp_path):
    """The API over a full house."""
    store = await open_store(copied_url(tmp_path / "owned.db", lambda: sqlite_house()[0]))
    async with serving(store, client_per_second=0, public_per_second=0) as server:
        yield server
    await store.close()


@pytest.fixture
def owner(service):
    return Desk(service.http, "owner")


@pytest.fixture
def stranger(service):
    return Desk(service.http, "stranger")


async def test_the_stored_owner_decides(owner, stranger, owned):
    """An owner in the document makes no difference: neither to change a record, nor to move one."""
    claim = {"_id": owned.team, "owner_id": OTHER, "name": "Taken over"}

    theirs = await stranger.post("team/update", claim)
    moved = await owner.post("team/update", claim)

    assert refused(theirs) == (404, "_id")
    assert moved.json()["owner_id"] == OWNER


@pytest.mark.parametrize("which", ["theirs", "missing"])
async def test_references_lead_to_ones_own_records_alone(stranger, owned, which):
    """Another tenant's team is as unknown as a missing one, to players and to liveblogs."""
    team_id = owned.team if which == "theirs" else UNKNOWN

    joining = await stranger.post("player/create", player(owner_id=OTHER, team_id=team_id))
    playing = await stranger.post("ticker/create", match({"_id": team_id}, organization_id=OTHER))

    assert refused(joining) == (422, "team_id")
    assert refused(playing) == (422, "meta_info.home_team._id")
    assert playing.json()["message"] == "there is no such team"


def about(field, record_id, owner_id):
    """A new liveblog that refers to a record in one place."""
    body = match(organization_id=owner_id)
    if field == "template_id":
        return body | {field: record_id}
    if field == "pricing":
        info = {
            "_type": "Svc::Model::MarketplaceInfo::BasicMarketplaceInfo",
            "pricing": {"_type": "Svc::Model::Pricing", "_id": record_id},
        }
        return body | {"marketplace_info": info}
    body["meta_info"][field] = {"_id": record_id}
    return body


@pytest.mark.parametrize(
    ("field", "own", "path"),
    [
        ("tournament", None, "meta_info.tournament._id"),
        ("location", "5f0c1de2a1b2c3d4e5f60800", "meta_info.location._id"),
        ("template_id", "5f0c1de2a1b2c3d4e5f60801", "template_id"),
        ("pricing", "premium", "marketplace_info.pricing._id"),
    ],
)
async def test_a_liveblog_refers_to_what_is_its_owners_alone(owner, stranger, owned, field, own, path):
    """Another tenant's tournament, location, template and pricing are as unknown as missing ones; one's own are found."""
    own = own or owned.tournament
    responses = [await stranger.post("ticker/create", about(field, name, OTHER)) for name in (own, UNKNOWN)]

    assert [refused(response) for response in responses] == [(422, path)] * 2
    assert responses[0].json() == responses[1].json()
    mine = await owner.post("ticker/create", about(field, own, OWNER))
    assert mine.status_code == 200, mine.text


def test_a_permission_for_a_client_of_that_name_is_none_for_a_person():
    """A liveblog that is shared with a client is not shared with an account, whatever its id."""
    person = DeskPerson(
        client_id="desk", organizations=frozenset({OTHER}), scopes=frozenset(), proven=True,
        name="Kim", role="editor", organization_id=OTHER, session_id="s",
    )  # fmt: skip

    assert holders(person) == {("Organization", OTHER)}
