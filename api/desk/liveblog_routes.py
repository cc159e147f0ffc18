"""The routes of the desk's page of a liveblog."""

from __future__ import annotations

from api.desk.handlers import desk_fragment, desk_page, desk_report
from api.desk.liveblog_view import PATH, report_open, show_form, show_liveblog, show_posts
from api.http.routing import Route

LIVEBLOG_ROUTES = (
    Route("GET", PATH, desk_page(show_liveblog), "desk"),
    Route("GET", f"{PATH}/posts", desk_fragment(show_posts), "desk"),
    Route("GET", f"{PATH}/form", desk_fragment(show_form), "desk"),
    Route("POST", f"{PATH}/open", desk_report(report_open), "desk"),
)
