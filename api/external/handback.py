"""Gives fields and posts that a person has changed back to the provider, because a person says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from starlette.responses import Response

from api.external.endpoint import PATH, TAG, named_liveblog
from api.external.operations import LIVEBLOG_ID, NOT_ATTACHED, shown_game
from api.http.errors import json_response
from api.http.openapi import IF_MATCH, WRITE_ERRORS, document_answer, json_body, operation, request_schema
from api.http.request import ApiRequest
from api.view.liveblog_access import check_version, expected_version
from mapping.documents.external import HandBack
from mapping.documents.game import Game
from mapping.documents.scalars import LocalStatus
from mapping.errors import NotFound, Unprocessable
from mapping.liveblog.prefill import synced_parts
from mapping.posts.merge import Document, hand_back, owners, same
from store.engine.liveblog_records import EventWrite
from store.engine.unit import Unit
from store.following import follow_rows, ledger
from store.following.sources import NamedLiveblog, lock_with_match
from store.liveblogs import liveblogs
from store.liveblogs.event_rows import events_named

BESIDE = frozenset({"_type", "created_at"})
"""Fields of a post that its document does not hold."""
HANDBACK = operation(
    "liveblog.handBackExternal",
    "Give fields or posts back to the provider",
    TAG,
    {200: document_answer(Game, "The decorated liveblog, one version later"), **WRITE_ERRORS},
    parameters=[*PATH, IF_MATCH],
    body=json_body(request_schema(HandBack), {"fields": ["scoreboard.score.home_score", "state_info"]}),
)


async def give_back(request: ApiRequest) -> Response:
    """Give fields of the liveblog, posts, or fields of posts back (interface: Liveblog from a provider)."""
    services, named = request.services, named_liveblog(request)
    wanted = await request.document(HandBack)
    expected = expected_version(request.headers)
    await services.store.write(partial(return_fields, named=named, wanted=wanted, expected=expected))
    game = await services.store.read(partial(shown_game, named, services))
    request.audit("liveblog.handBackExternal", liveblog=game["local_id"], version=game["version"])
    return json_response(game)


def return_fields(unit: Unit, named: NamedLiveblog, wanted: HandBack, expected: int | None) -> None:
    """The unit: what the provider said last stands in these places again, with one step where something differs."""
    game, attachment = lock_with_match(unit, named)
    check_version(expected, changed=game.version, current=game.version)
    if attachment is None:
        raise NotFound(NOT_ATTACHED, field=LIVEBLOG_ID)
    rows = ledger.rows(unit.conn, game.id)
    said = synced_parts(ledger.game_of(rows.pop(ledger.GAME_KEY, None)), follow_rows.terms_of(attachment))
    document = None if wanted.events else _give_back(game.document, said, wanted.fields, "fields")
    posts = {row.local_id: row for row in rows.values() if row.local_id is not None}
    names = wanted.events if wanted.events or wanted.fields else tuple(posts)
    writes = _posts(unit, posts, names, wanted)
    liveblogs.rewrite(unit, game, writes, document=document)


def _give_back(current: Mapping[str, Any], said: Document, fields: Iterable[str], path: str) -> Document | None:
    """The document with these fields (none: all) as the provider said, None where they are so; raises Unprocessable."""
    chosen = tuple(fields)
    known = owners(said, dict(current))
    for index, name in enumerate(chosen):
        if not any(each == name or each.startswith(f"{name}.") for each in known):
            raise Unprocessable("the provider says nothing of this field", field=f"{path}.{index}")
    document = hand_back(current, said, chosen or None)
    return None if same(document, dict(current)) else document


def _posts(
    unit: Unit, posts: Mapping[str, ledger.LedgerRow], names: Iterable[str], wanted: HandBack
) -> tuple[EventWrite, ...]:
    """The posts that change; their status stays. Raises Unprocessable for one that the provider has not brought."""
    stored = events_named(unit.conn, list(names))
    writes = []
    for index, name in enumerate(names):
        event = stored.get(name)
        if name not in posts or event is None or event.local_status == LocalStatus.DELETED:
            if wanted.events:
                raise Unprocessable("the provider has no such post in this liveblog", field=f"events.{index}")
            continue
        said = {key: value for key, value in ledger.entry_of(posts[name]).said.items() if key not in BESIDE}
        document = _give_back(event.document, said, wanted.fields, "fields")
        if document is not None:
            writes.append(event.rewritten(document=document))
    return tuple(writes)
