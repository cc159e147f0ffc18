"""`matchwire import-feed URL`: the posts of a liveblog of another service, put into one here; once, and again without doubling."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, get_args
from urllib.parse import parse_qsl, urlencode, urlsplit

import typer

from config import Settings
from ingest.cli.shared import err, fail, on_database, out

if TYPE_CHECKING:
    from api.http.request import Caller
    from mapping.liveblog.foreign_feed import ForeignPage
    from store.engine.unit import Unit
    from store.liveblogs.liveblogs import EventWrite, StoredEvent, StoredGame

    Json = dict[str, Any]

IMPORTER = "import-feed"
"""Who wrote the posts; what anybody else has changed stays."""
REFUSED = "post that is refused"
PAGES = 1000
AT_ONCE = 100
"""Posts in one unit, which is one version of the liveblog."""


def import_feed(
    settings: Settings,
    url: Annotated[
        str,
        typer.Argument(
            help="A feed (JSON feed, Atom, RSS) or a delta read (/api/v6/ticker/show.json), with its credentials."
        ),
    ],
    organization: Annotated[str, typer.Option(help="The organization that the liveblog will belong to.")],
    into: Annotated[
        str, typer.Option(help="A liveblog here, by local_id or ticker_id; left out: one for this URL.")
    ] = "",
) -> None:
    """Put the posts of another service's liveblog into one here, with their times and media; again: what is new or changed.

    The daemon may run meanwhile. Posts that somebody has changed here stay as they are.
    """
    from mapping.liveblog.foreign_feed import source_of

    if organization not in settings.organizations:
        fail(f"the configuration has no organization {organization}")
    source = source_of(url)
    pages = asyncio.run(_pages(settings, organization, url, source))
    liveblog = into or on_database(
        settings, partial(_liveblog, settings=settings, organization=organization, source=source, page=pages[0])
    )
    posts = [post for page in reversed(pages) for post in reversed(page.posts)]
    posts.sort(key=lambda post: post["created_at"])
    done: Counter[str] = Counter()
    for start in range(0, len(posts), AT_ONCE):
        done += on_database(
            settings, partial(_put, organization=organization, liveblog=liveblog, posts=posts[start : start + AT_ONCE])
        )
    left_out = sum((page.left_out for page in pages), Counter({REFUSED: done["refused"]}))
    for name, count in sorted((+left_out + sum((page.lost for page in pages), Counter[str]())).items()):
        out.print(f"left out: {name} ({count})")
    out.print(
        f"{liveblog}: {done['new']} posts are new, {done['changed']} changed, {done['kept']} were there already,"
        f" {left_out.total()} were left out."
    )


async def _pages(settings: Settings, organization: str, url: str, source: str) -> list[ForeignPage]:
    """All pages of the feed, through the guard, none of another host; ends the command where one cannot be read."""
    from ingest.guard.ssrf_guard import SsrfGuard
    from ingest.media.fetch import MediaFetcher
    from mapping.liveblog.foreign_feed import read_page

    fetcher = MediaFetcher(SsrfGuard(settings.webhooks), settings.media)
    pages: list[ForeignPage] = []
    address, seen = url, set[str]()
    while address and address not in seen and len(pages) < PAGES:
        seen.add(address)
        fetched = await fetcher.fetch(organization, address, most=settings.limits.provider_bytes)
        if fetched.status != "new":
            fail(f"the feed cannot be read: {fetched.cause or fetched.status}")
        try:
            pages.append(read_page(fetched.body, source))
        except ValueError as error:
            fail(f"the feed {error}")
        address = _following(url, pages[-1])
    return pages


def _following(url: str, page: ForeignPage) -> str:
    """The address of the page after this one, empty at the end; with the credentials of the first, and on its host alone."""
    first = urlsplit(url)
    given: dict[str, str] = dict(parse_qsl(first.query))
    if page.after:
        return first._replace(query=urlencode({**given, "continue_event_id": page.after})).geturl()
    following = urlsplit(page.next_url)
    if not page.next_url or (following.scheme, following.netloc) != (first.scheme, first.netloc):
        return ""
    secrets = {name: given[name] for name in ("client_id", "client_secret") if name in given}
    return following._replace(query=urlencode(dict(parse_qsl(following.query)) | secrets)).geturl()


def _caller(organization: str) -> Caller:
    from api.http.request import Caller

    return Caller(client_id=IMPORTER, organizations=frozenset({organization}), scopes=frozenset({"write"}), proven=True)


def _liveblog(unit: Unit, *, settings: Settings, organization: str, source: str, page: ForeignPage) -> str:
    """The `local_id` of the liveblog for this source; the first time it is created."""
    from api.liveblogs import write_liveblog
    from mapping.documents.base import parse
    from mapping.documents.game import GameDraft
    from mapping.documents.scalars import Locale
    from store.liveblogs import liveblogs

    external_id = f"feed-{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    known = liveblogs.find_game(unit.conn, f"{organization}_{external_id}")
    if known is not None:
        return known.local_id
    title = page.title or "Liveblog"
    draft = {
        "_type": "Svc::Model::Game",
        "organization_id": organization,
        "template_id": "news",
        "external_id": external_id,
        "meta_info": {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": title},
        **({"locale": page.language.lower()} if page.language.lower() in get_args(Locale) else {}),
    }
    wanted = write_liveblog.CreateRequest(
        draft=parse(GameDraft, draft), caller=_caller(organization), organizations=settings.organizations.get
    )
    return write_liveblog.create(unit, wanted).local_id


def _put(unit: Unit, *, organization: str, liveblog: str, posts: list[Json]) -> Counter[str]:
    """Create the posts that are new, change those that changed over there and nowhere else, in one version; how many of each."""
    from pydantic import ValidationError

    from api.view.liveblog_access import writable_game
    from mapping.errors import ServiceError
    from store.liveblogs import liveblogs

    caller = _caller(organization)
    game = writable_game(unit, {"ticker_local_id": liveblog}, caller)
    done: Counter[str] = Counter()
    writes: list[EventWrite] = []
    known = {post["local_id"]: liveblogs.event(unit.conn, post["local_id"]) for post in posts}
    for post in posts:
        try:
            write = _write_of(unit, game, caller, post, known[post["local_id"]])
        except (ServiceError, ValidationError) as error:
            err.print(f"matchwire: a post is left out: {type(error).__name__} {post['local_id']}")
            done["refused"] += 1
            continue
        done["kept" if write is None else "changed" if known[post["local_id"]] else "new"] += 1
        writes += [] if write is None else [write]
    if writes:
        before = {name: event for name, event in known.items() if event is not None}
        liveblogs.write(unit, game, liveblogs.Change(events=tuple(writes)), known=before)
    return done


def _write_of(unit: Unit, game: StoredGame, caller: Caller, post: Json, known: StoredEvent | None) -> EventWrite | None:
    """The post as it is to be written; None where it stays as it is. Raises Conflict for one of another liveblog."""
    from api.events.event_writes import changed_write, new_write
    from mapping.documents.base import parse
    from mapping.documents.event import Event
    from mapping.errors import Conflict

    event = parse(Event, post)
    if known is None:
        return new_write(unit, game, caller, event)
    if known.game_id != game.id:
        raise Conflict("the post is in another liveblog")
    ours = known.user_id == IMPORTER and (known.document.get("editor") or IMPORTER) == IMPORTER
    if not ours or known.local_status or post.get("updated_at", 0) <= known.updated_at:
        return None
    return changed_write(unit, game, caller, known, event)
