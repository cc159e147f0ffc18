"""The matches of a day at a provider, filtered, with the liveblogs that are on them already."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any

from starlette.responses import Response

from api.external.endpoint import TAG
from api.http.errors import json_response
from api.http.json_path import Json
from api.http.openapi import READ_ERRORS, document_answer, in_path, operation, refusals
from api.http.paging import LIMIT, PAGE, Q, collection, drop_empty, filters, page_of
from api.http.param import NAME, Query, Text
from api.http.request import ApiRequest
from mapping.documents.fixtures import FixtureCollection
from mapping.errors import InvalidRequest
from mapping.match.fixture import Fixture, FixtureDay
from mapping.rules.plain_text import query_words, words
from store.following.overview import liveblogs_of_matches
from store.liveblogs.listing import Listed

MANY = 500
"""Matches from which on the event loop does not look through them."""
Lister = Callable[[str, str, str], Awaitable[FixtureDay]]
"""`Importer.fixtures`."""
Reader = Callable[[Callable[[Any], Any]], Awaitable[Any]]
"""`Store.read`."""

PROVIDER = Text("provider", "The provider", NAME, required=True)
DAY = Text("day", "`yesterday`, `today`, `tomorrow` in `timeZone`, or a date as `2026-11-28`")
COMPETITION = Text("competition", "Matches of this competition, by the provider's id")
TEAM = Text("team", "Matches of this team, by the provider's id")
INDEX = operation(
    "fixture.index",
    "List the matches of a day at a provider",
    TAG,
    {200: document_answer(FixtureCollection, "A page of the list"), **READ_ERRORS, **refusals(422)},
    parameters=[
        in_path("organizationId"),
        PROVIDER,
        *filters(DAY, COMPETITION, TEAM, Q, LIMIT, PAGE),
    ],
)


async def list_fixtures(list_day: Lister, read: Reader, organization_id: str, parameters: Query) -> Json:
    """The page that these parameters name, as a `FixtureCollection`. Raises InvalidRequest, and what `Importer.fixtures` raises."""
    given = drop_empty(parameters)
    if not (provider := PROVIDER.of(given)):
        raise InvalidRequest("provider is missing", field="provider")
    page = page_of(given)
    found = await list_day(organization_id, provider, DAY.of(given) or "today")
    listed = found.listed.fixtures
    choose = partial(choose_fixtures, listed, COMPETITION.of(given), TEAM.of(given), query_words(Q.of(given)))
    chosen = await asyncio.to_thread(choose) if len(listed) > MANY else choose()
    shown = chosen[page.offset : page.offset + page.limit]
    find = partial(
        liveblogs_of_matches,
        organization_id=organization_id,
        endpoint=found.endpoint,
        match_ids=[each.match_id for each in shown],
    )
    on_them = await read(find)
    objects = [_document(each, found.sports, on_them.get(each.match_id, [])) for each in shown]
    return {
        **collection(objects, Listed([], len(chosen)), page),
        "day": found.day.isoformat(),
        "timeZone": found.timezone,
        "unreadable": found.listed.unreadable,
    }


def choose_fixtures(
    fixtures: Sequence[Fixture], competition: str, team: str, wanted: Sequence[tuple[str, ...]]
) -> list[Fixture]:
    """Those that are wanted, in the provider's order; `wanted`: words that each begin one of a match's names."""
    return [
        each
        for each in fixtures
        if (not competition or _id_of(each.competition) == competition)
        and (not team or team in {_id_of(each.home), _id_of(each.away)})
        and (not wanted or _is_named(each, wanted))
    ]


async def index(request: ApiRequest) -> Response:
    """List the matches of a day at a provider of the organization, and the liveblogs that are on them already (ours)."""
    services = request.services
    found = await list_fixtures(services.importer.fixtures, services.store.read, request.organization_id, request.query)
    return json_response(found, headers={"Cache-Control": "no-store"})


def _id_of(named: Any) -> str | None:
    return None if named is None else named.id


def _is_named(fixture: Fixture, wanted: Sequence[tuple[str, ...]]) -> bool:
    parts = (fixture.home, fixture.away, fixture.competition)
    names = words(fixture.title, *(each.name for each in parts if each is not None))
    return all(any(name.startswith(spellings) for name in names) for spellings in wanted)


def _document(fixture: Fixture, sports: frozenset[str], liveblogs: Sequence[Mapping[str, str]]) -> Json:
    """The match as a `ListedFixture`."""
    kickoff, score = fixture.kickoff, fixture.score
    return {
        "matchId": fixture.match_id,
        "sport": fixture.sport,
        "competition": fixture.competition and asdict(fixture.competition),
        "season": fixture.season,
        "round": fixture.round,
        "home": fixture.home and asdict(fixture.home),
        "away": fixture.away and asdict(fixture.away),
        "title": fixture.title,
        "kickoff": None if kickoff is None else datetime.fromtimestamp(kickoff, UTC).isoformat().replace("+00:00", "Z"),
        "kickoffOpen": fixture.kickoff_open,
        "status": fixture.status and fixture.status.value,
        "statusWord": fixture.status_word,
        "score": score and {"home": score[0], "away": score[1]},
        "gender": fixture.gender,
        "ageClass": fixture.age_class,
        "textCoverage": fixture.text_coverage,
        "followable": fixture.sport in sports,
        "liveblogs": list(liveblogs),
    }
