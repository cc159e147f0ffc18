"""What is public is said once in SQL and once in Python, the same, and every read for the public uses it."""

import ast
import asyncio
import re
import threading
from functools import partial
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import event, insert, select

from mapping.documents import scalars as rules
from mapping.errors import Unprocessable
from store import public
from store.comments import comments
from store.comments.comments import NewComment
from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs import event_reads, liveblogs
from store.liveblogs.event_rows import event_of
from store.liveblogs.liveblogs import insert_game, record
from store.media import uploads
from store.media.tables import upload_uses
from store.media.tables import uploads as uploads_table
from store.tables import events, games
from tests.kit.store_uploads import OLD, kept
from tests.store.conftest import ALIKE, ORGANIZATION, new_game

ROOT = Path(__file__).resolve().parents[2]
POSTS = [f"e{number}" for number in range(12)]
GOAL = {"sport_event": {"event_type": "soccer.goal"}, "highlight": "sticky"}

NAMED = re.compile(r"local_status|publish_at|PUBLISHED")
"""Whoever says what is public names one of these."""
SAYS_IT = {"mapping/documents/scalars.py", "store/public.py"}
OTHER_QUESTIONS = {
    "store/liveblogs/event_reads.py": "it counts what is public by two indexes; below, its count is held against the rule",
    "mapping/posts/reconcile.py": "whether the sync has something to withdraw: its ledger compares what it said with what stands",
}
"""Modules that ask for the status of what is published for a reason of their own."""


def test_no_other_module_says_what_is_public():
    """A comparison with the status of what is published, or with a time of publishing that is not set, is a copy of the rule."""
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for package in ("api", "ingest", "mapping", "store")
        for path in (ROOT / package).rglob("*.py")
    }
    found = {name for name, source in sources.items() if NAMED.search(source) and _says_it_somewhere(source)}
    assert found - {each for each in found if each.startswith("store/migrations/")} == SAYS_IT | OTHER_QUESTIONS.keys()


def _says_it_somewhere(source):
    return any(map(_says_it, ast.walk(ast.parse(source))))


def _says_it(node):
    """Whether it compares a status with that of what is published, or has no time of publishing as one of its conditions."""
    if isinstance(node, ast.Compare):
        sides = [ast.unparse(each) for each in (node.left, *node.comparators)]
        of_status = any("local_status" in each for each in sides)
        return any(each.split(".")[-1] == "PUBLISHED" or (each == "0" and of_status) for each in sides)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return any(ast.unparse(each).endswith("publish_at is None") for each in node.values)
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr == "is_" and "publish_at" in ast.unparse(called)


@ALIKE
@pytest.mark.parametrize(("seed", "steps"), [(5, 10), pytest.param(1, 20, marks=pytest.mark.proof)])
async def test_sql_and_python_say_the_same_of_every_row(store, clock, seed, steps):
    """Of every liveblog and post of a random history; and each read for the public has the posts that both call public."""
    random = Random(seed)
    for number in (1, 2, 3):
        await store.write(partial(insert_game, game=new_game(number)))
    owners = {name: new_game(random.randint(1, 3)).id for name in POSTS}
    pictures = {name: await kept(store) for name in POSTS}
    await store.write(partial(_with_pictures_and_comments, owners=owners, pictures=pictures))
    for _ in range(steps):
        clock.now += random.choice((0, 1, 30))
        name = random.choice(POSTS)
        change = _change(random, name, int(clock.now))
        try:
            await store.write(partial(record, game_id=owners[name], change=change))
        except liveblogs.NotFound:
            continue
        await store.read(partial(_agree, owners=owners, pictures=pictures))


def _with_pictures_and_comments(unit, owners, pictures):
    for name, game_id in owners.items():
        row = {"upload_key": pictures[name].key, "kind": "event", "record_id": name, "shown": True}
        unit.conn.execute(insert(upload_uses).values(row))
        new = NewComment(f"c{name}", ORGANIZATION, game_id, name, None, f"r{name}", None, None, "Hi", "approved")
        comments.create(unit, new, duplicate_period=0)


def _post(name):
    return EventWrite.new(local_id=name, document=GOAL, created_at=1)


def _change(random, name, now):
    """One step: a post written with a status and perhaps a time, or the liveblog hidden, shown or, seldom, deleted."""
    if random.random() < 0.15:
        return Change(local_status=random.choice((0, 0, 0, 60, 60, 100)))
    status = random.choices((0, 60, 100), weights=(6, 3, 1))[0]
    publish_at = random.choice((None, None, now - 5, now + 20))
    write = EventWrite.new(local_id=name, document=GOAL, created_at=now, local_status=status, publish_at=publish_at)
    return Change(events=(write,))


def _agree(conn, owners, pictures):
    by_sql = set(conn.scalars(select(events.c.local_id).where(public.post_is_public())))
    rows = [event_of(row) for row in conn.execute(select(events))]
    assert by_sql == {each.local_id for each in rows if each.public}
    assert by_sql == {each.local_id for each in rows if rules.post_is_public(each.local_status, each.publish_at)}
    shown_games = set(conn.scalars(select(games.c.id).where(public.liveblog_is_public())))
    assert shown_games == {
        each.id for each in map(partial(liveblogs.find_game, conn), owners.values()) if each.public
    } | (shown_games - set(owners.values()))
    shown = {name for name in by_sql if owners[name] in shown_games}
    for game_id in set(owners.values()):
        mine = {name for name in by_sql if owners[name] == game_id}
        assert {each.local_id for each in liveblogs.events(conn, game_id)} == mine
        assert {each.local_id for each in event_reads.changed_events(conn, game_id, since=0)} == mine
        assert {each.local_id for each in event_reads.incidents(conn, game_id)} == mine
        assert (event_reads.count(conn, game_id), event_reads.is_highlighted(conn, game_id)) == (len(mine), bool(mine))
        assert comments.counts(conn, game_id).numbers.keys() == mine
    assert {name for name in POSTS if uploads.is_shown(conn, pictures[name].key)} == shown


async def test_what_a_stream_reads_is_compiled_once(store, game):
    """For each version of each liveblog that somebody follows: SQLAlchemy makes no statement anew."""
    await store.write(partial(record, game_id=game.id, change=Change(events=(_post("e1"), _post("e2")))))
    made = []

    def read(conn):
        event.listen(conn, "before_execute", lambda _conn, statement, *_: made.append(str(statement)))
        changed = [event_reads.chunk(conn, game.id, since=since, limit=9)[0] for since in (0, 1)]
        summarised = event_reads.first_and_last(conn, game.id), event_reads.events_to_summarise(conn, game.id)
        return event_reads.count(conn, game.id), *(len(each) for each in (*changed, *summarised))

    assert await store.read(read) == (2, 2, 2, 2, 2)
    assert made == []


async def refer(store, kind, record, keys):
    await store.write(lambda unit: uploads.refer(unit, kind, record, keys))


async def test_only_what_is_old_and_unused_may_go(store):
    """A young upload waits to be posted; one that a record refers to stays even where no reader is shown it."""
    old, young, used = await kept(store), await kept(store, created_at=OLD + 50), await kept(store)
    await refer(store, "event", "e1", {used.key: False})

    found, _ = await store.read(lambda conn: uploads.unreferenced_keys(conn, OLD + 10, 10))
    gone = await store.write(lambda unit: uploads.forget(unit, [old.key, used.key]))

    assert found == gone == [old.key]
    left = await store.read(lambda conn: uploads.between(conn, "", None))
    assert left == {used.key: OLD, young.key: OLD + 50}


@ALIKE
async def test_a_look_for_the_unused_goes_on_where_the_last_one_ended(store):
    """So many uploads at a time, used or not: none is looked at twice, none is left out."""
    made = [(await kept(store)).key for _ in range(7)]
    await refer(store, "event", "e1", dict.fromkeys(made[::2], True))
    found, after, looks = [], "", 0
    while after is not None:
        look = partial(uploads.unreferenced_keys, before=OLD + 1, limit=3, after=after)
        keys, after = await store.read(look)
        found, looks = found + keys, looks + 1

    assert (found, looks) == (sorted(made[1::2]), 3)


@pytest.mark.parametrize("first", ["refer", "forget"])
async def test_a_purge_and_a_post_at_the_same_moment_are_decided_by_the_database(store, first):
    """Whichever is first wins: either the post is refused, or the upload stays. A use without its upload is never left."""
    made = await kept(store)
    begun, go = threading.Event(), threading.Event()

    def referring(unit):
        uploads.refer(unit, "event", "e1", {made.key: True})
        return "referred"

    def forgetting(unit):
        return uploads.forget(unit, [made.key])

    works = {"refer": referring, "forget": forgetting}
    slow = works.pop(first)
    (quick,) = works.values()

    def waiting(unit):
        result = slow(unit)
        begun.set()
        go.wait(60)
        return result

    one = asyncio.create_task(store.write(waiting))
    assert await asyncio.to_thread(begun.wait, 60)
    two = asyncio.create_task(store.write(quick))
    await asyncio.sleep(0.2)
    assert not two.done()
    go.set()
    results = await asyncio.gather(one, two, return_exceptions=True)

    used = await store.read(lambda conn: conn.scalars(select(upload_uses.c.upload_key)).all())
    left = await store.read(lambda conn: conn.scalars(select(uploads_table.c.key)).all())
    if first == "refer":
        assert (results, used, left) == (["referred", []], [made.key], [made.key])
    else:
        assert results[0] == [made.key]
        assert isinstance(results[1], Unprocessable)
        assert used == left == []
