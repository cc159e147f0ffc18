"""A liveblog and the match that it is on, locked together, and the terms on which it is."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from mapping.documents.import_options import ImportOptions
from mapping.errors import Conflict
from store.engine.records import StoredGame
from store.engine.unit import Unit
from store.following import closing, sources, sync
from store.liveblogs import liveblogs


@dataclass(frozen=True, slots=True)
class NamedLiveblog:
    """A liveblog as a request names it: by `local_id` or `ticker_id`, and its organization."""

    name: str
    organization_id: str

    def find(self, conn: Connection) -> StoredGame:
        """The organization's liveblog. Raises NotFound."""
        return liveblogs.own_game(conn, self.name, (self.organization_id,), field="liveblogId")


def lock(unit: Unit, named: NamedLiveblog) -> tuple[StoredGame, sync.Attachment | None]:
    """The liveblog and its attachment, locked with the match, so that no poll of it is being written.

    Raises NotFound, and Conflict where it is moved to another match at this moment.
    """
    game = named.find(unit.conn)
    before = sync.attachment(unit.conn, game.id)
    if before is not None:
        sources.lock(unit, before.follow_id)
    game = liveblogs.lock_game(unit, game.id)
    attachment = sync.attachment(unit.conn, game.id)
    if attachment is not None and (before is None or attachment.follow_id != before.follow_id):
        raise Conflict("somebody else is moving the liveblog to another match")
    return game, attachment


def change_terms(unit: Unit, game: StoredGame, attachment: sync.Attachment, terms: ImportOptions) -> bool:
    """Save the terms of a liveblog that is locked, with one step, and have its match looked at; False where they are equal."""
    before = sync.terms_of(attachment)
    if terms == before:
        return False
    sync.save_terms(unit, game.id, terms.as_dict())
    closing.open_again(unit, game.id, attachment.follow_id)
    document = None if terms.locale == before.locale else {**game.document, "locale": terms.locale}
    liveblogs.record(unit, game.id, liveblogs.Change(game=document))
    return True
