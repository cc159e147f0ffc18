"""Puts posts of another service's liveblog into one here (`matchwire import-feed`): new ones, and those changed there alone.

Operations for `matchwire import-feed`. Posts that anybody else has changed here stay as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple, get_args

from pydantic import ValidationError

from api.events.operations import changed_write, new_write
from api.http.json_path import Json
from api.http.request import Caller
from api.liveblogs import operations
from api.view.liveblog_access import writable_game
from mapping.documents.base import parse
from mapping.documents.event import Event
from mapping.documents.game import GameDraft
from mapping.documents.scalars import Locale
from mapping.errors import Conflict, ServiceError
from mapping.liveblog.foreign_feed import ForeignPage
from store.engine.liveblog_records import Change, EventWrite, StoredEvent, StoredGame
from store.engine.unit import Unit
from store.liveblogs import liveblogs

IMPORTER = "import-feed"
"""Who wrote the posts."""


class PutPosts(NamedTuple):
    """How many posts are new, changed, or were there already, and why others were refused, with their `local_id`."""

    new: int
    changed: int
    kept: int
    refused: tuple[str, ...]


def liveblog_of(
    unit: Unit, *, organization: str, organizations: Callable[[str], object], source: str, page: ForeignPage
) -> str:
    """The `local_id` of the liveblog for this source; the first time it is created."""
    external_id = f"feed-{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    known = liveblogs.find_game(unit.conn, f"{organization}_{external_id}")
    if known is not None:
        return known.local_id
    draft = {
        "_type": "Svc::Model::Game",
        "organization_id": organization,
        "template_id": "news",
        "external_id": external_id,
        "meta_info": {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": page.title or "Liveblog"},
        **({"locale": page.language.lower()} if page.language.lower() in get_args(Locale) else {}),
    }
    return operations.create(unit, parse(GameDraft, draft), _caller(organization), organizations=organizations).local_id


def put_posts(unit: Unit, *, organization: str, liveblog: str, posts: Sequence[Json]) -> PutPosts:
    """Create the posts that are new and change those that changed over there, in one version."""
    caller = _caller(organization)
    game = writable_game(unit, {"ticker_local_id": liveblog}, caller)
    known = {post["local_id"]: liveblogs.event(unit.conn, post["local_id"]) for post in posts}
    before = {name: event for name, event in known.items() if event is not None}
    writes: dict[str, EventWrite] = {}
    refused = []
    for post in posts:
        name = post["local_id"]
        try:
            write = _write_of(unit, game, caller, post, known[name])
        except (ServiceError, ValidationError) as error:
            refused.append(f"{type(error).__name__} {name}")
            continue
        if write is not None:
            writes[name] = write
    if writes:
        liveblogs.write(unit, game, Change(events=tuple(writes.values())), known=before)
    new = len(writes.keys() - before.keys())
    return PutPosts(new, len(writes) - new, len(posts) - len(writes) - len(refused), tuple(refused))


def _caller(organization: str) -> Caller:
    return Caller(client_id=IMPORTER, organizations=frozenset({organization}), scopes=frozenset({"write"}), proven=True)


def _write_of(unit: Unit, game: StoredGame, caller: Caller, post: Json, known: StoredEvent | None) -> EventWrite | None:
    """The post as it is to be written; None where it stays as it is. Raises Conflict for one of another liveblog."""
    event = parse(Event, post)
    if known is None:
        return new_write(unit, game, caller, event)
    if known.game_id != game.id:
        raise Conflict("the post is in another liveblog")
    ours = known.user_id == IMPORTER and (known.document.get("editor") or IMPORTER) == IMPORTER
    if not ours or known.local_status or post.get("updated_at", 0) <= known.updated_at:
        return None
    return changed_write(unit, game, caller, known, event)
