"""What the public sees of a liveblog at a moment, for its page and for a CMS that puts it into an article."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from api.embed.structured_data import Publication, live_blog_posting
from api.key_moments import key_moments_of
from api.liveblog_access import public_documents, published_game
from api.page.window import PageRequest, window
from api.post_files import Images
from api.references import complete
from store import deltas

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from api.json_path import Json
    from api.key_moments import Highlights
    from api.services import Services
    from store.deltas import Coverage
    from store.liveblogs import StoredGame

NOBODY = "matchwire"
"""The publisher of a liveblog whose organization is not configured any more."""


class Shown(NamedTuple):
    """A published liveblog: its document and some of its posts, with references resolved.

    `more` and `newer`: there are older and newer posts than these.
    """

    game: StoredGame
    document: Json
    posts: list[Json]
    more: bool
    newer: bool
    coverage: Coverage
    highlights: Highlights

    def schema(self, services: Services) -> Json:
        """The structured data."""
        return live_blog_posting(
            self.document, self.posts, self.coverage, publication(services, self.game), self.highlights.recap
        )


def shown(conn: Connection, game_id: str, wanted: PageRequest) -> Shown:
    """The liveblog with the posts that are wanted, newest first, as the database has it now.

    Raises NotFound, InvalidRequest.
    """
    game = published_game(conn, game_id)
    highlights = key_moments_of(conn, game)
    found = window(conn, game, wanted, highlights)
    document, *posts = complete(conn, [game.as_document(), *public_documents(found.events)])
    return Shown(game, document, posts, found.older, found.newer, deltas.coverage(conn, game_id), highlights)


def publication(services: Services, game: StoredGame) -> Publication:
    """Who publishes the liveblog where."""
    settings = services.settings
    return Publication(
        public_url=settings.public_url,
        publisher=services.organizations(game.organization_id) or NOBODY,
        logo=settings.logos.get(game.organization_id),
        images=Images(services.media_key, settings.public_url.rstrip("/"), game.organization_id),
    )
