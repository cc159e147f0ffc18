"""`matchwire providers`: which providers there are, and what one of them says of a match right now."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

import config
from ingest.cli.shared import Commands, ConfigFile, fail, load, out
from ingest.kit.process import ExitStatus
from mapping.errors import ServiceError
from mapping.match.match import Incident, Match, Race, RankingEntry

if TYPE_CHECKING:
    from ingest.sync.provider_source import ProviderSource
    from providers.base import Answer, Fetched, Provider, Selector

T = TypeVar("T")

app = Commands(help="Providers: which there are, and what they say of a match or a day.")


BUILT_IN = "built in"


@dataclass(frozen=True, slots=True)
class Probe:
    """One poll of a match: the endpoint, the responses, the seconds that they took, and the match that they make."""

    endpoint: str
    fetched: Fetched
    seconds: float
    match: Match | None
    problem: str | None = None


@app.command("list")
def list_() -> None:
    """Show every provider with its sports, event types, text, and where it comes from."""
    from providers.registry import Registry

    origins = origins_of()
    for provider in Registry.load():
        for line in describe_provider(provider, origins.get(provider.id, BUILT_IN)):
            out.print(line)


@app.command()
def probe(  # noqa: PLR0917 -- options of a command line
    provider: Annotated[
        str, typer.Argument(metavar="PROVIDER", help="Id of the provider, such as heim: `matchwire providers list`.")
    ],
    ident: Annotated[
        str,
        typer.Argument(metavar="ID", help="The provider's id of the match (or what --kind says); of a day, its date."),
    ],
    config_file: ConfigFile = None,
    organization: Annotated[
        str | None, typer.Option(help="Id of the organization whose endpoint is asked; else the first that has one.")
    ] = None,
    kind: Annotated[str, typer.Option(help="What the id names: match, phase, overall or day.")] = "match",
    text: Annotated[bool, typer.Option("--text", help="Ask for editorial text too.")] = False,
) -> None:
    """Ask a provider for a match, or for the list of a day, and show what was understood; exits 1 where that is none."""
    settings = load(config_file)
    chosen = organization or next(
        (id_ for id_, each in settings.organizations.items() if provider in each.providers), ""
    )
    try:
        if kind == "day":
            listed = partial(_list_day, organization=chosen, day=date.fromisoformat(ident))
            shown, is_good = asyncio.run(_at_endpoint(settings, chosen, provider, listed)), True
        else:
            fetched = partial(_fetch_match, organization=chosen, selector=_selector(kind, ident), text=text)
            found = asyncio.run(_at_endpoint(settings, chosen, provider, fetched))
            shown, is_good = list(report(found)), found.match is not None
    except ServiceError as error:
        fail(f"{provider} {kind} {ident}: {error}", ExitStatus.FOUND)
    except ValueError as error:
        fail(str(error), ExitStatus.FOUND)
    for line in shown:
        out.print(line)
    if not is_good:
        raise typer.Exit(ExitStatus.FOUND)


def origins_of() -> Mapping[str, str]:
    """Provider id → the package that brought it, for providers of entry points."""
    from providers.registry import GROUP

    return {
        entry.load().id: f"{entry.dist.name} {entry.dist.version}, {entry.value}" if entry.dist else entry.value
        for entry in entry_points(group=GROUP)
    }


def describe_provider(provider: Provider, origin: str) -> Iterator[str]:
    """A provider in a few lines."""
    yield f"{provider.id}  ({origin})"
    for sport, kinds in provider.catalog.items():
        board = "scoreboard" if provider.scoreboard.get(sport) else "no scoreboard"
        text = "text" if sport in provider.text_sports else "no text"
        names = ", ".join(kind.partition(".")[2] for kind in kinds) or "no events"
        yield f"  {sport}: {board}, {text}: {names}"
    more = sorted(provider.text_sports - set(provider.catalog))
    if more:
        yield f"  text alone: {', '.join(more)}"


async def _at_endpoint(
    settings: config.Settings, organization: str, provider: str, work: Callable[[ProviderSource], Awaitable[T]]
) -> T:
    """What `work` gives; ValueError where the config has no such endpoint."""
    from ingest.sync.provider_source import open_sources
    from providers.registry import Registry

    registry = Registry.load()
    async with open_sources(settings, registry) as sources:
        source = sources.get((organization, provider))
        if source is None:
            raise ValueError(_no_endpoint(settings, organization, provider, [each.id for each in registry]))
        return await work(source)


def _no_endpoint(settings: config.Settings, organization: str, provider: str, installed: list[str]) -> str:
    """Why there is no such endpoint, and what to do about it."""
    if provider not in installed:
        return f"no provider {provider} is installed, only {', '.join(installed)}"
    if not settings.organizations:
        return f"no organization is configured, so none has an endpoint of {provider}: name the file with --config"
    wanted = f"[organizations.{organization or '<id>'}.providers.{provider}]"
    if organization and organization not in settings.organizations:
        known = ", ".join(settings.organizations)
        return f"organization {organization} has no endpoint of {provider}: it is not configured, only {known}"
    return f"{f'organization {organization}' if organization else 'the configuration'} has no endpoint of {provider}: add {wanted}"


async def _fetch_match(source: ProviderSource, organization: str, selector: Selector, *, text: bool) -> Probe:
    from providers.reachability import place_of

    adapter = source.adapter
    endpoint = f"{place_of(adapter.endpoint.base_url)} for organization {organization}"
    match_id = await adapter.resolve(selector)
    began = time.monotonic()
    fetched = await adapter.fetch(match_id, {}, text=text, hints={})
    seconds = time.monotonic() - began
    bodies = {answer.resource: answer.body for answer in fetched.changed if answer.body is not None}
    try:
        return Probe(endpoint, fetched, seconds, adapter.translate(match_id, bodies))
    except ServiceError as error:
        failures = [answer.error.message for answer in fetched.failed if answer.error is not None]
        return Probe(endpoint, fetched, seconds, None, next(iter(failures), error.message))


async def _list_day(source: ProviderSource, organization: str, day: date) -> list[str]:
    """The list of a day line by line: how many matches of each competition stand where, and the words that nobody knows."""
    from providers.base import FixtureLister
    from providers.reachability import place_of

    adapter = source.adapter
    if not isinstance(adapter, FixtureLister):
        raise ValueError(f"{adapter.id} has no lists of matches")  # noqa: TRY004 -- callers catch one kind of error
    began = time.monotonic()
    found = await adapter.fixtures(day, day)
    seconds = time.monotonic() - began
    states: dict[str, Counter[str]] = {}
    for each in found.fixtures:
        contest = f"{each.competition.id} {each.competition.name}" if each.competition else "no competition"
        states.setdefault(f"{each.sport or 'no sport'}, {contest}", Counter())[each.status or "unknown"] += 1
    words = Counter(each.status_word for each in found.fixtures if each.status_word)
    fresh = "no max-age" if found.fresh_for is None else f"fresh for {found.fresh_for:.0f} s"
    return [
        f"asked {place_of(adapter.endpoint.base_url)} for organization {organization}, answered in {seconds * 1000:.0f} ms",
        f"{day}: {len(found.fixtures)} matches, {found.unreadable} rows that cannot be read, {fresh}",
        *(f"  {name}: {', '.join(f'{n} {state}' for state, n in of.items())}" for name, of in states.items()),
        *(f"unknown state {word!r}: {n} matches" for word, n in words.items()),
    ]


def _selector(kind: str, ident: str) -> Selector:
    from providers.base import Selector

    match kind:
        case "match" | "phase" | "overall":
            return Selector(kind, ident)
        case _:
            raise typer.BadParameter("match, phase, overall or day", param_hint="--kind")


def report(probe: Probe) -> Iterator[str]:
    """The probe line by line: responses, state, score, incidents, faults."""
    yield f"asked {probe.endpoint}, answered in {probe.seconds * 1000:.0f} ms"
    for answer in probe.fetched.answers:
        yield f"  {answer.resource}: {_response(answer)}"
    match = probe.match
    if match is None:
        yield f"no match: {probe.problem}"
        return
    yield f"{match.sport} {match.match_id}: {match.status}, kick-off {_moment(match.kickoff)}"
    yield from _race(match.title, match.race) if match.sides == () else _teams(match)
    yield f"comments {len(match.comments)}"
    yield f"incidents {len(match.incidents)}"
    yield from (f"  {_incident(match, incident)}" for incident in match.incidents)
    yield f"faults {len(match.faults)}{' (fields that were not as expected, and are left out)' if match.faults else ''}"
    yield from (
        f"  {' '.join(filter(None, (each.resource, each.row, each.field)))}: {each.reason}" for each in match.faults
    )


def _teams(match: Match) -> Iterator[str]:
    yield f"  {_name(match, 'home')} – {_name(match, 'away')}  {match.score or '-'}"
    parts = [f"{part.title} {part.score}" for part in match.periods]
    parts += [f"shoot-out {match.shootout}"] if match.shootout else []
    if parts:
        yield f"  {', '.join(parts)}"
    squads = [len(side.lineup) + len(side.bench) for side in match.sides]
    yield f"  squads {' and '.join(map(str, squads))}"


def _race(title: str | None, race: Race | None) -> Iterator[str]:
    """What stands for the teams where everybody meets everybody."""
    yield f"  {title or '?'}"
    if race is None:
        return
    if race.lap is not None:
        yield f"  lap {race.lap}{f' of {race.total_laps}' if race.total_laps else ''}, {race.flag or 'no flag'}"
    yield f"ranking {len(race.ranking)}"
    yield from map(_ranking_line, race.ranking)


def _ranking_line(place: RankingEntry) -> str:
    names = ", ".join(each.name for each in (place.person, place.team) if each is not None)
    return f"  {place.position or '':>7} {names}  {place.gap or place.time or place.status or ''}".rstrip()


def _response(answer: Answer) -> str:
    """Size, rows and what a cache may do with it; or why there is none."""
    if answer.error is not None:
        return f"failed, {type(answer.error).__name__}: {answer.error.message}"
    size = len(answer.body or b"")
    fresh = "no max-age" if answer.fresh_for is None else f"fresh for {answer.fresh_for:.0f} s"
    rows = "1 row" if answer.rows == 1 else f"{answer.rows} rows"
    return f"{size} bytes, {rows}, {'ETag' if answer.etag else 'no ETag'}, {fresh}"


def _incident(match: Match, incident: Incident) -> str:
    side = match.side(incident.side)
    people = ", ".join(f"{involved.role} {involved.person.name}" for involved in incident.people)
    kind = f"{incident.kind} ({incident.method})" if incident.method else incident.kind
    parts = (kind, side.name if side else "", str(incident.score or ""), people, incident.detail or "")
    return f"{_minute(incident):>7} " + "  ".join(part for part in parts if part)


def _minute(incident: Incident) -> str:
    """When it happened: its lap, its minute with what was added, or nothing."""
    if incident.lap is not None:
        return f"lap {incident.lap}"
    if incident.minute is None:
        return ""
    return f"{incident.minute}{f'+{incident.added}' if incident.added else ''}'"


def _name(match: Match, side: str) -> str:
    found = match.home if side == "home" else match.away
    return found.name if found is not None else "?"


def _moment(at: int | None) -> str:
    return "unknown" if at is None else datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
