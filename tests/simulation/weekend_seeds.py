"""Weekends that a seed draws: what becomes of lists, matches, processes and people, and what rules promise whatever happens."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import select, update

from config.organizations import Liveblog
from ingest.sync.declared_matches import DeclaredMatches
from mapping.documents.import_options import ImportOptions
from mapping.documents.scalars import LocalStatus
from mapping.follow.rule import FollowRule
from mapping.match.fixture import Fixture, FixtureStatus, NamedId
from store.engine.liveblog_records import Change
from store.following import follow_rows, sources
from store.following.rule_matches import rule_matches
from store.liveblogs import liveblogs
from store.tables import follows
from tests.kit.scripted import OWNER, Clock
from tests.simulation.weekend import BERLIN, HOUR, Weekend, match, weekend

SATURDAYS = (datetime(2027, 3, 27, 10, tzinfo=BERLIN), datetime(2027, 10, 30, 10, tzinfo=BERLIN))
"""The clock changes in the night that follows."""
HOURS = 33
SLOTS = (13, 15.5, 15.5, 15.5, 18.5, 20.5, 23.8, 24.5, 26, 27, 37.5, 39.5, 39.5, 41.5)
"""Hours of kick-offs since midnight of the Saturday, by the wall's clock of that day."""
FIXTURES, LEAGUE, CLUB = 60, 40, 77
LASTS = 4 * HOUR
TICK = 600
_german, _english = (ImportOptions(sport="", locale=each, auto_post=True) for each in ("de", "en"))
_rule = partial(
    FollowRule, organization_id=OWNER, provider="heim", lead=2.0 * HOUR, editorial_publishing=False, most_a_day=99
)
RULES = (
    _rule(key="league", competition="12", terms=_german),
    _rule(key="cup", competition="13", terms=_german, lead=2.5 * HOUR),
    _rule(key="club", team=str(CLUB), terms=_german, lead=3.0 * HOUR),
    _rule(key="english", competition="12", terms=_english, lead=1.0 * HOUR),
)
PLACEHOLDER = NamedId("9", "Winner Group B")


class State(NamedTuple):
    """What there is from an instant on. `rows`: what the list should hold, by the number of the match."""

    at: float
    rows: dict[int, Fixture]
    bad: bool
    """The list fails, or has lost more than half of a day."""
    served: frozenset[int]
    restarted: bool = False


class Stretch(NamedTuple):
    """How long a match could be created by what a list says of it. `seen`: since when it says so."""

    begin: float
    end: float
    fixture: Fixture
    seen: float
    served: bool
    back: float
    """Since when it is served again."""


@dataclass
class DrawnWeekend:
    """A weekend as a seed draws it; `story` says what happened, `broken` which promises did not hold."""

    days: Weekend
    seed: int
    story: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.begin = self.days.clock.now
        self.end = self.begin + HOURS * HOUR
        self.numbers: dict[str, int] = {}
        self.idents: dict[int, str] = {}
        self.kept_back: Counter[int] = Counter()
        self.poor: set[int] = set()
        self.away: Counter[int] = Counter()
        self.fails = 0
        self.states: list[State] = []
        self.calls: dict[tuple[int, str], float] = {}
        self.first_calls: set[tuple[int, str]] = set()
        self.alarms: list[tuple[float, frozenset[str], bool]] = []
        self.events: list[tuple[float, int, Callable[[], Any]]] = []
        self._draw_matches()
        self._draw_events()
        self.days.together = lambda: self.rng.random() < 0.2

    @property
    def now(self) -> float:
        return self.days.clock.now

    @property
    def league(self) -> Any:
        return self.days.league

    def _draw_matches(self) -> None:
        midnight = SATURDAYS[self.seed % 2].replace(hour=0)
        for number in range(FIXTURES):
            home = CLUB if number in {3, 17, 29, 44, 52} else 2000 + 2 * number
            away, hours = 2001 + 2 * number, self.rng.choice(SLOTS)
            if number in {31, 56}:  # the second match of a double-header
                home, away, hours = 1998 + 2 * number, 1999 + 2 * number, self.double
            self.double = hours + 5
            at = int((midnight + timedelta(hours=hours)).timestamp())
            ident = str(100 + number)
            competition = "12" if number < LEAGUE else "13"
            self.league.matches[ident] = match(ident, at, competition=competition, home=home, away=away)
            self.idents[number], self.numbers[ident] = ident, number
        entries = self.rng.sample(range(FIXTURES), 3)
        self.declared = {(number, "de") for number in entries}
        self.days.declared = DeclaredMatches([
            Liveblog(key=f"e{number}", organization=OWNER, provider="heim", locale="de", **{kind: self.idents[number]})
            for number, kind in zip(entries, ("match_id", "phase_id", "overall_id"), strict=True)
        ])  # fmt: skip
        for worker in [*self.days.workers]:
            del worker
            self.days.start()

    def _plan(self, at: float, what: Callable[[], Any]) -> None:
        self.events.append((at, len(self.events), what))

    def _some_time(self) -> float:
        return self.rng.uniform(self.begin, self.end - 2 * HOUR)

    def _during(self, least: float, most: float, begin: Callable[[], Any], end: Callable[[], Any]) -> None:
        at = self._some_time()
        self._plan(at, begin)
        self._plan(at + self.rng.uniform(least, most) * 60, end)

    def _draw_events(self) -> None:  # noqa: C901 -- one line each
        draw, anyone = self.rng, partial(self.rng.randrange, FIXTURES)
        for at in range(int(self.begin) + TICK, int(self.end), TICK):
            self._plan(at, self.tick)
        for _ in range(20):
            self._plan(self._some_time(), partial(self.crash, draw.randrange(9)))
        bad = [(partial(self.fail, 1), partial(self.fail, -1))] * 3 + [(self.lose_most, self.regain)] * 2
        for place, (begin, end) in enumerate(draw.sample(bad, 5)):  # one after the other
            at = self.begin + (6 * place + draw.uniform(0, 3)) * HOUR
            self._plan(at, begin)
            self._plan(at + draw.uniform(5, 165) * 60, end)
        for _ in range(5):
            number = anyone()
            self._during(10, 200, partial(self.hide, number, 1), partial(self.hide, number, -1))
        for number in draw.sample(range(FIXTURES), 4):
            self.hide(number, 1)
            self._plan(self._some_time(), partial(self.hide, number, -1))
        for several in (range(FIXTURES), draw.sample(range(FIXTURES), 20), draw.sample(range(FIXTURES), 8)):
            self._during(60, 60, partial(self.break_off, several, 1), partial(self.break_off, several, -1))
        for number in draw.sample(range(FIXTURES), 10):
            self._plan(
                self._some_time(), partial(self.reschedule, number, draw.choice((-6, -1, -0.5, 0.5, 1, 3, 9, 14)))
            )
        for number in draw.sample(range(FIXTURES), 4):
            self._plan(self._some_time(), partial(self.become, number, FixtureStatus.CANCELLED))
        for number in draw.sample(range(FIXTURES), 4):
            postponed, on = partial(self.become, number, FixtureStatus.POSTPONED), FixtureStatus.SCHEDULED
            self._during(30, 600, postponed, partial(self.become, number, on))
        for number in draw.sample(range(FIXTURES), 4):
            ident = self.idents[number]
            real, league = self.league.matches[ident].away, self.league
            league.matches[ident] = replace(league.matches[ident], away=PLACEHOLDER)
            self._plan(self._some_time(), partial(self.settle, number, real))
        for number in draw.sample(range(FIXTURES), 6):
            self._plan(self._some_time(), partial(self.rename, number))
        for _ in range(12):
            self._plan(
                self._some_time(),
                partial(self.call, anyone(), draw.choice(("de", "en")), meanwhile=draw.random() < 0.5),
            )
        for _ in range(4):
            self._plan(self._some_time(), partial(self.take_off, draw.random() < 0.5))
        for number, _ in self.declared:
            kickoff = self.league.matches[self.idents[number]].kickoff or 0
            self._plan(min(kickoff - 1800, self.end - TICK), partial(self.declare, number))
        self.events.sort()

    def report(self) -> str:
        """The seed, what is broken, and what happened."""
        return "\n".join([f"seed {self.seed}", *self.broken[:10], *self.story])

    def say(self, words: str) -> None:
        self.story.append(f"{datetime.fromtimestamp(self.now, BERLIN):%a %H:%M:%S} {words}")

    def note(self, *, restarted: bool = False) -> None:
        """Write down how things are from now on."""
        self.league.lost = {self.idents[each] for each in self.idents if self.kept_back[each] > 0 or each in self.poor}
        self.league.list_fails = self.fails > 0
        self.league.down = {self.idents[each] for each in self.idents if self.away[each] > 0}
        rows = {
            number: self.league.matches[ident]
            for number, ident in self.idents.items()
            if self.kept_back[number] <= 0 and number not in self.poor
        }
        served = frozenset(number for number in self.idents if self.away[number] <= 0)
        self.states.append(State(self.now, rows, self.fails > 0 or bool(self.poor), served, restarted))

    def tick(self) -> None:
        """What runs and what is over says so, except for rows that never finish."""
        for number, ident in self.idents.items():
            row = self.league.matches[ident]
            if row.status is FixtureStatus.SCHEDULED and row.kickoff <= self.now:
                self.league.matches[ident] = replace(row, status=FixtureStatus.LIVE)
            elif row.status is FixtureStatus.LIVE and number % 3 and row.kickoff + 2 * HOUR <= self.now:
                self.league.matches[ident] = replace(row, status=FixtureStatus.FINISHED)

    def crash(self, fuse: int) -> None:
        self.days.process.crashing.fuse = fuse

    def fail(self, more: int) -> None:
        self.fails += more
        self.say("the list fails" if more > 0 else "the list answers")

    def lose_most(self) -> None:
        """The list holds a fifth of its matches; only where a day has so many that nobody would believe that."""
        days = Counter(
            datetime.fromtimestamp(row.kickoff, BERLIN).date()
            for number, row in self.states[-1].rows.items()
            if self.now - 20 * HOUR < row.kickoff < self.now + 3 * HOUR
        )
        if not self.fails and not self.poor and days and max(days.values()) >= 12:
            self.poor = {each for each in self.idents if each % 5}
            self.say("the list loses most of its matches")

    def regain(self) -> None:
        self.poor = set()
        self.say("the list has its matches again")

    def hide(self, number: int, more: int) -> None:
        self.kept_back[number] += more
        if self.states:
            self.say(f"the list {'loses' if more > 0 else 'has'} {number}")

    def break_off(self, numbers: Any, more: int) -> None:
        self.away.update(dict.fromkeys(numbers, more))
        self.say(f"{len(numbers)} matches {'cannot' if more > 0 else 'can'} be had")

    async def reschedule(self, number: int, hours: float) -> None:
        row = self.league.matches[self.idents[number]]
        if row.status not in {FixtureStatus.SCHEDULED, FixtureStatus.POSTPONED}:
            return
        kickoff = int(row.kickoff + hours * HOUR)
        self.league.matches[self.idents[number]] = replace(row, kickoff=kickoff)
        self.say(f"{number} is moved by {hours} h to {datetime.fromtimestamp(kickoff, BERLIN):%a %H:%M}")
        polled = update(follows).where(follows.c.match_id == self.idents[number]).values(kickoff=kickoff)
        await self.days.stores[0].write(lambda unit: unit.conn.execute(polled) and None)

    def become(self, number: int, status: FixtureStatus) -> None:
        row = self.league.matches[self.idents[number]]
        expected = FixtureStatus.POSTPONED if status is FixtureStatus.SCHEDULED else FixtureStatus.SCHEDULED
        if row.status is expected:
            self.league.matches[self.idents[number]] = replace(row, status=status)
            self.say(f"{number} is {status.value}")

    def settle(self, number: int, team: NamedId) -> None:
        self.league.matches[self.idents[number]] = replace(self.league.matches[self.idents[number]], away=team)
        self.say(f"the teams of {number} are known")

    def rename(self, number: int) -> None:
        before, after = self.idents[number], str(500 + number)
        row = self.league.matches[before]
        if (
            (number, "de") in self.declared
            or row.kickoff <= self.now
            or PLACEHOLDER in {row.home, row.away}
            or number in {30, 31, 55, 56}
        ):
            return
        del self.league.matches[before]
        self.league.matches[after] = replace(row, match_id=after)
        self.idents[number], self.numbers[after] = after, number
        self.say(f"{number} has another id")

    async def call(self, number: int, locale: str, *, meanwhile: bool) -> None:
        """Somebody creates a liveblog, half of the time of a match that a rule is fetching."""
        if meanwhile:
            self.league.meanwhile = lambda match_id: self.call(self.numbers[match_id], locale, meanwhile=False)
        elif self.away[number] <= 0 and self.league.matches[self.idents[number]].away != PLACEHOLDER:
            worker = self.days.workers[-1].process if self.days.crashes % 2 else self.days.process
            fuse, worker.crashing.fuse = worker.crashing.fuse, None
            await worker.create(selector_id=self.idents[number], locale=locale)
            worker.crashing.fuse = fuse
            self.calls.setdefault((number, locale), self.now)
            if (number, locale) not in {(each.number, each.locale) for each in await self.made()}:
                self.first_calls.add((number, locale))
            self.say(f"a call creates {number} in {locale}")

    async def declare(self, number: int) -> None:
        if (number, "de") in self.declared and self.away[number] <= 0:
            process = self.days.process
            fuse, process.crashing.fuse = process.crashing.fuse, None
            await process.create(selector_id=self.idents[number], locale="de", declared_key=f"e{number}")
            process.crashing.fuse = fuse

    async def take_off(self, deleted: bool) -> None:
        """A person deletes a liveblog, or takes it off its match."""
        made = await self.made()
        if not made:
            return
        game_id, number = (chosen := self.rng.choice(made)).game_id, chosen.number
        self.say(f"a person {'deletes' if deleted else 'takes off'} the liveblog of {number}")
        await self.days.stores[0].write(partial(_take_off, game_id=game_id, deleted=deleted))

    async def made(self) -> list[Made]:
        """The liveblogs that rules have made."""
        rows = await self.days.stores[0].read(
            lambda conn: conn.execute(select(rule_matches).where(rule_matches.c.rule != "")).all()
        )
        return [Made(self.numbers[row.match_id], row.locale, row.made_at, row.game_id, row.rule) for row in rows]

    async def play(self) -> None:
        """Play it to its end, and check the promises."""
        self.note()
        for at, _, event in self.events:
            await self._until(at)
            done = event()
            if asyncio.iscoroutine(done):
                await done
            self.note()
        await self._until(self.end)
        self.check(await self.made())

    async def _until(self, at: float) -> None:
        while self.now < at:
            crashes = self.days.crashes
            await self.days.pass_time(at, crashes + 1)
            if self.days.crashes > crashes:
                self.say("the process that leads dies")
                self.note(restarted=True)
            failing = frozenset(each.details["match"] for each in await self.days.looks.alarms("rule_fails"))
            self.alarms.append((self.now, failing, bool(await self.days.looks.alarms("list_lost"))))

    def check(self, made: list[Made]) -> None:
        """Compare what rules have made with what they had to, and might."""
        by_match: dict[tuple[int, str], list[Made]] = defaultdict(list)
        for each in made:
            by_match[each.number, each.locale].append(each)
        for match_and_locale, rows in by_match.items():
            self._check_made(*match_and_locale, rows)
        for number in self.idents:
            for locale in ("de", "en"):
                if (number, locale) not in self.declared:
                    times = [each.at for each in by_match[number, locale]]
                    times += [self.calls[number, locale]] if (number, locale) in self.calls else []
                    self._check_times(number, locale, min(times, default=float("inf")))
        self._check_lost_lists()

    def _check_made(self, number: int, locale: str, rows: list[Made]) -> None:
        """A rule has made one where it might, and none beside another one."""
        if len({each.game_id for each in rows}) > 1:
            self.broken.append(f"{number} has two by rules in {locale}")
        if (number, locale) in self.declared:
            self.broken.append(f"{number} is declared and has one by a rule in {locale}")
        if (number, locale) in self.first_calls:
            self.broken.append(f"{number} has one by a rule beside that of a call in {locale}")
        for each in rows:
            if not any(self._may(state, each) for state in self._believable(each.at)):
                self.broken.append(f"{number} in {locale} is made at {_clock(each.at)} against all lists")

    def _believable(self, at: float) -> Iterator[State]:
        """How lists were when a rule may have looked at them last, and in the last good look before."""
        good = None
        for state, after in zip(self.states, [*self.states[1:], None], strict=True):
            if state.at > at:
                return
            good = state if not state.bad else good
            if after is None or after.at > at - TICK - 60:
                yield state
                if good is not None:
                    yield good

    def _may(self, state: State, made: Made) -> bool:
        row = state.rows.get(made.number)
        lead = None if row is None else _lead(row, made.locale)
        return (
            row is not None
            and lead is not None
            and _creatable(row)
            and row.kickoff - lead <= made.at + 1 < row.kickoff + LASTS + 60
        )

    def _stretches(self, number: int) -> Iterator[Stretch]:
        """How long a match could be created, as long as the list says the same of it and it is served or not."""
        good: Fixture | None = None
        changed, restarted, was_bad = float("-inf"), float("-inf"), False
        current: Stretch | None = None
        for state, after in zip(self.states, [*self.states[1:], None], strict=True):
            if not state.bad:
                before, good = good, state.rows.get(number)
                if (good and _says(good), good and _creatable(good)) != (
                    before and _says(before),
                    before and _creatable(before),
                ):
                    changed = state.at if state.at > self.begin else changed
            elif state.restarted or (not was_bad and max(changed, restarted) > state.at - TICK - 60):
                good = None  # perhaps nobody has seen that
            was_bad = state.bad
            restarted = state.at if state.restarted else restarted
            row = good if good is not None and _creatable(good) else None
            served = number in state.served and row is not None and row.match_id == self._ident_at(number, state)
            end = self.end if after is None else after.at
            if current is not None and row is not None and _says(current.fixture) == _says(row):
                if served == current.served:
                    current = current._replace(end=end)
                    continue
                yield current
                current = current._replace(begin=state.at, end=end, served=served, back=state.at if served else 0)
                continue
            if current is not None:
                yield current
            seen = state.at if state.at > self.begin else float("-inf")
            current = None if row is None else Stretch(state.at, end, row, seen, served, 0)
        if current is not None:
            yield current

    def _ident_at(self, number: int, state: State) -> str | None:
        row = state.rows.get(number)
        return (
            None
            if row is None and not state.bad
            else row.match_id
            if row is not None
            else self._last_ident(number, state.at)
        )

    def _last_ident(self, number: int, at: float) -> str:
        """The id of a match that is in no list at that moment."""
        return max(
            ((state.at, state.rows[number].match_id) for state in self.states if number in state.rows and state.at >= at),
            key=lambda each: -each[0], default=(0, self.idents[number]),
        )[1]  # fmt: skip

    def _check_times(self, number: int, locale: str, made_at: float) -> None:
        """It is created in time wherever it could be, or there is an alarm."""
        for stretch in self._stretches(number):
            row, lead = stretch.fixture, _lead(stretch.fixture, locale)
            if lead is None:
                continue
            due = row.kickoff - lead
            begin, end = max(stretch.begin, due), min(stretch.end, row.kickoff + LASTS)
            in_time = max(due + 60, stretch.seen + TICK, stretch.back + 300, self.begin + 60)
            restarts = [each.at for each in self.states if each.restarted and begin - 60 <= each.at <= in_time + 60]
            in_time += 15 * len(restarts)
            if begin >= end or in_time >= end:
                continue
            if stretch.served and made_at > in_time + 1:
                self.broken.append(
                    f"{number} in {locale} was due at {_clock(due)}, wanted by {_clock(in_time)}, made at {_clock(made_at)}"
                )
            if not stretch.served and made_at > end:
                warned = max(in_time, row.kickoff - 900)
                for at, failing, _ in self.alarms:
                    if warned + 60 < at < end and row.match_id not in failing and not self._just_restarted(at, 400):
                        self.broken.append(f"{number} in {locale} is absent at {_clock(at)} without an alarm")
                        break

    def _just_restarted(self, at: float, seconds: float) -> bool:
        return any(each.restarted and at - seconds <= each.at <= at for each in self.states)

    def _check_lost_lists(self) -> None:
        """A list that is bad for longer than three looks is an alarm."""
        since: float | None = None
        bad = iter(self.states)
        state = next(bad)
        for at, _, lost in self.alarms:
            while state is not None and state.at <= at:
                since = None if not state.bad else state.at if since is None or (state.restarted) else since
                state = next(bad, None)
            fails = since is not None and at - since > 3 * TICK + 120
            if fails and not lost and not self._poor_since_restart(since):
                self.broken.append(f"the list is bad since {_clock(since)} without an alarm at {_clock(at)}")
                return

    def _poor_since_restart(self, since: float) -> bool:
        """A process that knows no earlier list believes one that has lost most."""
        return any(each.at == since and each.restarted for each in self.states)


class Made(NamedTuple):
    """A liveblog that a rule has made."""

    number: int
    locale: str
    at: int
    game_id: str
    rule: str


def _take_off(unit: Any, game_id: str, deleted: bool) -> None:
    game = liveblogs.find_game(unit.conn, game_id)
    if game is None or game.local_status == LocalStatus.DELETED:  # by a person, before
        return
    attachment = follow_rows.attachment(unit.conn, game_id)
    if deleted:
        liveblogs.record(unit, game.id, Change(local_status=LocalStatus.DELETED))
    elif attachment is not None:
        sources.detach(unit, attachment)


def _lead(row: Fixture, locale: str) -> float | None:
    """Seconds before kick-off when the first of the rules creates it."""
    return max((rule.lead for rule in RULES if rule.terms.locale == locale and rule.names(row)), default=None)


def _creatable(row: Fixture) -> bool:
    return row.status in {FixtureStatus.SCHEDULED, FixtureStatus.LIVE} and PLACEHOLDER not in {row.home, row.away}


def _says(row: Fixture) -> tuple[str, int | None]:
    return row.match_id, row.kickoff


def _clock(at: float) -> str:
    return "never" if at == float("inf") else f"{datetime.fromtimestamp(at, BERLIN):%a %H:%M:%S}"


async def drawn(seed: int, *stores: Any, clock: Clock | None = None) -> DrawnWeekend:
    """The weekend of this seed, played by as many processes as there are stores, or by one in memory.

    Lists are looked at every four minutes while a creation is due within the hour, which is no promise to anybody and makes the
    weekend cheaper.
    """
    begin = SATURDAYS[seed % 2].timestamp()
    with weekend(RULES, begin, *stores, clock=clock, lists_due=240.0) as days:
        played = DrawnWeekend(days, seed)
        await played.play()
    return played
