"""The rows of the tenancy matrix: what a client of the owner sends to each operation, and who else may."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.kit.desk import change, news, player, team, tournament
from tests.kit.event_desk import post
from tests.kit.matchday import ORGANIZATION
from tests.kit.pictures import picture

UNKNOWN = "5f0c1de2a1b2c3d4e5f60999"


@dataclass(frozen=True)
class Names:
    """Whose record is meant, by kind."""

    organization: str
    player: str
    team: str
    tournament: str
    ticker: str
    event: str
    url: str
    delivery: str
    comment: str
    reader: str
    poll: str


MISSING = Names(
    organization=UNKNOWN,
    player=UNKNOWN,
    team=UNKNOWN,
    tournament=UNKNOWN,
    ticker="gnever",
    event="enever",
    url="https://cms.example.org/never",
    delivery="999999",
    comment="0" * 24,
    reader="anobody",
    poll="pnever",
)


@dataclass(frozen=True)
class Sent:
    """A request without its credentials."""

    path: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    body: Any = None
    content: bytes | None = None
    reader: str | None = None
    """The organization whose reader sends it."""


@dataclass(frozen=True)
class Row:
    """An operation that wants a secret: any of `scopes` opens it.

    `stranger`: the response to another tenant's client. `own`: the response when it names its own organization and the
    owner's record; None where a request names no organization.
    """

    scopes: tuple[str, ...]
    sends: Callable[[Names], Sent]
    stranger: int = 404
    own: int | None = None


@dataclass(frozen=True)
class ByName:
    """A read that wants the id of a client, no secret: a browser cannot keep one. It still checks whose client it is."""

    sends: Callable[[Names], Sent]
    opens: str = "GET"
    status: int = 200
    """The response to the owner's client; 401 where a reader has to be known too."""
    stranger: int = 404
    """The response to another tenant's client, and for what does not exist."""


@dataclass(frozen=True)
class Public:
    """Something that anybody may have, and why. It shows nothing of any tenant."""

    why: str
    path: dict[str, str] = field(default_factory=dict)
    status: int = 200


READ, WRITE, HOOKS, COMMENTS = ("read", "write"), ("write",), ("webhooks",), ("comments",)
IMPORT = {"provider": "heim", "matchId": "8315073"}
SCORE = change("UpdateGameScoreInfo", score_info={"home_score": 9})


def of_path(n: Names, **more: str) -> dict[str, str]:
    return {"organizationId": n.organization, **more}


def of_liveblog(n: Names, **body: Any) -> Sent:
    return Sent(path=of_path(n, liveblogId=n.ticker), body=body or None)


def address(n: Names) -> Sent:
    return Sent(path=of_path(n), body={"url": n.url})


def feed(n: Names) -> Sent:
    return Sent(query={"liveblogId": n.ticker})


def channel(n: Names) -> dict[str, str]:
    return {"ORGANIZATION_ID": n.organization, "CHANNEL_ID": n.event, "commentId": n.comment}


def of_owner(n: Names) -> Sent:
    return Sent(query={"owner_id": n.organization})


ROWS: dict[str, Row | ByName | Public] = {
    "liveblog.createFromExternal": Row(("external",), lambda n: Sent(of_path(n), body=IMPORT), 403),
    "liveblog.previewExternal": Row(("external",), lambda n: Sent(of_path(n), query=IMPORT), 403),
    "liveblog.external": Row(("external",), of_liveblog, 403, own=404),
    "liveblog.changeExternal": Row(("external",), lambda n: of_liveblog(n, paused=True), 403, own=404),
    "liveblog.attachExternal": Row(("external",), lambda n: of_liveblog(n, **IMPORT), 403, own=404),
    "liveblog.detachExternal": Row(("external",), of_liveblog, 403, own=404),
    "liveblog.handBackExternal": Row(("external",), lambda n: of_liveblog(n, fields=[]), 403, own=404),
    "liveblog.timeline": Row(READ, of_liveblog, 403),
    "player.create": Row(WRITE, lambda n: Sent(body=player(owner_id=n.organization)), 403),
    "player.update": Row(WRITE, lambda n: Sent(body={"_id": n.player, "name": "Taken over"})),
    "player.show": Row(READ, lambda n: Sent(query={"_id": n.player})),
    "player.index": Row(READ, of_owner, 403),
    "team.create": Row(WRITE, lambda n: Sent(body=team(owner_id=n.organization)), 403),
    "team.update": Row(WRITE, lambda n: Sent(body={"_id": n.team, "name": "Taken over"})),
    "team.show": Row(READ, lambda n: Sent(query={"_id": n.team})),
    "team.index": Row(READ, of_owner, 403),
    "tournament.create": Row(WRITE, lambda n: Sent(body=tournament(owner_id=n.organization)), 403),
    "tournament.update": Row(WRITE, lambda n: Sent(body={"_id": n.tournament, "name": "Taken over"})),
    "tournament.show": Row(READ, lambda n: Sent(query={"_id": n.tournament})),
    "tournament.index": Row(READ, of_owner, 403),
    "ticker.create": Row(WRITE, lambda n: Sent(body=news(organization_id=n.organization)), 403),
    "ticker.show": Row(READ, lambda n: Sent(query={"local_id": n.ticker})),
    "ticker.search": Row(READ, of_owner, 403),
    "ticker.post_modifications": Row(WRITE, lambda n: Sent(body={"local_id": n.ticker, "modifications": [SCORE]})),
    "event.create": Row(WRITE, lambda n: Sent(query={"ticker_local_id": n.ticker}, body=post("Mine now."))),
    "event.update": Row(WRITE, lambda n: Sent(query={"event_local_id": n.event}, body=post("Mine now."))),
    "event.delete": Row(WRITE, lambda n: Sent(query={"event_local_id": n.event})),
    "media.upload": Row(WRITE, lambda n: Sent(of_path(n), content=picture("png", 4, 3)), 403),
    "media.link": Row(READ, lambda n: Sent(of_path(n), query={"url": "https://example.org/a.jpg"}), 403),
    "polls.export": Row(("stats",), lambda n: Sent(of_path(n, liveblogId=n.ticker)), 403, own=404),
    "stats.export": Row(("stats",), lambda n: Sent({"id": n.ticker})),
    "stats.overview": Row(("stats",), lambda n: Sent({"id": n.ticker})),
    "stats.periods": Row(("stats",), lambda n: Sent({"id": n.ticker, "date": "2026"})),
    "stats.origins": Row(("stats",), lambda n: Sent({"id": n.ticker})),
    "stats.locations": Row(("stats",), lambda n: Sent({"id": n.ticker, "origin": "https%3A%2F%2Fexample.org"})),
    "webhooks.subscribe": Row(HOOKS, address, 403),
    "webhooks.unsubscribe": Row(HOOKS, address, 403, own=200),
    "webhooks.list": Row(HOOKS, lambda n: Sent(of_path(n)), 403, own=200),
    "webhooks.rotate": Row(HOOKS, address, 403, own=404),
    "webhooks.ping": Row(HOOKS, address, 403, own=404),
    "webhooks.deliveries": Row(HOOKS, lambda n: Sent(of_path(n), {"url": n.url}), 403, own=200),
    "webhooks.replay": Row(HOOKS, lambda n: Sent(of_path(n, deliveryId=n.delivery)), 403, own=404),
    "webhooks.replayRange": Row(HOOKS, lambda n: Sent(of_path(n), body={"url": n.url, "since": 0}), 403, own=404),
    "webhooks.v5.subscribe": Row(
        HOOKS, lambda n: Sent(query={"organization_id": n.organization}, body={"url": n.url}), 403
    ),
    "webhooks.v5.unsubscribe": Row(
        HOOKS, lambda n: Sent(query={"organization_id": n.organization}, body={"url": n.url}), 403, own=200
    ),
    "webhooks.v5.index": Row(HOOKS, lambda n: Sent(query={"organization_id": n.organization}), 403, own=200),
    "comments.index": ByName(lambda n: Sent(channel(n))),
    "comments.counts": ByName(lambda n: Sent({"liveblogId": n.ticker})),
    "comments.create": ByName(lambda n: Sent(channel(n), body={"text": "Mine"}), opens="POST", status=401),
    "comments.like": ByName(lambda n: Sent(channel(n), body={}), opens="POST", status=401),
    "comments.report": ByName(lambda n: Sent(channel(n)), opens="POST", status=401),
    "comments.list": Row(COMMENTS, lambda n: Sent(of_path(n)), 403, own=200),
    "comments.moderate": Row(
        COMMENTS, lambda n: Sent(of_path(n, commentId=n.comment), body={"action": "approve"}), 403, own=404
    ),
    "comments.ban": Row(COMMENTS, lambda n: Sent(of_path(n, readerId=n.reader), body={}), 403, own=404),
    "comments.close": Row(COMMENTS, lambda n: Sent(of_path(n, channelId=n.event), body={}), 403, own=404),
    "comments.export": Row(COMMENTS, lambda n: Sent(of_path(n), query={"liveblogId": n.ticker}), 403, own=404),
    "feed.rss": Row(READ, feed),
    "feed.atom": Row(READ, feed),
    "feed.json": Row(READ, feed),
    "prefetch.liveblog": ByName(feed),
    "prefetch.teaser": ByName(feed),
    "ticker.delta": ByName(lambda n: Sent(query={"id": n.ticker})),
    "ticker.stream": ByName(feed, opens="HEAD"),  # a GET would not end
    "readers.token": ByName(lambda n: Sent(of_path(n), body={"name": "Kim"}), opens="POST"),
    "polls.show": ByName(lambda n: Sent(path={"POLL_ID": n.poll})),
    # An empty vote takes back what there is: nothing.
    "polls.vote": ByName(lambda n: Sent({"POLL_ID": n.poll}, body={"options": []}, reader=ORGANIZATION), opens="POST"),
    # Taken without a look at the database; whether it counts is decided when it is written.
    "stats.collect": ByName(
        lambda n: Sent(body={"kind": "load", "liveblog": n.ticker}), opens="POST", status=204, stranger=204
    ),
    "liveblog.page": ByName(lambda n: Sent(path={"liveblogId": n.ticker})),
    "liveblog.card": ByName(lambda n: Sent(path={"liveblogId": n.ticker})),
    "liveblog.frame": ByName(lambda n: Sent(path={"liveblogId": n.ticker})),
    "liveblog.snippets": ByName(lambda n: Sent(path={"liveblogId": n.ticker})),
    "oembed": ByName(lambda n: Sent(query={"url": f"https://live.example.org/blogs/liveblogs/{n.ticker}"})),
    # The scope is the operator's: the numbers are the process's and name no tenant, so there is no other tenant here.
    "metrics": Row(("admin",), lambda _: Sent(), stranger=200),
    "status": Row(("admin",), lambda _: Sent(), stranger=200),
    "status.page": Row(("admin",), lambda _: Sent(), stranger=200),
    "media.image": Public(
        "readers have no credentials; shows: images whose address the service has signed",
        {"signature": "none", "options": "-contain", "media": "none"},
        status=404,  # nobody but the service can sign
    ),
    "media.video": Public(
        "readers have no credentials; shows: uploaded videos whose address the service has signed",
        {"signature": "none", "media": "none"},
        status=404,
    ),
    "livez": Public("a supervisor has no credentials; shows: alive"),
    "readyz": Public("a supervisor has no credentials; shows: whether the process can work"),
    "/": Public("a word about the service; a list of liveblogs only where feeds are public"),
    "/openapi.json": Public("the description of the API, the same for all"),
    "/docs": Public("the viewer of the description"),
    "/docs/{name}": Public("files of the viewer", {"name": "LICENSE.txt"}),
    "/static/{name}": Public("style and script of the pages", {"name": "page.css"}),
    "/static/{version}/{name}": Public("the same, as they were loaded", {"version": "0", "name": "page.css"}),
}
