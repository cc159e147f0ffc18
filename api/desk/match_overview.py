"""The table of matches as data: which liveblogs, in which order, what is wrong with each. A bounded number of statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection

from api.page.scoreboard import has_stopped
from api.view.match_sources import disagreements
from mapping.desk.match_trouble import (
    GROUPS,
    MatchFacts,
    SourcesFacts,
    Trouble,
    contains_words,
    group_of,
    place_of,
    troubles_of,
)
from mapping.fusion.leading_source import Reason
from mapping.fusion.source_chain import is_running, who_leads
from mapping.rules.pacing import LostProviderCode
from store.alarms import alarms
from store.alarms.alarms import Alarm
from store.engine.liveblog_records import StoredGame
from store.following import overview, standbys
from store.following.overview import FollowedLiveblog, LatestPost
from store.following.standbys import MatchSources
from store.webhooks import webhooks

OTHERS = "others"
SHOWS = ("followed", *GROUPS, OTHERS)
SOME = "some"
"""Whatever the trouble is."""


class TableFilter(NamedTuple):
    """What the table shows: `show` is one of `SHOWS`; an empty text filters nothing."""

    show: str = SHOWS[0]
    provider: str = ""
    trouble: str = ""
    sport: str = ""
    q: str = ""
    page: int = 1
    limit: int = 50

    @property
    def offset(self) -> int:
        """Liveblogs on the pages before."""
        return (self.page - 1) * self.limit


class Sight(NamedTuple):
    """What the process knows beside the store. `answers`: id of a follow → its last good answer; `allowed`: seconds without one."""

    organization_id: str
    answers: Mapping[str, float]
    now: float
    allowed: float


class SourcesSight(NamedTuple):
    """What the table says of the sources of a match: the provider that leads, why, and what they disagree about."""

    provider: str
    reason: Reason
    facts: SourcesFacts
    disagreements: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A liveblog of the table. `followed` and `answered_at` are None without a match, `answered_at` also where it is unknown.

    `sources`: all sources of the match, None where it has one; `latest`: its last public post, of those that are running.
    """

    game: StoredGame
    group: str
    drafts: int
    followed: FollowedLiveblog | None = None
    troubles: tuple[Trouble, ...] = ()
    answered_at: float | None = None
    sources: SourcesSight | None = None
    latest: LatestPost | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchTable:
    """A page of the table. `counts`: how many liveblogs of each group the filter takes, nothing where they are not counted.

    `sports`: of all that are followed.
    """

    rows: Sequence[TableRow]
    counts: Mapping[str, int]
    more: bool
    sports: Sequence[str]
    receivers_failing: int
    receivers_disabled: int


class MatchVerdict(NamedTuple):
    """A liveblog on a match, and what is wrong with it, the worst first."""

    followed: FollowedLiveblog
    answered_at: float | None
    troubles: tuple[Trouble, ...]
    sources: SourcesSight | None


def read_table(conn: Connection, sight: Sight, wanted: TableFilter) -> MatchTable:
    """The page of the table that is wanted."""
    verdicts, documents = judge(conn, sight)
    counts: Counter[str] = Counter()
    if wanted.show == OTHERS:
        rows, more = _others(conn, sight, wanted)
    else:
        found = [each for each in verdicts if _wants(wanted, each)]
        rows, more = _page(conn, found[wanted.offset :], wanted, documents)
        counts = Counter(group_of(each.followed.status) for each in found)
    failing, disabled = webhooks.in_trouble(conn, sight.organization_id)
    return MatchTable(
        rows=rows,
        counts=counts,
        more=more,
        sports=sorted({each.followed.sport for each in verdicts}),
        receivers_failing=failing,
        receivers_disabled=disabled,
    )


def judge(conn: Connection, sight: Sight) -> tuple[list[MatchVerdict], Mapping[str, StoredGame]]:
    """Each liveblog on a match with its troubles, in the order of the list, and those whose match runs by their ids."""
    followed = overview.followed_liveblogs(conn, sight.organization_id)
    running = [each.game_id for each in followed if each.status in GROUPS["running"]]
    documents = overview.liveblogs_by_id(conn, running) if running else {}
    open_ = {
        (each.kind, each.name): each
        for each in alarms.list_alarms(conn, ended_since=sight.now)
        if each.ended_at is None
    }
    several = {each.game_id: each for each in standbys.sources_with(conn, {each.follow_id for each in followed})}
    verdicts = []
    for each in followed:
        shown = documents.get(each.game_id)
        answered = sight.answers.get(each.follow_id)
        stopped = shown is not None and has_stopped(shown.document, sight.now)
        sources = None if each.game_id not in several else _sources(several[each.game_id], sight, open_)
        beside = None if sources is None else sources.facts
        facts = replace(_facts(each, open_, answered, stopped=stopped), sources=beside)
        troubles = troubles_of(facts, now=sight.now, allowed=sight.allowed)
        verdicts.append(MatchVerdict(each, answered, troubles, sources))
    verdicts.sort(
        key=lambda each: place_of(each.troubles, each.followed.status, each.followed.kickoff, each.followed.title)
    )
    return verdicts, documents


def _sources(sources: MatchSources, sight: Sight, open_: Mapping[tuple[str, str], Alarm]) -> SourcesSight:
    """All sources of a match. Nobody has to know of the lead once the match is over, but of what they disagree about."""
    states = [each.known() for each in sources.standbys]
    (place, lead), disagree = who_leads(states), disagreements(states, sources.providers)
    leads, leader = place > 0 and is_running(states), sources.follow_ids[place]
    answered = sight.answers.get(leader)
    late = answered is not None and sight.now - answered > sight.allowed
    facts = SourcesFacts(
        standby_leads=leads,
        by_person=lead.reason is Reason.PINNED,
        disagree=bool(disagree),
        silent=leads and (late or ("feed_silent", leader) in open_),
    )
    return SourcesSight(sources.providers[place], lead.reason, facts, disagree)


def _facts(
    each: FollowedLiveblog, open_: Mapping[tuple[str, str], Alarm], answered: float | None, *, stopped: bool
) -> MatchFacts:
    names = {
        "feed_silent": (each.follow_id,),
        "provider_lost": (each.endpoint,),
        "frozen": (f"match:{each.follow_id}", f"liveblog:{each.game_id}"),
    }
    kinds = {kind for kind, about in names.items() if any((kind, name) in open_ for name in about)}
    lost = open_.get(("provider_lost", each.endpoint))
    return MatchFacts(
        status=each.status,
        kickoff=each.kickoff,
        answered_at=answered,
        alarms=frozenset(kinds),
        refused=lost is not None and lost.details.get("code") == LostProviderCode.CREDENTIALS_REFUSED,
        left_out=each.failing_since is not None,
        failing=each.failing > 0,
        pending=each.pending,
        clock_stopped=stopped,
        drafts=each.drafts,
    )


def _wants(wanted: TableFilter, each: MatchVerdict) -> bool:
    followed, trouble = each.followed, wanted.trouble
    conditions: tuple[Callable[[], bool], ...] = (
        lambda: wanted.show not in GROUPS or followed.status in GROUPS[wanted.show],
        lambda: not wanted.provider or followed.provider == wanted.provider,
        lambda: not trouble or (bool(each.troubles) if trouble == SOME else trouble in each.troubles),
        lambda: not wanted.sport or followed.sport == wanted.sport,
        lambda: contains_words(followed.title, wanted.q),
    )
    return all(holds() for holds in conditions)


def _page(
    conn: Connection, found: Sequence[MatchVerdict], wanted: TableFilter, documents: Mapping[str, StoredGame]
) -> tuple[list[TableRow], bool]:
    shown = found[: wanted.limit]
    names = [each.followed.game_id for each in shown]
    missing = [name for name in names if name not in documents]
    known = {**documents, **(overview.liveblogs_by_id(conn, missing) if missing else {})}
    running = [name for name in names if name in documents]
    latest = overview.latest_posts(conn, running) if running else {}
    rows = [
        TableRow(
            game=known[each.followed.game_id],
            group=group_of(each.followed.status),
            drafts=each.followed.drafts,
            followed=each.followed,
            troubles=each.troubles,
            answered_at=each.answered_at,
            sources=each.sources,
            latest=latest.get(each.followed.game_id),
        )
        for each in shown
        if each.followed.game_id in known
    ]
    return rows, wanted.limit < len(found)


def _others(conn: Connection, sight: Sight, wanted: TableFilter) -> tuple[list[TableRow], bool]:
    owner, most = sight.organization_id, wanted.limit + 1
    found = overview.other_liveblogs(conn, owner, wanted.q, limit=most, offset=wanted.offset)
    rows = [
        TableRow(game=game, group=OTHERS, drafts=drafts, troubles=(Trouble.DRAFTS,) if drafts else ())
        for game, drafts in found[: wanted.limit]
    ]
    return rows, len(found) > wanted.limit
