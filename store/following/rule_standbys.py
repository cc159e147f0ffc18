"""The standbys that rules want for their liveblogs: which were found, which a person is to choose, and what a person chose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Index, Row, Select, Table, select

from mapping.documents.import_options import MOST_STANDBYS
from mapping.documents.scalars import LocalStatus
from mapping.errors import NotFound
from mapping.match.match import Status
from store.engine.columns import integer, json, metadata, text
from store.engine.liveblog_records import Change
from store.engine.statements import delete_some, upsert, write_batch
from store.engine.unit import Unit
from store.following import follow_rows, moves, sources, standbys
from store.following.import_request import FoundStandby
from store.following.rule_matches import rule_matches
from store.following.source_links import SourceLink, link
from store.following.standby_tables import standbys as standbys_table
from store.liveblogs import liveblogs
from store.tables import attachments, follows, games

standby_searches = Table(
    "standby_searches",
    metadata,
    text("game_id", primary_key=True),
    text("provider", primary_key=True),
    text("organization_id"),
    text("state"),
    json("question"),
    integer("kickoff", nullable=True),
    integer("changed_at"),
    Index(None, "organization_id", "state", "kickoff"),
    Index(None, "changed_at"),
)
"""`provider`: of the standby that is looked for. `state`: `open` while a person is to choose; `made` once one stood by, which a
person may have taken off since; `none` where a person said that there is none. `question`: who plays, and the candidates."""

SearchState = Literal["open", "made", "none"]
OVER = tuple(each.value for each in Status if each.over)
_OPEN = standby_searches.c.state == "open"
FORGOTTEN = 20
"""Older rows that go with each new one."""
KEPT = 60 * 86_400
"""Seconds for which it is known what became of a search."""


class SearchKey(NamedTuple):
    """The search for a standby of this provider, for a liveblog."""

    organization_id: str
    game_id: str
    provider: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLiveblog:
    """A liveblog of a rule whose match is not over. `standing_by`: providers whose match does; `searched`: state and question."""

    game_id: str
    match_id: str
    kickoff: int | None
    standing_by: frozenset[str] = frozenset()
    searched: Mapping[str, tuple[SearchState, Mapping[str, Any]]] = field(default_factory=dict)

    def wants(self, provider: str) -> bool:
        """Whether a match of the provider is to be looked for."""
        state, _ = self.searched.get(provider, ("open", {}))
        return state == "open" and provider not in self.standing_by


@dataclass(frozen=True, slots=True, kw_only=True)
class StandbyQuestion:
    """Which of these matches of the provider is that of the liveblog; `match` and each of `candidates` as they were listed."""

    game_id: str
    local_id: str
    provider: str
    of_provider: str
    match_id: str
    kickoff: int | None
    match: Mapping[str, Any]
    candidates: Sequence[Mapping[str, Any]]


def liveblogs_of_rule(conn: Connection, organization_id: str, rule: str) -> list[RuleLiveblog]:
    """The liveblogs that the rule has made, of matches that are not over."""
    rows = conn.execute(
        _open_matches(rule_matches, games.c.id, follows.c.match_id, follows.c.kickoff).where(
            rule_matches.c.organization_id == organization_id, rule_matches.c.rule == rule
        )
    ).all()
    ids = [row.id for row in rows]
    providers: dict[str, set[str]] = {}
    searched: dict[str, dict[str, tuple[SearchState, Mapping[str, Any]]]] = {}
    if ids:
        beside = (
            select(standbys_table.c.game_id, follows.c.provider)
            .join(follows, follows.c.id == standbys_table.c.follow_id)
            .where(standbys_table.c.game_id.in_(ids))
        )
        for game_id, provider in conn.execute(beside):
            providers.setdefault(game_id, set()).add(provider)
        for row in conn.execute(select(standby_searches).where(standby_searches.c.game_id.in_(ids))):
            searched.setdefault(row.game_id, {})[row.provider] = row.state, row.question
    return [
        RuleLiveblog(
            game_id=row.id,
            match_id=row.match_id,
            kickoff=row.kickoff,
            standing_by=frozenset(providers.get(row.id, ())),
            searched=searched.get(row.id, {}),
        )
        for row in rows
    ]


def _open_matches(table: Table, *columns: Any) -> Select[Any]:
    """Liveblogs of the rows of a table that are on a match which is not over."""
    return (
        select(*columns)
        .select_from(table)
        .join(attachments, attachments.c.game_id == table.c.game_id)
        .join(follows, follows.c.id == attachments.c.follow_id)
        .join(games, games.c.id == attachments.c.game_id)
        .where(attachments.c.closed_at.is_(None), games.c.local_status != LocalStatus.DELETED)
        .where(follows.c.closed_at.is_(None), follows.c.status.not_in(OVER))
    )


def note(unit: Unit, key: SearchKey, state: SearchState, kickoff: int | None, question: Mapping[str, Any]) -> None:
    """Keep what became of a search; a few of those that were decided long ago go with it."""
    delete_some(unit.conn, standby_searches, standby_searches.c.changed_at < unit.now - KEPT, limit=FORGOTTEN)
    row = {**key._asdict(), "state": state, "question": dict(question), "kickoff": kickoff, "changed_at": unit.now}
    write_batch(unit.conn, upsert(standby_searches, [row]))


def ask(unit: Unit, key: SearchKey, kickoff: int | None, question: Mapping[str, Any]) -> None:
    """Have a person choose, unless one has chosen meanwhile."""
    known = unit.conn.execute(select(standby_searches.c.state).where(*_named(key)).with_for_update()).scalar()
    if known in {None, "open"}:
        note(unit, key, "open", kickoff, question)


def attach(unit: Unit, key: SearchKey, found: FoundStandby, links: Iterable[SourceLink]) -> list[str]:
    """Have the match that was found stand by for the liveblog, and keep what is the same by that; gives the follows to look at.

    Nothing where the liveblog is on no match any more, or has a standby of the provider, or as many as it may have.
    Raises Unprocessable where it cannot be the same match.
    """
    attachment = follow_rows.attachment(unit.conn, key.game_id)
    if attachment is None or attachment.organization_id != key.organization_id:
        return []
    sources.lock(unit, attachment.follow_id)
    liveblogs.lock_game(unit, key.game_id)
    known = standbys.of_liveblog(unit.conn, key.game_id)
    if any(each.provider == key.provider for each in known) or len(known) >= MOST_STANDBYS:
        note(unit, key, "made", None, {})
        return []
    follow_id = found.follow(unit, attachment)
    moves.change_standbys(unit, key.game_id, [*(each.follow_id for each in known), follow_id])
    liveblogs.record(unit, key.game_id, Change())
    link(unit, key.organization_id, links)
    note(unit, key, "made", None, {})
    return [follow_id, attachment.follow_id]


def open_standby_questions(
    conn: Connection, organization_id: str, limit: int, *, offset: int = 0
) -> list[StandbyQuestion]:
    """The questions of an organization that nobody has answered, of matches that are not over, the earliest kick-off first."""
    return [_question(row) for row in conn.execute(_questions(organization_id).limit(limit).offset(offset))]


def unreadable(conn: Connection) -> list[str]:
    """The liveblogs of open questions that hold something else."""
    rows = conn.execute(select(standby_searches.c.game_id, standby_searches.c.question).where(_OPEN))
    return [row.game_id for row in rows if not isinstance(row.question, dict)]


def find_question(conn: Connection, key: SearchKey) -> StandbyQuestion:
    """The open question. Raises NotFound."""
    row = conn.execute(_questions(key.organization_id).where(*_named(key))).first()
    if row is None:
        raise NotFound("there is no such question", field="provider")
    return _question(row)


def _questions(organization_id: str) -> Select[Any]:
    table = standby_searches.c
    columns = (standby_searches, games.c.local_id, follows.c.provider.label("of_provider"), follows.c.match_id)
    there = follows.alias()
    beside = select(standbys_table.c.game_id).join(there, there.c.id == standbys_table.c.follow_id)
    answered = beside.where(standbys_table.c.game_id == table.game_id, there.c.provider == table.provider).exists()
    return (
        _open_matches(standby_searches, *columns)
        .where(table.organization_id == organization_id, _OPEN, ~answered)
        .order_by(table.kickoff, table.game_id, table.provider)
    )


def _question(row: Row[Any]) -> StandbyQuestion:
    question = row.question if isinstance(row.question, dict) else {}
    return StandbyQuestion(
        game_id=row.game_id,
        local_id=row.local_id,
        provider=row.provider,
        of_provider=row.of_provider,
        match_id=row.match_id,
        kickoff=row.kickoff,
        match=question.get("match") or {},
        candidates=question.get("candidates") or (),
    )


def _named(key: SearchKey) -> tuple[Any, ...]:
    table = standby_searches.c
    return (
        table.game_id == key.game_id,
        table.provider == key.provider,
        table.organization_id == key.organization_id,
    )
