"""Chooses a match from a list, and fetches a provider's lists of some days, for adapters."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from mapping.errors import BadBody, DownstreamRejected, InvalidRequest, MatchUnknown
from mapping.match.fixture import Fixture, FixtureList
from mapping.match.match import Status
from providers import http_client
from providers.fault_collector import ValueMismatch
from providers.fetch import beside

T = TypeVar("T")

RUNNING, NEXT, LAST = range(3)
NOT_FIXED = 1 << 60
"""A kick-off that is not known comes after all that are."""

MOST_DAYS = 14
"""Days that may be requested at once: most providers need a request for each."""
ANOTHER_DAY = "the list is about other days"


class Candidate(NamedTuple):
    """A match that may be chosen; `tie` (the same type for all) orders matches of one time."""

    status: Status
    kickoff: int | None
    tie: int | str
    id: str


def choose(candidates: Iterable[Candidate]) -> str | None:
    """The id of the running match, else of the next one, else of the last; None where there is none."""
    return min((((_rank(each)), each.tie, each.id) for each in candidates), default=(None, None, None))[-1]


def _rank(match: Candidate) -> tuple[int, int]:
    """(class, time): of running and coming matches the earliest is first, of those that are over the latest."""
    if match.status.running:
        return RUNNING, match.kickoff or 0
    if match.status is Status.SCHEDULED:
        return NEXT, NOT_FIXED if match.kickoff is None else match.kickoff
    return LAST, -(match.kickoff or 0)


@dataclass(frozen=True, slots=True)
class Days:
    """Days in a zone, from the first to the last, both included."""

    first: date
    last: date
    zone: tzinfo

    def __iter__(self) -> Iterator[date]:
        return (self.first + timedelta(days=at) for at in range((self.last - self.first).days + 1))

    @property
    def begin(self) -> datetime:
        """The first midnight, in UTC."""
        return datetime.combine(self.first, time.min, self.zone).astimezone(UTC)

    @property
    def end(self) -> datetime:
        """The midnight after the last day, in UTC."""
        return datetime.combine(self.last + timedelta(days=1), time.min, self.zone).astimezone(UTC)

    def within(self, zone: tzinfo) -> "Days":
        """The days of another zone in which these days are."""
        last = self.end - timedelta(seconds=1)
        return Days(self.begin.astimezone(zone).date(), last.astimezone(zone).date(), zone)

    def hold(self, moment: int | None) -> bool:
        """Whether an instant (Unix seconds) is in these days; one that is not known may be."""
        return moment is None or self.begin.timestamp() <= moment < self.end.timestamp()


def requested_days(first: date, last: date, zone: str) -> Days:
    """The days of a request. InvalidRequest for none and for more than MOST_DAYS."""
    if not 0 <= (last - first).days < MOST_DAYS or first == date.min or last == date.max:
        raise InvalidRequest(f"one to {MOST_DAYS} days at a time", field="day")
    return Days(first, last, ZoneInfo(zone))


def read_fixtures(rows: Iterable[T], read: Callable[[T], Fixture], days: Days, *, beyond: bool = False) -> FixtureList:
    """What `read` makes of each row; rows for which it raises ValueMismatch are counted, and a match stands once.

    `beyond`: such a list holds more than the days that are requested, as a league's round does. BadBody where no row can be
    read, and where all of them are of other days and the list should be of these.
    """
    found: dict[str, Fixture] = {}
    begin, end = days.begin.timestamp(), days.end.timestamp()
    unreadable = elsewhere = 0
    for row in rows:
        try:
            fixture = read(row)
        except ValueMismatch:
            unreadable += 1
            continue
        if fixture.kickoff is not None and not begin <= fixture.kickoff < end:
            elsewhere += 1
            continue
        found.setdefault(fixture.match_id, fixture)
    if unreadable and not found and not elsewhere:
        raise BadBody("no row of the list can be read")
    if elsewhere and not found and not beyond:
        raise BadBody(ANOTHER_DAY)
    return FixtureList(fixtures=tuple(found.values()), unreadable=unreadable)


async def fetch_fixtures(client: http_client.Client, path: str, read: Callable[[bytes], FixtureList]) -> FixtureList:
    """One list, as `read` has its body. Raises as `http_client.get` does, and DownstreamRejected where there is no such list."""
    try:
        reply = await http_client.get(client, path)
    except MatchUnknown as error:
        raise DownstreamRejected("the provider has no such list") from error
    return replace(await beside(len(reply.body), read, reply.body), fresh_for=reply.fresh_for)


async def fetch_days(
    client: http_client.Client, days: Days, path: Callable[[date], str], read: Callable[[bytes, Days], FixtureList]
) -> FixtureList:
    """The lists of a provider that has one for each day, one after the other; any that fails fails them all."""

    def of(day: date) -> Callable[[bytes], FixtureList]:
        return lambda body: read(body, Days(day, day, days.zone))

    return join_lists([await fetch_fixtures(client, path(day), of(day)) for day in days])


def join_lists(lists: Sequence[FixtureList]) -> FixtureList:
    """Several lists as one, which is as fresh as the first of them that expires; a match stands once."""
    found: dict[str, Fixture] = {}
    for each in lists:
        for fixture in each.fixtures:
            found.setdefault(fixture.match_id, fixture)
    return FixtureList(
        fixtures=tuple(found.values()),
        unreadable=sum(each.unreadable for each in lists),
        fresh_for=min((each.fresh_for for each in lists if each.fresh_for is not None), default=None),
    )
