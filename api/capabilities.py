"""The capabilities: each is one row here, and what others need of all of them is collected from the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from api.comments.capability import COMMENTS
from api.desk.capability import DESK
from api.http.capability import PostExtras
from api.http.json_path import Json
from api.http.request import Services
from api.polls.capability import POLLS
from api.readers.capability import READERS
from api.statistics.capability import STATISTICS
from config import Settings
from mapping.documents.scalars import post_is_public
from mapping.locales import Translator

CAPABILITIES = (COMMENTS, READERS, POLLS, STATISTICS, DESK)
EXTRAS = tuple(each.extras for each in CAPABILITIES if each.extras is not None)
LIVE = tuple(each.live for each in CAPABILITIES if each.live is not None)


async def extras_of(services: Services, organization_id: str, game_id: str, at: int | None) -> tuple[PostExtras, ...]:
    """What capabilities add to the posts of a liveblog. `at`: the moment that is seen."""
    added = [await extras(services, organization_id, game_id, at) for extras in EXTRAS]
    return tuple(each for each in added if each is not None)


def with_extras(document: Json, extras: Sequence[PostExtras]) -> Json:
    """The document with what capabilities add in each published post of its `events`."""
    if not extras:
        return document
    events = [
        {**each, **{extra.field: extra.document(each["local_id"]) for extra in extras}}
        if post_is_public(each["local_status"], None)
        else each
        for each in document["events"]
    ]
    return {**document, "events": events}


def page_data(settings: Settings, organization_id: str, game: Json, texts: Translator) -> Mapping[str, object]:
    """What the scripts of capabilities read from the page of a liveblog."""
    data = [each.page.data for each in CAPABILITIES if each.page.data is not None]
    return {name: value for make in data for name, value in make(settings, organization_id, game, texts).items()}


def page_posts(conn: Connection, game_id: str, posts: Sequence[Json], now: float) -> list[Json]:
    """The posts with what the blocks of capabilities need to be shown; `now` in Unix seconds."""
    shown = list(posts)
    for each in CAPABILITIES:
        if each.page.posts is not None:
            shown = each.page.posts(conn, game_id, shown, now)
    return shown


def block_html(block: Json, texts: Translator) -> str:
    """A block of a post whose kind belongs to a capability."""
    made = (each.page.block(block, texts) for each in CAPABILITIES if each.page.block is not None)
    return next(filter(None, made), "")


def feed_block_html(block: Json, post_url: str, texts: Translator) -> str:
    """A block of a post whose kind belongs to a capability, where no script runs. `post_url`: where the post is shown."""
    rows = (each.page.feed_block for each in CAPABILITIES)
    return next(filter(None, (make(block, post_url, texts) for make in rows if make is not None)), "")
