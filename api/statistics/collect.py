"""The intake: what pages report of their readers. It answers from memory; what it takes is written some seconds later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from api.http import openapi
from api.http.request import client_network, parse_document, read_body
from api.statistics.beacons import Audience, Beacons, reader_of
from api.statistics.bots import is_bot
from mapping.statistics.documents import Beacon

if TYPE_CHECKING:
    from api.http.request import ApiRequest

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
            beacons.take(beacon, _audience(request, beacon), reader_of(_network(request), agent))
    return Response(status_code=204)


def _audience(request: ApiRequest, beacon: Beacon) -> Audience:
    caller = request.context.caller
    public = request.services.settings.server.public_feeds
    return Audience(beacon.liveblog, None if public or caller is None else caller.organizations)


def _network(request: ApiRequest) -> str:
    return client_network(request.client.host) if request.client else ""
