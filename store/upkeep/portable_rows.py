"""Writes a row of a table as a line of an export and reads it back, with every value checked against its column."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import from_json
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Double,
    LargeBinary,
    Select,
    Table,
    and_,
    or_,
    select,
    union,
)

from store.engine.columns import Json, dumps
from store.engine.errors import StoreError
from store.engine.portable_table import GAMES, ORGANIZATION, PortableTable, of_games, of_organization
from store.files.storage import KEY
from store.following.rule_matches import rule_matches
from store.following.rule_standbys import standby_searches
from store.following.rules import follow_rules
from store.following.source_links import source_links
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
    of_organization(rule_matches, named={"game_id": "game"}),
    of_organization(follow_rules),
    of_organization(source_links),
    of_organization(standby_searches, named={"game_id": "game"}),
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
    "missed_matches": "what did not go well at the old place",
    "post_times": "when the old place did what; the new one has done nothing yet",
    "decisions": "what the old place decided upon which answers",
    "workers": "processes that run",
    "leaders": "which of them leads",
    "service_keys": "secrets that each installation makes for itself",
    "purged_files": "what the operator of an installation has decided",
    **{table: reason for capability in CAPABILITIES for table, reason in capability.stays.items()},
}
"""Tables that no export holds, with the reason."""


FORMAT = "matchwire-organization"
FORMAT_VERSION = 1
LONGEST_LINE = 64 << 20
"""Bytes of a line; the largest are the last answers of a provider, compressed."""
SHOWN = 60
"""Characters of a foreign text that an error shows."""

TABLES = {each.table.name: each for each in PORTABLE}
_COLUMNS = {name: {column.name: column for column in each.columns} for name, each in TABLES.items()}
_JSON_KINDS: Mapping[str, type] = {"options": list, "faults": list, "pending": object}
"""What columns of JSON hold by their names; all others hold objects."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_CONTENT_TYPES = {"i": re.compile(r"image/(jpeg|png|gif|webp|avif)"), "v": re.compile(r"video/(mp4|webm|quicktime)")}
_NOTHING = re.compile(r"(?!)")
_INT64 = range(-(2**63), 2**63)


class LineRefused(StoreError):
    """A line of an export that cannot be imported; the text says why and shows little of it."""


def line_of(name: str, row: Mapping[str, Any]) -> bytes:
    """The line of a row. Raises StoreError for one that the database holds in a form that is no JSON."""
    shown = {
        key: base64.b64encode(value).decode() if isinstance(value, bytes | memoryview) else value
        for key, value in row.items()
    }
    try:
        return dumps({"table": name, "row": shown}).encode() + b"\n"
    except (ValueError, TypeError, RecursionError) as error:
        keys = [row.get(key.name) for key in TABLES[name].table.primary_key]
        raise StoreError(f"the row {keys} of {name} is not readable: mend or delete it first") from error


def value_of(line: bytes) -> dict[str, Any]:
    """The JSON object of a line, which ends with a line feed. Raises LineRefused."""
    if len(line) > LONGEST_LINE:
        raise LineRefused(f"longer than {LONGEST_LINE} bytes")
    if not line.endswith(b"\n"):
        raise LineRefused("the file ends within a line or before its last one")
    try:
        value = from_json(line, allow_inf_nan=False)
    except ValueError as error:
        raise LineRefused(f"no JSON: {str(error)[:SHOWN]}") from error
    if not isinstance(value, dict):
        raise LineRefused("no JSON object")
    return value


def row_of(value: Mapping[str, Any], organization: str) -> tuple[PortableTable, dict[str, Any]]:
    """The table and the row that a line names, with exactly the columns of an export. Raises LineRefused."""
    name, row = _table_and_row(value)
    columns = _COLUMNS[name]
    read = {key: _read(columns[key], each) for key, each in row.items()}
    if TABLES[name].table is uploads:
        _check_upload(read)
    if any(read.get(owner, organization) != organization for owner in OWNERS):
        raise LineRefused(f"a row of {name} that belongs to another organization")
    return TABLES[name], read


def _check_upload(row: Mapping[str, Any]) -> None:
    """Refuse what becomes part of a path or of the headers of a response, and is not of the form of an upload."""
    forms = {"key": KEY, "digest": _DIGEST, "content_type": _CONTENT_TYPES.get(row["subtype"], _NOTHING)}
    for column, form in forms.items():
        if not form.fullmatch(row[column]):
            raise LineRefused(f"uploads.{column} is not that of an upload")
    if row["bytes"] < 0:
        raise LineRefused("uploads.bytes is below 0")


def _table_and_row(value: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    name, row = value.get("table"), value.get("row")
    if value.keys() != {"table", "row"} or not isinstance(name, str) or not isinstance(row, dict):
        raise LineRefused("neither a row of a table nor the last line")
    if name not in TABLES:
        raise LineRefused(f"no table {_brief(name)} is imported")
    columns = _COLUMNS[name]
    if unknown := row.keys() - columns.keys():
        raise LineRefused(f"{name} has no column {_brief(min(unknown))}")
    if missing := columns.keys() - row.keys():
        raise LineRefused(f"{name} lacks the column {min(missing)}")
    return name, row


def _read(column: Column[Any], value: Any) -> Any:
    """The value of a column. Raises LineRefused for what it cannot hold."""
    place = f"{column.table.name}.{column.name}"
    if value is None:
        if not column.nullable:
            raise LineRefused(f"{place} is null")
        return None
    if isinstance(column.type, Json):
        return _json(place, value)
    fits, words = next((form for kind, form in _FORMS.items() if isinstance(column.type, kind)), _TEXT)
    if not fits(value):
        raise LineRefused(f"{place} is {words}")
    if not isinstance(column.type, LargeBinary):
        return float(value) if isinstance(column.type, Double) else value
    try:
        return base64.b64decode(value, validate=True)
    except ValueError as error:
        raise LineRefused(f"{place} is no base64") from error


def _json(place: str, value: Any) -> Any:
    kind = _JSON_KINDS.get(place.rpartition(".")[2], dict)
    if not isinstance(value, kind):
        raise LineRefused(f"{place} is no JSON {'object' if kind is dict else 'array'}")
    try:
        dumps(value)
    except ValueError as error:
        raise LineRefused(f"{place} holds a number beyond all bounds") from error
    return value


_TEXT: tuple[Callable[[Any], bool], str] = (lambda value: isinstance(value, str) and "\0" not in value, "no text")
_FORMS: Mapping[type, tuple[Callable[[Any], bool], str]] = {
    Boolean: (lambda value: isinstance(value, bool), "no boolean"),
    Double: (lambda value: type(value) in {int, float} and abs(value) <= sys.float_info.max, "no number"),
    BigInteger: (lambda value: type(value) is int and value in _INT64, "no integer of 64 bits"),
}
"""What values of other kinds of columns look like; all others hold text."""


def _brief(text: str) -> str:
    return repr(text[:SHOWN])
