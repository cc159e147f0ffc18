"""The page from which a publisher copies what shows a liveblog elsewhere, with a preview of it."""

from __future__ import annotations

from html import escape
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.responses import Response

from api.feeds.feed_selection import FEED_PATH, page_url
from api.http import openapi
from api.http.caching import VARY, Rendering, cache_control, conditional
from api.http.param import TEXT
from api.http.request import ApiRequest
from api.http.static import TYPES
from api.page.page_frame import WITH_POSTS, document, preferred_locale
from api.page.share_links import discovery, frame_url, iframe
from api.view.liveblog_reads import DELAY, read_view
from api.view.post_content import one_line
from mapping.locales import Translator, translator
from mapping.locales.labels import SnippetText

PATH = "/liveblogs/{liveblogId}/snippets"
UP = "../../"
SNIPPETS = openapi.operation(
    "liveblog.snippets",
    "What shows a liveblog elsewhere, to copy",
    "Pages",
    {
        200: {"description": "A page with a preview", "content": {"text/html": {"schema": TEXT}}},
        **openapi.NOT_MODIFIED,
        **openapi.PUBLIC_ERRORS,
    },
    parameters=[
        openapi.LIVEBLOG_IN_PATH,
        DELAY,
    ],
    security=openapi.OPEN,
)
WIDTH, HEIGHT = 640, 800


class Snippet(NamedTuple):
    """What to copy, and what it is good for."""

    name: str
    heading: str
    about: str
    code: str


async def snippets(request: ApiRequest) -> Response:
    """The page in its reader's language; where the service is not public, the snippets name the client that requested it."""
    context, settings = request.context, request.services.settings
    _, game = await read_view(request, request.path_params["liveblogId"])
    client = "" if settings.server.public_feeds or context.caller is None else context.caller.client_id
    title = one_line(game.title) or "Liveblog"
    texts = translator(preferred_locale(request.headers.get("accept-language", "")))
    shown = snippets_of(settings.public_url.rstrip("/"), game.local_id, title, client, texts)
    preview = _preview(game.local_id, title, client, texts)
    body = _page(title, page_url(settings.public_url, game.local_id), shown, preview, texts)
    return conditional(
        request.headers,
        Rendering.of(body.encode("utf-8", "replace")),
        TYPES["html"],
        cache_control=cache_control(settings),
        more={
            "Content-Security-Policy": f"{WITH_POSTS} 'self'; frame-ancestors 'none'",
            "Vary": f"{VARY}, Accept-Language",
        },
    )


def snippets_of(root: str, liveblog: str, title: str, client: str, texts: Translator) -> tuple[Snippet, ...]:
    """What to copy for a liveblog of the service at `root`; `client`: who must be named, empty where nobody need be."""
    named = {"client_id": client} if client else {}
    query = urlencode({"liveblogId": liveblog, **named})
    page = page_url(root, liveblog)
    framed = frame_url(root, liveblog) + (f"?{urlencode(named)}" if named else "")
    feeds = "\n".join(f"{root}{FEED_PATH}.{form}?{query}" for form in ("rss", "atom", "json"))
    return (
        Snippet(
            "element",
            texts.text(SnippetText.ELEMENT),
            texts.text(SnippetText.ELEMENT_ABOUT),
            f'<script type="module" src="{escape(root)}/static/embed.js"></script>\n{element(liveblog, client)}',
        ),
        Snippet(
            "frame",
            texts.text(SnippetText.FRAME),
            texts.text(SnippetText.FRAME_ABOUT),
            f"{iframe(framed, title, WIDTH, HEIGHT, name='matchwire')}\n"
            f'<script type="module" src="{escape(root)}/static/frame.js"></script>',
        ),
        Snippet(
            "prefetch",
            texts.text(SnippetText.PREFETCH),
            texts.text(SnippetText.PREFETCH_ABOUT),
            f"{root}/api/embed/v4/prefetch/liveblog.json?{query}",
        ),
        Snippet("feeds", texts.text(SnippetText.FEEDS), texts.text(SnippetText.FEEDS_ABOUT), feeds),
        Snippet(
            "oembed",
            "oEmbed",
            texts.text(SnippetText.OEMBED_ABOUT),
            "\n".join((page, discovery(root, page)["application/json+oembed"])),
        ),
    )


def element(liveblog: str, client: str) -> str:
    """The element of a liveblog, without its content."""
    named = f' client-id="{escape(client)}"' if client else ""
    return f'<matchwire-liveblog liveblog-id="{escape(liveblog)}"{named}></matchwire-liveblog>'


def _page(title: str, page: str, shown: tuple[Snippet, ...], preview: str, texts: Translator) -> str:
    copied, selected = (escape(texts.text(each)) for each in (SnippetText.COPIED, SnippetText.SELECTED))
    sections = "".join(
        f'<section class="snippet"><h2 id="{each.name}">{escape(each.heading)}</h2><p>{escape(each.about)}</p>'
        f'<pre tabindex="0" role="region" aria-labelledby="{each.name}"><code>{escape(each.code)}</code></pre>'
        f'<button type="button" aria-describedby="{each.name}" data-copied="{copied}" data-selected="{selected}"'
        f" hidden>{escape(texts.text(SnippetText.COPY))}</button></section>"
        for each in shown
    )
    about = texts.text(SnippetText.EMBED, title=title)
    head = f'<header class="front"><h1>{escape(about)}</h1><p><a href="{escape(page)}">{escape(title)}</a></p></header>'
    return document(
        title=about,
        language=texts.locale,
        about=texts.text(SnippetText.ABOUT),
        body=f'{head}<main>{sections}<p role="status" class="unseen"></p>{preview}</main>',
        up=UP,
        script="snippets.js",
        head=f'<meta name="robots" content="noindex"><link rel="stylesheet" href="{UP}static/snippets.css">',
    )


def _preview(liveblog: str, title: str, client: str, texts: Translator) -> str:
    headings = (escape(texts.text(each)) for each in (SnippetText.PREVIEW_ELEMENT, SnippetText.PREVIEW_FRAME))
    of_element, of_frame = headings
    framed = iframe(
        frame_url(UP.rstrip("/"), liveblog) + (f"?{urlencode({'client_id': client})}" if client else ""),
        texts.text(SnippetText.IN_A_FRAME, title=title),
        WIDTH,
        HEIGHT,
        name="matchwire",
    )
    return (
        f'<section class="preview"><h2>{of_element}</h2>{element(liveblog, client)}</section>'
        f'<section class="preview"><h2>{of_frame}</h2>{framed}</section>'
    )
