"""End state = f(last good snapshot): whatever was polled, failed or crashed before."""

from __future__ import annotations

import asyncio
import os
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mapping.posts import Post
from mapping.sports import absorbed_by
from providers.replay.demo import demo_files
from store.database import Store
from tests.ingest.scripted import Bodies, Process, board, says, timeline
from tests.recordings import required, soccer_recordings

EXAMPLES = int(os.environ.get("MATCHWIRE_CONVERGENCE_EXAMPLES", "30"))

polls = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.sets(st.sampled_from(["match", "match-event", "liveticker"]), max_size=3).map(frozenset),
        st.none() | st.integers(0, 6),
    ),
    max_size=10,
)
"""Where in the recording a poll falls, which resources answer badly, and where the process dies, if it does."""


def matches() -> list[Path]:
    return [*required(soccer_recordings()), *demo_files("en")]


async def played(store: Store, match_id: str, snapshots: list[Bodies], script: list[Any]) -> None:
    """Play the script and the last two snapshots, then compare the liveblog with the last."""
    process = Process(store, match_id)
    ordered = [(int(at * len(snapshots)), failing, fuse) for at, failing, fuse in sorted(script, key=itemgetter(0))]
    process.adapter.bodies = snapshots[ordered[0][0] if ordered else -2]
    ticker_id = await process.create()
    seen: set[str] = set(says(process.adapter.bodies, match_id))
    maybe = set(seen)
    for at, failing, fuse in [
        *ordered,
        (len(snapshots) - 2, frozenset(), None),
        (len(snapshots) - 1, frozenset(), None),
    ]:
        if await process.poll(snapshots[at], failing=failing, fuse=fuse) and not failing:
            seen |= set(says(snapshots[at], match_id))
        maybe |= set(says(snapshots[at], match_id))
    await process.settle()
    await compare(process, ticker_id, snapshots, seen, maybe)


async def compare(process: Process, ticker_id: str, snapshots: list[Bodies], seen: set[str], maybe: set[str]) -> None:
    """Posted = last good snapshot plus first yellows removed after a yellow-red that some poll had seen; exactly."""
    last = says(snapshots[-1], process.match_id)
    everything = ever_said(process.match_id, tuple(tuple(bodies.items()) for bodies in snapshots))
    kept = {key for key in everything.keys() - last.keys() if absorbed(everything[key], last)}
    posted = await process.posted(ticker_id)
    assert last.keys() | (kept & seen) <= posted.keys() <= last.keys() | (kept & maybe)
    for key, post in last.items():
        wanted, found = without_references(post.document), without_references(posted[key])
        assert wanted.get("sport_event") == found.get("sport_event"), key
        assert [block["text"] for block in wanted["contents"]] == [block["text"] for block in found["contents"]], key
    game = await process.game(ticker_id)
    score, state = board(snapshots[-1], process.match_id)
    assert score == game.document["scoreboard"]["score"]
    assert state == game.document["state_info"]
    hidden = [event for event in await process.events(ticker_id, statuses=None) if event.local_status != 0]
    assert {event.local_status for event in hidden} <= {60}


@cache
def ever_said(match_id: str, snapshots: tuple[tuple[tuple[str, bytes], ...], ...]) -> dict[str, Post]:
    """Every post that any snapshot asked for, as it was asked for last."""
    return {key: post for bodies in snapshots for key, post in says(dict(bodies), match_id).items()}


def absorbed(post: Post, last: dict[str, Post]) -> bool:
    by, player = absorbed_by(post.kind), name_of(post)
    return by is not None and any(each.kind == by and name_of(each) == player for each in last.values())


def name_of(post: Post) -> str:
    return post.document["sport_event"]["players"][0]["player"]["name"]


def without_references(document: Any) -> Any:
    """The document without ids of master data and blocks, which are not the provider's word."""
    if isinstance(document, dict):
        ids = {"_id", "local_id", "team_id", "team_local_id", "_type"}
        return {name: without_references(value) for name, value in document.items() if name not in ids}
    return [without_references(each) for each in document] if isinstance(document, list) else document


def converges(url: str, examples: int) -> None:
    """Play hypothesis' scripts on one database."""
    recorded = {path.name: timeline(path) for path in matches()}
    with asyncio.Runner() as runner:
        store = runner.run(Store.open(url, migrate=True))

        @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(st.sampled_from(sorted(recorded)), polls)
        def check(name: str, script: list[Any]) -> None:
            match_id, snapshots = recorded[name]
            runner.run(played(store, match_id, snapshots, script))

        try:
            check()
        finally:
            runner.run(store.close())


def test_the_end_state_is_that_of_the_last_good_snapshot_on_sqlite(tmp_path):
    """Recorded and demo matches, random polls, faults and crashes: the liveblog says what the provider said last."""
    converges(f"sqlite+aiosqlite:///{tmp_path / 'convergence.db'}", EXAMPLES)


def test_the_end_state_is_that_of_the_last_good_snapshot_on_postgresql(postgres_url):
    """The same on PostgreSQL."""
    converges(postgres_url, EXAMPLES // 2)


@pytest.mark.parametrize(
    "path", [*soccer_recordings(), *demo_files("en")], ids=lambda path: path.name.partition(".")[0]
)
def test_every_recorded_answer_polled_once_gives_the_same(path, tmp_path):
    """Nothing skipped: each good answer of the recording is polled in its turn."""

    async def whole() -> None:
        store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'whole.db'}")
        try:
            match_id, snapshots = timeline(path)
            script = [(index / len(snapshots) + 1e-9, frozenset(), None) for index in range(len(snapshots))]
            await played(store, match_id, snapshots, script)
        finally:
            await store.close()

    asyncio.run(whole())
