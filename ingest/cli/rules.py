"""`matchwire rules preview`: what the follow rules make of the lists, today and in the days that come, and what it costs."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from config import Settings
from ingest.cli.fixtures import open_lists, read_database
from ingest.cli.shared import Commands, end, fail, out
from ingest.kit.process import ExitStatus
from mapping.errors import ServiceError, StoreUnavailable
from mapping.follow.plan import COUNTED, Outlook, Planned

RULES = Commands(help="Rules by which matches of lists become liveblogs.")
ABOUT = 2 * 3600
"""Seconds for which a match is polled as live, to say how many are at once."""
REQUESTS = 2
"""Requests of a poll, without text."""


@RULES.command()
def preview(
    settings: Settings,
    days: Annotated[int, typer.Option(min=0, max=12, help="So many days ahead, beside today.")] = 7,
) -> None:
    """Show what each rule would create, what it leaves out and why, and what it costs; exits 1 where a list cannot be had."""
    from ingest.kit.start import OPERATORS

    try:
        planned, failed, zones = asyncio.run(_plan(settings, days))
    except StoreUnavailable as error:
        end(error, settings)
    except ServiceError as error:
        fail(str(error), ExitStatus.FOUND)
    except OPERATORS as error:
        end(error, settings)
    for line in report(settings, planned, zones):
        out.print(line)
    if failed:
        fail("\n".join(failed), ExitStatus.FOUND)


async def _plan(settings: Settings, days: int) -> tuple[list[Planned], list[str], dict[str, str]]:
    """What is planned, what is wrong with lists, and the time zone of each provider's days."""
    from ingest.sync.follow_rules import RulePlans, declared_matches, rules_of

    async with open_lists(settings) as (lists, sources):
        plans = RulePlans(
            rules_of(settings.follow),
            read=partial(read_database, settings, nothing=[]),
            lists=lists,
            sources=sources,
            declared=declared_matches(settings.liveblogs),
            clock=time.time,
        )
        planned = await plans.plan(days=days)
        names = {source.adapter.endpoint.key: provider for (_, provider), source in sources.items()}
        failed = [f"{names[key]}: {seen.cause}" for key, seen in plans.seen.items() if seen.bad]
        return planned, failed, {provider: each.adapter.endpoint.timezone for (_, provider), each in sources.items()}


def report(settings: Settings, planned: Sequence[Planned], zones: dict[str, str]) -> Iterator[str]:
    """The matches of each rule, a line each, then how many a day, and how much of `polling.rate` the fullest hour takes."""
    if not settings.follow:
        yield "no rule is configured: [[follow]] in the configuration"
    for entry in settings.follow:
        own = [
            each for each in planned if (each.rule.organization_id, each.rule.key) == (entry.organization, entry.key)
        ]
        zone = ZoneInfo(zones.get(entry.provider, "UTC"))
        counts = Counter(each.outlook.value for each in own)
        said = ", ".join(f"{counts[each]} {each}" for each in Outlook if counts[each])
        yield f"{entry.key} ({entry.provider}): {said or 'no matches'}"
        yield from (f"  {_line(each, zone)}" for each in own)
        days = groupby(_kickoffs(own), key=lambda kickoff: datetime.fromtimestamp(kickoff, zone).date())
        fullest = max((len(list(group)) for _, group in days), default=0)
        if fullest:
            yield f"  at most {fullest} a day, {entry.most_a_day} are allowed"
    rate, live = settings.polling.rate, settings.polling.live
    for provider, of_provider in groupby(sorted(planned, key=_provider), key=_provider):
        kickoffs = _kickoffs(of_provider)
        most = max((sum(start <= each < start + ABOUT for each in kickoffs) for start in kickoffs), default=0)
        if most:
            bound = f", {rate:g} are allowed" if rate else ""
            yield f"{provider}: about {most * REQUESTS / live:.1f} requests a second while {most} matches are live{bound}"


def _provider(planned: Planned) -> str:
    return planned.rule.provider


def _kickoffs(planned: Iterable[Planned]) -> list[int]:
    """When the matches begin of which the rules make, or have made, liveblogs."""
    return sorted(
        each.fixture.kickoff for each in planned if each.outlook in COUNTED and each.fixture.kickoff is not None
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
