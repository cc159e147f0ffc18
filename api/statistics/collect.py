"""The intake: what pages report of their readers. It answers from memory; what it takes is written some seconds later."""

from __future__ import annotations

from functools import lru_cache

from starlette.responses import Response

from api.http import openapi
from api.http.request import ApiRequest, parse_document, read_body
from api.statistics.beacons import Audience, Beacons, reader_of
from mapping.statistics.documents import Beacon

PATH = "/api/analytics/v6/collect"
BODY_BYTES = 4096
LONGEST_AGENT = 512
OBJECTIONS = ("dnt", "sec-gpc")
"""Headers by which a browser says that its user wants not to be followed (Do Not Track, Global Privacy Control)."""
COLLECT = openapi.operation(
    "stats.collect",
    "A page reports a load, a click on load more, or for how long it was visible",
    "Statistics",
    {
        204: {"description": "Understood, and counted where the liveblog is"},
        **openapi.PUBLIC_ERRORS,
        **openapi.refusals(413, 422),
    },
    body=openapi.json_body(
        openapi.request_schema(Beacon), {"kind": "load", "liveblog": "gderby", "url": "https://www.example.org/derby"}
    ),
    security=openapi.OPEN,
)
LONGEST = 512
"""Characters of a User-Agent that are looked at; browsers' have fewer."""


async def collect(request: ApiRequest) -> Response:
    """One beacon, with whatever Content-Type (ours: Statistics). Programs and readers who object are not counted."""
    request.context.counted = True
    beacon = parse_document(Beacon, read_body(await request.body()))
    beacons = request.services.find(Beacons)
    if beacons is not None and not any(request.headers.get(name) == "1" for name in OBJECTIONS):
        agent = request.headers.get("user-agent", "")[:LONGEST_AGENT]
        if is_bot(agent):
            beacons.counter.labels("bot").inc()
        else:
            beacons.take(beacon, _audience(request, beacon), reader_of(request.network, agent))
    return Response(status_code=204)


def _audience(request: ApiRequest, beacon: Beacon) -> Audience:
    caller = request.context.caller
    public = request.services.settings.server.public_feeds
    return Audience(beacon.liveblog, None if public or caller is None else caller.organizations)


@lru_cache(maxsize=4096)
def is_bot(user_agent: str) -> bool:
    """Whether the User-Agent is that of a program that reads by itself, or none."""
    from crawleruseragents import is_crawler  # type: ignore[import-untyped] # a megabyte of list, which a start does without

    return not user_agent or is_crawler(user_agent[:LONGEST])
