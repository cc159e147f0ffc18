"""The first page of the desk: the organization's liveblogs, those that changed last first."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from api.http.request import integer
from api.page.clock import clock
from api.page.scoreboard import title
from api.page.times import moment
from mapping.desk.desk_text import DeskText
from mapping.desk.own_path import HOME
from store.liveblogs import listing
from store.liveblogs.listing import GameFilter, Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from api.desk.desk_frame import DeskPage
    from api.http.people import DeskPerson
    from api.http.request import ApiRequest
    from api.page.clock import ShownClock
    from store.liveblogs.liveblogs import StoredGame

LISTED, MOST = 30, 100
DEEPEST = 1000


async def show_liveblogs(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page: `limit` liveblogs, and a link to the next `page`."""
    services = request.services
    limit = integer(request.query, "limit", LISTED, low=1, high=MOST)
    number = integer(request.query, "page", 1, low=1, high=DEEPEST)
    wanted = GameFilter(owners=(person.organization_id,))
    found = await services.store.read(lambda conn: listing.liveblogs(conn, wanted, Page(limit, number)))
    zone, now = ZoneInfo(services.settings.server.timezone), services.clock()
    rows = "".join(_row(page, game, zone, now) for game in found.records)
    body = _table(page, rows) if rows else f"<p>{page.text(DeskText.NONE_YET)}</p>"
    more = number < DEEPEST and number * limit < found.total
    return page.response(page.texts.text(DeskText.LIVEBLOGS), body + _pager(page, limit, number, more=more))


def _table(page: DeskPage, rows: str) -> str:
    heads = (DeskText.TITLE, DeskText.STATE, DeskText.LAST_CHANGE)
    named = "".join(f'<th scope="col">{page.text(each)}</th>' for each in heads)
    return f'<table class="card"><thead><tr>{named}</tr></thead><tbody>{rows}</tbody></table>'


def _row(page: DeskPage, game: StoredGame, zone: ZoneInfo, now: float) -> str:
    document = game.as_document()
    state = clock(document, page.texts, now)
    words = [_state(state)] if state is not None else []
    if not game.public:
        words.append(page.text(DeskText.HIDDEN))
    changed = moment(game.updated_at, "date", zone, page.texts.locale)
    return (
        f'<tr><th scope="row" dir="auto">{escape(title(document))}</th>'
        f"<td>{' · '.join(words) or '–'}</td><td>{changed}</td></tr>"
    )


def _state(state: ShownClock) -> str:
    label = escape(state.label)
    return f'<b class="live">{label}</b>' if state.live else label


def _pager(page: DeskPage, limit: int, number: int, *, more: bool) -> str:
    links: Sequence[tuple[int, DeskText]] = [
        *([(number - 1, DeskText.PREVIOUS_PAGE)] if number > 1 else []),
        *([(number + 1, DeskText.NEXT_PAGE)] if more else []),
    ]
    if not links:
        return ""
    shown = "".join(
        f'<a class="button" href="{page.link(HOME)}?limit={limit}&amp;page={each}">{page.text(name)}</a>'
        for each, name in links
    )
    return f'<p class="pager">{shown}</p>'
