"""What players, teams and tournaments have in common: units that create, change and show one, and the search."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api.errors import json_response
from api.write.audit import audit
from api.write.bodies import read_document
from api.write.paging import asked_of, check_owner, collection, owners_of, page_of
from mapping.errors import InvalidRequest, NotFound, Unprocessable
from mapping.modifications import sent
from store import listing, masterdata, masteredit
from store.listing import MasterFilter
from store.tables import players, teams

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.requests import Request
    from starlette.responses import Response

    from api.auth import Caller
    from api.context import Context
    from api.peek import Json
    from api.services import Services
    from mapping.documents.base import Document
    from store.masterdata import Master
    from store.masteredit import MasterTable
    from store.unit import Unit


async def create(
    request: Request, table: MasterTable, model: type[Document], *, services: Services, context: Context, caller: Caller
) -> Response:
    """A new record of one of the caller's organizations."""
    fields = sent(await read_document(request, model))
    check_owner(caller, fields["owner_id"], field="owner_id")
    record = await services.store.write(partial(_create, table=table, fields=fields, caller=caller))
    audit(context, f"{table.name}.create", record=record.id)
    return json_response(record.as_document())


async def change(
    request: Request, table: MasterTable, model: type[Document], *, services: Services, context: Context, caller: Caller
) -> Response:
    """The record with what the document says; what it leaves out stays."""
    fields = sent(await read_document(request, model))
    record = await services.store.write(partial(_change, table=table, fields=fields, caller=caller))
    audit(context, f"{table.name}.update", record=record.id)
    return json_response(record.as_document())


async def show(table: MasterTable, *, services: Services, context: Context, caller: Caller) -> Response:
    """The record named by `_id`, if the caller may see it."""
    record_id = asked_of(context).get("_id")
    if record_id is None:
        raise InvalidRequest("_id is missing", field="_id")
    return json_response((await services.store.read(partial(_show, table, record_id, caller))).as_document())


async def search(
    table: MasterTable, *, services: Services, context: Context, caller: Caller, inactive: bool = True
) -> Response:
    """A page of the caller's records; `inactive`: whether those that have left are among them."""
    query = asked_of(context)
    page = page_of(query)
    wanted = MasterFilter(
        owners=owners_of(query, caller),
        q=query.get("q", ""),
        sportstype=query.get("sportstype"),
        team_id=query.get("team_id"),
        include_inactive=inactive,
    )
    found = await services.store.read(lambda conn: listing.masters(conn, table, wanted, page))
    return json_response(collection([record.as_document() for record in found.records], found.total, page))


def _create(unit: Unit, table: MasterTable, fields: Json, caller: Caller) -> Master:
    team_id = fields.get("team_id") if table is players else None
    if team_id and not _visible(masterdata.find(unit.conn, teams, [team_id]).get(team_id), caller):
        raise Unprocessable("there is no such team", field="team_id")
    return masteredit.create(unit, table, fields)


def _change(unit: Unit, table: MasterTable, fields: Json, caller: Caller) -> Master:
    before = masteredit.lock(unit, table, fields["_id"])
    if before is None or not _visible(before, caller):
        raise NotFound("there is no such record", field="_id")
    return masteredit.change(unit, table, before, fields)


def _show(table: MasterTable, record_id: str, caller: Caller, conn: Connection) -> Master:
    record = masterdata.find(conn, table, [record_id]).get(record_id)
    if record is None or not _visible(record, caller):
        raise NotFound("there is no such record", field="_id")
    return record


def _visible(record: Master | None, caller: Caller) -> bool:
    return record is not None and record.owner_id in caller.organizations
