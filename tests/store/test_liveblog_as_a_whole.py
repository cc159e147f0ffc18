"""What is said of a liveblog as a whole: the same as all its posts say, without looking at all of them."""

import json
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from random import Random

import psycopg
import pytest
from sqlalchemy import insert, select

from api.feeds.feed_selection import FeedRequest
from api.liveblogs import stream_messages
from api.liveblogs.delta import DeltaRequest, delta
from api.page.load_liveblog import PageRequest, load_liveblog, load_page
from api.view.liveblog_access import public_documents
from api.view.references import summary_of
from mapping.documents.event import HIGHLIGHTED
from mapping.errors import NotFound
from mapping.posts.game_summary import extent_of
from store.liveblogs import event_reads, liveblogs
from store.liveblogs.event_reads import incidents, is_highlighted
from store.tables import events
from tests.kit import query_plans
from tests.kit.sqlite import migrated_url
from tests.store.conftest import ALIKE, GAME, change, new_game, open_store, post

CREATED = 1_700_000_000
PLAYER = {"_type": "Svc::Model::IncidentPlayer", "player": {"_id": "5f0c1de2a1b2c3d4e5f60777"}}
DOCUMENTS = [
    {"headline": "Rain"},
    {"headline": 'A "highlight":"milestone" is a word of "event_type"'},
    {"highlight": "milestone"},
    {"highlight": "sticky"},
    {"highlight": "inplace"},
    {"highlight": "stickyNoHighlight"},
    {"sport_event": {"event_type": "soccer.goal", "players": [PLAYER]}},
    {"contents": [{"event_type": "soccer.card-yellow", "players": [PLAYER]}]},
    {"media": [{"local_id": "m", "subtype": "i", "local_status": 0}, {"local_id": "n", "subtype": "v"}]},
]
NAMES = [f"e{number}" for number in range(12)]
SMALL, LARGE = 100, 2000
HISTORIES = [
    (0, 12),
    pytest.param(1, 30, marks=pytest.mark.proof),
    *(pytest.param(seed, 40, marks=pytest.mark.soak) for seed in (2, 3)),
]
COUNTED = "SELECT (SELECT count(*)"
"""The statement that counts all public posts, by indexes alone."""


def compared(conn):
    """What is said of the liveblog, and the same worked out of all posts that readers see."""
    game = liveblogs.find_game(conn, GAME)
    found = liveblogs.events(conn, GAME, descending=False)
    documents = public_documents(found)
    texts = {each.local_id: json.dumps(each.document, separators=(",", ":")) for each in found}
    times = [(each.created_at, each.updated_at) for each in found]
    said = (
        delta(conn, game, DeltaRequest(liveblog=GAME), None)["game"]["summary"],
        event_reads.count(conn, GAME),
        tuple(event_reads.coverage(conn, GAME)),
        is_highlighted(conn, GAME),
        [each.local_id for each in incidents(conn, GAME)],
    )
    created, updated = zip(*times, strict=True) if times else ((), ())
    expected = (
        summary_of(game.as_document(), documents, extent_of(documents)),
        len(found),
        (min(created), max(created), max(updated)) if times else (None, None, None),
        any(each.document.get("highlight") in HIGHLIGHTED for each in found),
        [name for name, text in texts.items() if '"event_type"' in text or '"highlight":"milestone"' in text],
    )
    return said, expected


async def changed(store, dice, now):
    """One write of a post: created, changed, taken down, deleted, or planned for later."""
    document, created = dice.choice(DOCUMENTS), CREATED + dice.randrange(20)
    write = post(
        dice.choice(NAMES),
        created,
        document,
        local_status=dice.choice([0, 0, 0, 0, 60, 100]),
        publish_at=dice.choice([None, None, None, 1_900_000_000]),
    )
    with suppress(NotFound):  # what is deleted stays so
        await store.write(change(replace(write, updated_at=dice.choice([None, None, min(created, now)]))))


@ALIKE
@pytest.mark.parametrize(("seed", "steps"), HISTORIES)
async def test_it_is_what_all_posts_say_after_any_history(store, game, clock, seed, steps):
    """Created, changed, taken down, deleted, planned for later; now, and for readers who are late by some seconds."""
    dice = Random(seed)
    for _ in range(steps):
        await changed(store, dice, int(clock.now))
        clock.now += dice.choice([0, 1, 7])
        for at in (None, int(clock.now) - 5):
            if at is None or at > CREATED + 1:
                said, expected = await store.read(compared, at=at)
                assert said == expected, at


@ALIKE
async def test_when_a_post_was_changed_last_is_known_whatever_was_written_since(store, game, clock):
    """More posts than are looked at together were written again as of old, in one version and in several."""
    await store.write(change(post("edited")))
    clock.now += 1000
    old = [replace(post(f"o{number}"), updated_at=1_600_000_000) for number in range(2 * event_reads.AT_ONCE)]
    await store.write(change(*old))
    await store.write(change(old[0]))

    found = await store.read(partial(event_reads.coverage, game_id=GAME))
    assert found.changed == CREATED


def filled(unit):
    """Very many more posts of the liveblog, all of them plain text."""
    (row,) = unit.conn.execute(select(events).limit(1)).mappings()
    plain = [{**row, "local_id": f"o{n}", "sort": f"{n:032}", "doc": {"headline": "Hi"}} for n in range(LARGE)]
    unit.conn.execute(insert(events), plain)


@pytest.fixture(params=["sqlite", "postgresql"])
async def planned(request, tmp_path, clock):
    """A store, what its connections are given, and how many rows a statement looks at."""
    url = migrated_url(tmp_path / "whole.db") if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    of_kind = query_plans.sent_to_sqlite if request.param == "sqlite" else query_plans.sent_to_postgresql

    def explain(statement, values):
        if request.param == "sqlite":
            with closing(sqlite3.connect(tmp_path / "whole.db")) as connection:
                return query_plans.explained_by_sqlite(connection, statement).rows
        with psycopg.connect(url.replace("+asyncpg", ""), autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE events")
            return query_plans.explained_by_postgresql(connection, statement, values).rows

    with of_kind() as sent:
        opened = await open_store(url, clock=clock)
        yield opened, sent, explain
        await opened.close()


READS = {
    "delta read": lambda conn: delta(conn, liveblogs.find_game(conn, GAME), DeltaRequest(liveblog=GAME, since=2), None),
    "first read": lambda conn: delta(conn, liveblogs.find_game(conn, GAME), DeltaRequest(liveblog=GAME), None),
    "page": lambda conn: load_page(conn, GAME, PageRequest(), 1_700_000_000.0),
    "feed and embed": lambda conn: load_liveblog(conn, GAME, FeedRequest(GAME), 1_700_000_000.0),
    "stream": lambda conn: stream_messages.read(
        conn, GAME, liveblogs.require_game(conn, GAME).version - 1, [stream_messages.as_json]
    ),
}


async def test_a_read_looks_at_as_many_rows_however_many_posts_there_are(planned):
    """Beside two thousand plain posts no more than beside a hundred; the number of all of them is counted by an index."""
    store, sent, explain = planned
    await store.write(partial(liveblogs.insert_game, game=new_game()))
    every = [post(f"e{number}", document=DOCUMENTS[number % len(DOCUMENTS)]) for number in range(SMALL)]
    await store.write(change(*every))
    await store.write(change(post("new")))

    async def rows(kind):
        sent.clear()
        await store.read(READS[kind])
        return sum(explain(*given) for form, given in list(sent.items()) if not form.startswith(COUNTED))

    few = {kind: await rows(kind) for kind in READS}
    await store.write(filled)
    many = {kind: await rows(kind) for kind in READS}
    assert all(few.values())
    assert {kind: looked for kind, looked in many.items() if looked > 1.2 * few[kind]} == {}
