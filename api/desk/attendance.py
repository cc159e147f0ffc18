"""Who has which liveblog open at the desk, and which post each of them is editing; nothing of it is stored.

Each process keeps all of it in memory and announces what its own pages report to the others (`Store.announce`). An announcement
that is lost is made up for by the next one, a process that dies is forgotten with its pages.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from cachetools import LRUCache

from api.http.request import Services
from api.view.liveblog_reads import StepSignal

LASTS = 30
"""Seconds after which a page that says nothing counts as closed."""
ANNOUNCED_EVERY = 10
"""Seconds after which other processes are sent again what has not changed."""
MOST_LIVEBLOGS, MOST_PAGES = 500, 60
MOST_OF_ONE = 10
"""Pages of one account in a liveblog, so that one person does not take the places of all others."""
LONGEST_POST, LONGEST_NAME = 255, 100
TOPIC = "desk"
FIELDS = 5
"""Of an announcement: liveblog, page, account, name, post; a page that is closed has no account."""


class OpenPage(NamedTuple):
    """A page of somebody: its person, the post that is being edited (empty: none), and until when that counts.

    `announced`: when other processes were last sent it.
    """

    account_id: str
    name: str
    post: str
    until: float
    announced: float


class Attendance:
    """What open pages report; bounded in liveblogs, of which those heard of last stay, and in pages of each.

    A page for which there is no place is not seen by others until there is one: in the place of another it would be news, and
    that one's next report too, and so on, each of them waking all who wait.
    """

    def __init__(self, clock: Callable[[], float], announce: Callable[[str], None] = lambda _: None) -> None:
        self._clock = clock
        self._announce = announce
        self._pages: LRUCache[str, dict[str, OpenPage]] = LRUCache(MOST_LIVEBLOGS)

    @classmethod
    def of(cls, services: Services, monotonic: Callable[[], float]) -> Attendance:
        """The one of this process, which hears of those of the others."""
        made = cls(monotonic, partial(services.store.announce, TOPIC))

        def hear(word: str) -> None:
            liveblog = made.hear(word)
            if liveblog:
                services[StepSignal].wake([liveblog])

        services.store.on_announcement(TOPIC, hear)
        return made

    def report(self, liveblog: str, page: str, account_id: str, name: str, post: str) -> bool:
        """A page (by an id of its own) is open in this liveblog, and `post` is being edited in it, or nothing.

        Gives whether that is new.
        """
        now, pages = self._clock(), self._open_pages(liveblog)
        before = pages.get(page)
        if before is None and not _has_place(pages, account_id):
            return False
        post, name = post[:LONGEST_POST], name[:LONGEST_NAME]
        changed = before is None or before.post != post
        due = before is None or changed or now - before.announced >= ANNOUNCED_EVERY
        announced = now if due or before is None else before.announced
        pages[page] = OpenPage(account_id, name, post, now + LASTS, announced)
        if due:
            self._announce(json.dumps([liveblog, page, account_id, name, post]))
        return changed

    def leave(self, liveblog: str, page: str) -> bool:
        """The page is closed; whether it was known here. Other processes may know it in any case."""
        self._announce(json.dumps([liveblog, page, "", "", ""]))
        return self._open_pages(liveblog).pop(page, None) is not None

    def hear(self, word: str) -> str:
        """What another process announces; the liveblog in which that is news, else an empty text."""
        fields = _fields(word)
        if fields is None:
            return ""
        liveblog, page, account_id, name, post = fields
        pages = self._open_pages(liveblog)
        before = pages.pop(page, None)
        if not account_id:
            return liveblog if before is not None else ""
        if before is None and not _has_place(pages, account_id):
            return ""
        now = self._clock()
        pages[page] = OpenPage(account_id, name, post, now + LASTS, now)
        return liveblog if before is None or before.post != post else ""

    def others(self, liveblog: str, page: str) -> list[OpenPage]:
        """The pages of others, and other pages of the same person, that are open there now."""
        now, pages = self._clock(), self._pages.get(liveblog, {})
        return [each for name, each in pages.items() if name != page and each.until > now]

    def _open_pages(self, liveblog: str) -> dict[str, OpenPage]:
        """Those that count now, as they are kept: what is changed in them is changed there."""
        now = self._clock()
        pages = {name: each for name, each in self._pages.get(liveblog, {}).items() if each.until > now}
        self._pages[liveblog] = pages
        return pages


def _has_place(pages: dict[str, OpenPage], account_id: str) -> bool:
    """Whether one more page of this account is kept beside these."""
    own = sum(each.account_id == account_id for each in pages.values())
    return len(pages) < MOST_PAGES and own < MOST_OF_ONE


def _fields(word: str) -> list[str] | None:
    """What an announcement says; None for one that another version has made otherwise."""
    try:
        fields = json.loads(word)
    except ValueError:
        return None
    is_known = isinstance(fields, list) and len(fields) == FIELDS and all(isinstance(each, str) for each in fields)
    return fields if is_known else None
