"""Which rows belong to an organization, table by table in the order of an export, and which tables stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, and_, or_, select, union

from store.engine.portable_table import GAMES, ORGANIZATION, PortableTable, of_games, of_organization
from store.following.standby_tables import standbys
from store.liveblogs.history_tables import event_history, game_documents, game_versions, master_history
from store.media.tables import image_uses, media_probes, upload_uses, uploads
from store.schema import CAPABILITIES
from store.tables import (
    attachments,
    beliefs,
    block_ids,
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
    players,
    resources,
    teams,
    tokens,
    tournaments,
    webhooks,
)
from store.webhooks.webhooks import ENDED, new_secret

OWNERS = ("organization_id", "owner_id")
"""Columns that name the organization of a row."""
_EVENTS = select(events.c.local_id).where(events.c.game_id.in_(GAMES))
_FOLLOWS = union(
    select(attachments.c.follow_id).where(attachments.c.organization_id == ORGANIZATION),
    select(ledger.c.follow_id).where(ledger.c.game_id.in_(GAMES)),
    select(standbys.c.follow_id).where(standbys.c.game_id.in_(GAMES)),
)
"""Matches that its liveblogs are on, or were on with posts that are known, and those that stand by."""
_UPLOADS = select(uploads.c.key).where(uploads.c.organization_id == ORGANIZATION)
MASTERS = (teams, players, tournaments, locations)

OWNER_OF: Mapping[str, Select[Any]] = {
    "event": select(events.c.local_id, games.c.organization_id).join(games, games.c.id == events.c.game_id),
    "follow": select(follows.c.id, follows.c.organization_id),
    "game": select(games.c.id, games.c.organization_id),
    "upload": select(uploads.c.key, uploads.c.organization_id),
    **{table.name: select(table.c.id, table.c.owner_id) for table in MASTERS},
    **{kind: owners for capability in CAPABILITIES for kind, owners in capability.owners.items()},
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


def _zero(_organization: str) -> int:
    return 0


def _of_records(table: Table) -> ColumnElement[bool]:
    def owned(master: Table) -> ColumnElement[bool]:
        ids = select(master.c.id).where(master.c.owner_id == ORGANIZATION)
        return and_(table.c.kind == master.name, table.c.record_id.in_(ids))

    return or_(*map(owned, MASTERS))


PORTABLE: tuple[PortableTable, ...] = (
    of_organization(uploads),
    of_organization(declarations, "owner_id"),
    of_organization(teams, "owner_id"),
    of_organization(players, "owner_id", parents={"team_id": "teams"}),
    of_organization(tournaments, "owner_id"),
    of_organization(locations, "owner_id"),
    PortableTable(master_history, _of_records(master_history), named={"record_id": ""}, kind_column="kind"),
    of_organization(games),
    of_games(events),
    PortableTable(block_ids, block_ids.c.event_id.in_(_EVENTS), parents={"event_id": "event"}),
    of_organization(tokens, "owner_id", named={"record_id": ""}, kind_column="kind"),
    of_games(game_links),
    of_games(game_records, named={"record_id": ""}, kind_column="kind"),
    of_games(game_versions),
    of_games(game_documents),
    of_games(event_history, named={"local_id": "event"}),
    of_games(corrections, given={"id": None}, order=(corrections.c.id,)),
    of_games(creations),
    PortableTable(
        follows,
        follows.c.id.in_(_FOLLOWS),
        given={"organization_id": str, "owner": None, "fence": _zero},
    ),
    PortableTable(resources, resources.c.follow_id.in_(_FOLLOWS), parents={"follow_id": "follow"}),
    PortableTable(beliefs, beliefs.c.follow_id.in_(_FOLLOWS), parents={"follow_id": "follow"}),
    of_organization(attachments, parents={"game_id": "game", "follow_id": "follow"}),
    of_games(standbys, parents={"follow_id": "follow"}),
    of_games(ledger, named={"local_id": "event", "follow_id": "follow"}),
    PortableTable(
        upload_uses,
        upload_uses.c.upload_key.in_(_UPLOADS),
        parents={"upload_key": "upload"},
        named={"record_id": ""},
        kind_column="kind",
    ),
    of_organization(image_uses, named={"record_id": ""}, kind_column="kind"),
    of_organization(media_probes, parents={"game_id": "game", "event_id": "event"}),
    of_organization(idempotency, named={"game_id": "game"}),
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
    *(portable for capability in CAPABILITIES for portable in capability.portable),
)
"""Parents stand before what refers to them."""

STAYS: Mapping[str, str] = {
    "outbox": "what is still to be delivered is numbered by its own database",
    "outbox_sequence": "the delivery numbers of one database",
    "webhook_waiting": "deliveries of the old place, which it makes itself",
    "source_health": "how sources answered the process of the old place",
    "webhook_rounds": "the log of deliveries of the old place",
    "hub_pings": "feeds have other addresses at the new place",
    "clients": "credentials, and a client may serve several organizations",
    "alarms": "what goes on at the old place",
    "post_times": "when the old place did what; the new one has done nothing yet",
    "decisions": "what the old place decided upon which answers",
    "workers": "processes that run",
    "leaders": "which of them leads",
    "service_keys": "secrets that each installation makes for itself",
    "purged_files": "what the operator of an installation has decided",
    **{table: reason for capability in CAPABILITIES for table, reason in capability.stays.items()},
}
"""Tables that no export holds, with the reason."""
