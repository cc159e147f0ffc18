"""The rows of posts on the desk's page of a liveblog: each as readers see it, and beside it what is known of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from api.desk.desk_frame import DeskPage, pager_html
from api.desk.load_posts import DeskPost, LoadedDesk, PostRequest
from api.http.json_path import Json, node, text
from api.page.page_context import PageContext
from api.page.posts import safe_post
from api.view.content import headline
from mapping.desk.liveblog_text import LiveblogText
from mapping.desk.post_fields import FieldOwner, of_person, post_fields, returnable, value_text
from mapping.desk.post_state import PostFilter
from mapping.documents.event import PINNED

FILTERS = {
    PostFilter.ALL: LiveblogText.ALL,
    PostFilter.DRAFTS: LiveblogText.DRAFTS,
    PostFilter.SCHEDULED: LiveblogText.SCHEDULED_POSTS,
    PostFilter.CHANGED: LiveblogText.CHANGED_POSTS,
    PostFilter.MINE: LiveblogText.MINE,
}

PUBLISHING = {
    "draft": LiveblogText.PUBLISH,
    "scheduled": LiveblogText.PUBLISH_NOW,
    "withdrawn": LiveblogText.PUBLISH_AGAIN,
}
"""How publishing is called, by what a post is."""
WITHDRAWING = {
    "published": ("withdraw", LiveblogText.WITHDRAW, "x"),
    "scheduled": ("unschedule", LiveblogText.UNSCHEDULE, "x"),
}
"""How a post is hidden, by what it is: the button's action, name and key."""


class PostRows(NamedTuple):
    """Writes the rows: `page` in the language of whoever looks, `readers` as the liveblog's readers have it."""

    page: DeskPage
    readers: PageContext
    css: str
    """Address of the style sheet of the readers' page."""
    writes: bool
    """Whether whoever looks may change anything."""

    def said(self, name: LiveblogText, /, **values: str) -> str:
        """The text, escaped."""
        return escape(self.page.texts.text(name, **values))

    def html(self, loaded: LoadedDesk, wanted: PostRequest) -> str:
        """The list, and links to older and to the newest posts."""
        rows = "".join(self._row(loaded, each) for each in loaded.posts)
        shown = rows or f'<li class="none">{self.said(LiveblogText.NO_POSTS)}</li>'
        return (
            f'<ol class="posts" data-mark="{escape(loaded.mark)}" aria-label="{self.said(LiveblogText.POSTS)}">{shown}</ol>'
            f"{self._pager(loaded, wanted)}"
        )

    def filters(self, loaded: LoadedDesk, wanted: PostRequest) -> str:
        """Links to the kinds of posts."""
        links = ""
        for each, name in FILTERS.items():
            current = ' aria-current="true"' if each is wanted.show else ""
            links += f'<a href="{_address(loaded, each)}"{current}>{self.said(name)}</a>'
        return f'<nav class="filters" aria-label="{self.said(LiveblogText.FILTERS)}">{links}</nav>'

    def _pager(self, loaded: LoadedDesk, wanted: PostRequest) -> str:
        here = _address(loaded, wanted.show)
        links = [(here, self.said(LiveblogText.NEWEST_POSTS))] if wanted.after else []
        if loaded.older and loaded.posts:
            after = quote(loaded.posts[-1].stored.local_id, safe="")
            links.append((f"{here}&amp;after={after}", self.said(LiveblogText.NEXT_POSTS)))
        return pager_html(links)

    def _row(self, loaded: LoadedDesk, post: DeskPost) -> str:
        name, highlight = escape(post.stored.local_id), text(post.document, "highlight")
        document = {**post.document, "sort": post.stored.sort}
        shown = safe_post(loaded.match.document, document, self.readers, pinned=highlight in PINNED)
        fields = post_fields(post.entry.said, post.stored.document, post.document) if post.entry is not None else []
        beside = self._beside(loaded, post, fields)
        title = escape(headline(post.document, text(loaded.match.document, "locale") or "en") or name)
        planned = post.stored.publish_at or ""
        changing = hashlib.sha256(f"{shown}{beside}".encode("utf-8", "replace")).hexdigest()[:16]
        return (
            f'<li class="row is-{post.state.kind}" data-post="{name}" data-version="{post.stored.version}"'
            f' data-state="{post.state.kind}" data-status="{int(post.stored.local_status)}"'
            f' data-publish-at="{planned}" data-highlight="{escape(highlight)}" data-title="{title}" data-tag="{changing}"'
            f' tabindex="-1" aria-label="{title}">'
            f'<div class="as-read"><template shadowrootmode="open"><link rel="stylesheet" href="{self.css}">'
            f'<ol class="one-post">{shown}</ol></template></div>'
            f'<div class="known">{beside}</div></li>'
        )

    def _beside(self, loaded: LoadedDesk, post: DeskPost, fields: Sequence[FieldOwner]) -> str:
        return (
            f"{self._state(post)}{self._writers(loaded, post)}{self._taken_over(fields)}"
            f'<p class="editing" hidden></p>{self._actions(post)}{self._details(post, fields)}'
        )

    def _state(self, post: DeskPost) -> str:
        words = f'<b class="chip">{self.said(post.state.word)}</b>'
        if post.state.kind == "scheduled" and post.stored.publish_at is not None:
            words += f" {self.said(LiveblogText.SCHEDULED_FOR)} {self.page.time(post.stored.publish_at)}"
        if post.state.reason is not None:
            words += f" – {self.said(post.state.reason)}"
        marks: dict[str, LiveblogText] = {
            "milestone": LiveblogText.MILESTONE,
            **dict.fromkeys(map(str, PINNED), LiveblogText.PINNED),
        }
        mark = marks.get(text(post.document, "highlight"))
        return f'<p class="state">{words}{f" <b class=chip>{self.said(mark)}</b>" if mark else ""}</p>'

    def _writers(self, loaded: LoadedDesk, post: DeskPost) -> str:
        by = post.stored.user_id
        if post.entry is not None:
            words = self.said(LiveblogText.FROM_PROVIDER, provider=by)
        else:
            words = self.said(LiveblogText.WRITTEN_BY, name=loaded.names.get(by, by))
        editor = text(post.stored.document, "editor")
        if editor and (editor != by or post.entry is not None):
            words += f", {self.said(LiveblogText.CHANGED_BY, name=loaded.names.get(editor, editor))}"
        return f'<p class="facts" dir="auto">{words} · {self.page.time(post.stored.created_at)}</p>'

    def _taken_over(self, fields: Sequence[FieldOwner]) -> str:
        """Which fields are a person's, in a line that is seen without opening anything."""
        names = dict.fromkeys(self.page.texts.text(each.label) for each in of_person(fields))
        if not names:
            return ""
        return f'<p class="taken">{self.said(LiveblogText.OF_PERSON_NOTE, fields=", ".join(names))}</p>'

    def _actions(self, post: DeskPost) -> str:
        if not self.writes:
            return ""
        pinned = text(post.document, "highlight") in PINNED
        actions = [("publish", PUBLISHING[post.state.kind], "p")] if post.state.kind in PUBLISHING else []
        actions += [("edit", LiveblogText.EDIT, "e")]
        actions += [WITHDRAWING[post.state.kind]] if post.state.kind in WITHDRAWING else []
        actions += [("unpin", LiveblogText.UNPIN, "s") if pinned else ("pin", LiveblogText.PIN, "s")]
        return f'<div class="actions">{"".join(self._button(*each) for each in actions)}</div>'

    def _button(self, action: str, name: LiveblogText, key: str = "", more: str = "") -> str:
        shortcut = f' aria-keyshortcuts="{key}"' if key else ""
        main = ' class="main"' if action == "publish" else ""
        return f'<button type="button"{main} data-action="{action}"{shortcut}{more}>{self.said(name)}</button>'

    def _details(self, post: DeskPost, fields: Sequence[FieldOwner]) -> str:
        link = self.readers.permalink(post.stored.local_id)
        seen = (
            f'<p><a class="readers" href="{escape(link)}">{self.said(LiveblogText.READERS_PAGE)}</a></p>'
            if post.stored.public
            else ""
        )
        timeline = (
            ""
            if post.entry is None
            else (
                f'<section class="timeline" data-timeline="{escape(post.stored.local_id)}" hidden>'
                f"<h3>{self.said(LiveblogText.TIMELINE)}</h3></section>"
            )
        )
        delete = self._button("delete", LiveblogText.DELETE) if self.writes else ""
        return (
            f'<details data-details="known"><summary>{self.said(LiveblogText.DETAILS)}</summary>'
            f"{field_table(self, fields, 'hand-back')}{self._earlier(post)}{timeline}{seen}{delete}</details>"
        )

    def _earlier(self, post: DeskPost) -> str:
        rows, after = [], post.document
        for until, document in post.earlier:
            words = _difference(document, after)
            rows.append(
                f"<li><span class=facts>{self.said(LiveblogText.UNTIL)} {self.page.time(until)}</span> {words}</li>"
            )
            after = document
        note = LiveblogText.EARLIER_NOTE if rows else LiveblogText.NO_EARLIER
        listed = f"<ol class=earlier>{''.join(rows)}</ol>" if rows else ""
        return f'<h3>{self.said(LiveblogText.EARLIER)}</h3><p class="facts">{self.said(note)}</p>{listed}'


def field_table(rows: PostRows, fields: Sequence[FieldOwner], action: str) -> str:
    """A table of fields with their owners, and buttons that hand back those which a person has changed; empty for none."""
    if not fields:
        return ""
    heads = (LiveblogText.FIELD, LiveblogText.STANDS, LiveblogText.SAID)
    head = "".join(f'<th scope="col">{rows.said(each)}</th>' for each in heads)
    lines = "".join(_field(rows, each, action) for each in fields)
    every = ""
    if rows.writes and len(back := returnable(fields)) > 1:
        paths = escape("\n".join(each.path for each in back))
        name = rows.said(LiveblogText.HAND_BACK_ALL)
        every = f'<button type="button" data-action="{action}" data-fields="{paths}">{name}</button>'
    return (
        f'<h3>{rows.said(LiveblogText.FIELDS)}</h3><table class="fields"><thead><tr>{head}</tr></thead>'
        f"<tbody>{lines}</tbody></table>{every}"
    )


def _field(rows: PostRows, each: FieldOwner, action: str) -> str:
    owner = rows.said(LiveblogText.OF_PERSON if each.of_person else LiveblogText.OF_PROVIDER)
    kind, back = ("person" if each.of_person else "provider"), ""
    if rows.writes and returnable([each]):
        label = f"{rows.said(LiveblogText.HAND_BACK)}: {rows.said(each.label)}"
        back = (
            f'<button type="button" data-action="{action}" data-fields="{escape(each.path)}"'
            f' aria-label="{label}">{rows.said(LiveblogText.HAND_BACK)}</button>'
        )
    said = escape(each.said) if each.of_person else ""
    return (
        f'<tr class="of-{kind}"><th scope="row">{rows.said(each.label)} <span class="owner">{owner}</span></th>'
        f'<td dir="auto">{escape(each.current)}</td><td dir="auto">{said} {back}</td></tr>'
    )


def _difference(before: Json, after: Json) -> str:
    """What the earlier document says where the later one says something else; all of it where only the status differs."""
    parts = ("headline", "highlight", "sport_event", "contents")
    changed = [each for each in parts if node(before).get(each) != node(after).get(each)] or list(parts)
    words = [value_text(before.get(each)) for each in changed]
    status = f"({before.get('local_status')}) " if before.get("local_status") != after.get("local_status") else ""
    return f'<span dir="auto">{escape(status + " · ".join(filter(None, words)))}</span>'


def _address(loaded: LoadedDesk, show: PostFilter) -> str:
    return f"{quote(loaded.match.game.local_id, safe='')}?show={show}"
