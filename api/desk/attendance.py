"""Who has which liveblog open at the desk, and which post each of them is editing; kept in this process alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cachetools import LRUCache

if TYPE_CHECKING:
    from collections.abc import Callable

LASTS = 30
"""Seconds after which a page that says nothing counts as closed; it reports three times as often."""
MOST_LIVEBLOGS, MOST_PAGES = 500, 60
LONGEST_POST = 255


class OpenPage(NamedTuple):
    """A page of somebody: its person, the post that is being edited (empty: none), and until when that counts."""

    account_id: str
    name: str
    post: str
    until: float


class Attendance:
    """What open pages report; bounded in liveblogs and in pages of each, of which the one heard of last stays."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._pages: LRUCache[str, dict[str, OpenPage]] = LRUCache(MOST_LIVEBLOGS)

    def report(self, liveblog: str, page: str, account_id: str, name: str, post: str) -> bool:
        """A page (by an id of its own) is open in this liveblog, and `post` is being edited in it, or nothing.

        Gives whether that is new.
        """
        pages = {**self._pages.get(liveblog, {})}
        before = pages.pop(page, None)
        pages[page] = OpenPage(account_id, name, post[:LONGEST_POST], self._clock() + LASTS)
        self._pages[liveblog] = dict(list(pages.items())[-MOST_PAGES:])
        return before is None or before.post != pages[page].post

    def leave(self, liveblog: str, page: str) -> bool:
        """The page is closed; whether it was known."""
        return self._pages.get(liveblog, {}).pop(page, None) is not None

    def others(self, liveblog: str, page: str) -> list[OpenPage]:
        """The pages of others, and other pages of the same person, that are open there now."""
        now, pages = self._clock(), self._pages.get(liveblog, {})
        return [each for name, each in pages.items() if name != page and each.until > now]
