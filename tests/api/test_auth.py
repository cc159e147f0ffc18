"""Credentials: where they may stand, what is refused, and that refusals reveal nothing."""

import base64
from functools import partial

import pytest

from api.middleware.outermost import RequestLog
from store.clients import clients
from tests.api.conftest import serving
from tests.kit import matchday

SHOW = "/api/v5/write/ticker/show.json"
FEED = "/api/embed/v4/feed/liveblog.json"
SECRET = matchday.SECRET


def basic(client_id, secret):
    return "Basic " + base64.b64encode(f"{client_id}:{secret}".encode()).decode()


@pytest.fixture
async def derby(server):
    await server.add(matchday.derby())
    return server


async def show(server, query="", headers=None):
    return await server.http.get(f"{SHOW}?local_id=gderby&{query}", headers=headers)


@pytest.mark.parametrize("secret", [matchday.SECRET, matchday.OLD_SECRET])
async def test_three_mechanisms_open_with_either_live_secret(derby, secret):
    """Query, Basic and Bearer; the secret before a rotation works as long as it is live."""
    assert (await show(derby, f"client_id=desk&client_secret={secret}")).status_code == 200
    assert (await show(derby, headers={"Authorization": basic("desk", secret)})).status_code == 200
    assert (await show(derby, headers={"Authorization": f"Bearer desk.{secret}"})).status_code == 200
    assert (await show(derby, headers={"Authorization": f"bEaReR desk.{secret}"})).status_code == 200


@pytest.mark.parametrize(
    ("query", "header"),
    [
        ("", None), ("client_id=desk", None), ("client_secret=" + SECRET, None),
        ("client_id=desk&client_secret=", None), ("client_id=&client_secret=" + SECRET, None),
        ("client_id=desk&client_secret=wrong", None), ("client_id=nobody&client_secret=" + SECRET, None),
        ("client_id=Desk&client_secret=" + SECRET, None), ("client_id=desk%0A&client_secret=" + SECRET, None),
        ("client_id=" + "d" * 300 + "&client_secret=" + SECRET, None), ("", basic("desk", "wrong")),
        ("", basic("desk", "")), ("", "Basic desk:" + SECRET), ("", "Basic " + base64.b64encode(b"desk").decode()),
        ("", "Basic " + base64.b64encode(b"\xff:\xff").decode()), ("", "Bearer desk"), ("", "Bearer desk.wrong"),
        ("", "Bearer"), ("", "Digest username=desk"),
        ("client_id=desk&client_secret=" + SECRET, "Digest username=desk"),
    ],
)  # fmt: skip
async def test_all_bad_credentials_get_the_same_answer(derby, query, header):
    """Unknown, wrong, empty, incomplete: one 401, one body, one challenge."""
    response = await show(derby, query, {"Authorization": header} if header else None)

    assert response.status_code == 401
    assert response.json() == {
        "code": "unauthorized",
        "message": "the credentials are missing or not valid",
        "retryable": False,
    }
    assert response.headers["www-authenticate"].startswith("Basic ")


@pytest.mark.parametrize(
    ("query", "header"),
    [
        ("client_id=desk&client_id=desk&client_secret=" + SECRET, None),
        ("client_id=desk&client_secret=wrong&client_secret=" + SECRET, None),
        ("CLIENT_ID=desk&client_secret=" + SECRET, None),
        ("client_id=desk&Client_Secret=" + SECRET, None),
        ("client_id[]=desk&client_secret=" + SECRET, None),
        ("client_id=desk&client_secret[0]=" + SECRET, None),
        ("client_id=reader&client_secret=" + SECRET, basic("desk", SECRET)),
        ("client_id=desk&client_secret=wrong", basic("desk", SECRET)),
        ("client_id=reader", "Bearer desk." + SECRET),
        ("compact=true&compact=true&client_id=desk&client_secret=" + SECRET, None),
        ("x=%FF&client_id=desk&client_secret=" + SECRET, None),
        ("x=%00&client_id=desk&client_secret=" + SECRET, None),
    ],
)
async def test_games_with_parameters_are_malformed(derby, query, header):
    """Twice, misspelt, two mechanisms that disagree, not UTF-8: 400."""
    response = await show(derby, query, {"Authorization": header} if header else None)

    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")


async def test_two_authorization_headers_are_malformed(derby):
    """Even where they are equal."""
    headers = [("Authorization", basic("desk", SECRET)), ("Authorization", basic("desk", SECRET))]

    assert (await show(derby, headers=headers)).status_code == 400


async def test_two_mechanisms_that_agree_are_one(derby):
    """The same credentials twice, or the id alone beside a header."""
    assert (
        await show(derby, f"client_id=desk&client_secret={SECRET}", {"Authorization": basic("desk", SECRET)})
    ).status_code == 200
    assert (await show(derby, "client_id=desk", {"Authorization": f"Bearer desk.{SECRET}"})).status_code == 200


async def test_a_revoked_client_is_out_within_seconds(server):
    """Clients are cached for two seconds, not longer."""
    await server.add(matchday.derby())
    spec = matchday.client("temp", "read")
    await server.store.write(lambda unit: clients.create(unit, spec))
    query = f"client_id=temp&client_secret={SECRET}"
    assert (await show(server, query)).status_code == 200

    await server.store.write(partial(clients.revoke, client_id="temp"))
    server.ticks += 2.1

    assert (await show(server, query)).status_code == 401


async def test_an_error_never_repeats_what_was_sent(derby):
    """Neither the secret nor the URL comes back."""
    for query in ("client_id=desk&client_secret=hunter2", "client_id=desk&client_secret=hunter2&client_secret=hunter2"):
        response = await show(derby, query)
        assert "hunter2" not in response.text + str(response.headers)


async def test_a_log_line_holds_no_secret(derby, capsys, monkeypatch):
    """The query string is not logged, neither with a line for each request nor where one is refused."""
    monkeypatch.setattr(derby.services[RequestLog], "_each", True)
    await show(derby, f"client_id=desk&client_secret={SECRET}")
    await show(derby, f"client_id=nobody&client_secret={SECRET}")

    logged = capsys.readouterr().out
    assert logged.count("request.served") == 2
    assert SECRET not in logged


async def test_a_page_of_another_site_does_not_write_with_a_kept_password(derby):
    """Browsers send Basic by themselves; Bearer, the query, reads and pages of the same site are as before."""
    path, body, kept = "/api/v5/write/ticker/update.json", {"_type": "Svc::Model::Game"}, basic("desk", SECRET)

    async def status(site="cross-site", authorization=kept, **params):
        headers = {"Sec-Fetch-Site": site, **({"Authorization": authorization} if authorization else {})}
        params = {"local_id": "gderby", **params}
        return await derby.http.post(path, params=params, json=body, headers=headers)

    refused = await status()
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    for answer in (
        await status("same-origin"),
        await status("none"),
        await status(authorization=f"Bearer desk.{SECRET}"),
        await status(authorization=None, client_id="desk", client_secret=SECRET),
    ):
        assert answer.status_code != 403
    read = await show(derby, headers={"Sec-Fetch-Site": "cross-site", "Authorization": kept})
    assert read.status_code == 200


async def test_a_client_that_nobody_knows_costs_no_read_once_its_address_has_no_requests_left(store):
    """The refusal comes before anything is read, and the clients that are known stay so."""
    reads = []
    async with serving(store, public_per_second=1) as server:
        original = store.read

        async def counted(query, **more):
            reads.append(query)
            return await original(query, **more)

        store.read = counted
        answers = [
            await server.http.get(FEED, params={"liveblogId": "g", "client_id": f"nobody{each}"}) for each in range(20)
        ]
        store.read = original

    assert [answer.status_code for answer in answers[:2]] == [401, 401]
    assert {answer.status_code for answer in answers[2:]} == {429}
    assert len(reads) == 2
