"""What players, teams and tournaments have in common: units that create, change and show one, and the search."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from sqlalchemy import Connection
from starlette.responses import Response

from api.http.errors import json_response
from api.http.json_path import Json
from api.http.paging import INACTIVE, check_owner, collection, drop_empty, owners_of, page_of
from api.http.request import ApiRequest, Caller, parse_document
from api.masterdata.kinds import MasterKind
from api.media.document_files import WrittenRecord, check_addresses, check_uploads, take_and_store
from mapping.errors import InvalidRequest, NotFound, StoreUnavailable, Unprocessable
from mapping.liveblog.modifications import sent_fields
from store.engine.liveblog_records import new_object_id
from store.engine.unit import Unit
from store.masterdata import masterdata, masterdata_edit, masterdata_use
from store.masterdata.masterdata import Master
from store.masterdata.masterdata_edit import MasterFilter, MasterTable
from store.media import uploads
from store.media.file_uses import HOLDERS, note_uses
from store.media.uploads import Upload
from store.tables import players, teams

AT_ONCE = 20
"""Units in which a response brings corrections into liveblogs; where there are more to do, the daemon goes on within seconds."""


async def create(kind: MasterKind, request: ApiRequest) -> Response:
    """A new record of one of the caller's organizations."""
    table, caller = kind.table, request.caller
    body = await request.json()
    files = await take_and_store(request, body, str(body.get("owner_id")), new_object_id(int(request.services.clock())))
    draft = parse_document(kind.draft, body)
    fields = sent_fields(draft)
    check_owner(caller, fields["owner_id"], field="owner_id")
    await check_addresses(request, draft, WrittenRecord(fields["owner_id"]))
    record = await request.services.store.write(
        partial(_create, table=table, fields=fields, caller=caller, files=files)
    )
    request.audit(f"{table.name}.create", record=record.id)
    return json_response(record.as_document())


async def change(kind: MasterKind, request: ApiRequest) -> Response:
    """The record with what the document says; what it leaves out stays."""
    table = kind.table
    update = await request.document(kind.update)
    fields = sent_fields(update)
    await check_addresses(request, update, partial(_record_before, table, fields["_id"], request.caller))
    store = request.services.store
    record = await store.write(partial(_change, table=table, fields=fields, caller=request.caller))
    with suppress(StoreUnavailable):  # the record is written, and the daemon goes on
        await masterdata_use.correct_waiting(store, AT_ONCE)
    request.audit(f"{table.name}.update", record=record.id)
    return json_response(record.as_document())


async def show(kind: MasterKind, request: ApiRequest) -> Response:
    """The record named by `_id`, if the caller may see it."""
    record_id = drop_empty(request.query).get("_id")
    if record_id is None:
        raise InvalidRequest("_id is missing", field="_id")
    found = await request.services.store.read(partial(_show, kind.table, record_id, request.caller))
    return json_response(found.as_document())


async def search(kind: MasterKind, request: ApiRequest) -> Response:
    """A page of the caller's records; those that have left the squad are among them only with `include_inactive`."""
    table, query = kind.table, drop_empty(request.query)
    inactive = INACTIVE not in kind.filters or INACTIVE.of(request.query)
    page = page_of(query)
    wanted = MasterFilter(
        owners=owners_of(query, request.caller),
        q=query.get("q", ""),
        sportstype=query.get("sportstype"),
        team_id=query.get("team_id"),
        include_inactive=inactive,
    )
    found = await request.services.store.read(lambda conn: masterdata_edit.list_records(conn, table, wanted, page))
    return json_response(collection([record.as_document() for record in found.records], found, page))


def _create(unit: Unit, table: MasterTable, fields: Json, caller: Caller, files: Sequence[Upload]) -> Master:
    team_id = fields.get("team_id") if table is players else None
    if team_id and not _visible(masterdata.find(unit.conn, teams, [team_id]).get(team_id), caller):
        raise Unprocessable("there is no such team", field="team_id")
    for each in files:
        uploads.create(unit, each)
    check_uploads(unit.conn, fields["owner_id"], fields, None)
    record = masterdata_edit.create(unit, table, fields)
    note_uses(unit, HOLDERS[table.name], record.id, record.owner_id, after=record.document)
    return record


def _change(unit: Unit, table: MasterTable, fields: Json, caller: Caller) -> Master:
    before = masterdata_edit.lock(unit, table, fields["_id"])
    if before is None or not _visible(before, caller):
        raise NotFound("there is no such record", field="_id")
    check_uploads(unit.conn, before.owner_id, fields, before.document)
    record = masterdata_edit.change(unit, table, before, fields)
    note_uses(unit, HOLDERS[table.name], record.id, record.owner_id, after=record.document, before=before.document)
    return record


def _show(table: MasterTable, record_id: str, caller: Caller, conn: Connection) -> Master:
    record = masterdata.find(conn, table, [record_id]).get(record_id)
    if record is None or not _visible(record, caller):
        raise NotFound("there is no such record", field="_id")
    return record


def _record_before(table: MasterTable, record_id: str, caller: Caller, conn: Connection) -> WrittenRecord | None:
    """The record as the caller is shown it; None where the caller may not write it."""
    with suppress(NotFound):
        record = _show(table, record_id, caller, conn)
        return WrittenRecord(record.owner_id, record.as_document())
    return None


def _visible(record: Master | None, caller: Caller) -> bool:
    return record is not None and record.owner_id in caller.organizations
