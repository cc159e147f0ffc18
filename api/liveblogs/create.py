"""The unit behind `ticker/create`: checks who asks and what is referred to, then inserts through the one door."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from api.external.endpoint import digest
from api.json_path import Json, at
from api.liveblogs import placing
from api.liveblogs.placing import DocumentPlacing
from api.liveblogs.titles import titled
from api.paging import check_owner
from mapping.documents.base import dump
from mapping.documents.scalars import LocalStatus
from mapping.errors import Conflict, Unprocessable
from store import creations, liveblogs
from store.ids import new_local_id, new_object_id
from store.liveblogs import NewGame, StoredGame

if TYPE_CHECKING:
    from api.auth import Caller
    from mapping.documents.game import GameDraft
    from store.unit import Unit

STORED = (
    "locale", "meta_info", "scoreboard", "options", "tags", "use_syndication_controls", "permissions",
    "marketplace_info",
)  # fmt: skip
LONGEST = 255
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def create(unit: Unit, draft: GameDraft, caller: Caller) -> StoredGame:
    """The new liveblog; the one that the same document with the same `external_id` has created before.

    Raises Forbidden, Unprocessable, and Conflict when the `external_id` is taken by another document.
    """
    check_owner(caller, draft.organization_id, field="organization_id")
    sent = dump(draft)
    local_id = _local_id(draft)
    if draft.external_id:
        creations.take_turn(unit, local_id)
        known = liveblogs.find_game(unit.conn, local_id)
        if known is not None:
            return _same(unit, known, digest(sent))
    wanted = DocumentPlacing(unit=unit, caller=caller, owner_id=draft.organization_id, sportstype="")
    sport = placing.template(wanted, draft.template_id)
    game = NewGame(
        id=new_object_id(unit.now),
        local_id=local_id,
        organization_id=draft.organization_id,
        external_id=draft.external_id,
        sportstype=sport,
        template_id=draft.template_id,
        document=_document(
            DocumentPlacing(unit=unit, caller=caller, owner_id=draft.organization_id, sportstype=sport), sent
        ),
    )
    stored = liveblogs.insert_game(unit, game)
    if draft.external_id:
        creations.remember(unit, stored.id, digest(sent))
    return stored


def _local_id(draft: GameDraft) -> str:
    if draft.external_id is None:
        return new_local_id("g")
    local_id = f"{draft.organization_id}_{draft.external_id}"
    if len(local_id) > LONGEST or _CONTROLS.search(draft.external_id):
        raise Unprocessable("external_id is too long or has control characters", field="external_id")
    return local_id


def _same(unit: Unit, known: StoredGame, asked: str) -> StoredGame:
    if known.local_status == LocalStatus.DELETED or creations.digest_of(unit.conn, known.id) != asked:
        raise Conflict("this external_id is taken", field="external_id")
    return known


def _document(wanted: DocumentPlacing, sent: Json) -> Json:
    document = {name: sent[name] for name in STORED if name in sent}
    placing.check(wanted, document)
    for name in ("meta_info", "scoreboard"):
        if name in document:
            document[name] = placing.part(wanted, document[name], name, path=name)
    document["tags"] = placing.tags(wanted, document["tags"])
    if "marketplace_info" in document:
        document["marketplace_info"] = placing.marketplace(
            wanted, document["marketplace_info"], path="marketplace_info"
        )
    return titled(wanted.unit.conn, document, keep=bool(at(document, "meta_info", "title")))
