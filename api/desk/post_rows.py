"""The posts on the desk's page of a liveblog: each in as many lines as its words take, with what of it is remarkable."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import structlog
from markupsafe import Markup

from api.desk.desk_frame import DeskPage
from api.desk.load_posts import DeskPost, LoadedDesk, PostRequest
from api.http.json_path import RENDER_ERRORS, Json, node, text
from api.page.icons import icon
from api.page.page_context import PageContext, whole_scores
from api.view.post_content import as_read, body_html, headline, incident, minute
from api.view.references import sport_of
from mapping.desk.post_fields import FieldOwner, of_person, post_fields, value_text
from mapping.documents.event import PINNED

log = structlog.get_logger(__name__)


class DeskView(NamedTuple):
    """What the parts of a liveblog are written with: `page` in the language of whoever looks, `readers` as its readers have it."""

    page: DeskPage
    readers: PageContext
    writes: bool
    """Whether whoever looks may change anything."""


class PostRow(NamedTuple):
    """A post: what it says, and what of it is remarkable.

    `title`: what it is called; `look`: classes of its kind of event. `writer`: who wrote it; `author`: the same where that is
    no provider; `editor`: who changed it last; `taken`: names of the fields that are a person's. `earlier`: until when it said
    what else.
    """

    post: DeskPost
    name: str
    title: str
    look: str
    minute: str
    drawing: Markup
    head: str
    words: Markup
    link: str
    highlight: str
    pinned: bool
    writer: str
    author: str
    by_person: bool
    editor: str
    fields: Sequence[FieldOwner]
    taken: Sequence[str]
    earlier: Sequence[tuple[int, str]]


def posts_html(view: DeskView, loaded: LoadedDesk, wanted: PostRequest) -> Markup:
    """The list, and links to older and to the newest posts."""
    rows = [_row(view, loaded, each) for each in loaded.posts]
    return view.page.render("posts.html", rows=rows, loaded=loaded, wanted=wanted, writes=view.writes, tag_of=_tag)


def _row(view: DeskView, loaded: LoadedDesk, post: DeskPost) -> PostRow:
    stored, document, game = post.stored, as_read(post.document), loaded.match.document
    locale, event_type = text(game, "locale") or "en", text(document, "sport_event", "event_type")
    happened, of_type = incident(document, locale), sport_of(game).kind(event_type)
    highlight = text(document, "highlight")
    fields = post_fields(post.entry.said, stored.document, post.document) if post.entry is not None else []
    editor = text(stored.document, "editor")
    by_provider = post.entry is not None
    return PostRow(
        post,
        stored.local_id,
        headline(post.document, locale) or stored.local_id,
        " is-goal"
        if happened and of_type.scores
        else " is-quiet"
        if happened and by_provider and not of_type.moment
        else "",
        minute(document),
        Markup(icon(event_type if happened else "")),  # noqa: S704
        " · ".join(filter(None, (text(document, "headline"), happened))),
        _words(view, document, locale),
        view.readers.permalink(stored.local_id),
        highlight,
        highlight in PINNED,
        loaded.names.get(stored.user_id, stored.user_id),
        "" if by_provider else _person(view, loaded, stored.user_id),
        stored.user_id in loaded.names,
        _person(view, loaded, editor) if editor and (by_provider or editor != stored.user_id) else "",
        fields,
        list(dict.fromkeys(view.page.text(each.label) for each in of_person(fields))),
        _earlier(post),
    )


def _person(view: DeskView, loaded: LoadedDesk, name: str) -> str:
    """Who it is, as whoever looks calls them."""
    person = view.page.person
    return view.page.text("You") if person and person.client_id == name else loaded.names.get(name, name)


def _words(view: DeskView, document: Json, locale: str) -> Markup:
    """What the post says below its headline; nothing for one that readers cannot be shown either, which is logged."""
    try:
        return Markup(whole_scores(body_html(document, locale, view.readers)))  # noqa: S704
    except RENDER_ERRORS as error:
        log.warning("page.post_left_out", local_id=text(document, "local_id"), cause=type(error).__name__)
        return Markup()


def _earlier(post: DeskPost) -> list[tuple[int, str]]:
    """What stood there before, the latest first: where it said something else, or all of it where only the status differs."""
    found, after = [], post.document
    for until, before in post.earlier:
        parts = ("headline", "highlight", "sport_event", "contents")
        changed = [each for each in parts if node(before).get(each) != node(after).get(each)] or list(parts)
        words = " · ".join(filter(None, (value_text(before.get(each)) for each in changed)))
        found.append((until, f"{_status(before, after)}{words}"))
        after = before
    return found


def _status(before: Json, after: Json) -> str:
    return f"({before.get('local_status')}) " if before.get("local_status") != after.get("local_status") else ""


def _tag(shown: str) -> str:
    """A short text that is another one once a row shows something else."""
    return hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()[:16]
