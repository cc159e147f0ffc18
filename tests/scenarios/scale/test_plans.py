"""What happens all the time costs no more beside many records: no statement goes through a whole table that grows."""

import asyncio
import re
import sqlite3
import time
from contextlib import closing as closed_after
from functools import partial

import psycopg
import pytest
from sqlalchemy import create_engine

from api.capabilities import CAPABILITIES
from api.routes import ROUTES
from ingest.jobs.purges import LOOKED
from ingest.jobs.tasks import purges
from store.alarms import alarms
from store.following import closing, standbys
from store.liveblogs import history
from store.media import uploads
from store.timeline import timeline
from store.webhooks import delivery_log, outbox, webhooks
from tests.kit import query_plans
from tests.kit.bulk_rows import BORN, FIRST, FOLLOW, GAME, GROWING, PLAYER, TEAM, UPLOAD, fill
from tests.kit.creating import LINES, MATCH
from tests.kit.day import ORGANIZATION, configuration, match_day
from tests.kit.doors import BY_NAME, DOORS, Caller
from tests.kit.full_house import Names
from tests.kit.opening import store_at
from tests.kit.polling_readers import POLL
from tests.kit.sqlite import migrated_url

FULL = 20_000
GROWS = re.compile(rf"\b({'|'.join(GROWING)})\b")
PARTIAL = re.compile(
    r"\bix_(attachments_open|resources_kept|games_deleted|load_counts_minutes|webhooks_failures|events_scheduled)\b"
)
"""Indexes of what is left to do alone."""
LOOKED_AT = 2200
"""Rows that one query looks at, at most: a page of a search and a thousand beyond it that are counted, in two tables."""
STATEMENTS = 180
"""Forms of statements that there are at least; some two hundred."""
WHOLE = {
    "UNION SELECT follows.organization_id, follows.provider": "a start asks which endpoints any match was followed at",
    "SELECT webhooks.status, count(*)": "metrics, every ten seconds: how many subscriptions there are",
    "SELECT count(*) AS count_1 FROM webhook_waiting": "metrics, every ten seconds: deliveries that wait for another round",
    "SELECT outbox.number, outbox.game_id, outbox.local_id": "a replay of what changed since then: ten thousand updates at most",
    "FROM follow_rules ORDER BY follow_rules.organization_id": "each look at lists is by all rules, at most 200 an organization",
    "FROM missed_matches": "a week of them is kept, and the latest thousand are read, by an index",
    "SELECT count(*) AS count_1 FROM comments": "the interface promises moderators how many there are",
}
"""What looks at all rows, and why."""
PURGES = {f"purge {name}" for name in ("deliveries", "bodies", "uploads", "history", "timelines", "alarms")}
"""Jobs whose units `purge` runs; those of capabilities are collected."""
KINDS = ("player", "team", "tournament")
SCOPES = ["read", "write", "external", "stats", "webhooks", "comments"]
STATISTICS = f"/api/analytics/v6/stats/liveblog/{GAME}{FIRST}"
HOOKS = f"/apigw/webhooks/v2/organization/{ORGANIZATION}"
LOG_FILTERS = (
    {},
    {"liveblogId": f"{GAME}{FIRST}"},
    {"liveblogId": f"g{FIRST}", "before": FULL},
    {"since": BORN + 10 * FULL},
    {"since": BORN + 10, "until": BORN + 20},
    {"outcome": "failed", "since": BORN + 10 * FULL},
    {"url": "https://example.org/7", "before": FULL - 10},
    {"liveblogId": f"g{FIRST}", "since": BORN + 10 * FULL},
)
"""Of a log in which hardly anything is so."""
COMMENTS = f"/api/comments/v1/organization/{ORGANIZATION}"
WRITE = "/api/v5/write"
TEXT = {"_type": "Svc::Model::Content::RichTextContentBlock", "text": "Rain."}
OPERATIONS = {row.operation["operationId"]: (row.method, row.path) for row in ROUTES if row.operation}
LAST = ("update", "delete", "unsubscribe", "detachExternal")
REFUSED = {
    "comments.create": 403,  # the organization takes none
    "comments.like": 404,
    "comments.report": 404,
    "liveblog.answerStandby": 404,
    "liveblog.attachExternal": 404,  # no provider has that match; another one was imported
    "liveblog.createFromExternal": 404,
    "liveblog.previewExternal": 404,
    "rule.change": 404,
    "rule.delete": 404,
    "oembed": 404,  # the daemon has no public address
    "webhooks.replay": 409,  # the subscription is disabled
}
"""Operations that the daemon here refuses, and how: once it has looked for what they are about."""
TICKS = 2.5
"""Seconds in which each task of a second has had two turns."""


def filled(url, rows=FULL):
    """The database with its tables full; PostgreSQL knows how full they are, as it does after a while by itself.

    SQLite looks for rows alike however many there are.
    """
    engine = create_engine(url.replace("+aiosqlite", "").replace("postgresql+asyncpg", "postgresql+psycopg"))
    with engine.begin() as connection:
        fill(connection, rows, outbox=5 * rows)
    if engine.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")
    engine.dispose()
    return url


@pytest.fixture
def sqlite_plans(tmp_path):
    """A full database, what its connections are given, and how SQLite goes through it."""
    file = tmp_path / "full.db"
    url = filled(migrated_url(file), FULL // 4)

    def explain(statement, _):
        with closed_after(sqlite3.connect(file)) as connection:
            return query_plans.explained_by_sqlite(connection, statement)

    with query_plans.sent_to_sqlite() as sent:
        yield url, sent, explain


@pytest.fixture
def postgresql_plans(postgres_url):
    filled(postgres_url)

    def explain(statement, values):
        with psycopg.connect(postgres_url.replace("+asyncpg", "")) as connection:
            return query_plans.explained_by_postgresql(connection, statement, values)

    with query_plans.sent_to_postgresql() as sent:
        yield postgres_url, sent, explain


async def reads(day, name):
    """Every kind of read, of an editor, a reader and an operator."""
    one, search = f"{GAME}{FIRST}", {"owner_id": ORGANIZATION}
    for path, query in (
        (f"{WRITE}/ticker/show.json", {"ticker_id": one}),
        (f"{WRITE}/ticker/search.json", search),
        (f"{WRITE}/ticker/search.json", search | {"q": "nordhafen"}),
        (f"{WRITE}/ticker/search.json", search | {"q": "word1x2", "template_id": "soccer"}),
        (f"{WRITE}/ticker/search.json", search | {"tag": "a", "team_id": one}),
        *((f"{WRITE}/{kind}/index.json", search | {"q": words}) for kind in KINDS for words in ("", "word5x5", "w")),
        ("/api/embed/v4/feed/liveblog.json", {"liveblogId": name}),
        ("/api/embed/v4/feed/liveblog.rss", {"liveblogId": one}),
        ("/api/v6/ticker/show.json", {"id": name}),
        ("/api/v6/ticker/show.json", {"id": name, "refresh": 1}),
        (f"/liveblogs/{name}", {}),
        ("/api/embed/v4/prefetch/liveblog.json", {"liveblogId": name}),
        ("/api/embed/v4/prefetch/liveblog-teaser.json", {"liveblogId": name}),
        (f"{STATISTICS}/overview.json", {}),
        (f"{STATISTICS}/2020/periods.json", {}),
        (f"{STATISTICS}/2020-09/periods.json", {"origin": "https://example.org"}),
        (f"{STATISTICS}/all/origins.json", {}),
        (f"{STATISTICS}/all/origin/https%3A%2F%2Fexample.org/locations.json", {}),
        (f"{STATISTICS}/export", {}),
        (f"{COMMENTS}/comments.json", {}),
        (f"{COMMENTS}/export", {"liveblogId": one}),
        (f"{HOOKS}/list", {}),
        *((f"{HOOKS}/deliveries", {"limit": 10, **query}) for query in LOG_FILTERS),
        ("/readyz", {}),
        ("/metrics", {}),
        ("/status.json", {}),
    ):  # fmt: skip
        response = await day.client.get(path, params=query)
        assert response.status_code == 200, (path, query, response.text)


async def writes(day, game):
    """Every kind of write that happens all the time."""
    name = game["local_id"]

    async def post(path, body, **query):
        response = await day.client.post(path, json=body, params=query)
        assert response.status_code in {200, 204}, (path, response.text)
        return response.json() if response.content else None

    event = await post(f"{WRITE}/event/create.json", {"contents": [TEXT]}, ticker_local_id=name)
    await post(f"{WRITE}/event/update.json", {"headline": "Rain"}, event_local_id=event["local_id"])
    await post(f"{WRITE}/event/delete.json", None, event_local_id=event["local_id"])
    soon = {"contents": [TEXT], "publish_at": int(time.time()) + 1}
    await post(f"{WRITE}/event/create.json", soon, ticker_local_id=name)
    team = game["meta_info"]["home_team"]
    await post(f"{WRITE}/team/update.json", {"_id": team["_id"], "name": "SV Nordhafen 05"})
    await post(f"{WRITE}/player/create.json", {"name": "New", "sportstype": "soccer", "owner_id": ORGANIZATION})
    modification = {"_type": "Svc::Model::Modification::UpdateGameMetaInfoModification", "meta_info": game["meta_info"]}
    await post(f"{WRITE}/ticker/post_modifications.json", {"local_id": name, "modifications": [modification]})
    await post(f"{HOOKS}/subscribe", {"url": "http://127.0.0.1:8999/hook"})
    await post("/api/analytics/v6/collect", {"kind": "load", "liveblog": name, "url": "https://example.org/a"})


async def play(url, sent, tmp_path):
    """What a daemon does on the database, in turn: a start, ticks, polls, reads, writes, and the ticks that follow."""
    tables = configuration("", tmp_path)
    client = tables["clients"]["cms"] | {"scopes": [*SCOPES, "admin"]}
    async with match_day(
        lines=LINES,
        folder=tmp_path,
        database=url,
        start_at="end",
        clients={"cms": client},
        webhooks={"allow_hosts": ["127.0.0.1"], "rate": 0},
        statistics={"folder": str(tmp_path / "statistics"), "interval": 1},
    ) as day:
        await asyncio.sleep(TICKS)
        game = await day.create(MATCH)
        await reads(day, game["local_id"])
        await writes(day, game)
        await everything_else(day, game["local_id"])
        await asyncio.sleep(TICKS)
        settings = day.settings
    await purge(url, settings)
    await look_at_sources(url)


async def look_at_sources(url):
    """What processes read and write again and again of matches with several sources."""
    store, sources = await store_at(url), [f"{FOLLOW}{FIRST + number}" for number in range(3)]
    await store.read(partial(standbys.sources_with, follow_ids=sources))
    await store.read(partial(standbys.health_of, follow_ids=sources))
    await store.read(partial(standbys.supported_by, follow_id=sources[0]))
    await store.read(partial(standbys.of_liveblog, game_id=f"{GAME}{FIRST}"))
    rows = [standbys.HealthRow(each, 1.0, 1.0, 5.0, "") for each in sources]
    await store.write(partial(standbys.save_health, rows=rows))
    await store.write(partial(standbys.save_sources, game_id=f"{GAME}{FIRST}", follow_ids=()))
    await store.close()


def turn(operation):
    """What is requested late: what changes or takes away what others are about."""
    last = operation.rpartition(".")[2]
    return LAST.index(last) if last in LAST else -1, operation


async def everything_else(day, name):
    """The operations that were not requested yet, each as the table of doors has it; what takes something away goes last."""
    vote = {**POLL, "local_id": "vote"}
    event = await day.client.post(
        f"{WRITE}/event/create.json", json={"contents": [TEXT, vote]}, params={"ticker_local_id": name}
    )
    token = await day.client.post(f"/api/readers/v1/organization/{ORGANIZATION}/token", json={"name": "Kim"})
    reader = {"Reader-Token": token.json()["token"]}
    names = Names(
        organization=ORGANIZATION,
        player=f"{PLAYER}{FIRST}",
        team=f"{TEAM}{FIRST}",
        tournament=f"5f0c1de2a1c0{FIRST}",
        ticker=name,
        event=event.json()["local_id"],
        draft=event.json()["local_id"],
        url="http://127.0.0.1:8999/hook",
        delivery="8",
        comment=f"c{FIRST}",
        reader="reader 7",
        poll=event.json()["contents"][1]["local_id"],
    )
    refused = {}
    for operation in sorted((name for name, route in BY_NAME.items() if route.access != "desk"), key=turn):
        door, route = DOORS[operation], BY_NAME[operation]
        sent = door.sends(names)
        content = {"content": sent.content} if sent.body is None else {"json": sent.body}
        response = await day.client.request(
            door.method or route.method, route.path.format(**sent.path), params=sent.query, headers=reader, **content
        )
        if not response.is_success and response.status_code != door.answers[Caller.CLIENT]:
            refused[operation] = response.status_code
    assert refused == REFUSED, str(refused)


async def purge(url, settings):
    """The first unit of each purge; more of them do the same."""
    store, old = await store_at(url), BORN + 100
    others = [purge for each in CAPABILITIES for purge in each.purges]
    jobs = purges(
        store, settings, time.time, deliveries=webhooks.forget_ended, uploads=webhooks.forget_ended, others=others
    )
    assert {job.name for job in jobs} == PURGES | {purge.job for purge in others}
    closed = await store.read(closing.closed_with_bodies)
    # All uploads are old, and used, as after years of them.
    unused, _ = await store.read(partial(uploads.unreferenced_keys, before=BORN + 2 * FULL, limit=LOOKED))
    assert unused == []
    used = [f"{UPLOAD}{FIRST + number}" for number in range(LOOKED)]
    then = old + settings.statistics.kept
    of_capabilities = [step for purge in others for step in purge.steps(settings, then)]
    for step in (
        partial(delivery_log.purge, before=old),
        partial(outbox.purge, before=old),
        webhooks.forget_ended,
        partial(closing.forget_bodies, follow_ids=closed),
        partial(history.purge, before=old),
        partial(timeline.purge, before=old),
        partial(alarms.purge, before=old),
        partial(uploads.forget, keys=used),
        *of_capabilities,
    ):
        await store.write(step)
    await store.close()


@pytest.mark.proof
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_no_statement_goes_through_a_whole_table_that_grows(request, tmp_path, kind):
    """Of a start, a tick, a poll, a read or a write: each looks for its rows by an index, or ends after so many."""
    url, sent, explain = request.getfixturevalue(f"{kind}_plans")
    await play(url, sent, tmp_path)

    found = {}
    for form, (statement, values) in sent.items():
        scans, rows = explain(statement, values)
        scans = [each for each in scans if GROWS.search(each) and not PARTIAL.search(each)]
        if (scans or rows > LOOKED_AT) and not any(words in form for words in WHOLE):
            found[form] = scans, rows
    assert len(sent) > STATEMENTS
    assert found == {}, "\n".join(f"{form[:400]} {why}" for form, why in found.items())
