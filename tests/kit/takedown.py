"""A liveblog of which things are taken down, and all addresses that show it."""

from __future__ import annotations

from tests.kit.delayed import EMBED

GAME, TICKER_ID = "gtaken", "7a" * 12


def surfaces(version):
    """All that is public of the liveblog and its list."""
    name = {"liveblogId": GAME}
    yield "/", {}
    yield "/", {"fragment": 1}
    for form in ("rss", "atom", "json"):
        yield f"{EMBED}/feed/liveblog.{form}", {**name, "limit": 1000}
    yield f"{EMBED}/feed/liveblog.json", {**name, "continue_event_id": "e1", "include_continue_event": 1}
    yield f"{EMBED}/prefetch/liveblog.json", name
    yield f"{EMBED}/prefetch/liveblog-teaser.json", name
    yield f"/liveblogs/{GAME}", {}
    yield f"/embed/{GAME}", {"limit": 3}
    for since in (0, version):
        yield f"/liveblogs/{GAME}", {"fragment": 1, "refresh": since}
        yield "/api/v6/ticker/show.json", {"id": GAME, "refresh": since, "limit": 1000}
    yield "/api/v6/ticker/show.json", {"id": GAME, "tags": "a", "highlights": 1}
    yield "/oembed", {"url": f"https://live.example.org/blogs/liveblogs/{GAME}"}
