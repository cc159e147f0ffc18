"""The matches that count as made for follow rules: by which rule, in which language; what is there now, and what a person took off.

A row is written in the unit that creates a rule's liveblog, so that no second one is made; it stays when the liveblog goes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Index,
    Table,
    and_,
    bindparam,
    exists,
    func,
    not_,
    or_,
    select,
    update,
)

from mapping.errors import Conflict
from mapping.follow.plan import KnownMatch
from store.engine.columns import integer, metadata, text
from store.engine.statements import CompiledQuery, delete_some, insert_new
from store.engine.unit import Unit
from store.following.follow_rows import Attachment, locale_of, team_ids
from store.liveblogs.search import TEAM
from store.tables import attachments, follows, game_links, games, teams

rule_matches = Table(
    "rule_matches",
    metadata,
    text("organization_id", primary_key=True),
    text("locale", primary_key=True),
    text("provider", primary_key=True),
    text("match_id", primary_key=True),
    text("teams"),
    integer("kickoff", nullable=True),
    text("rule"),
    text("game_id"),
    integer("made_at"),
    Index(None, "organization_id", "kickoff"),
    Index(None, "organization_id", "made_at"),
)
"""`teams` as in `follows`; `rule`: the key of the rule, empty where another one made it; `game_id` may be gone by now."""

Covering = Callable[[Iterable[KnownMatch]], KnownMatch | None]
"""Which of the matches that an organization has liveblogs of is the one that a rule is about to create one of."""
CREATION_LOCKS = 17
"""PostgreSQL's advisory locks of organizations whose liveblogs are created, apart from all others."""
FORGOTTEN = 20
"""Older rows that go with each new one."""
WRITTEN_AHEAD = 30 * 86_400
"""Seconds before now in which somebody may have made a liveblog of a match by hand."""
MOST_BY_HAND = 500
"""Liveblogs made by hand that are looked at, the newest."""
KEPT = 60 * 86_400
"""Seconds for which a match counts as made."""


def lock_creations(unit: Unit, organization_id: str, *, by_rule: bool) -> None:
    """Let a rule's creation be alone in its organization until the unit ends, the first thing that a creation does.

    All others go side by side: of two that know a match by different ids, a rule's sees what the other has created. On SQLite
    units run one after the other anyway.
    """
    if unit.conn.dialect.name == "postgresql":
        lock = func.pg_advisory_xact_lock if by_rule else func.pg_advisory_xact_lock_shared
        unit.conn.execute(select(lock(CREATION_LOCKS, func.hashtext(organization_id))))


def claim(unit: Unit, attachment: Attachment, *, rule: str, covering: Covering) -> None:
    """Note that the rule has made this liveblog of the match.

    Raises Conflict where the match counts as made, or has got a liveblog in that language since the rule was planned.
    """
    known = known_matches(unit.conn, attachment.organization_id, unit.now)
    there = covering([each for each in known if each.game_id != attachment.game_id])
    if there is not None or not _note(unit, rule, attachment):
        by = "" if there is None else f", by {there.by}"
        raise Conflict(f"the match has a liveblog in that language already{by}")


def keep_as_made(unit: Unit, attachment: Attachment) -> None:
    """Let the match of a liveblog that is taken off it count as made for all rules of its language."""
    _note(unit, "", attachment)


def rename(unit: Unit, organization_id: str, known: KnownMatch, match_id: str) -> None:
    """Note that the match has another id at its provider now."""
    key = {
        "organization_id": organization_id,
        "locale": known.locale,
        "provider": known.provider,
        "match_id": known.match_id,
    }
    renamed = update(rule_matches).where(*(rule_matches.c[name] == value for name, value in key.items()))
    unit.conn.execute(renamed.values(match_id=match_id))


def _is_near(kickoff: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether the match is on a day that lists are about, yesterday's or one to come, or its day is not known."""
    return or_(kickoff.is_(None), kickoff > bindparam("since"))


_MADE = CompiledQuery(
    select(*(rule_matches.c[name] for name in ("provider", "match_id", "locale", "teams", "kickoff", "rule", "game_id")))
    .where(rule_matches.c.organization_id == bindparam("organization_id"), _is_near(rule_matches.c.kickoff))
)  # fmt: skip
_ATTACHED = CompiledQuery(
    select(
        follows.c.provider, follows.c.match_id, follows.c.teams, follows.c.kickoff, attachments.c.terms,
        games.c.id, games.c.local_id,
    )
    .join(attachments, attachments.c.follow_id == follows.c.id)
    .join(games, games.c.id == attachments.c.game_id)
    .where(attachments.c.organization_id == bindparam("organization_id"), _is_near(follows.c.kickoff))
    .order_by(attachments.c.created_at, games.c.id)
)  # fmt: skip
_BEGINS = func.coalesce(games.c.starts_at, games.c.created_at)
_BY_HAND = CompiledQuery(
    select(games.c.id, games.c.local_id, games.c.doc, _BEGINS.label("begins"), teams.c.source, teams.c.ext_id)
    .join(game_links, and_(game_links.c.game_id == games.c.id, game_links.c.kind == TEAM))
    .join(teams, teams.c.id == game_links.c.value)
    .where(
        games.c.organization_id == bindparam("organization_id"),
        games.c.created_at > bindparam("written"),
        bindparam("since") < _BEGINS,
        not_(exists().where(attachments.c.game_id == games.c.id)),
        teams.c.ext_id.is_not(None),
    )
    .order_by(games.c.created_at.desc())
    .limit(2 * MOST_BY_HAND)
)
"""A row a team."""


def known_matches(conn: Connection, organization_id: str, now: float) -> list[KnownMatch]:
    """The matches around now that count as made, and those that liveblogs are on, deleted ones too, the rules' own first.

    Liveblogs that no provider feeds are among them where both teams are those of one provider.
    """
    near = {"organization_id": organization_id, "since": int(now) - 3 * 86_400}
    attached = {
        row["id"]: KnownMatch(
            provider=row["provider"],
            match_id=row["match_id"],
            locale=locale_of(row["terms"]),
            teams=team_ids(row["teams"]),
            kickoff=row["kickoff"],
            by=f"the liveblog {row['local_id']}",
            game_id=row["id"],
        )
        for row in _ATTACHED.mappings(conn, **near)
    }
    made = [
        _as_it_is(
            attached,
            KnownMatch(
                provider=row["provider"],
                match_id=row["match_id"],
                locale=row["locale"],
                teams=team_ids(row["teams"]),
                kickoff=row["kickoff"],
                by=f"the rule {row['rule']}" if row["rule"] else "a liveblog that was taken off the match",
                rule=row["rule"] or None,
                game_id=row["game_id"],
            ),
        )
        for row in _MADE.mappings(conn, **near)
    ]
    by_hand = _made_by_hand(_BY_HAND.mappings(conn, **near, written=int(now) - WRITTEN_AHEAD))
    taken_off = {each.game_id for each in made}
    return [*made, *attached.values(), *(each for each in by_hand if each.game_id not in taken_off)]


def _as_it_is(attached: dict[str, KnownMatch], made: KnownMatch) -> KnownMatch:
    """What a rule made, with the teams and the kick-off that the sync knows by now, where its liveblog is on that match still."""
    now = attached.get(made.game_id or "")
    if now is None or (now.provider, now.match_id, now.locale) != (made.provider, made.match_id, made.locale):
        return made
    return replace(attached.pop(now.game_id or ""), by=made.by, rule=made.rule)


def _made_by_hand(rows: Iterable[Mapping[str, Any]]) -> Iterator[KnownMatch]:
    """The matches of liveblogs that no provider feeds, a row a team; one without a start is about the day of its creation."""
    pairs: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        pairs[row["id"], row["source"]].append(row)
    for (game_id, provider), both in pairs.items():
        if len(both) == 2:
            yield KnownMatch(
                provider=provider,
                match_id="",
                locale=locale_of(both[0]["doc"]),
                teams=frozenset(row["ext_id"] for row in both),
                kickoff=both[0]["begins"],
                by=f"the liveblog {both[0]['local_id']}",
                game_id=game_id,
            )


def _note(unit: Unit, rule: str, attachment: Attachment) -> bool:
    """Whether the row is new."""
    old = rule_matches.c.organization_id == attachment.organization_id, rule_matches.c.made_at < unit.now - KEPT
    delete_some(unit.conn, rule_matches, *old, limit=FORGOTTEN)
    followed = unit.conn.execute(select(follows).where(follows.c.id == attachment.follow_id)).one()
    return insert_new(
        unit.conn,
        rule_matches,
        organization_id=attachment.organization_id,
        locale=locale_of(attachment.terms),
        provider=followed.provider,
        match_id=followed.match_id,
        teams=followed.teams,
        kickoff=followed.kickoff,
        rule=rule,
        game_id=attachment.game_id,
        made_at=unit.now,
    )
