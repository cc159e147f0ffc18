"""Subscriptions, log and replay over HTTP."""

from dataclasses import replace
from functools import partial

import pytest
from standardwebhooks import Webhook

from api.app import create_app
from mapping.rules.webhook_delivery import Health
from store.clients import clients
from store.webhooks import deliveries, outbox, webhooks
from store.webhooks.deliveries import AttemptRecord, Delivery, Round
from tests.api.conftest import NOW
from tests.kit import matchday
from tests.kit.settings import configured

BASE = f"/apigw/webhooks/v2/organization/{matchday.ORGANIZATION}"
THEIRS = f"/apigw/webhooks/v2/organization/{matchday.OTHER}"
URL = "https://cms.example.org/hook"
HOOKS = {"client_id": "hooks", "client_secret": matchday.SECRET}
BOTH = {"client_id": "both", "client_secret": matchday.SECRET}


@pytest.fixture
async def server(server):
    """The server of the other tests, with clients that may manage webhooks."""
    both = replace(matchday.client("both", "webhooks"), organizations=(matchday.ORGANIZATION, matchday.OTHER))
    extra = (
        matchday.client("hooks", "webhooks"),
        matchday.client("strange-hooks", "webhooks", organization=matchday.OTHER),
        matchday.client("operator", "admin"),
        both,
    )
    await server.store.write(lambda unit: clients.declare(unit, (*matchday.CLIENTS, *extra)))
    return server


async def post(server, path, body=None, params=HOOKS, status=200):
    answer = await server.http.post(path, json=body, params=params)
    assert answer.status_code == status, answer.text
    return answer.json()


async def get(server, path, params=HOOKS, status=200, **more):
    answer = await server.http.get(path, params={**params, **more})
    assert answer.status_code == status, answer.text
    return answer.json()


async def record_attempts(server, claimed, *, cursor, health, rounds=()):
    record = AttemptRecord(claimed=claimed, rounds=rounds, cursor=cursor, health=health)
    await server.store.write(partial(deliveries.record_attempts, records=[record]))


async def round_of(server, url=URL, *, success, code=200, version=1, at=NOW, kind="update"):
    """Number what is committed and record a round, as a worker does."""
    await server.store.write(outbox.number_committed)
    row = await server.store.read(lambda conn: webhooks.require(conn, matchday.ORGANIZATION, url))
    claimed = await server.store.write(partial(deliveries.claim, webhook_id=row.id, owner="test"))
    delivery = Delivery(number=version, game_id="6a" * 12, local_id="gderby", version=version, kind=kind)
    done = Round(
        delivery=delivery, tries=1, at=at, took_ms=12, success=success, status_code=code, message="in words",
        next_at=None if success else at + 600,
    )  # fmt: skip
    health = Health() if success else Health(failures=row.failures + 1, since=row.failing_since or at)
    await record_attempts(server, claimed, rounds=(done,), cursor=version, health=health)


async def test_a_subscription_and_its_secret(server):
    """The response to a new subscription is the record with its secret; no later answer shows the secret."""
    made = await post(server, f"{BASE}/subscribe", {"url": URL})
    secret = made.pop("secret")
    again = await post(server, f"{BASE}/subscribe", {"url": URL})
    listed = await get(server, f"{BASE}/list")

    record = {
        "url": URL, "status": "active", "lastOutcome": None, "consecutiveFailures": 0, "consecutiveFailureSince": None,
    }  # fmt: skip
    assert made == again == record
    assert listed == {"webhooks": [record]}
    assert secret.startswith("whsec_")
    assert len(Webhook(secret)._whsecret) == 32


async def test_unsubscribing_twice_is_no_error(server):
    """Clients repeat themselves; both answers are empty objects."""
    await post(server, f"{BASE}/subscribe", {"url": URL})

    assert await post(server, f"{BASE}/unsubscribe", {"url": URL}) == {}
    assert await post(server, f"{BASE}/unsubscribe", {"url": URL}) == {}
    assert await get(server, f"{BASE}/list") == {"webhooks": []}


async def test_subscribing_again_enables_a_disabled_one(server):
    """It is active and healthy again, keeps its secret, and gets what changes from then on."""
    await post(server, f"{BASE}/subscribe", {"url": URL})
    await round_of(server, success=False, code=500)
    row = await server.store.read(lambda conn: webhooks.require(conn, matchday.ORGANIZATION, URL))
    worn = Health(failures=10, since=1.0, disabled=True)
    claimed = await server.store.write(partial(deliveries.claim, webhook_id=row.id, owner="test"))
    await record_attempts(server, claimed, cursor=1, health=worn)
    before = await get(server, f"{BASE}/list")
    await server.add(matchday.derby())
    after = await post(server, f"{BASE}/subscribe", {"url": URL})

    assert before["webhooks"][0]["status"] == "disabled"
    assert before["webhooks"][0]["consecutiveFailures"] == 10
    assert (after["status"], after["consecutiveFailures"], after["consecutiveFailureSince"]) == ("active", 0, None)
    assert "secret" not in after
    row = await server.store.read(lambda conn: webhooks.require(conn, matchday.ORGANIZATION, URL))
    assert row.cursor == 1
    assert await server.store.read(lambda conn: deliveries.due(conn, row.id, now=2**40, far=2**41, limit=9)) == []


async def test_the_record_shows_the_last_outcome(server):
    """Instants are ISO 8601; the number of failures and their beginning stand beside the outcome."""
    await post(server, f"{BASE}/subscribe", {"url": URL})
    await round_of(server, success=False, code=503, at=NOW + 0.25)
    (record,) = (await get(server, f"{BASE}/list"))["webhooks"]

    assert record["lastOutcome"] == {
        "timestamp": "2026-09-21T14:13:20.250Z", "success": False, "statusCode": 503, "message": "in words",
    }  # fmt: skip
    assert (record["consecutiveFailures"], record["consecutiveFailureSince"]) == (1, "2026-09-21T14:13:20.250Z")


@pytest.mark.parametrize(
    "url",
    [
        "http://user:password@cms.example.org/", "http://10.0.0.1:22/", "ftp://cms.example.org/", "cms.example.org",
        "http://2130706433/", "http://0x7f000001/", "https://", "http://a b/",
    ],
)  # fmt: skip
async def test_addresses_that_may_not_be_called_cannot_be_subscribed(server, url):
    """All are refused with the same words, which do not repeat the address."""
    error = await post(server, f"{BASE}/subscribe", {"url": url}, status=422)

    assert error["field"] == "url"
    assert error["message"].startswith("the address may not be used")
    assert (await get(server, f"{BASE}/list")) == {"webhooks": []}


async def test_there_is_room_for_so_many(server):
    """One subscription more than the setting says is refused; one that exists is not."""
    services = server.services
    few = replace(services, settings=configured(per_organization=2))
    server.http._transport.app = create_app(few)
    for number in range(2):
        await post(server, f"{BASE}/subscribe", {"url": f"{URL}/{number}"})

    assert (await post(server, f"{BASE}/subscribe", {"url": f"{URL}/2"}, status=422))["field"] == "url"
    await post(server, f"{BASE}/subscribe", {"url": f"{URL}/1"})


async def test_the_log_by_filters_and_pages(server):
    """Newest first; by endpoint, liveblog, outcome and time; `next` leads to the following page until there is none."""
    other = f"{URL}/other"
    await server.add(matchday.derby())
    for url in (URL, other):
        await post(server, f"{BASE}/subscribe", {"url": url})
    for number in range(1, 8):
        await round_of(server, success=number % 2 == 0, version=number, at=NOW + number)
    await round_of(server, other, success=True, version=8, at=NOW + 8)

    def versions(page):
        return [int(row["version"]) for row in page["deliveries"]]

    first = await get(server, f"{BASE}/deliveries", limit=3)
    second = await get(server, f"{BASE}/deliveries", limit=3, before=first["next"])
    third = await get(server, f"{BASE}/deliveries", limit=3, before=second["next"])
    assert [versions(page) for page in (first, second, third)] == [[8, 7, 6], [5, 4, 3], [2, 1]]
    assert [page["more"] for page in (first, second, third)] == [True, True, False]
    assert "next" not in third
    assert versions(await get(server, f"{BASE}/deliveries", outcome="failed")) == [7, 5, 3, 1]
    assert versions(await get(server, f"{BASE}/deliveries", outcome="success")) == [8, 6, 4, 2]
    assert versions(await get(server, f"{BASE}/deliveries", url=other)) == [8]
    assert versions(await get(server, f"{BASE}/deliveries", since=NOW + 3, until=NOW + 6)) == [5, 4, 3]
    assert versions(await get(server, f"{BASE}/deliveries", liveblogId="gderby", limit=1)) == [8]
    assert versions(
        await get(server, f"{BASE}/deliveries", liveblogId=first["deliveries"][0]["tickerId"], limit=2)
    ) == [8, 7]
    assert versions(await get(server, f"{BASE}/deliveries", liveblogId="gelse")) == []
    assert versions(await get(server, f"{BASE}/deliveries", url=f"{URL}/nobodys")) == []
    assert versions(await get(server, f"{BASE}/deliveries", before=10**9, limit=2)) == [8, 7]
    assert set(first["deliveries"][0]) == {
        "id", "url", "kind", "tickerId", "localId", "version", "round", "tries", "timestamp", "milliseconds",
        "success", "statusCode", "message",
    }  # fmt: skip


async def test_a_disabled_subscription_is_neither_pinged_nor_replayed(server):
    """409: it gets nothing until it is subscribed again."""
    await post(server, f"{BASE}/subscribe", {"url": URL})
    await round_of(server, success=True)
    row = await server.store.read(lambda conn: webhooks.require(conn, matchday.ORGANIZATION, URL))
    worn = Health(failures=10, since=1.0, disabled=True)
    await record_attempts(server, row, cursor=1, health=worn)

    (logged,) = (await get(server, f"{BASE}/deliveries"))["deliveries"]
    await post(server, f"{BASE}/ping", {"url": URL}, status=409)
    await post(server, f"{BASE}/replay", {"url": URL, "since": 0}, status=409)
    await post(server, f"{BASE}/deliveries/{logged['id']}/replay", status=409)


async def test_a_rotation_shows_the_new_secret_once(server):
    """The new secret is shown, two are valid, and a third takes the place of the first."""
    first = (await post(server, f"{BASE}/subscribe", {"url": URL}))["secret"]
    second = (await post(server, f"{BASE}/rotate", {"url": URL}))["secret"]
    third = (await post(server, f"{BASE}/rotate", {"url": URL}))["secret"]
    row = await server.store.read(lambda conn: webhooks.require(conn, matchday.ORGANIZATION, URL))

    assert len({first, second, third}) == 3
    assert row.signing(NOW) == (third, second)
    assert row.signing(NOW + 2 * 86_400) == (third,)
    assert "secret" not in (await get(server, f"{BASE}/list"))["webhooks"][0]
    await post(server, f"{BASE}/rotate", {"url": f"{URL}/x"}, status=404)


async def test_the_older_addresses_do_the_same(server):
    """They work on the client's only organization, or on the one that the query names."""
    made = await post(server, "/api/v5/webhooks/subscribe.json", {"url": URL})
    assert made["secret"]
    listed = await get(server, f"{BASE}/list")
    assert await get(server, "/api/v5/webhooks/index.json") == {"urls": [URL], **listed}
    assert await post(server, "/api/v5/webhooks/unsubscribe.json", {"url": URL}) == {"_type": "Svc::Model::ApiSuccess"}
    assert await get(server, "/api/v5/webhooks/index.json") == {"urls": [], "webhooks": []}

    error = await get(server, "/api/v5/webhooks/index.json", params=BOTH, status=400)
    assert error["field"] == "organization_id"
    named = {**BOTH, "organization_id": matchday.OTHER}
    await post(server, "/api/v5/webhooks/subscribe.json", {"url": URL}, params=named)
    assert len((await get(server, f"{THEIRS}/list", params=BOTH))["webhooks"]) == 1
    await get(server, "/api/v5/webhooks/index.json", {**HOOKS, "organization_id": matchday.OTHER}, status=403)


async def test_the_older_addresses_name_the_endpoint_in_the_query(server):
    """As the clients know them: no body, an answer of one type, a list of addresses."""
    success = {"_type": "Svc::Model::ApiSuccess"}
    query = {**HOOKS, "organization_id": matchday.ORGANIZATION, "url": URL}
    first, again = [await post(server, "/api/v5/webhooks/subscribe.json", params=query) for _ in range(2)]
    assert success.items() <= first.items()
    assert success.items() <= again.items()
    assert ("secret" in first, "secret" in again) == (True, False)
    assert (await get(server, "/api/v5/webhooks/index.json"))["urls"] == [URL]
    assert await post(server, "/api/v5/webhooks/unsubscribe.json", {}, params=query) == success
    assert (await get(server, "/api/v5/webhooks/index.json"))["urls"] == []

    refused = {**query, "url": "ftp://cms.example.org/hook"}
    assert (await post(server, "/api/v5/webhooks/subscribe.json", params=refused, status=422))["field"] == "url"
    assert (await post(server, "/api/v5/webhooks/subscribe.json", status=400))["field"] == "url"
