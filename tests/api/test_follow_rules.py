"""Follow rules by the API: what is taken, what is refused and at which field, and that each change counts at once."""

from functools import partial
from typing import Any

import pytest

from config import Settings
from config.organizations import FollowEntry
from ingest.sync.rule_book import RuleBook
from store.clients import clients
from tests.api.conftest import serving
from tests.kit.desk import refused
from tests.kit.matchday import CLIENTS, ORGANIZATION, SECRET, client

PATH = f"/apigw/sports/v2/{ORGANIZATION}/follow-rules"
AUTH = ("boss", SECRET)
LEAGUE = {"key": "league", "provider": "heim", "competition": 12, "locale": "de", "lead": "2h"}
VOCABULARY = {"heim": {"soccer": ("soccer.goal",)}, "pa": {"soccer": ("soccer.goal",)}}
IN_FILE = FollowEntry(key="file", organization=ORGANIZATION, provider="heim", team="253")


@pytest.fixture
async def server(store):
    """One rule stands in the configuration."""
    await store.write(partial(clients.declare, declared=(*CLIENTS, client("boss", "admin"))))
    heim = {"base_url": "https://heim.example.org"}
    known = Settings.model_validate({"organizations": {ORGANIZATION: {"name": "O", "providers": {"heim": heim}}}})
    settings = {"follow": [IN_FILE], "organizations": known.organizations}
    async with serving(store, client_per_second=0, **settings) as running:
        running.rule_book = RuleBook(known.model_copy(update={"follow": [IN_FILE]}), VOCABULARY, {})
        yield running


async def send(server, method: str, rule: str = "", /, **body: Any):
    """The response to a request of an admin's client."""
    path = f"{PATH}/{rule}.json" if rule else f"{PATH}.json"
    return await server.http.request(method, path, json=body or None, auth=AUTH)


async def test_a_rule_is_made_changed_and_deleted(server):
    """Null puts a field back; what is made twice the same way is one rule; each write is looked at at once."""
    made = (await send(server, "POST", **LEAGUE)).json()
    again = await send(server, "POST", **LEAGUE)
    await send(server, "PATCH", "league", lead=60, excludeEvents=["soccer.goal"], mostADay=3)
    changed = (await send(server, "PATCH", "league", lead=None, tags=["Liga"], unknown=1)).json()
    listed = (await send(server, "GET")).json()
    page = (await server.http.get(f"{PATH}.json", params={"limit": 1, "page": 2}, auth=AUTH)).json()
    gone = await send(server, "DELETE", "league")

    assert (made["competition"], made["lead"], made["readOnly"], made["rests"], made["missed"]) == (
        "12",
        7200,
        False,
        None,
        [],
    )
    assert again.json() == made
    assert changed == made | {"excludeEvents": ["soccer.goal"], "mostADay": 3, "tags": ["Liga"]}
    assert [(each["key"], each["readOnly"]) for each in listed["objects"]] == [("file", True), ("league", False)]
    assert (page["objects"], page["total"], page["more"]) == ([changed], 2, False)
    assert (gone.status_code, gone.json()) == (200, {})
    assert len((await send(server, "GET")).json()["objects"]) == 1
    assert server.looked_again == [ORGANIZATION] * 5


@pytest.mark.parametrize(
    ("changes", "status", "field", "said"),
    [
        ({"key": None}, 422, "key", "required"),
        ({"key": "ä"}, 422, "key", "pattern"),
        ({"key": "file"}, 409, "key", "configuration"),
        ({"provider": "pa"}, 422, "provider", "only heim"),
        ({"provider": "Heim!"}, 422, "provider", "lower-case"),
        ({"competition": None}, 422, "competition", "a competition, a team or both"),
        ({"sport": "curling"}, 422, "sport", "only soccer"),
        ({"gender": "x"}, 422, "gender", "'male' or 'female'"),
        ({"lead": "soon"}, 422, "lead", "duration"),
        ({"lead": 1e6}, 422, "lead", "864000"),
        ({"locale": "xx"}, 422, "locale", "'de'"),
        ({"excludeEvents": ["soccer.goal", "soccer.gaol"]}, 422, "excludeEvents.1", "nearest is soccer.goal"),
        ({"includeTextContent": True}, 422, "includeTextContent", "does not deliver text"),
        ({"mostADay": 0}, 422, "mostADay", "greater than"),
        ({"standby": ["pa"]}, 422, "standby.0", "only heim"),
        ({"standby": ["heim"]}, 422, "standby", "a provider of its own"),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_named_with_its_field(server, changes, status, field, said):
    """A new rule, and a change of one that is there, are refused alike; nothing of either stays."""
    response = await send(server, "POST", **{**LEAGUE, **changes})
    assert (refused(response), said in response.json()["message"]) == ((status, field), True), response.text
    if "key" not in changes:
        await send(server, "POST", **LEAGUE)
        assert refused(await send(server, "PATCH", "league", **changes)) == (status, field)
    assert len((await send(server, "GET")).json()["objects"]) == 1 + ("key" not in changes)


async def test_a_rule_of_the_configuration_is_read_only_and_goes_before_one_of_the_same_key(server, store):
    """One that was there before the file had the key rests, says so, and can be deleted."""
    statuses = [
        (await send(server, method, rule, lead=60)).status_code
        for rule in ("file", "never")
        for method in ("PATCH", "DELETE")
    ]
    await send(server, "POST", **LEAGUE)
    server.services.settings.follow.append(IN_FILE.model_copy(update={"key": "league"}))
    server.rule_book = RuleBook(server.services.settings, VOCABULARY, {})
    listed = [each for each in (await send(server, "GET")).json()["objects"] if each["key"] == "league"]
    change = await send(server, "PATCH", "league", lead=60)
    gone = await send(server, "DELETE", "league")

    assert [(each["readOnly"], each["rests"]) for each in listed] == [
        (True, None), (False, "the configuration has a rule of this key, which counts"),
    ]  # fmt: skip
    assert statuses == [409, 409, 404, 404]
    assert (refused(change), gone.status_code) == ((409, None), 200)
