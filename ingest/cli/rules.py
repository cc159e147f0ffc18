"""`matchwire rules preview`: what the follow rules make of the lists, today and in the days that come, and what it costs."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from config import Settings
from ingest.cli.fixtures import open_lists, read_database
from ingest.cli.shared import Commands, end, fail, out, vocabulary
from ingest.kit.process import ExitStatus
from mapping.errors import ServiceError, StoreUnavailable
from mapping.follow.cost import fullest_day
from mapping.follow.plan import Outlook, Planned
from mapping.follow.preview import EndpointOutlook, RulePreview

RULES = Commands(help="Rules by which matches of lists become liveblogs.")


@RULES.command()
def preview(
    settings: Settings,
    days: Annotated[int, typer.Option(min=0, max=12, help="So many days ahead, beside today.")] = 7,
) -> None:
    """Show what each rule would create, what it leaves out and why, and what it costs; exits 1 where a list cannot be had."""
    show_preview(settings, days)


def show_preview(settings: Settings, days: int) -> None:
    """Print what the rules make of so many days ahead; ends the command where a list cannot be had."""
    from ingest.kit.start_wait import OPERATORS

    try:
        found = asyncio.run(look_ahead(settings, days))
    except StoreUnavailable as error:
        end(error, settings)
    except ServiceError as error:
        fail(str(error), ExitStatus.FOUND)
    except OPERATORS as error:
        end(error, settings)
    for line in report(found):
        out.print(line)
    if failed := failures(found):
        fail("\n".join(failed), ExitStatus.FOUND)


async def look_ahead(settings: Settings, days: int) -> RulePreview:
    """What all rules make of so many days ahead. Raises ServiceError, and StoreError where there is no database to ask."""
    from ingest.sync.rule_book import RuleBook
    from ingest.sync.rule_desk import RuleDesk

    async with open_lists(settings) as (lists, sources):
        read = partial(read_database, settings, nothing=[])
        return await RuleDesk(RuleBook(settings, vocabulary(), sources), lists, read=read, clock=time.time).preview(
            days=days
        )


def failures(found: RulePreview) -> list[str]:
    """What is wrong with lists."""
    return sorted({f"{each.name}: {each.failure}" for each in found.endpoints.values() if each.failure})


def report(found: RulePreview) -> Iterator[str]:
    """The matches of each rule, a line each, then how many a day, and how much of `polling.rate` the fullest hours take."""
    if not found.rules:
        yield "there is no rule: [[follow]] in the configuration, or the desk"
    for rule in found.rules:
        own = [each for each in found.planned if each.rule is rule]
        zone = ZoneInfo(found.endpoints[rule.organization_id, rule.provider].timezone)
        counts = Counter(each.outlook.value for each in own)
        said = ", ".join(f"{counts[each]} {each}" for each in Outlook if counts[each])
        yield f"{rule.key} ({rule.provider}): {said or 'no matches'}"
        yield from (f"  {_line(each, zone)}" for each in own)
        if fullest := fullest_day(own, zone):
            yield f"  at most {fullest} a day, {rule.most_a_day} are allowed"
    yield from sorted({cost_line(each) for each in found.endpoints.values() if each.hours.matches})


def cost_line(endpoint: EndpointOutlook) -> str:
    """How many requests a second the matches of rules take at an endpoint in its fullest hours."""
    hours, bound = endpoint.hours, f", {endpoint.allowed:g} are allowed" if endpoint.allowed else ""
    return (
        f"{endpoint.name}: about {hours.requests:.1f} requests a second while {hours.matches} matches are live{bound}"
    )


def _line(planned: Planned, zone: ZoneInfo) -> str:
    fixture = planned.fixture
    at = (
        "open            "
        if fixture.kickoff is None
        else f"{datetime.fromtimestamp(fixture.kickoff, zone):%Y-%m-%d %H:%M}"
    )
    when = ""
    if planned.outlook is Outlook.WAITS and planned.due_at is not None:
        when = f"at {datetime.fromtimestamp(planned.due_at, zone):%Y-%m-%d %H:%M}"
    return "  ".join(filter(None, (at, fixture.match_id, planned.title, planned.outlook.value, when or planned.why)))
