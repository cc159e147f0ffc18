"""Which rows belong to an organization, table by table in the order of an export, and which tables stay where they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, Text, and_, bindparam, collate, or_, select, union

from store.comments.tables import (
    closed_channels,
    comment_likes,
    comment_reports,
    comments,
    reader_bans,
    reader_sign_ins,
)
from store.liveblogs.history_tables import event_history, game_documents, game_versions, master_history, poll_history
from store.media.tables import image_uses, media_probes, upload_uses, uploads
from store.polls.tables import poll_tallies, poll_votes
from store.statistics.tables import load_counts, reader_sketches
from store.tables import (
    attachments,
    beliefs,
    corrections,
    creations,
    declarations,
    events,
    follows,
    game_links,
    game_records,
    games,
    idempotency,
    ledger,
    locations,
    parts,
    players,
    resources,
    teams,
    tokens,
    tournaments,
    webhooks,
)
from store.webhooks.webhooks import ENDED, new_secret

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Column, ColumnElement, Table

OWNERS = ("organization_id", "owner_id")
"""Columns that name the organization of a row."""
ORGANIZATION: Any = bindparam("organization", type_=Text)
_GAMES = select(games.c.id).where(games.c.organization_id == ORGANIZATION)
_EVENTS = select(events.c.local_id).where(events.c.game_id.in_(_GAMES))
_FOLLOWS = union(
    select(attachments.c.follow_id).where(attachments.c.organization_id == ORGANIZATION),
    select(ledger.c.follow_id).where(ledger.c.game_id.in_(_GAMES)),
)
"""Matches that its liveblogs are on, or were on with posts that are known."""
_UPLOADS = select(uploads.c.key).where(uploads.c.organization_id == ORGANIZATION)
_COMMENTS = select(comments.c.id).where(comments.c.organization_id == ORGANIZATION)
MASTERS = (teams, players, tournaments, locations)

OWNER_OF: Mapping[str, Select[Any]] = {
    "event": select(events.c.local_id, games.c.organization_id).join(games, games.c.id == events.c.game_id),
    "follow": select(follows.c.id, follows.c.organization_id),
    "game": select(games.c.id, games.c.organization_id),
    "upload": select(uploads.c.key, uploads.c.organization_id),
    "comment": select(comments.c.id, comments.c.organization_id),
    **{table.name: select(table.c.id, table.c.owner_id) for table in MASTERS},
}
"""Kind of a record → its id and its organization."""
KIND_OF_REFERENCE = {
    "Team": "teams",
    "Player": "players",
    "Tournament": "tournaments",
    "Location": "locations",
    "team": "teams",
    "player": "players",
    "tournament": "tournaments",
    "games": "game",
}
"""Kinds as rows name them, where `OWNER_OF` has another word."""


@dataclass(frozen=True, slots=True)
class PortableTable:
    """A table of which an export holds the rows of one organization.

    `only`: which rows these are. `given`: columns that are not exported, with what makes their values at an import from the
    organization; None is left to the database. `parents`: columns that name a record of the organization, with its kind.
    `named`: columns that name one which may be gone; with `kind_column` its kind stands in the row. `order`: where it is
    not the primary key.
    """

    table: Table
    only: ColumnElement[bool]
    given: Mapping[str, Callable[[str], Any] | None] = field(default_factory=dict)
    parents: Mapping[str, str] = field(default_factory=dict)
    named: Mapping[str, str] = field(default_factory=dict)
    kind_column: str | None = None
    order: tuple[Column[Any], ...] = ()

    @property
    def columns(self) -> list[Column[Any]]:
        """What is exported."""
        return [column for column in self.table.c if column.name not in self.given]

    def rows(self, dialect: str) -> Select[Any]:
        """The rows by the bytes of their keys, so that both databases give them in the same order."""
        keys = self.order or tuple(self.table.primary_key.columns)
        by_bytes = dialect == "postgresql"
        ordered = (collate(key, "C") if by_bytes and isinstance(key.type, Text) else key for key in keys)
        return select(*self.columns).where(self.only).order_by(*ordered)


def _zero(_organization: str) -> int:
    return 0


def _owned(table: Table, column: str = "organization_id", **more: Any) -> PortableTable:
    return PortableTable(table, table.c[column] == ORGANIZATION, **more)


def _of_games(table: Table, **more: Any) -> PortableTable:
    parents = {"game_id": "game", **more.pop("parents", {})}
    return PortableTable(table, table.c.game_id.in_(_GAMES), parents=parents, **more)


def _of_records(table: Table) -> ColumnElement[bool]:
    def owned(master: Table) -> ColumnElement[bool]:
        ids = select(master.c.id).where(master.c.owner_id == ORGANIZATION)
        return and_(table.c.kind == master.name, table.c.record_id.in_(ids))

    return or_(*map(owned, MASTERS))


PORTABLE = (
    _owned(uploads),
    _owned(declarations, "owner_id"),
    _owned(teams, "owner_id"),
    _owned(players, "owner_id", parents={"team_id": "teams"}),
    _owned(tournaments, "owner_id"),
    _owned(locations, "owner_id"),
    PortableTable(master_history, _of_records(master_history), named={"record_id": ""}, kind_column="kind"),
    _owned(games),
    _of_games(events),
    PortableTable(parts, parts.c.event_id.in_(_EVENTS), parents={"event_id": "event"}),
    _owned(tokens, "owner_id", named={"record_id": ""}, kind_column="kind"),
    _of_games(game_links),
    _of_games(game_records, named={"record_id": ""}, kind_column="kind"),
    _of_games(game_versions),
    _of_games(game_documents),
    _of_games(event_history, named={"local_id": "event"}),
    _of_games(corrections, given={"id": None}, order=(corrections.c.id,)),
    _of_games(creations),
    PortableTable(
        follows,
        follows.c.id.in_(_FOLLOWS),
        given={"organization_id": str, "owner": None, "fence": _zero},
    ),
    PortableTable(resources, resources.c.follow_id.in_(_FOLLOWS), parents={"follow_id": "follow"}),
    PortableTable(beliefs, beliefs.c.follow_id.in_(_FOLLOWS), parents={"follow_id": "follow"}),
    _owned(attachments, parents={"game_id": "game", "follow_id": "follow"}),
    _of_games(ledger, named={"local_id": "event", "follow_id": "follow"}),
    PortableTable(
        upload_uses,
        upload_uses.c.upload_key.in_(_UPLOADS),
        parents={"upload_key": "upload"},
        named={"record_id": ""},
        kind_column="kind",
    ),
    _owned(image_uses, named={"record_id": ""}, kind_column="kind"),
    _owned(media_probes, parents={"game_id": "game", "event_id": "event"}),
    _owned(idempotency, named={"game_id": "game"}),
    _owned(
        comments,
        given={"serial": None},
        parents={"game_id": "game"},
        named={"channel_id": "event", "parent_id": "comment"},
        order=(comments.c.serial,),
    ),
    PortableTable(comment_likes, comment_likes.c.comment_id.in_(_COMMENTS), parents={"comment_id": "comment"}),
    PortableTable(comment_reports, comment_reports.c.comment_id.in_(_COMMENTS), parents={"comment_id": "comment"}),
    _owned(reader_bans),
    _owned(reader_sign_ins),
    _of_games(closed_channels, named={"channel_id": "event"}),
    _of_games(poll_votes),
    _of_games(poll_tallies),
    _of_games(poll_history),
    _of_games(load_counts),
    _of_games(reader_sketches),
    PortableTable(
        webhooks,
        and_(webhooks.c.organization_id == ORGANIZATION, webhooks.c.status != ENDED),
        given={
            "status": lambda _: "disabled",
            "secrets": lambda _: [{"value": new_secret(), "until": None}],
            "cursor": _zero,
            "failures": _zero,
            "failing_since": None,
            "outcome_at": None,
            "outcome_success": None,
            "outcome_code": None,
            "outcome_message": None,
            "owner": None,
            "fence": _zero,
        },
    ),
)
"""Parents stand before what refers to them."""

STAYS: Mapping[str, str] = {
    "outbox": "what is still to be delivered is numbered by its own database",
    "outbox_sequence": "the delivery numbers of one database",
    "webhook_waiting": "deliveries of the old place, which it makes itself",
    "webhook_rounds": "the log of deliveries of the old place",
    "hub_pings": "feeds have other addresses at the new place",
    "clients": "credentials, and a client may serve several organizations",
    "alarms": "what goes on at the old place",
    "workers": "processes that run",
    "service_keys": "secrets that each installation makes for itself",
    "reader_salts": "secrets that each installation makes for itself",
    "beacon_intakes": "runs of processes",
    "purged_files": "what the operator of an installation has decided",
}
"""Tables that no export holds, with the reason."""
