"""The readers of a liveblog: since its beginning, by period, by origin and by page."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel
from sqlalchemy import Connection
from starlette.responses import Response

from api.http import openapi
from api.http.errors import json_response
from api.http.json_path import Json
from api.http.param import Param, Text
from api.http.request import ApiRequest
from api.statistics import audience
from mapping.documents.base import dump
from mapping.errors import InvalidRequest
from mapping.rules import periods as calendars
from mapping.rules.periods import Period, calendar
from mapping.statistics import page_address as addresses
from mapping.statistics.documents import StatisticsOverview, StatisticsPeriod, StatisticsPlace
from mapping.statistics.page_address import page_address
from store.liveblogs import liveblogs

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
    return json_response(dump(await _read(request, audience.overview)))


async def periods(request: ApiRequest) -> Response:
    """Periods by the clock of `tz` that have begun, empty ones too (interface: Statistics)."""
    now = request.services.clock()
    wanted = [each for each in _periods(request) if each.start <= now]
    origin = _origin(named, "origin") if (named := OF_ORIGIN.of(request.query)) else None
    return _listed(await _read(request, partial(audience.periods, wanted=wanted, origin=origin)))


async def origins(request: ApiRequest) -> Response:
    """Origins by their loads (interface: Statistics)."""
    return _listed(await _read(request, audience.places))


async def locations(request: ApiRequest) -> Response:
    """Pages of an origin by their loads (interface: Statistics)."""
    origin = _origin(request.path_params["origin"], "origin")
    return _listed(await _read(request, partial(audience.places, origin=origin)))


async def _read(request: ApiRequest, query: Callable[..., Any]) -> Any:
    name, caller = request.path_params["id"], request.caller

    def read(conn: Connection) -> Any:
        return query(conn, liveblogs.own_game(conn, name, caller.organizations, field="id").id)

    return await request.services.store.read(read)


def _listed(found: list[StatisticsPeriod] | list[StatisticsPlace]) -> Response:
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
