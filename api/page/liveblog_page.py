"""The page of a liveblog, whole, and in the parts that its script replaces when something has changed since a version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NotRequired, get_args
from zoneinfo import ZoneInfo

from sqlalchemy import Connection
from typing_extensions import TypedDict

from api.capabilities import page_data, page_posts
from api.feeds.feed_selection import EVERYTHING, Theme
from api.http.errors import json_bytes
from api.http.json_path import Json, number, text
from api.http.request import Services
from api.page.load_liveblog import MOST_PINNED, LoadedLiveblog, PageRequest, Show, event_filter, pinned_on_top
from api.page.match_facts import key_moments_html, squads
from api.page.page_context import UP, PageContext
from api.page.page_frame import document, with_territory
from api.page.posts import NOTHING_AROUND, PageExtent, posts_label, safe_post, stream
from api.page.scoreboard import SIDES, initials, scoreboard, scores, team_of, title
from api.page.share_links import SIZE, discovery
from api.page.standings import lap_of, ranking_heading
from api.page.structured_data import script
from api.view.key_moments import NO_KEY_MOMENTS, KeyMoments, key_moments_of, with_result
from api.view.liveblog_access import public_documents
from api.view.post_files import Images, article_address, cover
from api.view.references import complete, summary
from config import Settings
from mapping.documents.scalars import Locale, LocalStatus
from mapping.locales import Translator, translator
from mapping.locales.labels import Label, PageText
from store.engine.liveblog_records import StoredEvent, StoredGame
from store.liveblogs import event_reads

LOCALES = frozenset(get_args(Locale)) - {""}
STREAM_PATH = "/api/embed/v4/stream"
"""Where a page hears of changes."""
DRAWING = (
    '<svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">'
    '<path fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"'
    ' d="M12 15V3m0 0L8 7m4-4 4 4M7 11H5v10h14V11h-2"/></svg>'
)
"""Of the button to share."""


class ChangedPost(TypedDict):
    """A post as HTML; null for one that the page must forget."""

    id: str
    html: str | None


class PageChanges(TypedDict):
    """What a page must change, as HTML. `pinned`: the posts above all others, in order."""

    since: int
    version: int
    more: bool
    status: LocalStatus
    title: NotRequired[str]
    label: NotRequired[str]
    board: NotRequired[str]
    sections: NotRequired[str]
    moments: NotRequired[str]
    squads: NotRequired[str]
    pinned: NotRequired[list[str]]
    posts: NotRequired[list[ChangedPost]]


def render_loaded(found: LoadedLiveblog, page: PageContext, now: float, wanted: PageRequest) -> str:
    """The liveblog with the posts that were loaded, of those that a page shall show."""
    extent = PageExtent(wanted, older=found.more, newer=found.newer, pinned=found.pinned)
    return render_liveblog(found.document, found.posts, page, now, found.key_moments, extent=extent)


def render_liveblog(
    game: Json,
    events: Sequence[Json],
    page: PageContext,
    now: float,
    key_moments: KeyMoments = NO_KEY_MOMENTS,
    *,
    extent: PageExtent = NOTHING_AROUND,
) -> str:
    """The liveblog of a decorated game, its public events and key moments, as HTML in which every foreign text is escaped.

    It carries what a script needs to know to follow it. `extent`: what else there is to see.
    """
    known: dict[str, object] = {
        "name": text(game, "local_id"),
        "version": number(game, "version") or 0,
        "more": int(extent.older),
        "newer": int(extent.newer),
        "delay": page.delay,
        "organization": page.images.organization_id,
    }
    known |= page_data(page.settings, page.images.organization_id, game, page.texts)
    data = "".join(f' data-{key}="{escape(str(value))}"' for key, value in known.items())
    moments = key_moments_html(key_moments, page)
    posts = stream(game, events, page, extent._replace(key_moments=key_moments), pinned=extent.pinned)
    beside = squads(game, page.texts, key_moments.player_events)
    return (
        f'<div id="liveblog" lang="{escape(language(game))}"{data}>{page.cover(cover(game))}'
        f"{scoreboard(game, page, now, key_moments.kicks)}{sections(game, page, key_moments, beside)}"
        f'<div class="columns"><div>{moments}{posts}</div>{beside}</div></div>'
    )


def language(game: Json) -> str:
    """The locale of a liveblog, English where it has none that there is: browsers write no date in a language unheard of."""
    locale = text(game, "locale")
    return locale if locale in LOCALES else "en"


def page(
    game: Json, inner: str, schema: Json, *, address: str, up: str = "../", listed: bool = False, card: str = ""
) -> str:
    """A whole document around a rendered liveblog with its structured data.

    `address`: of the page, which embedders name; `up` leads to where `static/` is; `listed`: everybody may see the
    list of liveblogs; `card`: the address of its card.
    """
    name, about = with_result(game, title(game)), summary(game)
    texts = translator(language(game))
    link = f'<nav class="top"><a href="{up}">{escape(texts.text(PageText.ALL_LIVEBLOGS))}</a></nav>' if listed else ""
    return document(
        title=name,
        language=language(game),
        about=about or name,
        body=f"{link}<main>{inner}</main>",
        up=up,
        script="page.js",
        head=_found_by(schema, name, about or name, card, address) + script(schema),
    )


def _found_by(schema: Json, name: str, about: str, drawn: str, address: str) -> str:
    """What search engines and social networks show of a page: its one address, which may be an article's, and a card.

    `drawn`: an image of the score.
    """
    card = {
        "type": "article",
        "title": name,
        "description": about,
        "url": schema["url"],
        "locale": with_territory(schema["inLanguage"]),
        "site_name": schema["publisher"]["name"],
        **_picture(schema, name, about, drawn),
    }
    properties = "".join(
        f'<meta property="og:{key}" content="{escape(value)}">' for key, value in card.items() if value
    )
    size = "summary_large_image" if drawn or schema.get("image") else "summary"
    properties += f'<meta name="twitter:card" content="{size}">'
    found = discovery(address.rpartition("/liveblogs/")[0], address)
    embeds = "".join(
        f'<link rel="alternate" type="{kind}" href="{escape(url)}" title="{escape(name)}">'
        for kind, url in found.items()
    )
    return f'<link rel="canonical" href="{escape(schema["url"])}">{embeds}{properties}'


def _picture(schema: Json, name: str, about: str, drawn: str) -> Json:
    """The drawn card, else the liveblog's image, else the logo of who publishes it."""
    if drawn:
        width, height = map(str, SIZE)
        return {"image": drawn, "image:width": width, "image:height": height, "image:alt": about}
    image = schema.get("image") or schema["publisher"].get("logo", {}).get("url")
    return {"image": image, "image:alt": name} if image else {}


def sections(game: Json, page: PageContext, key_moments: KeyMoments, squads: str) -> str:
    """The bar; `squads`: the HTML of the line-ups or the ranking, empty without them."""
    texts = page.texts
    links = [("posts", Label.POSTS)]
    links += [("moments", Label.KEY_MOMENTS)] if key_moments.moments or key_moments.recap else []
    links += [("squads", ranking_heading(game) or Label.LINEUP)] if squads else []
    where = f"{page.url}?delay={page.delay}" if page.url and page.delay else page.url
    shown = "".join(
        f'<a href="{escape(where)}#section-{name}">{escape(texts.text(label))}</a>' for name, label in links
    )
    return (
        f'<nav class="sections" part="sections" aria-label="{escape(texts.text(Label.SECTIONS))}">'
        f"{_tally(game, texts)}{shown}{_share(texts)}</nav>"
    )


def _tally(game: Json, texts: Translator) -> str:
    """The score between the initials of the teams; of a race the lap."""
    home, away = (team_of(game, side) for side in SIDES)
    if not (text(home, "name") and text(away, "name")):
        lap = lap_of(game, texts)
        return f'<p class="tally"><b>{escape(lap)}</b></p>' if lap else ""
    score = scores(game) or ("", "")
    names = [
        f'<abbr title="{escape(text(team, "name"))}"><bdi>{escape(short)}</bdi></abbr>'
        for team, short in zip((home, away), initials(home, away), strict=True)
    ]
    between = f"{escape(score[0])}\N{NO-BREAK SPACE}–\N{NO-BREAK SPACE}{escape(score[1])}"
    return f'<p class="tally">{names[0]} <b>{between}</b> {names[1]}</p>'


def _share(texts: Translator) -> str:
    """What the script shows where the browser can share or copy an address."""
    copied = escape(texts.text(Label.LINK_COPIED))
    name = escape(texts.text(Label.SHARE))
    return (
        f'<button class="share-page" type="button" title="{name}" data-copied="{copied}" hidden>'
        f"{DRAWING}<span>{name}</span></button>"
    )


@dataclass(frozen=True, slots=True)
class PageRenderer:
    """Writes the messages of a stream for pages; `clock` gives Unix seconds, `media_key` signs the addresses of images.

    `delay`: the seconds by which the page is late.
    """

    clock: Callable[[], float]
    media_key: bytes
    settings: Settings = field(compare=False)  # one in a process
    delay: int = 0
    show: Show = Show.ALL
    theme: Theme = EVERYTHING

    @classmethod
    def of(cls, services: Services, delay: int = 0, show: Show = Show.ALL, theme: Theme = EVERYTHING) -> PageRenderer:
        return cls(services.clock, services.keys.media, services.settings, delay, show, theme)

    def context(self, game: StoredGame, base: str = UP, url: str = "", article: str = "") -> PageContext:
        """Writes the images and videos of a liveblog in its language.

        `base` stands before the addresses of images, `url` before the queries of posts' own addresses; `article`: where
        readers find the liveblog, if that is known better than here.
        """
        article = article or article_address(self.settings, game)
        images = Images(self.media_key, base, game.organization_id)
        texts = translator(language(game.document))
        return PageContext(
            images, texts, self.settings, ZoneInfo(self.settings.server.timezone), url, self.delay, article
        )

    def __call__(
        self, conn: Connection, game: StoredGame, events: Sequence[StoredEvent], *, since: int, version: int, more: bool
    ) -> bytes:
        """Head, key moments and line-ups as they are, and the posts that changed, as `PageChanges`.

        The pinned posts come along where the page may lack one of them: where more were pinned than stand above the others.
        """
        span = {"since": since, "version": version, "more": more, "status": game.local_status}
        if not game.public:
            return json_bytes(span)
        page, now, key_moments = self.context(game), self.clock() - self.delay, key_moments_of(conn, game)
        keep, pinned = event_filter(self.show, self.theme, key_moments), pinned_on_top(conn, game.id)
        if len(pinned) + len(events) > MOST_PINNED:
            known = {each.local_id for each in events}
            events = [*events, *(each for each in pinned if each.local_id not in known)]
        on_top = [event.local_id for event in pinned if keep(event)]
        document, *posts = complete(conn, [game.as_document(), *public_documents(list(filter(keep, events)))])
        posts = page_posts(conn, game.id, list(map(self.theme.labelled, posts)), now)
        named = ((text(each, "local_id"), each) for each in posts)
        shown = {name: safe_post(document, each, page, pinned=name in on_top) for name, each in named}
        beside = squads(document, page.texts, key_moments.player_events)
        changed = {
            "title": with_result(document, title(document)),
            "label": posts_label(event_reads.count(conn, game.id), page.texts),
            "board": scoreboard(document, page, now, key_moments.kicks),
            "sections": sections(document, page, key_moments, beside),
            "moments": key_moments_html(key_moments, page),
            "squads": beside,
            "pinned": on_top,
            "posts": [{"id": each.local_id, "html": shown.get(each.local_id) or None} for each in events],
        }
        return json_bytes(span | changed)
