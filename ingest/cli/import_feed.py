"""`matchwire import-feed URL`: the posts of a liveblog of another service, put into one here; once, and again without doubling."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Annotated
from urllib.parse import parse_qsl, urlencode, urlsplit

import typer

from config import Settings
from ingest.cli.shared import err, fail, on_database, out

if TYPE_CHECKING:
    from mapping.liveblog.foreign_feed import ForeignPage

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
    from api.liveblogs.feed_import import liveblog_of, put_posts
    from mapping.liveblog.foreign_feed import source_of

    if organization not in settings.organizations:
        fail(f"the configuration has no organization {organization}")
    source = source_of(url)
    pages = asyncio.run(_pages(settings, organization, url, source))
    find = partial(
        liveblog_of,
        organization=organization,
        organizations=settings.organizations.get,
        source=source,
        page=pages[0],
    )
    liveblog = into or on_database(settings, find)
    posts = [post for page in reversed(pages) for post in reversed(page.posts)]
    posts.sort(key=lambda post: post["created_at"])
    done: Counter[str] = Counter()
    for start in range(0, len(posts), AT_ONCE):
        some = posts[start : start + AT_ONCE]
        put = on_database(settings, partial(put_posts, organization=organization, liveblog=liveblog, posts=some))
        done.update(new=put.new, changed=put.changed, kept=put.kept, refused=len(put.refused))
        for each in put.refused:
            err.print(f"matchwire: a post is left out: {each}")
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
