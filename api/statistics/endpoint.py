"""Readers over HTTP: the intake of what pages report, and the numbers of a liveblog by period, origin and page, or as a file.

The intake answers from memory; what it takes is written some seconds later. A file has sums alone, and nobody is in it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import lru_cache, partial
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel
from sqlalchemy import Connection
from starlette.responses import Response

from api.http import openapi
from api.http.capability import FILE_FORMAT, Read, TableFile, file_answer
from api.http.errors import json_response
from api.http.json_path import Json, rfc3339
from api.http.param import Param, Text
from api.http.request import ApiRequest, parse_document, read_body
from api.statistics import reader_numbers
from api.statistics.beacons import Audience, Beacons, reader_of
from mapping.documents.base import dump
from mapping.errors import InvalidRequest
from mapping.statistics import documents as addresses
from mapping.statistics import periods as calendars
from mapping.statistics.documents import Beacon, StatisticsOverview, StatisticsPeriod, StatisticsPlace, page_address
from mapping.statistics.periods import Period, calendar
from store.liveblogs import liveblogs
from store.statistics import statistics
from store.statistics.statistics import CountKey

PATH = "/api/analytics/v6/stats/liveblog/{id}"
TAG = "Statistics"
METRICS: Json = {
    "tickerLoads": 1250,
    "totalUniques": 800,
    "avgRetentionMS": 95000,
    "samplesForUniques": 1100,
    "samplesForRetention": 900,
    "totalViews": 1250,
}
LIVEBLOG: Json = openapi.in_path("id", openapi.LIVEBLOG)
DATE: Json = {"type": "string", "pattern": calendars.WRITTEN}
ORIGIN: Json = {"type": "string", "maxLength": addresses.LONGEST, "pattern": addresses.WRITTEN}


EXPORT_PATH = "/api/analytics/v6/stats/liveblog/{id}/export"
COLUMNS = ("start", "origin", "location", "loads", "loads_more", "sampled", "retention_ms", "retention_views")
PAGE = 500
EXPORT = openapi.operation(
    "stats.export",
    "What was counted of a liveblog's readers as a file",
    "Statistics",
    {200: file_answer("A row for each minute (later quarter of an hour) and page"), **openapi.READ_ERRORS},
    parameters=[openapi.in_path("id", openapi.LIVEBLOG), FILE_FORMAT],
)


COLLECT_PATH = "/api/analytics/v6/collect"
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


def _list_of(model: type[BaseModel], description: str, example: Json) -> Json:
    schema = {"type": "array", "items": openapi.response_schema(model)}
    return openapi.json_answer(schema, description, [{**example, "visitorMetrics": METRICS}])


def _operation(name: str, summary: str, response: Json, *parameters: Param | Json) -> Json:
    return openapi.operation(
        name, summary, TAG, {200: response, **openapi.READ_ERRORS}, parameters=[LIVEBLOG, *parameters]
    )


OVERVIEW = _operation(
    "stats.overview",
    "The readers of a liveblog since its beginning",
    openapi.document_answer(StatisticsOverview, "Numbers of readers", {"visitorMetrics": METRICS}),
)
ZONE = Text("tz", "The time zone that the periods follow", {"type": "string", "default": "UTC"})
OF_ORIGIN = Text("origin", "Readers of this origin only", {**ORIGIN, "pattern": f"{ORIGIN['pattern']}|^$"})
PERIODS = _operation(
    "stats.periods",
    "The readers of a liveblog in the months of a year, the days of a month or the hours of a day",
    _list_of(StatisticsPeriod, "The periods that have begun", {"id": "2026-11-23", "startTS": 1795388400000}),
    openapi.in_path("date", "`YYYY`, `YYYY-MM` or `YYYY-MM-DD`", DATE),
    ZONE,
    OF_ORIGIN,
)
ORIGINS = _operation(
    "stats.origins",
    "The origins at which a liveblog is read, those with most loads first",
    _list_of(StatisticsPlace, "Origins", {"normalizedUrl": "https://www.example.org"}),
)
LOCATIONS = _operation(
    "stats.locations",
    "The pages of an origin at which a liveblog is read, those with most loads first",
    _list_of(StatisticsPlace, "Pages", {"normalizedUrl": "https://www.example.org/derby"}),
    openapi.in_path("origin", "The origin's URL, percent-encoded or not", ORIGIN),
)


async def overview(request: ApiRequest) -> Response:
    """`{visitorMetrics}` (interface: Statistics)."""
    return json_response(dump(await _read(request, reader_numbers.overview)))


async def periods(request: ApiRequest) -> Response:
    """Periods by the clock of `tz` that have begun, empty ones too (interface: Statistics)."""
    now = request.services.clock()
    wanted = [each for each in _periods(request) if each.start <= now]
    origin = _origin(named, "origin") if (named := OF_ORIGIN.of(request.query)) else None
    return _list_response(await _read(request, partial(reader_numbers.periods, wanted=wanted, origin=origin)))


async def origins(request: ApiRequest) -> Response:
    """Origins by their loads (interface: Statistics)."""
    return _list_response(await _read(request, reader_numbers.places))


async def locations(request: ApiRequest) -> Response:
    """Pages of an origin by their loads (interface: Statistics)."""
    origin = _origin(request.path_params["origin"], "origin")
    return _list_response(await _read(request, partial(reader_numbers.places, origin=origin)))


async def _read(request: ApiRequest, query: Callable[..., Any]) -> Any:
    name, caller = request.path_params["id"], request.caller

    def read(conn: Connection) -> Any:
        return query(conn, liveblogs.own_game(conn, name, caller.organizations, field="id").id)

    return await request.services.store.read(read)


def _list_response(found: list[StatisticsPeriod] | list[StatisticsPlace]) -> Response:
    return json_response([dump(each) for each in found])


def _periods(request: ApiRequest) -> list[Period]:
    try:
        wanted = calendar(request.path_params["date"])
    except ValueError as error:
        raise InvalidRequest(f"date: {error}", field="date") from None
    name = ZONE.of(request.query) or "UTC"
    if name not in _zones():
        raise InvalidRequest("tz should be the name of a time zone, such as Europe/Berlin", field="tz")
    return wanted.periods(ZoneInfo(name))


def _origin(text: str, field: str) -> str:
    origin = page_address(text).origin
    if not origin:
        raise InvalidRequest("origin should be a URL, such as https://www.example.org", field=field)
    return origin


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


async def export(request: ApiRequest) -> Response:
    """All counts of a liveblog (ours: Statistics)."""
    name, form = request.path_params["id"], FILE_FORMAT.of(request.context.query)
    store, own = request.services.store, request.caller.organizations
    game = await store.read(partial(liveblogs.own_game, name=name, organizations=own, field="id"))
    return TableFile(COLUMNS, form).response("statistics", export_statistics(store.read, game.id, form))


async def export_statistics(read: Read, game_id: str, form: str) -> AsyncIterator[str]:
    """The file of a liveblog in parts, each read when it is wanted; `read` gives the result of a query."""
    file = TableFile(COLUMNS, form)
    yield file.head()
    after: CountKey | None = None
    while found := await read(partial(statistics.page, game_id=game_id, after=after, limit=PAGE)):
        yield file.text(
            [
                dict(zip(COLUMNS, (rfc3339(key.slot), key.origin, key.location, *sums), strict=True))
                for key, sums in found
            ]
        )
        after = found[-1][0]


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
