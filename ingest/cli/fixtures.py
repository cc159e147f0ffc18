"""`matchwire fixtures`: the matches of a day at a provider, and which liveblogs are on them already."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Annotated, Any, TypeVar
from zoneinfo import ZoneInfo

import typer
from sqlalchemy import Connection

from config import Settings
from ingest.cli.shared import end, fail, out
from ingest.kit.process import ExitStatus
from ingest.sync.fixture_lists import FixtureLists
from ingest.sync.provider_source import ProviderSource
from mapping.errors import ServiceError, StoreUnavailable
from mapping.match.fixture import FixtureDay
from store.engine.errors import StoreError

T = TypeVar("T")


def fixtures(  # noqa: PLR0917 -- options of a command line
    settings: Settings,
    provider: Annotated[str, typer.Option(help="Id of the provider, such as heim: `matchwire providers list`.")],
    day: Annotated[str, typer.Option(help="yesterday, today, tomorrow, or a date as 2026-11-28.")] = "today",
    competition: Annotated[str, typer.Option(help="The provider's id of a competition.", show_default=False)] = "",
    team: Annotated[str, typer.Option(help="The provider's id of a team.", show_default=False)] = "",
    organization: Annotated[
        str | None,
        typer.Option(help="Id of the organization whose list it is; needed where several have the provider."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The document of the API.")] = False,
) -> None:
    """List the matches of a day at a provider; exits 1 where the list cannot be had."""
    from ingest.kit.start_wait import OPERATORS

    whose = _organization(settings, provider, organization)
    parameters = {"provider": provider, "day": day, "competition": competition, "team": team, "limit": "1000"}
    try:
        found = asyncio.run(_list(settings, whose, parameters))
    except StoreUnavailable as error:
        end(error, settings)
    except ServiceError as error:
        fail(f"{provider} {day}: {error}", ExitStatus.FOUND)
    except OPERATORS as error:
        end(error, settings)
    if as_json:
        out.print(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for line in report(found):
        out.print(line)


def _organization(settings: Settings, provider: str, named: str | None) -> str:
    """The organization that is named, else the only one that has the provider."""
    if named is not None:
        return named
    having = [id_ for id_, each in settings.organizations.items() if provider in each.providers]
    if len(having) != 1:
        several = f"several organizations have {provider}: {', '.join(having)}"
        known = several if having else f"no organization has {provider}"
        fail(f"{known}; name one with --organization", ExitStatus.FOUND)
    return having[0]


async def _list(settings: Settings, organization: str, parameters: dict[str, str]) -> dict[str, Any]:
    """The `FixtureCollection`. Raises ServiceError."""
    from api.external.fixtures import list_fixtures
    from ingest.sync.provider_source import source_of
    from providers.registry import Registry

    installed = Registry.load().ids
    async with open_lists(settings) as (lists, sources):

        async def fixtures(organization_id: str, provider: str, day: str) -> FixtureDay:
            return await lists.day(source_of(sources, installed, organization_id, provider), day, time.time())

        return await list_fixtures(fixtures, partial(read_database, settings, nothing={}), organization, parameters)


@asynccontextmanager
async def open_lists(settings: Settings) -> AsyncIterator[tuple[FixtureLists, dict[tuple[str, str], ProviderSource]]]:
    """The lists of all configured endpoints, and who reaches them, without a daemon."""
    from ingest.sync.endpoint_limiter import limiter_of, may_poll_always
    from ingest.sync.fixture_lists import FixtureLists
    from ingest.sync.provider_source import open_sources
    from providers.registry import Registry

    async with open_sources(settings, Registry.load()) as sources:
        adapters = {source.adapter.endpoint.key: source.adapter for source in sources.values()}
        limiters = {key: limiter_of(each, settings.polling, may_poll_always) for key, each in adapters.items()}
        lists = FixtureLists(limiters)
        try:
            yield lists, sources
        finally:
            await lists.close()


async def read_database(settings: Settings, query: Callable[[Connection], T], nothing: T) -> T:
    """What the database says; `nothing` where there is no file yet."""
    from store.upkeep import command

    try:
        return await command.look(settings.database.session_url, query, timeout=settings.database.timeout)
    except StoreError:
        if settings.database.is_sqlite:
            return nothing
        raise


def report(found: dict[str, Any]) -> Iterator[str]:
    """The list by competition, a line a match: kick-off in the list's time zone, id, teams, score, liveblogs."""
    zone = ZoneInfo(found["timeZone"])
    yield f"{found['day']} ({found['timeZone']}), {found['total']} matches"
    for name, matches in groupby(found["objects"], key=_competition):
        yield name
        yield from (f"  {_line(each, zone)}" for each in matches)
    if found["more"]:
        yield f"and {found['total'] - len(found['objects'])} more: name a competition or a team"
    if found["unreadable"]:
        yield f"{found['unreadable']} rows cannot be read and are left out"


def _competition(fixture: dict[str, Any]) -> str:
    competition = fixture["competition"] or {"id": "-", "name": "without a competition"}
    return f"{competition['name']} ({competition['id']}) {fixture['sport'] or ''}".rstrip()


def _line(fixture: dict[str, Any], zone: ZoneInfo) -> str:
    kickoff = fixture["kickoff"]
    is_open = kickoff is None or fixture["kickoffOpen"]
    at = "open " if is_open else f"{datetime.fromisoformat(kickoff).astimezone(zone):%H:%M}"
    home, away = (f"{each['name']} ({each['id']})" if each else None for each in (fixture["home"], fixture["away"]))
    names = " – ".join(filter(None, (home, away))) or fixture["title"] or "?"
    score = "{home}:{away}".format(**fixture["score"]) if fixture["score"] else ""
    liveblogs = ", ".join(f"{each['localId']} ({each['locale']})" for each in fixture["liveblogs"])
    status = fixture["status"] or fixture["statusWord"] or ""
    followed = "" if fixture["followable"] else "not followed"
    remarks = (score, status, f"liveblogs: {liveblogs}" if liveblogs else "", followed)
    return "  ".join(filter(None, (at, fixture["matchId"], names, *remarks)))
