"""The posts on the desk's page of a liveblog: each as readers see it, and beside it what is known of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from api.desk.desk_frame import DeskPage
from api.desk.load_posts import DeskPost, LoadedDesk, PostRequest
from api.http.json_path import Json, node, text
from api.page.page_context import PageContext
from api.page.posts import safe_post
from api.view.content import headline
from mapping.desk.post_fields import FieldOwner, of_person, post_fields, value_text
from mapping.documents.event import PINNED


class DeskView(NamedTuple):
    """What the parts of a liveblog are written with: `page` in the language of whoever looks, `readers` as its readers have it."""

    page: DeskPage
    readers: PageContext
    css: str
    """Address of the style sheet of the readers' page."""
    writes: bool
    """Whether whoever looks may change anything."""


class PostRow(NamedTuple):
    """A post: as readers see it, what it is called, who has written and changed it, and whose its fields are.

    `taken`: names of the fields that are a person's. `earlier`: until when it said what else.
    """

    post: DeskPost
    name: str
    title: str
    shown: Markup
    link: str
    highlight: str
    pinned: bool
    author: str
    editor: str
    fields: Sequence[FieldOwner]
    taken: Sequence[str]
    earlier: Sequence[tuple[int, str]]


def posts_html(view: DeskView, loaded: LoadedDesk, wanted: PostRequest) -> Markup:
    """The list, and links to older and to the newest posts."""
    rows = [_row(view, loaded, each) for each in loaded.posts]
    return view.page.render(
        "posts.html", rows=rows, loaded=loaded, wanted=wanted, css=view.css, writes=view.writes, tag_of=_tag
    )


def _row(view: DeskView, loaded: LoadedDesk, post: DeskPost) -> PostRow:
    stored, document, game = post.stored, post.document, loaded.match.document
    highlight = text(document, "highlight")
    pinned = highlight in PINNED
    fields = post_fields(post.entry.said, stored.document, document) if post.entry is not None else []
    editor = text(stored.document, "editor")
    if editor == stored.user_id and post.entry is None:
        editor = ""
    return PostRow(
        post,
        stored.local_id,
        headline(document, text(game, "locale") or "en") or stored.local_id,
        Markup(safe_post(game, {**document, "sort": stored.sort}, view.readers, pinned=pinned)),  # noqa: S704
        view.readers.permalink(stored.local_id),
        highlight,
        pinned,
        loaded.names.get(stored.user_id, stored.user_id),
        loaded.names.get(editor, editor),
        fields,
        list(dict.fromkeys(view.page.text(each.label) for each in of_person(fields))),
        _earlier(post),
    )


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


def _tag(*parts: str) -> str:
    """A short text that is another one once a row shows something else."""
    return hashlib.sha256("".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
