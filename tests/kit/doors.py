"""Every route of the service, and who gets which status there: a row a route, a column a caller.

A new route needs one row here and nothing else: what is sent (`sends`, of the records whose names it is given), and by which
of the functions below its statuses follow from who may have it. What all rows are tried with is in tests/tables/test_doors.py.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

import httpx

from api.desk.comments_page import STATUSES
from api.desk.match_overview import SHOWS, SOME
from api.desk.queue_items import KINDS
from api.http.routing import Route
from api.routes import ROUTES
from mapping.desk.match_trouble import Trouble
from mapping.desk.post_state import PostFilter
from tests.api.conftest import Server
from tests.kit.desk import change, news, player, team, tournament
from tests.kit.event_desk import post
from tests.kit.full_house import HOOK, SECRET, WORDS, Names, OpenSession
from tests.kit.matchday import ORGANIZATION
from tests.kit.people import OWN_SITE, PASSWORD, SignedInBrowser
from tests.kit.pictures import picture
from tests.kit.polling_readers import reader_of


class Caller(StrEnum):
    """Who sends a request: nobody known, clients by their secret, people by their session."""

    NOBODY = "nobody"
    UNSCOPED = "a client without the scope"
    CLIENT = "a client with the scope alone"
    VIEWER = "a viewer of the desk"
    EDITOR = "an editor"
    ADMIN = "an admin"
    OTHER_CLIENT = "a client of another organization"
    OTHER_PERSON = "an admin of another organization"


PEOPLE: Mapping[Caller, str] = {
    Caller.VIEWER: "viewer",
    Caller.EDITOR: "editor",
    Caller.ADMIN: "admin",
    Caller.OTHER_PERSON: "other",
}
"""The sessions of people in a full house."""
ROLE_SCOPES = {
    Caller.VIEWER: {"read"},
    Caller.EDITOR: {"read", "write", "external", "comments", "stats"},
    Caller.ADMIN: {"read", "write", "external", "comments", "stats", "webhooks"},
}
"""What people of each role may do as clients with these scopes may."""


@dataclass(frozen=True)
class Sent:
    """A request without its credentials."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    content: bytes | None = None
    form: Mapping[str, str] | None = None
    reader: str | None = None
    """The organization whose reader sends it."""


Sends = Callable[[Names], Sent]


@dataclass(frozen=True, kw_only=True)
class Door:
    """A route: what is sent to it, the status that each caller gets, and who of them is served.

    `scopes`: any of them opens it to clients. `by_name`: the id of a client is enough. `open`: anybody may read it where the
    operator makes feeds public. `own`: the status for another organization that names itself, and the owner's record.
    `once`: what it does can be done only once. `method`: in place of the route's.
    """

    sends: Sends
    answers: Mapping[Caller, int]
    served: frozenset[Caller]
    scopes: tuple[str, ...] = ()
    by_name: bool = False
    open: bool = False
    own: int | None = None
    once: bool = False
    method: str | None = None

    @property
    def credentials_count(self) -> bool:
        """Whether it is looked at who sends it with which secret."""
        return bool(self.scopes) or self.by_name


SIGN_IN, GONE = 303, 401
"""What who is not signed in gets: of a page and a form the way to the sign-in, of a part of a page an error."""
READ, WRITE, HOOKS, STATS = ("read", "write"), ("write",), ("webhooks",), ("stats",)
EXTERNAL, COMMENTS = ("external",), ("comments",)
OUTSIDE_API = dict.fromkeys(("viewer", "editor", "admin", "other_person"), 401)
"""People, where nobody's session counts."""
EVERYBODY = frozenset(Caller)
CLIENTS = frozenset({Caller.CLIENT, Caller.UNSCOPED})


def statuses(status: int, **others: int) -> dict[Caller, int]:
    """The same status for all but those who are named."""
    return {each: others.get(each.name.lower(), status) for each in Caller}


def secret(
    scopes: tuple[str, ...], sends: Sends, other: int = 404, *, own: int | None = None, once: bool = False
) -> Door:
    """For clients with a secret and one of the scopes, and for people whose role has one."""
    roles = {role for role, known in ROLE_SCOPES.items() if known.intersection(scopes)}
    people = {role.name.lower(): 200 if role in roles else 403 for role in ROLE_SCOPES}
    answers = statuses(200, nobody=401, unscoped=403, other_client=other, other_person=other, **people)
    served = frozenset({Caller.CLIENT, *roles})
    return Door(sends=sends, answers=answers, served=served, scopes=scopes, own=own, once=once)


def feed(sends: Sends) -> Door:
    """For clients with a secret that may read; nobody's session counts there."""
    answers = statuses(200, nobody=401, unscoped=403, other_client=404, **OUTSIDE_API)
    return Door(sends=sends, answers=answers, served=frozenset({Caller.CLIENT}), scopes=READ, open=True)


def named(sends: Sends, status: int = 200, *, other: int = 404, once: bool = False, method: str | None = None) -> Door:
    """For readers of a client: its id is enough, a browser cannot keep a secret. Nobody's session counts there."""
    answers = statuses(status, nobody=401, other_client=other, **OUTSIDE_API)
    return Door(sends=sends, answers=answers, served=CLIENTS, by_name=True, open=True, once=once, method=method)


def operator() -> Door:
    """For the operator's client. The numbers are the process's and name no organization, so there is no other one here."""
    answers = statuses(200, nobody=401, unscoped=403, **OUTSIDE_API)
    served = frozenset({Caller.CLIENT, Caller.OTHER_CLIENT})
    return Door(sends=lambda _: Sent(), answers=answers, served=served, scopes=("admin",))


def admins(sends: Sends, own: int | None, *, once: bool = False) -> Door:
    """For clients of the organization with the scope `admin`, which no person has."""
    answers = statuses(200, nobody=401, unscoped=403, other_client=403, **OUTSIDE_API)
    return Door(sends=sends, answers=answers, served=frozenset({Caller.CLIENT}), scopes=("admin",), own=own, once=once)


def public(status: int = 200, **path: str) -> Door:
    """For all alike, without a word of anybody's records."""
    return Door(sends=lambda _: Sent(path), answers=statuses(status), served=EVERYBODY)


def desk(
    sends: Sends,
    least: Caller = Caller.VIEWER,
    *,
    done: int = 200,
    refused: int = 403,
    other: int = 404,
    stranger: int = SIGN_IN,
    once: bool = False,
) -> Door:
    """For people, from the role `least` on. `other`: for an admin of another organization; `stranger`: for who is no person."""
    roles = list(ROLE_SCOPES)
    served = frozenset(roles[roles.index(least) :])
    people = {each.name.lower(): done if each in served else refused for each in roles}
    return Door(sends=sends, answers=statuses(stranger, **people, other_person=other), served=served, once=once)


def of_oneself(
    sends: Sends, done: int = 303, stranger: int = SIGN_IN, least: Caller = Caller.VIEWER, *, once: bool = False
) -> Door:
    """For people about themselves: an admin of another organization has an account and lists too, without a word of ours."""
    door = desk(sends, least, done=done, other=done, stranger=stranger, once=once)
    return replace(door, served=door.served | {Caller.OTHER_PERSON})


def before(sends: Sends, status: int, people: int | None = None, *, once: bool = False) -> Door:
    """For whoever is not signed in yet; `people`: what is answered to who is."""
    signed_in = dict.fromkeys(OUTSIDE_API, status if people is None else people)
    return Door(sends=sends, answers=statuses(status, **signed_in), served=EVERYBODY, once=once)


def of_path(n: Names, **more: str) -> dict[str, str]:
    return {"organizationId": n.organization, **more}


def of_liveblog(n: Names, **body: Any) -> Sent:
    return Sent(of_path(n, liveblogId=n.ticker), body=body or None)


def of_game(n: Names, **more: str) -> Sent:
    return Sent({"id": n.ticker, **more})


def at_liveblog(n: Names) -> Sent:
    return Sent({"liveblogId": n.ticker})


def by_query(n: Names) -> Sent:
    return Sent(query={"liveblogId": n.ticker})


def of_owner(n: Names) -> Sent:
    return Sent(query={"owner_id": n.organization})


def address(n: Names) -> Sent:
    return Sent(of_path(n), body={"url": n.url})


def address_v5(n: Names) -> Sent:
    return Sent(query={"organization_id": n.organization}, body={"url": n.url})


def channel(n: Names, body: Any = None, **more: Any) -> Sent:
    path = {"ORGANIZATION_ID": n.organization, "CHANNEL_ID": n.event, "commentId": n.comment}
    return Sent(path, body=body, **more)


def form(n: Names, **fields: str) -> Sent:
    return Sent({"liveblogId": n.ticker}, form={"sent": "yes", **fields})


IMPORT = {"provider": "heim", "matchId": "1"}
SCORE = change("UpdateGameScoreInfo", score_info={"home_score": 9})
RULE = {"key": "cup", "provider": "heim", "team": "253"}
NO_STANDBY = {"provider": "pa", "matchId": None}
NEW = {"provider": "heim", "kind": "matchId", "id": "7"}

DOORS: dict[str, Door] = {
    # The interface: by the id of the operation.
    "liveblog.createFromExternal": secret(EXTERNAL, lambda n: Sent(of_path(n), body=IMPORT), 403),
    "liveblog.previewExternal": secret(EXTERNAL, lambda n: Sent(of_path(n), query=IMPORT), 403),
    "fixture.index": secret(EXTERNAL, lambda n: Sent(of_path(n), query={"provider": "heim"}), 403),
    "liveblog.external": secret(EXTERNAL, of_liveblog, 403, own=404),
    "liveblog.changeExternal": secret(EXTERNAL, lambda n: of_liveblog(n, paused=True), 403, own=404),
    "liveblog.attachExternal": secret(EXTERNAL, lambda n: of_liveblog(n, **IMPORT), 403, own=404),
    "liveblog.detachExternal": secret(EXTERNAL, of_liveblog, 403, own=404, once=True),
    "liveblog.handBackExternal": secret(EXTERNAL, lambda n: of_liveblog(n, fields=[]), 403, own=404),
    "liveblog.timeline": secret(READ, of_liveblog, 403, own=404),
    "standby.questions": secret(EXTERNAL, lambda n: Sent(of_path(n)), 403),
    "liveblog.answerStandby": secret(EXTERNAL, lambda n: of_liveblog(n, **NO_STANDBY), 403, own=404, once=True),
    "rule.index": admins(lambda n: Sent(of_path(n)), 200),
    "rule.create": admins(lambda n: Sent(of_path(n), body=RULE), None),
    "rule.change": admins(lambda n: Sent(of_path(n, key="league"), body={"lead": 60}), 404),
    "rule.delete": admins(lambda n: Sent(of_path(n, key="league")), 404, once=True),
    "player.create": secret(WRITE, lambda n: Sent(body=player(owner_id=n.organization)), 403),
    "player.update": secret(WRITE, lambda n: Sent(body={"_id": n.player, "name": "Taken over"})),
    "player.show": secret(READ, lambda n: Sent(query={"_id": n.player})),
    "player.index": secret(READ, of_owner, 403),
    "team.create": secret(WRITE, lambda n: Sent(body=team(owner_id=n.organization)), 403),
    "team.update": secret(WRITE, lambda n: Sent(body={"_id": n.team, "name": "Taken over"})),
    "team.show": secret(READ, lambda n: Sent(query={"_id": n.team})),
    "team.index": secret(READ, of_owner, 403),
    "tournament.create": secret(WRITE, lambda n: Sent(body=tournament(owner_id=n.organization)), 403),
    "tournament.update": secret(WRITE, lambda n: Sent(body={"_id": n.tournament, "name": "Taken over"})),
    "tournament.show": secret(READ, lambda n: Sent(query={"_id": n.tournament})),
    "tournament.index": secret(READ, of_owner, 403),
    "ticker.create": secret(WRITE, lambda n: Sent(body=news(organization_id=n.organization)), 403),
    "ticker.show": secret(READ, lambda n: Sent(query={"local_id": n.ticker})),
    "ticker.search": secret(READ, of_owner, 403),
    "ticker.post_modifications": secret(WRITE, lambda n: Sent(body={"local_id": n.ticker, "modifications": [SCORE]})),
    "event.create": secret(WRITE, lambda n: Sent(query={"ticker_local_id": n.ticker}, body=post("Mine now."))),
    "event.update": secret(WRITE, lambda n: Sent(query={"event_local_id": n.event}, body=post("Mine now."))),
    "event.delete": secret(WRITE, lambda n: Sent(query={"event_local_id": n.event}), once=True),
    "media.upload": secret(WRITE, lambda n: Sent(of_path(n), content=picture("png", 4, 3)), 403),
    "media.link": secret(READ, lambda n: Sent(of_path(n), query={"url": "https://example.org/a.jpg"}), 403),
    "polls.export": secret(STATS, lambda n: Sent(of_path(n, liveblogId=n.ticker)), 403, own=404),
    "stats.export": secret(STATS, of_game),
    "stats.overview": secret(STATS, of_game),
    "stats.periods": secret(STATS, lambda n: of_game(n, date="2026")),
    "stats.origins": secret(STATS, of_game),
    "stats.locations": secret(STATS, lambda n: of_game(n, origin="https%3A%2F%2Fnews.example.org")),
    "webhooks.subscribe": secret(HOOKS, address, 403),
    "webhooks.unsubscribe": secret(HOOKS, address, 403, own=200),
    "webhooks.list": secret(HOOKS, lambda n: Sent(of_path(n)), 403, own=200),
    "webhooks.rotate": secret(HOOKS, address, 403, own=404),
    "webhooks.ping": secret(HOOKS, address, 403, own=404),
    "webhooks.deliveries": secret(HOOKS, lambda n: Sent(of_path(n), {"url": n.url}), 403, own=200),
    "webhooks.replay": secret(HOOKS, lambda n: Sent(of_path(n, deliveryId=n.delivery)), 403, own=404),
    "webhooks.replayRange": secret(HOOKS, lambda n: Sent(of_path(n), body={"url": n.url, "since": 0}), 403, own=404),
    "webhooks.v5.subscribe": secret(HOOKS, address_v5, 403),
    "webhooks.v5.unsubscribe": secret(HOOKS, address_v5, 403, own=200),
    "webhooks.v5.index": secret(HOOKS, lambda n: Sent(query={"organization_id": n.organization}), 403, own=200),
    "comments.index": named(channel),
    "comments.counts": named(at_liveblog),
    "comments.create": named(lambda n: channel(n, {"text": "Mine"}, reader=ORGANIZATION), once=True),
    "comments.like": named(lambda n: channel(n, {}, reader=ORGANIZATION)),
    "comments.report": named(lambda n: channel(n, reader=ORGANIZATION)),
    "comments.list": secret(COMMENTS, lambda n: Sent(of_path(n)), 403, own=200),
    "comments.moderate": secret(
        COMMENTS, lambda n: Sent(of_path(n, commentId=n.comment), body={"action": "approve"}), 403, own=404
    ),
    "comments.ban": secret(COMMENTS, lambda n: Sent(of_path(n, readerId=n.reader), body={}), 403, own=404),
    "comments.close": secret(COMMENTS, lambda n: Sent(of_path(n, channelId=n.event), body={}), 403, own=404),
    "comments.export": secret(COMMENTS, lambda n: Sent(of_path(n), query={"liveblogId": n.ticker}), 403, own=404),
    "feed.rss": feed(by_query),
    "feed.atom": feed(by_query),
    "feed.json": feed(by_query),
    "prefetch.liveblog": named(by_query),
    "prefetch.teaser": named(by_query),
    "ticker.delta": named(lambda n: Sent(query={"id": n.ticker})),
    "ticker.stream": named(by_query, method="HEAD"),  # a GET would not end
    "readers.token": named(lambda n: Sent(of_path(n), body={"name": "Kim"})),
    "polls.show": named(lambda n: Sent({"POLL_ID": n.poll})),
    # An empty vote takes back what there is: nothing.
    "polls.vote": named(lambda n: Sent({"POLL_ID": n.poll}, body={"options": []}, reader=ORGANIZATION)),
    # Taken without a look at the database; whether it counts is decided when it is written.
    "stats.collect": named(lambda n: Sent(body={"kind": "load", "liveblog": n.ticker}), 204, other=204, method="POST"),
    "liveblog.page": named(at_liveblog),
    "liveblog.card": named(at_liveblog),
    "liveblog.frame": named(at_liveblog),
    "liveblog.snippets": named(at_liveblog),
    "oembed": named(lambda n: Sent(query={"url": f"https://live.example.org/blogs/liveblogs/{n.ticker}"})),
    "metrics": operator(),
    "status": operator(),
    "status.page": operator(),
    # Nobody but the service can sign an address.
    "media.image": public(404, signature="none", options="-contain", media="none"),
    "media.video": public(404, signature="none", media="none"),
    "livez": public(),
    "readyz": public(),
    # What is no operation: by method and path.
    "GET /": public(),
    "GET /openapi.json": public(),
    "GET /docs": public(),
    "GET /docs/{name}": public(name="LICENSE.txt"),
    "GET /static/{name}": public(name="page.css"),
    "GET /static/{version}/{name}": public(version="0", name="page.css"),
    "GET /desk/static/{version}/{name}": public(version="0", name="desk.css"),
    # The desk.
    "GET /desk": of_oneself(lambda _: Sent(), 200),
    "GET /desk/matches/table": of_oneself(lambda _: Sent(), 200, GONE),
    "POST /desk/matches/act": desk(lambda n: form(n, pause=n.ticker), Caller.EDITOR, done=303, refused=409, other=409),
    "GET /desk/matches/new": desk(lambda n: Sent(query={"attach": n.ticker}), Caller.EDITOR),
    "POST /desk/matches/new": desk(lambda n: form(n, **NEW, attach=n.ticker), Caller.EDITOR, done=303),
    "GET /desk/new/match": of_oneself(lambda _: Sent(), 200, SIGN_IN, Caller.EDITOR),
    "POST /desk/new/match": of_oneself(
        lambda n: form(n, sport="soccer", home="A", away="B"), 303, SIGN_IN, Caller.EDITOR
    ),
    "GET /desk/new/topic": of_oneself(lambda _: Sent(), 200, SIGN_IN, Caller.EDITOR),
    "POST /desk/new/topic": of_oneself(lambda n: form(n, title="A topic"), 303, SIGN_IN, Caller.EDITOR),
    "GET /desk/matches/{liveblogId}": desk(at_liveblog),
    "POST /desk/matches/{liveblogId}/settings": desk(
        lambda n: form(n, paused="yes"), Caller.EDITOR, done=303, refused=409
    ),
    "POST /desk/matches/{liveblogId}/sources": desk(
        lambda n: form(n, choose="yes", leads="auto", confirm="two"), Caller.EDITOR, done=303, refused=409
    ),
    "POST /desk/matches/{liveblogId}/detach": desk(
        lambda n: form(n, confirmed="yes"), Caller.EDITOR, done=303, refused=409, once=True
    ),
    "GET /desk/rules": of_oneself(lambda _: Sent(), 200, SIGN_IN, Caller.ADMIN),
    "POST /desk/rules": of_oneself(lambda n: form(n, act="create", **RULE), least=Caller.ADMIN),
    "POST /desk/rules/try": of_oneself(form, least=Caller.EDITOR),
    "GET /desk/queue": of_oneself(lambda _: Sent(), 200),
    "GET /desk/queue/list": of_oneself(lambda _: Sent(), 200, GONE),
    "POST /desk/queue/act": desk(lambda n: form(n, pin=f"{n.ticker} auto"), Caller.EDITOR, done=303, other=409),
    "GET /desk/comments": of_oneself(lambda _: Sent(), 200, SIGN_IN, Caller.EDITOR),
    "GET /desk/comments/list": of_oneself(lambda _: Sent(), 200, GONE, Caller.EDITOR),
    "POST /desk/comments/act": desk(lambda n: form(n, reject=n.comment), Caller.EDITOR, done=303, other=409),
    "GET /desk/liveblogs": of_oneself(lambda _: Sent(), 200),
    "POST /desk/liveblogs/act": desk(lambda n: form(n, end=n.ticker), Caller.ADMIN, done=303, other=409),
    "GET /desk/liveblogs/{liveblogId}": desk(at_liveblog),
    "GET /desk/liveblogs/{liveblogId}/posts": desk(at_liveblog, stranger=GONE),
    "GET /desk/liveblogs/{liveblogId}/form": desk(
        lambda n: Sent({"liveblogId": n.ticker}, {"post": n.draft}), stranger=GONE
    ),
    "POST /desk/liveblogs/{liveblogId}/open": desk(lambda n: form(n, page="one", post=n.draft), stranger=GONE),
    # One's own account: an admin of another organization has one too.
    "GET /desk/account": of_oneself(lambda _: Sent(), 200),
    "GET /desk/session": of_oneself(lambda _: Sent(), 200, GONE),
    "POST /desk/sign-out": of_oneself(form),
    "POST /desk/account/password": of_oneself(lambda n: form(n, password=PASSWORD, new_password="seven wet umbrellas")),
    "POST /desk/account/second-factor": of_oneself(lambda n: form(n, act="app", password=PASSWORD), 200),
    "POST /desk/account/end-session": of_oneself(lambda n: form(n, session="theirs", password=PASSWORD)),
    "POST /desk/account/end-everywhere": of_oneself(lambda n: form(n, password=PASSWORD)),
    # Before the sign-in.
    "GET /desk/sign-in": before(lambda _: Sent(), 200, people=303),
    "POST /desk/sign-in": before(lambda n: form(n, email="nobody@example.org", password="wrong"), 403, once=True),
    "GET /desk/sign-in/code": before(lambda _: Sent(), 303),
    "POST /desk/sign-in/code": before(lambda n: form(n, code="000000"), 409),
    "GET /desk/sign-in/openid": before(lambda _: Sent(), 404),
    "GET /desk/sign-in/openid/callback": before(lambda _: Sent(), 404),
}

DESK_PARAMETERS: dict[str, dict[str, Iterable[str]]] = {
    "GET /desk": (
        matches := {"show": SHOWS, "trouble": (SOME, *Trouble), "provider": ("heim",), "q": (WORDS, "0", "%")}
    ),
    "GET /desk/matches/table": matches,
    "GET /desk/matches/new": {
        "provider": ("heim",),
        "kind": ("matchId",),
        "id": ("7",),
        "day": ("tomorrow", "x"),
        "q": (WORDS,),
        "page": ("2", "0"),
        "made": ("2", "x"),
    },
    "GET /desk/queue": (waits := {"kind": (*KINDS, "x"), "page": ("2", "0")}),
    "GET /desk/queue/list": waits,
    "GET /desk/liveblogs": {"q": (WORDS, "%"), "when": ("past", "x"), "page": ("2", "0")},
    "GET /desk/rules": {"rule": ("league", WORDS), "done": ("saved",)},
    "GET /desk/comments": (
        queue := {"status": tuple(map(str, STATUSES)), "liveblogId": ("gmatch1", "gnever"), "next": ("c" * 24, "x")}
    ),
    "GET /desk/comments/list": queue,
    "GET /desk/liveblogs/{liveblogId}": (posts := {"show": PostFilter, "after": ("egoal",), "to": ("egoal",)}),
    "GET /desk/liveblogs/{liveblogId}/posts": posts | {"mark": ("x",)},
    "GET /desk/liveblogs/{liveblogId}/form": {"post": ("egoal", "epoll-of-ours", "enever")},
    "GET /desk/matches/{liveblogId}": {"done": ("saved",)},
    "GET /desk/account": {"done": ("password",)},
    "GET /desk/sign-in": {"next": ("/desk", "//example.org")},
}
"""What pages of the desk take in their query, and what of it; operations say so in the OpenAPI document."""
PAGES = {"page": ("2", "0", "999999"), "limit": ("1", "0")}
WORDS_OF = {
    "q": (WORDS, "%_", "0"), "team_id": ("own",), "continue_event_id": ("egoal", "enever"), "channel_id": ("egoal",),
    "eventId": ("egoal",), "post": ("egoal",), "tags": ("a", "a,b"), "tag": ("a",),
    "event_types": ("soccer.goal", "x"), "highlights": ("true", "sticky,milestone"),
    "tz": ("Europe/Berlin", "Nowhere"), "template_id": ("soccer",), "sportstype": ("soccer",),
    "liveblogId": ("gmatch1",), "url": (HOOK,), "next": ("c" * 24,), "after": ("0" * 24,),
    "day": ("tomorrow", "2026-02-30"),
}  # fmt: skip
"""Values of parameters that are free texts; of others it is `WORDS`."""


def parameters_of(name: str) -> list[dict[str, str]]:
    """One query a parameter of the route and value of it; numbers are as small and as large as they may be."""
    if name in DESK_PARAMETERS:
        paged = PAGES if DESK_PARAMETERS[name] in (matches, queue) else {}
        return [{key: str(each)} for key, values in (DESK_PARAMETERS[name] | paged).items() for each in values]
    described = (BY_NAME[name].operation or {}).get("parameters", ())
    queries = [(each["name"], each["schema"]) for each in described if each["in"] == "query"]
    return [{key: str(value)} for key, schema in queries for value in _values(key, schema)]


def _values(name: str, schema: Mapping[str, Any]) -> Iterable[object]:
    if "enum" in schema:
        return schema["enum"]
    if schema.get("type") == "boolean":
        return ("true", "false")
    if schema.get("type") == "integer":
        return dict.fromkeys((schema["minimum"], schema.get("default", 1), schema["maximum"]))
    return WORDS_OF.get(name, (WORDS,))


def name_of(route: Route) -> str:
    """The name of a route's row: its operation, else its method and path."""
    return str(route.operation["operationId"]) if route.operation else f"{route.method} {route.path}"


BY_NAME: Mapping[str, Route] = {name_of(each): each for each in ROUTES}
"""The product's own table, by the names of the rows here."""


class Credentials(NamedTuple):
    """What a request says of who sends it. `named`: whether it says for whom its page was made."""

    auth: tuple[str, str] | None = None
    client_id: str | None = None
    session: OpenSession | None = None
    named: bool = True
    headers: Mapping[str, str] = {}


def credentials_of(caller: Caller, door: Door, sessions: Mapping[str, OpenSession]) -> list[tuple[str, Credentials]]:
    """How the caller says who it is, one way or several, each with what it is called."""
    who = str(caller)
    if caller in PEOPLE:
        return [(who, Credentials(session=sessions[PEOPLE[caller]]))]
    if caller is Caller.NOBODY:
        return [(who, Credentials())]
    if caller is Caller.OTHER_CLIENT:
        by_name = [(f"{who}, by its name", Credentials(client_id="stranger"))] if door.by_name else []
        return [(who, Credentials(auth=("stranger", SECRET))), *by_name]
    if caller is Caller.UNSCOPED:
        name = f"without-{'-'.join(door.scopes)}" if door.scopes else "only-admin"
        return [(who, Credentials(client_id=name) if door.by_name else Credentials(auth=(name, SECRET)))]
    if door.by_name:
        return [(who, Credentials(client_id="owner"))]
    return [(f"{who} {each}", Credentials(auth=(f"only-{each}", SECRET))) for each in door.scopes or ("read",)]


async def send(server: Server, name: str, sent: Sent, who: Credentials) -> httpx.Response:
    """Send the request as that caller does: people by a browser, which says where it comes from and for whom the page was made."""
    route, form_fields, headers = BY_NAME[name], sent.form, {}
    if sent.reader is not None:
        headers["Reader-Token"] = reader_of(sent.reader)
    if route.path.startswith("/desk") or who.session is not None:
        headers |= OWN_SITE
    if who.session is not None:
        headers["Cookie"] = f"{SignedInBrowser.name}={who.session.token}"
        if who.named:
            headers["X-Account"] = who.session.account
            form_fields = form_fields and {"account": who.session.account, **form_fields}
    return await server.http.request(
        DOORS[name].method or route.method,
        route.path.format(**sent.path),
        params={**sent.query, **({} if who.client_id is None else {"client_id": who.client_id})},
        json=sent.body,
        content=sent.content,
        data=form_fields,
        auth=who.auth,
        headers=headers | who.headers,
    )
