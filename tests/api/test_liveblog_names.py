"""A liveblog is named alike wherever it is named, and what the public reads of it names no client."""

from dataclasses import dataclass, field
from typing import Any

from api.routes import ROUTES
from tests.kit import matchday
from tests.kit.event_desk import DELTA, DESK, Desk, photo, post
from tests.kit.streaming import STREAM, over_http

TICKER = matchday.Liveblog().ticker_id
FEED = "/api/embed/v4/feed/liveblog"
PREFETCH = "/api/embed/v4/prefetch"
WRITE = "/api/v5/write"
STATS = "/api/analytics/v6/stats/liveblog/{id}"
SOURCE = "/apigw/sports/v2/{organizationId}/liveblog/{liveblogId}/external"
NAMING = {"liveblogId", "ticker_local_id", "ticker_id", "local_id", "id"}
"""Parameters that name a liveblog; event operations call theirs `event_local_id`."""


@dataclass(frozen=True)
class Call:
    """A request that names a liveblog, by these parameters of its path, query or body."""

    names: tuple[str, ...] = ("liveblogId", "id", "ticker_local_id", "ticker_id", "local_id")
    where: str = "query"
    method: str = "GET"
    body: dict[str, Any] = field(default_factory=dict)
    status: int = 200


IN_PATH = Call(names=("liveblogId",), where="path")
BY_ID = Call(names=("id",), where="path")
ON_NO_MATCH = Call(names=("liveblogId",), where="path", method="POST", status=404)
CHANGE = {"_type": "Svc::Model::PostModifications", "modifications": []}
CALLS = {
    **{("GET", f"{FEED}.{each}"): Call() for each in ("rss", "atom", "json")},
    **{("GET", f"{PREFETCH}/{each}.json"): Call() for each in ("liveblog", "liveblog-teaser")},
    **{
        ("GET", path): IN_PATH
        for path in (
            "/liveblogs/{liveblogId}",
            "/liveblogs/{liveblogId}/snippets",
            "/liveblogs/{liveblogId}/card.png",
            "/embed/{liveblogId}",
        )
    },
    ("POST", f"{SOURCE}/standby.json"): Call(
        names=("liveblogId",), where="path", method="POST", body={"provider": "pa", "matchId": None}, status=404
    ),
    ("GET", "/api/comments/v1/liveblog/{liveblogId}/counts.json"): IN_PATH,
    ("GET", STREAM): Call(method="HEAD"),
    ("GET", DELTA): Call(),
    ("POST", f"{WRITE}/event/create.json"): Call(names=("ticker_local_id", "ticker_id"), method="POST", body=post()),
    ("POST", f"{WRITE}/ticker/post_modifications.json"): Call(
        names=("local_id", "ticker_local_id", "ticker_id"), where="body", method="POST", body=CHANGE
    ),
    ("GET", f"{WRITE}/ticker/show.json"): Call(names=("local_id", "ticker_local_id", "ticker_id")),
    ("GET", f"{STATS}/overview.json"): BY_ID,
    ("GET", f"{STATS}/{{date}}/periods.json"): BY_ID,
    ("GET", f"{STATS}/all/origins.json"): BY_ID,
    ("GET", f"{STATS}/export"): BY_ID,
    ("GET", f"{STATS}/all/origin/{{origin}}/locations.json"): BY_ID,
    ("GET", "/apigw/polls/v1/organization/{organizationId}/liveblog/{liveblogId}/export"): IN_PATH,
    ("GET", f"{SOURCE}.json"): Call(names=("liveblogId",), where="path", status=404),
    ("GET", f"{SOURCE}/timeline.json"): IN_PATH,
    ("POST", f"{SOURCE}.json"): ON_NO_MATCH,
    ("POST", f"{SOURCE}/attach.json"): Call(
        names=("liveblogId",), where="path", method="POST", body={"provider": "heim", "matchId": "1"}
    ),
    ("POST", f"{SOURCE}/detach.json"): Call(names=("liveblogId",), where="path", method="POST"),
    ("POST", f"{SOURCE}/handback.json"): ON_NO_MATCH,
    ("GET", "/api/comments/v1/organization/{organizationId}/export"): Call(names=("liveblogId",)),
}
"""Every route that names a liveblog. `status`: on no match there is nothing to show, change or give back."""
OTHER = {"date": "2026", "origin": "https:%2F%2Fexample.org"}
"""Parameters of paths that name something else."""
ELSEWHERE = {("POST", f"{WRITE}/ticker/post_modifications.json"): "in its body"}
FILTERS = {
    "/apigw/webhooks/v2/organization/{organizationId}/deliveries",
    "/api/comments/v1/organization/{organizationId}/comments.json",
}
"""Lists that a liveblog's name filters."""


def described(route: Any) -> set[str]:
    return {each["name"] for each in (route.operation or {}).get("parameters", ())}


def test_every_route_that_names_a_liveblog_is_in_the_table():
    """A new route that names one has to be added."""
    naming = {(each.method, each.path) for each in ROUTES if NAMING & described(each) and each.path not in FILTERS}

    assert naming | ELSEWHERE.keys() == CALLS.keys()


async def test_a_liveblog_is_named_alike_wherever_it_is_named(server, auth):
    """By either of its ids, under each of the names; by an unknown id it is 404 everywhere."""
    await server.add(matchday.derby())

    async def sent(route: tuple[str, str], call: Call, name: str, value: str) -> tuple[int, Any]:
        named = {name: value}
        path = route[1].format(organizationId=matchday.ORGANIZATION, liveblogId=value, id=value, **OTHER)
        query = auth | (named if call.where == "query" else {})
        body = call.body | (named if call.where == "body" else {}) if call.method == "POST" else None
        response = await server.http.request(call.method, path, params=query, json=body)
        refused = response.status_code >= 400 and response.content
        return response.status_code, response.json().get("message") if refused else None

    for route, call in CALLS.items():
        for name in call.names:
            by_id, by_ticker_id, by_none = [
                await sent(route, call, name, value) for value in ("gderby", TICKER, "gnever")
            ]
            assert (by_id, by_id[0], by_none[0]) == (by_ticker_id, call.status, 404), (route, name)


async def test_no_public_read_names_a_client(public, auth):
    """The delta read, the stream, the page and the feeds: of a post that one client wrote and another one changed."""
    await public.add(matchday.Liveblog())
    desk = Desk(public.http)
    event = post("Rain.", local_id="erain")
    event["contents"].append(photo())
    await desk.create(event)
    await desk.update("erain", {"headline": "It rains", "highlight": "milestone"})
    written = (await public.http.get(f"{WRITE}/ticker/show.json", params={"local_id": "gderby", **auth})).json()
    read = {}
    for path in (DELTA, *(f"{FEED}.{each}" for each in ("rss", "atom", "json")), "/liveblogs/gderby"):
        for query in ({}, {"refresh": "1"}, {"fragment": "1"}, {"fragment": "1", "refresh": "1"}):
            response = await public.http.get(path, params={"ticker_local_id": "gderby", **query})
            assert response.status_code == 200, response.text
            read[path, str(query)] = response.text
    async with (
        over_http(public.app) as http,
        http.stream("GET", STREAM, params={"ticker_local_id": "gderby"}) as response,
    ):
        lines = response.aiter_lines()
        read[STREAM, ""] = next(line for line in [await anext(lines) for _ in range(5)] if line.startswith("data: "))

    assert (written["events"][0]["user_id"], written["events"][0]["editor"]["_id"]) == (DESK[0], DESK[0])
    for name, body in read.items():
        assert "It rains" in body, name
        assert not [word for word in ('"user_id"', '"editor"', f'"{DESK[0]}"') if word in body], name
