"""The matches that liveblogs follow: described for responses, locked together with them, and taken off again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, select

from mapping.documents.import_options import ImportOptions
from mapping.errors import Conflict
from store.engine.liveblog_records import Change, StoredGame
from store.engine.statements import Among, CompiledQuery
from store.engine.unit import Unit
from store.following import closing, follow_rows, rule_matches, standbys
from store.following.follow_rows import Attachment, ResourceRow
from store.liveblogs import liveblogs
from store.tables import attachments, follows, resources


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Attachment):
    """A liveblog on a match, with the match's canonical status."""

    status: str


_SOURCES = CompiledQuery(
    select(attachments, follows.c.status)
    .join(follows, follows.c.id == attachments.c.follow_id)
    .where(Among(attachments.c.game_id, "game_ids"))
)
_RESOURCES_OF = CompiledQuery(
    select(*(column for column in resources.c if column.name != "body"))
    .where(Among(resources.c.follow_id, "follow_ids"))
    .order_by(resources.c.name)
)


def sources_of(conn: Connection, game_ids: Collection[str]) -> list[Source]:
    """Where these liveblogs get their matches from, of those that are on one."""
    return [Source(**row) for row in _SOURCES.mappings(conn, game_ids=list(game_ids))] if game_ids else []


def resources_of(conn: Connection, follow_ids: Collection[str]) -> dict[str, dict[str, ResourceRow]]:
    """The resources of several matches by the id of the follow and their names, bodies left out."""
    found: dict[str, dict[str, ResourceRow]] = {}
    for row in _RESOURCES_OF.mappings(conn, follow_ids=sorted(follow_ids)) if follow_ids else ():
        named = found.setdefault(row.pop("follow_id"), {})
        named[row["name"]] = ResourceRow(**row)
    return found


_LOCKED = CompiledQuery(select(follows.c.id).where(follows.c.id == bindparam("follow_id")).with_for_update())


def lock(unit: Unit, follow_id: str) -> None:
    """Lock the match: no poll of it is written before this unit ends, nor is any liveblog put on it or taken off."""
    _LOCKED.first(unit.conn, follow_id=follow_id)


def detach(unit: Unit, attachment: Attachment, *, keeps_standbys: bool = False) -> None:
    """Take the liveblog off its match, which is locked; the ledger of both stays, for the day they meet again.

    A match that no open liveblog is on any more is followed no longer, nor are those that stood by for it, unless the liveblog
    `keeps_standbys`, as it is put on the same match of another id. For follow rules it counts as made.
    """
    if not keeps_standbys:
        standbys.save_sources(unit, attachment.game_id, ())
    rule_matches.keep_as_made(unit, attachment)
    unit.conn.execute(delete(attachments).where(attachments.c.game_id == attachment.game_id))
    closing.close_empty(unit, attachment.follow_id)


@dataclass(frozen=True, slots=True)
class NamedLiveblog:
    """A liveblog as a request names it: by `local_id` or `ticker_id`, and its organization."""

    name: str
    organization_id: str

    def find(self, conn: Connection) -> StoredGame:
        """The organization's liveblog. Raises NotFound."""
        return liveblogs.own_game(conn, self.name, (self.organization_id,), field="liveblogId")


def lock_with_match(unit: Unit, named: NamedLiveblog) -> tuple[StoredGame, follow_rows.Attachment | None]:
    """The liveblog and its attachment, locked with the match, so that no poll of it is being written.

    Raises NotFound, and Conflict where it is moved to another match at this moment.
    """
    game = named.find(unit.conn)
    before = follow_rows.attachment(unit.conn, game.id)
    if before is not None:
        lock(unit, before.follow_id)
    game = liveblogs.lock_game(unit, game.id)
    attachment = follow_rows.attachment(unit.conn, game.id)
    if attachment is not None and (before is None or attachment.follow_id != before.follow_id):
        raise Conflict("somebody else is moving the liveblog to another match")
    return game, attachment


def change_terms(unit: Unit, game: StoredGame, attachment: follow_rows.Attachment, terms: ImportOptions) -> bool:
    """Save the terms of a liveblog that is locked, with one step, and have its match looked at; False where they are equal."""
    before = follow_rows.terms_of(attachment)
    if terms == before:
        return False
    follow_rows.save_terms(unit, game.id, terms.as_dict())
    closing.open_again(unit, game.id, attachment.follow_id)
    document = None if terms.locale == before.locale else {**game.document, "locale": terms.locale}
    liveblogs.record(unit, game.id, Change(game=document))
    return True
