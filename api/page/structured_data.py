"""A page's data for search engines: a schema.org `LiveBlogPosting`, made of what the page shows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

import structlog

from api.feeds.feed import Enclosure, FeedFiles
from api.http.json_path import RENDER_ERRORS, Json, instant, node, nodes, number, text
from api.page.scoreboard import SIDES, pairing, team_of, title
from api.view.key_moments import interruption_of, result_of, with_result
from api.view.post_content import Names, as_read, embedded_pages, headline, names_of, one_line, plain_text
from api.view.post_files import Images, cover, image_url, post_files
from api.view.references import summary
from mapping.documents.state import ENDED
from mapping.locales import translator
from mapping.match.match import Status
from store.liveblogs.event_reads import Coverage

log = structlog.get_logger(__name__)

EVENT_STATUS = {Status.POSTPONED: "EventPostponed", Status.CANCELLED: "EventCancelled"}
"""A match that began is as scheduled, also where it was abandoned; schema.org has no word for one that is over."""
RESCHEDULED = "EventRescheduled"
NO_SPORT = "news"
SINGLES = frozenset({"tennis"})
"""Sports in which a side is a person."""
COVER = 1280
"""Pixels that the image of the liveblog is wide at most."""
LOGO = 512
"""Pixels that the logo of a team has at most."""
_IN_SCRIPT = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"}
"""What could end a script element, or a line of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """Who publishes a liveblog where; `logo` is the publisher's, None without one. `images` gives absolute addresses.

    `page`: where readers find the liveblog, the article that embeds it where that is known.
    """

    page: str
    site: str
    """The publisher's own."""
    publisher: str
    logo: str | None
    images: Images
    card: str = ""
    """The address of the liveblog's drawn card; empty where it has none."""


def live_blog_posting(
    game: Json,
    events: Iterable[Json],
    coverage: Coverage,
    publication: Publication,
    *,
    recap: str = "",
    moved_from: int | None = None,
) -> Json:
    """The structured data of a game with its references resolved and of its public events, in the order of the events.

    `recap` sums the match up; `moved_from` is the start that was planned first (Unix seconds), where it was moved.
    The coverage ends with the last post once the match is over, and goes on as soon as the match does.
    """
    page = publication.page
    own = cover(game)
    image = publication.images.address(own, COVER) if own else publication.card
    form, squads = PostForm(page, publication.images, image or publication.logo), names_of(node(game, "squads"))
    updates = [update for event in events if (update := _safe_update(game, event, squads, form))]
    logo = publication.logo and {"@type": "ImageObject", "url": publication.logo}
    publisher = _drop_empty(
        {"@type": "Organization", "name": publication.publisher, "url": publication.site, "logo": logo}
    )
    return _drop_empty(
        {
            "@context": "https://schema.org",
            "@type": "LiveBlogPosting",
            "headline": one_line(with_result(game, title(game))),
            "description": one_line(summary(game)),
            "abstract": recap,
            "url": page,
            "inLanguage": _language(game),
            **_dates(game, coverage),
            "author": publisher,
            "publisher": publisher,
            "about": _about(game, publication, moved_from),
            "image": image or next((each["url"] for update in updates for each in update.get("image", ())), None),
            "liveBlogUpdate": updates,
        }
    )


def _dates(game: Json, coverage: Coverage) -> Json:
    created = number(game, "created_at") or 0
    if coverage.first is None or coverage.last is None:
        published, modified = created, created
        start = end = _starts(game) or created
    else:
        published, modified = min(created, coverage.first), max(created, coverage.changed or 0)
        start, end = coverage.first, coverage.last
    over = number(game, "state_info", "gamestate") == ENDED
    return {
        "datePublished": iso(published),
        "dateModified": iso(modified),
        "coverageStartTime": iso(start),
        "coverageEndTime": iso(end) if over else None,
    }


def script(schema: Json) -> str:
    """The structured data as an element for the head of a page, of which no text can end it."""
    data = json.dumps(schema, ensure_ascii=False, separators=(",", ":")).translate(_IN_SCRIPT)
    return f'<script type="application/ld+json">{data}</script>'


def iso(seconds: int) -> str:
    """Unix seconds with the offset of their zone, which is UTC."""
    return instant(seconds).isoformat()


def _drop_empty(values: Json) -> Json:
    """The values that say something."""
    return {name: each for name, each in values.items() if each}


def _language(game: Json) -> str:
    return text(game, "locale") or "en"


def _starts(game: Json) -> int | None:
    return number(game, "meta_info", "starts_at")


class PostForm(NamedTuple):
    """What the posts of a liveblog have in common: the page, how images are addressed, what stands for videos without one."""

    page: str
    images: Images
    poster: str | None


def _safe_update(game: Json, event: Json, squads: Names, form: PostForm) -> Json | None:
    """One post, None where it is empty, or cannot be shown, which is logged."""
    try:
        return _update(game, event, squads, form)
    except RENDER_ERRORS as error:
        log.warning("structured_data.post_left_out", local_id=text(event, "local_id"), cause=type(error).__name__)
        return None


def _update(game: Json, event: Json, squads: Names, form: PostForm) -> Json | None:
    """The post; its first image stands for each video, else what stands for the liveblog."""
    event, url = as_read(event), f"{form.page}#{quote(text(event, 'local_id'), safe='')}"
    files = FeedFiles(form.images, translator(_language(game)), url).enclosures(post_files(event))
    head, words = headline(event, _language(game), squads), one_line(plain_text(event))
    if not (head or words or files):
        return None
    named = head or next((file.title for file in files if file.title), one_line(title(game)))
    published = number(event, "created_at") or 0
    update = {
        "@type": "BlogPosting",
        "headline": named,
        "url": url,
        "datePublished": iso(published),
        "dateModified": iso(max(published, number(event, "updated_at") or 0)),
        "articleBody": words or named,
    }
    pictures = [_image(file) for file in files if not file.video]
    poster = pictures[0]["url"] if pictures else form.poster
    videos = [_video(file, update, poster) for file in files if file.video]
    pages = embedded_pages(event).items()
    shared = [{"@type": "WebPage", "url": url, "headline": site} for url, site in pages]
    return {**update, **_drop_empty({"image": pictures, "video": videos, "sharedContent": shared})}


def _image(file: Enclosure) -> Json:
    return _drop_empty(
        {"@type": "ImageObject", "url": file.url, "caption": file.title, "creditText": file.credit, **_size(file)}
    )


def _video(file: Enclosure, update: Json, poster: str | None) -> Json:
    return _drop_empty(
        {
            "@type": "VideoObject",
            "name": file.title or update["headline"],
            "description": update["articleBody"],
            "uploadDate": update["datePublished"],
            "contentUrl": file.url,
            "thumbnailUrl": poster,
            "creditText": file.credit,
            "duration": file.seconds and f"PT{file.seconds}S",
            **_size(file),
        }
    )


def _size(file: Enclosure) -> dict[str, Any]:
    return dict(zip(("width", "height"), file.size, strict=True)) if file.size else {}


def _about(game: Json, publication: Publication, moved_from: int | None) -> Json | None:
    """The match or race, None for a liveblog of something else.

    Whoever reads it wants a place and a start: without a venue it is followed at the page, without a kick-off it begins when
    it was planned before, or with the liveblog.
    """
    sport = text(game, "sportstype")
    if sport in {"", NO_SPORT}:
        return None
    starts, status = _starts(game), _event_status(game, moved_from)
    begins = next(each for each in (starts, moved_from, number(game, "created_at"), 0) if each is not None)
    online = {"@type": "VirtualLocation", "url": publication.page}
    return _drop_empty(
        {
            "@type": "SportsEvent",
            "name": one_line(pairing(game) or title(game)),
            "description": one_line(result_of(game)),
            "sport": sport,
            "startDate": iso(begins),
            "previousStartDate": status == RESCHEDULED and iso(moved_from or 0),
            "eventStatus": f"https://schema.org/{status}",
            "location": _place(node(game, "meta_info", "location")) or online,
            "competitor": _sides(game, sport, publication.images) or _racers(game),
        }
    )


def _event_status(game: Json, moved_from: int | None) -> str:
    """By the summary, which says so in the liveblog's language where a match is not played as planned; else by its start."""
    planned = "EventScheduled" if moved_from is None else RESCHEDULED
    return EVENT_STATUS.get(interruption_of(game, translator(_language(game))) or Status.SCHEDULED, planned)


def _sides(game: Json, sport: str, images: Images) -> list[Json]:
    """Who meets: teams with their logos, in a sport of single players people."""
    kind, picture = ("Person", "image") if sport in SINGLES else ("SportsTeam", "logo")
    return [
        _drop_empty(
            {
                "@type": kind,
                "name": name,
                picture: (url := image_url(team.get("image"))) and images.address(url, LOGO, LOGO),
            }
        )
        for team in (team_of(game, side) for side in SIDES)
        if (name := one_line(text(team, "name")))
    ]


def _racers(game: Json) -> list[Json]:
    names = (one_line(text(each, "player", "name")) for each in nodes(game, "state_info", "ranking"))
    return [{"@type": "Person", "name": name} for name in names if name]


def _place(location: Json) -> Json | None:
    name = one_line(text(location, "name"))
    if not name:
        return None
    parts = {"addressLocality": one_line(text(location, "city")), "addressCountry": text(location, "country")}
    address = {"@type": "PostalAddress", **_drop_empty(parts)} if any(parts.values()) else name
    return _drop_empty({"@type": "Place", "name": name, "address": address})
