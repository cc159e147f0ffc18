"""What a rule makes of its provider's lists: for each match whether its liveblog is due, awaited or not to be made, and why."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property, partial
from operator import itemgetter
from zoneinfo import ZoneInfo

from mapping.follow.links import Links, SourceId
from mapping.follow.rule import FollowRule
from mapping.match.fixture import Fixture, FixtureStatus, NamedId
from mapping.match.identity import APART, APART_OVER

HOUR = 3600
LONGEST = {"soccer": 4 * HOUR, "icehockey": 5 * HOUR, "american_football": 6 * HOUR, "tennis": 12 * HOUR}
"""Seconds after kick-off when a match of the sport is over, whatever a list says: many rows of lists never finish."""
LONGEST_OF_ALL = 24 * HOUR
"""The same of any other sport: races and stages."""
WITHOUT_TEAMS = frozenset({"motorsports", "cycling"})
_PLACEHOLDER = re.compile(
    r"\b(winners?|losers?|runners?[- ]up|tb[acd]|to be (announced|confirmed|decided)|unknown|unbekannt|sieger|gewinner|verlierer|"
    r"vainqueur|perdant|ganador|perdedor|vincente|perdente|vencedor|winnaar|verliezer)\b"
    r"|^(group|gruppe|groupe|grupo|gruppo|groep) [a-z0-9]+$|^[1-4](st|nd|rd|th|\.)? (of )?(group|gruppe|grp)\b"
    r"|^[1-4][a-l](/[a-l])*$|^[wl] ?\d+$|^n\.? ?n\.?$|^[?-]+$",
    re.IGNORECASE,
)
"""Names of teams that are not known yet: "Winner Group B", "1A", "W49", "TBD"."""


class Outlook(StrEnum):
    """What becomes of a match of a rule."""

    DUE = "due"
    """Its liveblog is to be created now."""
    WAITS = "waits"
    """Its liveblog is created later, by itself."""
    MADE = "made"
    """There is one, made by the rule."""
    COVERED = "covered"
    """The organization has one in that language already, or had one that a person has deleted."""
    RENAMED = "renamed"
    """There is one under an id that the provider lists no more: it is the same match, and takes the new id."""
    OVER = "over"
    CALLED_OFF = "called-off"
    UNDECIDED = "undecided"
    """Nothing is created, and a person should look: the reason says at what."""
    BEYOND = "beyond"
    """The rule has made as many of the day as it may: an alarm."""


TO_DO = frozenset({Outlook.DUE, Outlook.RENAMED})
"""What is to be written now."""
COUNTED = TO_DO | {Outlook.WAITS, Outlook.MADE}
"""What counts against `most_a_day`."""


class WhyNot(StrEnum):
    """Why; the value says it in English."""

    LEAD = "not yet so close to kick-off"
    NO_TIME = "without a kick-off so far"
    TEAMS = "the teams are not known yet"
    POSTPONED = "postponed"
    CANCELLED = "cancelled"
    FINISHED = "over"
    LONG_AGO = "kicked off longer ago than a match lasts"
    STATUS = "the list says {word}, which is not known"
    GENDER = "the list does not say whether men or women play"
    SPORT = "the sport cannot be followed"
    MOST = "more matches a day than the rule may make liveblogs of"
    BY = "{word}"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMatch:
    """A match that the organization has, or had, a liveblog of. `teams`: their ids at the provider; `by`: what made it, in words.

    `rule`: the key of the rule that made it. A liveblog made by hand has no match id; its teams are those of `provider`.
    """

    provider: str
    match_id: str
    locale: str
    teams: frozenset[str]
    kickoff: int | None
    by: str
    rule: str | None = None
    game_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What becomes of a match by a rule. `due_at`: Unix seconds, as far as it is known; `word` completes the reason."""

    rule: FollowRule
    fixture: Fixture
    outlook: Outlook
    reason: WhyNot | None = None
    word: str = ""
    due_at: float | None = None
    known: KnownMatch | None = None

    @property
    def title(self) -> str:
        """Who plays whom, else what the list calls it."""
        sides = [each.name for each in (self.fixture.home, self.fixture.away) if each is not None]
        return " – ".join(sides) or self.fixture.title or "?"

    @property
    def why(self) -> str:
        """The reason as a sentence says it; empty where there is none."""
        return "" if self.reason is None else self.reason.format(word=self.word)


@dataclass(frozen=True, kw_only=True)
class ListView:
    """What rules are planned by: the matches of all lists, the zone of their days, the sports that can be followed."""

    fixtures: Sequence[Fixture]
    timezone: str
    sports: AbstractSet[str]

    @cached_property
    def by_id(self) -> Mapping[str, Fixture]:
        """The matches by their ids."""
        return {each.match_id: each for each in self.fixtures}

    def of(self, rule: FollowRule) -> list[Fixture]:
        """The matches that the rule is about, in the list's order."""
        named = self._by_team[rule.team] if rule.team is not None else self._by_competition[rule.competition]
        return [each for each in named if rule.names(each)]

    @cached_property
    def _by_team(self) -> Mapping[str | None, list[Fixture]]:
        found: dict[str | None, list[Fixture]] = defaultdict(list)
        for each in self.fixtures:
            for ident in {side.id for side in (each.home, each.away) if side is not None}:
                found[ident].append(each)
        return found

    @cached_property
    def _by_competition(self) -> Mapping[str | None, list[Fixture]]:
        found: dict[str | None, list[Fixture]] = defaultdict(list)
        for each in self.fixtures:
            found[None if each.competition is None else each.competition.id].append(each)
        return found


def plan(rule: FollowRule, lists: ListView, known: KnownMatches, *, now: float) -> list[Planned]:
    """What becomes of each match that the rule is about, the earliest first; `known` are those of its organization."""
    found = []
    for fixture in lists.of(rule):
        there = known.find(rule, fixture, lists, now)
        found.append(_by_itself(rule, fixture, lists.sports, now) if there is None else _by_known(rule, fixture, there))
    found.sort(key=lambda each: (each.fixture.kickoff is None, each.fixture.kickoff or 0, each.fixture.match_id))
    return _bounded(found, ZoneInfo(lists.timezone))


def _by_known(rule: FollowRule, fixture: Fixture, known: KnownMatch) -> Planned:
    own = known.rule == rule.key
    is_off = fixture.status in {FixtureStatus.CANCELLED, FixtureStatus.FINISHED, FixtureStatus.ABANDONED}
    renamed = own and known.provider == rule.provider and known.match_id != fixture.match_id and not is_off
    outlook = Outlook.RENAMED if renamed else Outlook.MADE if own else Outlook.COVERED
    return Planned(rule=rule, fixture=fixture, outlook=outlook, reason=WhyNot.BY, word=known.by, known=known)


def _by_itself(rule: FollowRule, fixture: Fixture, sports: AbstractSet[str], now: float) -> Planned:
    """What becomes of a match of which there is no liveblog."""
    make = partial(Planned, rule=rule, fixture=fixture)
    stopped = _stopped(rule, fixture, sports)
    if stopped is not None:
        return make(outlook=stopped[0], reason=stopped[1], word=fixture.status_word or "")
    if fixture.kickoff is None:
        return make(outlook=Outlook.WAITS, reason=WhyNot.NO_TIME)
    lasts = LONGEST.get(fixture.sport or "", LONGEST_OF_ALL) + (LONGEST_OF_ALL if fixture.kickoff_open else 0)
    if fixture.kickoff + lasts <= now:
        return make(outlook=Outlook.OVER, reason=WhyNot.LONG_AGO)
    due_at = fixture.kickoff if fixture.kickoff_open else fixture.kickoff - rule.lead
    if due_at > now:
        return make(
            outlook=Outlook.WAITS, reason=WhyNot.NO_TIME if fixture.kickoff_open else WhyNot.LEAD, due_at=due_at
        )
    return make(outlook=Outlook.DUE, due_at=due_at)


_BY_STATUS = {
    FixtureStatus.FINISHED: (Outlook.OVER, WhyNot.FINISHED),
    FixtureStatus.ABANDONED: (Outlook.OVER, WhyNot.FINISHED),
    FixtureStatus.CANCELLED: (Outlook.CALLED_OFF, WhyNot.CANCELLED),
    FixtureStatus.POSTPONED: (Outlook.WAITS, WhyNot.POSTPONED),
}


def _stopped(rule: FollowRule, fixture: Fixture, sports: AbstractSet[str]) -> tuple[Outlook, WhyNot] | None:
    """What keeps a match from its liveblog whatever the hour is; None where nothing does."""
    if fixture.status in _BY_STATUS:
        return _BY_STATUS[fixture.status]
    if fixture.status is None and fixture.status_word is not None:
        return Outlook.UNDECIDED, WhyNot.STATUS
    if fixture.sport not in sports:
        return Outlook.UNDECIDED, WhyNot.SPORT
    if rule.gender is not None and fixture.gender is None:
        return Outlook.UNDECIDED, WhyNot.GENDER
    if fixture.sport not in WITHOUT_TEAMS and not (is_settled(fixture.home) and is_settled(fixture.away)):
        return Outlook.WAITS, WhyNot.TEAMS
    return None


def is_settled(team: NamedId | None) -> bool:
    """Whether a list names a team, and not what stands for one that is not known yet.

    >>> is_settled(NamedId("7", "Winner Group B")), is_settled(NamedId("9", "FC Südtor"))
    (False, True)
    """
    return team is not None and bool(team.name.strip()) and not _PLACEHOLDER.search(team.name.strip())


def is_missed(planned: Planned, now: float) -> bool:
    """Whether the liveblog should be there by now, and a person should look why it is not."""
    kickoff = planned.fixture.kickoff
    waits = planned.outlook is Outlook.WAITS and planned.reason is WhyNot.TEAMS
    left = waits or planned.outlook in {Outlook.BEYOND, Outlook.UNDECIDED}
    return left and kickoff is not None and kickoff - planned.rule.lead <= now


class KnownMatches:
    """The matches that an organization has, or had, liveblogs of: found by language and id, or by both teams and the day."""

    def __init__(self, known: Iterable[KnownMatch], links: Links) -> None:
        self._links = links
        self._by_id: dict[tuple[str, SourceId], KnownMatch] = {}
        self._by_teams: dict[tuple[str, frozenset[SourceId]], list[KnownMatch]] = defaultdict(list)
        for each in known:
            self.add(each)

    def add(self, match: KnownMatch) -> None:
        """Know this match too, behind those that are known already."""
        if match.match_id:
            self._by_id.setdefault((match.locale, SourceId(match.provider, match.match_id)), match)
        if len(match.teams) == 2 and match.kickoff is not None:
            self._by_teams[match.locale, self._links.heads(match.provider, match.teams)].append(match)

    def find(self, rule: FollowRule, fixture: Fixture, lists: ListView, now: float) -> KnownMatch | None:
        """The one that this match of the rule's list is in the rule's language.

        It has the same id; or the same two teams, by all that is linked, on the same day: of the same provider only where
        that does not list the other id too, since two that are listed are played one after the other. One that has begun is
        none that begins hours earlier or later.
        """
        locale, provider = rule.terms.locale, rule.provider
        same_id = self._by_id.get((locale, SourceId(provider, fixture.match_id)))
        if same_id is not None or fixture.home is None or fixture.away is None or fixture.kickoff is None:
            return same_id
        kickoff, zone = fixture.kickoff, ZoneInfo(lists.timezone)
        teams = self._links.heads(provider, (fixture.home.id, fixture.away.id))
        near = (
            (_apart(each, kickoff, zone), each.match_id, each)
            for each in self._by_teams.get((locale, teams), ())
            if not (each.provider == provider and (each.match_id in lists.by_id or _is_second(each, kickoff, now)))
        )
        apart, _, nearest = min(near, default=(APART, "", None), key=itemgetter(0, 1))
        return nearest if apart < APART else None


def _is_second(known: KnownMatch, kickoff: int, now: float) -> bool:
    """Whether one of both has begun, and so long before the other that these are two matches of the same teams that day."""
    begins = known.kickoff or 0
    return bool(known.match_id) and min(begins, kickoff) <= now and abs(kickoff - begins) >= APART_OVER


def _apart(known: KnownMatch, kickoff: int, zone: ZoneInfo) -> float:
    """Seconds between both; what is made by hand may say its day alone, so it is as near as can be on that day."""
    begins = known.kickoff or 0
    by_hand = not known.match_id
    same_day = by_hand and datetime.fromtimestamp(begins, zone).date() == datetime.fromtimestamp(kickoff, zone).date()
    return min(abs(begins - kickoff), APART - 1) if same_day else abs(begins - kickoff)


def _bounded(found: list[Planned], zone: ZoneInfo) -> list[Planned]:
    """The same, with those that a rule may not make any more because of `most_a_day`: the earliest of a day are made."""
    counts: Counter[date] = Counter()
    bounded: list[Planned] = []
    for each in found:
        if each.outlook in COUNTED and each.fixture.kickoff is not None:
            day = datetime.fromtimestamp(each.fixture.kickoff, zone).date()
            counts[day] += 1
            if counts[day] > each.rule.most_a_day and each.outlook in {Outlook.DUE, Outlook.WAITS}:
                bounded.append(replace(each, outlook=Outlook.BEYOND, reason=WhyNot.MOST))
                continue
        bounded.append(each)
    return bounded
