"""A database with a record of every kind, made once a process on either kind of database: each test has a copy, or reads it.

What is looked at is made as the service makes it, through the API or by the store; the rows of the remaining tables are
written as they are. Every text of it holds `WORDS`, which nobody but its organization may read.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Boolean, Column, Connection, LargeBinary, Text, insert, select

from mapping.fusion.source_pair import PairState
from mapping.posts.reconcile import Entry
from store.accounts import audit, second_factors, sessions, sign_in_steps, sign_in_tries
from store.alarms import alarms
from store.alarms.alarms import Observed
from store.clients import clients, service_keys
from store.comments import comments, moderation
from store.comments.comments import NewComment
from store.engine.columns import Json
from store.engine.unit import Unit
from store.following import ledger
from store.masterdata import declarations
from store.schema import metadata
from store.tables import attachments, webhooks
from tests.api.conftest import NOW, Server, serving
from tests.kit import matchday
from tests.kit.desk import WRITE, change, match, player, team, tournament
from tests.kit.event_desk import photo, text
from tests.kit.followed import QUESTION, add_pair
from tests.kit.opening import pool_settings, store_at
from tests.kit.people import add_account
from tests.kit.pictures import picture
from tests.kit.polling_readers import POLL, poll_post, reader_of
from tests.kit.settings import configure
from tests.kit.sqlite import filled_database

OWNER, OTHER = matchday.ORGANIZATION, matchday.OTHER
SECRET = matchday.SECRET
WORDS = "Words of the house"
SCOPES = ("read", "write", "external", "stats", "webhooks", "comments", "admin")
GAME, SECOND = f"{1:024x}", f"{2:024x}"
"""The `ticker_id` of the liveblog, and of one that is on the match of its standby."""
HOOK = "https://cms.example.org/hooks-of-ours"
FAILING_HOOK = "https://cms.example.org/fails"
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
    draft: str
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
    draft="enever",
    url="https://cms.example.org/never",
    delivery="999999",
    comment="0" * 24,
    reader="anobody",
    poll="pnever",
)


class OpenSession(NamedTuple):
    """A session of somebody: the token in the cookie, and the account."""

    token: str
    account: str


@dataclass(frozen=True)
class House:
    """What the owner has, and the sessions of people, by their role; `other`: of the other organization."""

    names: Names
    sessions: Mapping[str, OpenSession]


CLIENTS = (
    matchday.client("owner", *SCOPES),
    matchday.client("stranger", *SCOPES, organization=OTHER),
    *(matchday.client(f"only-{scope}", scope) for scope in SCOPES),
    *(matchday.client(f"without-{scope}", *({*SCOPES} - {scope})) for scope in SCOPES),
    matchday.client("without-read-write", *({*SCOPES} - {"read", "write"})),
)
PEOPLE = {
    "viewer": ("viewer", OWNER),
    "editor": ("editor", OWNER),
    "admin": ("admin", OWNER),
    "other": ("admin", OTHER),
}
"""Role and organization of each person."""


async def fill(url: str) -> House:
    """Fill an empty database with a current schema."""
    running: list[Server] = []
    store = await store_at(
        url, clock=lambda: (running[0].now if running else NOW) - 60, pool=pool_settings(timeout=60.0)
    )
    async with serving(store, client_per_second=0, public_per_second=0) as server:
        running.append(server)
        assert server.services is not None
        configure(server.services.settings, OWNER, comments="post")
        await store.write(_declare)
        names = await _owned(server)
        await server.add(matchday.Liveblog("gother", "7b" * 12, OTHER, document=matchday.document()))
        people = await _people(server)
        await store.write(_remaining)
    await store.close()
    return House(names, people)


@functools.cache
def sqlite_house() -> tuple[bytes, House]:
    """The bytes of a full SQLite file, and what is in it."""
    made: list[House] = []

    async def fill_file(url: str) -> None:
        made.append(await fill(url))

    return filled_database(fill_file), made[0]


def empty_tables(conn: Connection) -> set[str]:
    """The tables in which there is nothing."""
    return {name for name, table in metadata.tables.items() if conn.execute(select(table).limit(1)).first() is None}


def _declare(unit: Unit) -> None:
    clients.declare(unit, CLIENTS)
    clients.create(unit, matchday.client("gone", *SCOPES))
    clients.revoke(unit, "gone")
    declared = {"pricing": "premium", "template": "5f0c1de2a1b2c3d4e5f60801", "location": "5f0c1de2a1b2c3d4e5f60800"}
    fields = {"name": WORDS, "sportstype": "soccer"}
    named = [
        declarations.Declaration(owner_id=OWNER, kind=kind, id=each, fields=fields) for kind, each in declared.items()
    ]
    declarations.declare(unit, [*matchday.TAGS, *named])


async def _owned(server: Server) -> Names:
    """The owner's liveblog on a match of two sources, and everything that hangs on it."""
    post = matchday.event("epost-of-ours", matchday.KICK_OFF + 30, contents=[matchday.text(WORDS)], headline=WORDS)
    draft = matchday.event("edraft-of-ours", matchday.KICK_OFF + 60, status=60, headline=WORDS)
    later = matchday.event("elater-of-ours", matchday.KICK_OFF + 90, publish_at=NOW + 9999, headline=WORDS)
    poll = poll_post({**POLL, "local_id": "ppoll-of-ours", "question": WORDS})
    about = matchday.document(summary=WORDS)
    about["meta_info"] = {**about["meta_info"], "allow_comments": True}
    await add_pair(server, PairState(), document=about, events=(*matchday.afternoon(), post, draft, later, poll))
    record = {
        kind: (await _sent(server, f"{WRITE}/{kind}/create.json", body))["_id"]
        for kind, body in (
            ("team", team(name=WORDS, image="https://photos.example.org/crest.png")),
            ("player", player(name=WORDS)),
            ("tournament", tournament(name=WORDS)),
        )
    }
    playing = {"_id": record["team"]}
    made_once = {"headers": {"Idempotency-Key": "ours"}}
    await _sent(server, f"{WRITE}/ticker/create.json", match(playing, external_id="ours", tags=["a"]), **made_once)
    uploaded = await server.http.post(
        f"/api/mediaservice/v3/organization/{OWNER}/upload", content=picture("png", 4, 3), auth=("owner", SECRET)
    )
    assert uploaded.status_code == 200, uploaded.text
    files = [
        {"_type": "Svc::Model::Media", "local_id": "mvideo", "subtype": "v", "url": "https://photos.example.org/a.mp4"}
    ]
    written = {"contents": [text(WORDS), photo(uploaded.json()["url"]), photo()], "media": files}
    about_ours = {"ticker_local_id": "gmatch1"}
    made = await _sent(server, f"{WRITE}/event/create.json", written, params=about_ours)
    server.now += 2  # what stood before is kept as it was at the end of a second
    changed = {"params": {"event_local_id": made["local_id"]}}
    await _sent(server, f"{WRITE}/event/update.json", {"headline": WORDS}, **changed)
    score = change("UpdateGameScoreInfo", score_info={"home_score": 3})
    await _sent(server, f"{WRITE}/ticker/post_modifications.json", {"local_id": "gmatch1", "modifications": [score]})
    await _sent(server, f"{WRITE}/team/update.json", playing | {"name": f"{WORDS} again"})
    delivery = await _webhooks(server)
    await _readers(server, post.local_id, poll.document["contents"][0]["local_id"])
    return Names(
        organization=OWNER,
        **record,
        ticker="gmatch1",
        event=post.local_id,
        draft=draft.local_id,
        url=HOOK,
        delivery=delivery,
        comment="c" * 24,
        reader="reader-of-ours",
        poll="ppoll-of-ours",
    )


async def _sent(server: Server, path: str, body: Any, **more: Any) -> dict[str, Any]:
    response = await server.http.post(path, json=body, auth=("owner", SECRET), **more)
    assert response.status_code == 200, response.text
    document: dict[str, Any] = response.json()
    return document


async def _webhooks(server: Server) -> str:
    """Two subscriptions, one of which fails, with a delivery that is done and one that waits; gives the number of the first."""
    for url in (HOOK, FAILING_HOOK):
        await _sent(server, f"/apigw/webhooks/v2/organization/{OWNER}/subscribe", {"url": url})

    def write(unit: Unit) -> str:
        ids = {row.url: row.id for row in unit.conn.execute(select(webhooks))}
        failed = {"failures": 3, "failing_since": 1.0, "outcome_success": False, "outcome_message": WORDS}
        unit.conn.execute(webhooks.update().where(webhooks.c.url == FAILING_HOOK).values(failed))
        what = {
            "webhook_id": ids[HOOK],
            "number": 1,
            "game_id": GAME,
            "local_id": "gmatch1",
            "version": 1,
            "kind": "update",
        }
        done = {"round": 1, "tries": 1, "at": 1.0, "took_ms": 1, "success": True, "message": WORDS}
        _put(unit, "webhook_waiting", **what, rounds=1, next_at=1.0)
        return str(_put(unit, "webhook_rounds", **what, **done, organization_id=OWNER))

    return await server.store.write(write)


async def _readers(server: Server, channel: str, poll: str) -> None:
    """A comment of each status, with a like and a report, a reader who is banned, a channel that is closed, and a vote."""

    def write(unit: Unit) -> None:
        for letter, status in zip("cdef", ("approved", "pending", "rejected", "hidden"), strict=True):
            reader = "reader-of-ours" if letter == "c" else "banned-of-ours"
            new = NewComment(
                id=letter * 24, organization_id=OWNER, game_id=GAME, channel_id=channel, parent_id=None,
                reader_id=reader, author_name=WORDS, author_image=None, text=f"{WORDS} {letter}", status=status,
            )  # fmt: skip
            comments.create(unit, new, duplicate_period=0)
        comments.like(unit, channel, "c" * 24, "another", liked=True)
        comments.report(unit, channel, "c" * 24, "another", network="network", hide_after_reports=99)
        moderation.ban(unit, OWNER, "banned-of-ours", banned=True, client_id="owner")
        moderation.close(unit, GAME, "etext", closed=True, client_id="owner")

    await server.store.write(write)
    vote = {"params": {"client_id": "owner"}, "headers": {"Reader-Token": reader_of(OWNER, "voter")}}
    for option in ("a", "b"):
        server.now += 2
        response = await server.http.post(f"/apigw/polls/v1/polls/{poll}/votes", json={"options": [option]}, **vote)
        assert response.status_code == 200, response.text


async def _people(server: Server) -> dict[str, OpenSession]:
    """An account of each role with a session, and one with a second factor; gives the sessions."""
    begun = {}
    for name, (role, organization) in PEOPLE.items():
        account = await add_account(server.store, f"{name}@example.org", role=role, organization=organization)
        begin = partial(sessions.begin, account_id=account.id, browser="Firefox", lasts=43_200)
        begun[name] = OpenSession(await server.store.write(begin), account.id)

    def write(unit: Unit) -> None:
        second_factors.set_secret(unit, account.id, "GEZDGNBVGY3TQOJQ", 0)
        sign_in_steps.begin(unit, account.id)
        sign_in_tries.begin(unit, {sign_in_tries.try_key("somebody"): {}})
        audit.record(unit, OWNER, account.id, "event.update", "gmatch1")

    account = await add_account(server.store, "factor@example.org", name=WORDS)
    await server.store.write(write)
    return begun


def _remaining(unit: Unit) -> None:
    """Rows that other processes write, or that no request shows: one in each table that is empty still."""
    alarms.record(unit, [Observed("feed_silent", "f1", WORDS, {"match": "1"})], patience=60)
    service_keys.all_keys(unit)
    follow_id = unit.conn.scalar(select(attachments.c.follow_id).where(attachments.c.game_id == GAME))
    at, game = unit.now, {"game_id": GAME}
    place = {"slot": at - at % 86_400, "origin": "https://news.example.org", "location": "https://news.example.org/a"}
    rows: dict[str, dict[str, Any]] = {
        "workers": {"id": "worker", "kind": "all"},
        "leaders": {"kind": "all", "worker_id": "worker"},
        "resources": {"follow_id": follow_id, "name": "match", "rows": 1, "faults": [WORDS], "last_error": WORDS},
        "beliefs": {"follow_id": follow_id},
        "source_health": {"follow_id": follow_id, "poll_interval": 5.0},
        "rule_matches": {**game, "provider": "heim", "match_id": "1", "locale": "de"},
        "follow_rules": {
            "organization_id": OWNER,
            "key": "league",
            "fields": {"provider": "heim", "competition": "12"},
        },
        "source_links": {
            "organization_id": OWNER,
            "kind": "team",
            "first_provider": "heim",
            "second_provider": "pa",
            "second_id": "9",
        },
        "standby_searches": {**game, "organization_id": OWNER, "provider": "pa", "state": "open", "question": QUESTION},
        "missed_matches": {
            "organization_id": OWNER,
            "rule": "league",
            "provider": "heim",
            "match_id": "1",
            "title": WORDS,
        },
        "post_times": {**game, "version": 1, "local_id": "egoal", "what": "posted", "believed_at": 1000 * at},
        "decisions": {"follow_id": follow_id, "believed_at": 1000 * at},
        "corrections": {**game, "through": "egoal"},
        "load_counts": {**game, **place, "loads": 1},
        "load_days": {**game, **place, "loads": 1},
        "load_rollups": game,
        "reader_sketches": {**game, **place, "salt": "2026-09", "sketch": b""},
        "reader_salts": {"name": "2026-09"},
        "beacon_intakes": {"id": "intake"},
        "reader_sign_ins": {"organization_id": OWNER, "jti_digest": "jti", "until": at + 60},
        "purged_files": {"file": "purged"},
        "hub_pings": game,
    }
    for name, values in rows.items():
        _put(unit, name, **values)
    goal = Entry(key="k1", kind="incident", source="heim", local_id="egoal", said={"headline": WORDS})
    ledger.save(unit, GAME, [ledger.row_of(goal, at)])


def _put(unit: Unit, name: str, /, **values: Any) -> int:
    """A row of that table, with something in each column that may not be empty; gives its number where it has one."""
    table = metadata.tables[name]
    must = {each.name: _anything(each) for each in table.c if not each.nullable and each.autoincrement is not True}
    made = unit.conn.execute(insert(table).values(must | values))
    return made.inserted_primary_key[0] if made.inserted_primary_key else 0


def _anything(column: Column[Any]) -> Any:
    kinds = {Json: {}, Boolean: False, Text: "", LargeBinary: b""}
    return next((value for kind, value in kinds.items() if isinstance(column.type, kind)), 0)
