"""End state = f(last good snapshot): whatever was polled, failed or crashed before."""

import asyncio
import json
from functools import cache
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mapping.belief.goals import GAME, SCORE_KEY
from mapping.match.match import PERIOD_KEY
from mapping.posts.posts import Post
from mapping.sports import absorbed_by
from mapping.sports.american_football import AMERICAN_FOOTBALL
from providers.fault_collector import RowCache
from providers.heim.read import Event
from providers.replay.demo import demo_files
from store.database import Store
from tests.kit.recordings import course, matches, others, soccer_recordings
from tests.kit.sampling import examples, sampled
from tests.kit.scripted import Bodies, Crash, Process, board, bound, open_store, says
from tests.kit.sqlite import migrated_url

pytestmark = pytest.mark.proof

EXAMPLES = examples(28)

SPOILS = {
    "reversed": lambda rows: rows[::-1],
    "duplicated": lambda rows: [*rows, *rows],
    "numbers for ids": lambda rows: [{**row, "id": int(row["id"])} for row in rows],
    "a wrong type": lambda rows: [*rows[:-1], {**rows[-1], "minute": {"nonsense": True}}] if rows else rows,
    "a missing key": lambda rows: [
        {k: v for k, v in row.items() if k != "action"} if n == 3 else row for n, row in enumerate(rows)
    ],
    "an unknown row": lambda rows: [*rows, {"id": "1", "action": "dance", "kind": "tango", "minute": "7"}],
    "a clock a day ahead": lambda rows: [{**row, "created": "31.12.2035 20:15:00"} for row in rows],
    "a stale answer": None,
}
"""What a good answer can look like and still be wrong: as a function of the rows of `match-event`."""

STALE = 25
"""Answers by which a stale one lags behind."""

deaths = st.none() | st.integers(0, 6)
"""At which of the poll's reads, writes and commits the process dies, if it does."""

polls = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.sets(st.sampled_from(["match", "match-event", "liveticker"]), max_size=3).map(frozenset),
        deaths,
        st.none() | st.sampled_from(sorted(SPOILS)),
    ),
    max_size=10,
)
"""Where in the recording a poll falls, which resources answer badly, where the process dies, and what is wrong with the body."""


async def played(
    store: Store,
    match_id: str,
    snapshots: list[Bodies],
    script: list[Any],
    fuses: tuple[int | None, ...] = (None, None, None),
    rows: RowCache[Event] | None = None,
) -> None:
    """Play the script and the last two snapshots (dying in them too), then compare the liveblog with the last."""
    process = Process(store, match_id)
    process.adapter.rows = rows
    ordered = [(int(each[0] * len(snapshots)), *each[1:]) for each in sorted(script, key=itemgetter(0))]
    process.adapter.bodies = snapshots[ordered[0][0] if ordered else -2]
    ticker_id = await created(process, fuses[2])
    seen: set[str] = set(says(process.adapter.bodies, match_id))
    maybe = set(seen)
    end = len(snapshots) - 1
    last_two = [(end - 1, frozenset(), fuses[0], None), (end, frozenset(), fuses[1], None)]
    for at, failing, fuse, spoil in [*ordered, *last_two]:
        bodies = spoilt(snapshots, at, spoil)
        if await process.poll(bodies, failing=failing, fuse=fuse) and not failing:
            seen |= set(says(bodies, match_id))
        maybe |= set(says(bodies, match_id))
    await process.settle()
    await compare(process, ticker_id, snapshots, seen, maybe)


def spoilt(snapshots: list[Bodies], at: int, spoil: str | None) -> Bodies:
    """The snapshot as it is, stale, or with something wrong in its rows."""
    if spoil is None or "match-event" not in snapshots[at]:
        return snapshots[at]
    if (change := SPOILS[spoil]) is None:
        return snapshots[max(at - STALE, 0)]
    rows = json.loads(snapshots[at]["match-event"])
    return {**snapshots[at], "match-event": json.dumps(change(rows), ensure_ascii=False).encode()}


async def created(process: Process, fuse: int | None) -> str:
    """Create the liveblog; where the process dies in it, the client asks again with the same key."""
    process.crashing.fuse = fuse
    wishes = {"idempotency_key": "once", "idempotency_digest": "same", "client_id": process.adapter.endpoint.key}
    try:
        return await process.create(**wishes)
    except Crash:
        await process.restart()
        return await process.create(**wishes)
    finally:
        process.crashing.fuse = None


async def compare(process: Process, ticker_id: str, snapshots: list[Bodies], seen: set[str], maybe: set[str]) -> None:
    """Posted = last good snapshot plus first yellows removed after a yellow-red that some poll had seen; exactly.

    A text that was bound to an incident and is not any more is that incident's, if some poll has seen it so. The games of a
    set, whose order is in no answer, are those that the polls between show; so are the steps of a score, and ends of quarters.
    """
    last = says(snapshots[-1], process.match_id)
    gone = said_last(maybe - last.keys(), snapshots, process.match_id)
    kept = {key for key, post in gone.items() if absorbed(post, last)}
    posted = await process.posted(ticker_id)
    games_agree(posted, last)
    steps_agree(posted, board(snapshots[-1], process.match_id)[0])
    posted = {key: post for key, post in posted.items() if key in last or not of_history(key)}
    assert kept & seen <= posted.keys() <= last.keys() | kept
    assert once_bound(last.keys() - posted.keys(), snapshots, process.match_id)
    for key, post in last.items():
        if key not in posted:
            continue
        wanted, found = without_references(post.document), without_references(posted[key])
        if key.startswith(GAME):
            continue
        assert wanted.get("sport_event") == found.get("sport_event"), key
        assert [block["text"] for block in wanted["contents"]] == [block["text"] for block in found["contents"]], key
    game = await process.game(ticker_id)
    score, state = board(snapshots[-1], process.match_id)
    assert score == (game.document.get("scoreboard") or {}).get("score")
    assert without_references(state) == without_references(game.document["state_info"])
    hidden = [event for event in await process.events(ticker_id, statuses=None) if event.local_status != 0]
    assert {event.local_status for event in hidden} <= {60}


def games_agree(posted: dict[str, Any], last: dict[str, Post]) -> None:
    """The posts of each set go upwards, game by game, and end with the score of the last answer.

    Of several games between two polls only the last one shows a score.
    """
    sets: dict[str, list[tuple[int, int]]] = {}
    for key, document in posted.items():
        if key.startswith(GAME) and document["sport_event"].get("score") is not None:
            sets.setdefault(key.partition(":s")[2].partition(":")[0], []).append(games_of(document))
    for scores in sets.values():
        assert all(
            after != before and after[0] >= before[0] and after[1] >= before[1]
            for before, after in pairwise(sorted(scores, key=sum))
        ), scores
    ends = {key: games_of(post.document) for key, post in last.items() if key.startswith(GAME)}
    assert sorted(max(scores) for scores in sets.values()) == sorted(ends.values())


def of_history(key: str) -> bool:
    """Whether the post is one that no answer shows by itself."""
    return key.startswith((GAME, SCORE_KEY, f"{PERIOD_KEY}{AMERICAN_FOOTBALL.id}."))


def steps_agree(posted: dict[str, Any], score: Any) -> None:
    """The scores that were posted go upwards, and none is beyond the board."""
    blocks = [document["contents"][1] for key, document in posted.items() if key.startswith(SCORE_KEY)]
    scores = sorted(((int(each["score"]["home_score"]), int(each["score"]["away_score"])) for each in blocks), key=sum)
    ends = [(int(score["home_score"]), int(score["away_score"]))] if scores else []
    assert all(one[0] <= two[0] and one[1] <= two[1] for one, two in pairwise([*scores, *ends])), scores


def games_of(document: Any) -> tuple[int, int]:
    """Games of home and away, as a post says them."""
    score = document["sport_event"]["score"]
    return int(score["home_score"]), int(score["away_score"])


def said_last(keys: set[str], snapshots: list[Bodies], match_id: str) -> dict[str, Post]:
    """The posts under these keys as a snapshot wanted them last; none under a key that only a spoilt answer had."""
    found: dict[str, Post] = {}
    for bodies in reversed(snapshots):
        if not (missing := keys - found.keys()):
            break
        said = says(bodies, match_id)
        found |= {key: said[key] for key in missing & said.keys()}
    return found


def once_bound(keys: set[str], snapshots: list[Bodies], match_id: str) -> bool:
    """Whether each of these texts was bound to an incident in some snapshot."""
    left = set(keys)
    for bodies in reversed(snapshots):
        if not left:
            break
        left -= bound(bodies, match_id)
    return not left


def absorbed(post: Post, last: dict[str, Post]) -> bool:
    by = absorbed_by(post.kind)
    return by is not None and any(each.kind == by and name_of(each) == name_of(post) for each in last.values())


def name_of(post: Post) -> str:
    return post.document["sport_event"]["players"][0]["player"]["name"]


def without_references(document: Any) -> Any:
    """The document without ids of master data and blocks, which are not the provider's word."""
    if isinstance(document, dict):
        ids = {"_id", "local_id", "team_id", "team_local_id", "_type"}
        return {name: without_references(value) for name, value in document.items() if name not in ids}
    return [without_references(each) for each in document] if isinstance(document, list) else document


def converges(url: str, count: int) -> None:
    """Play hypothesis' scripts on one database: without a cache of rows, with one for all, and with one that is too small."""
    recorded = {path.name: path for path in matches()}
    course_of = cache(course)  # no more of them than are drawn are read
    with asyncio.Runner() as runner:
        store = runner.run(open_store(url))
        caches = [None, RowCache(2**25), RowCache(20_000)]

        @settings(max_examples=count, suppress_health_check=list(HealthCheck))
        @given(st.sampled_from(sorted(recorded)), polls, st.tuples(deaths, deaths, deaths), st.sampled_from(caches))
        def check(name: str, script: list[Any], fuses: tuple[int | None, ...], rows: RowCache[Event] | None) -> None:
            match_id, snapshots = course_of(recorded[name])
            runner.run(played(store, match_id, snapshots, script, fuses, rows))

        try:
            check()
        finally:
            runner.run(store.close())


@pytest.mark.hypothesis
def test_the_end_state_is_that_of_the_last_good_snapshot_on_sqlite(tmp_path):
    """Recorded and demo matches, random polls, faults and crashes: the liveblog says what the provider said last."""
    converges(migrated_url(tmp_path / "convergence.db"), EXAMPLES)


@pytest.mark.hypothesis
def test_the_end_state_is_that_of_the_last_good_snapshot_on_postgresql(postgres_url):
    """The same on PostgreSQL."""
    converges(postgres_url, EXAMPLES // 3)


REPRESENTED = {"ma8315073", "ma2309737"}
"""The long recordings of soccer that a bounded run plays as a whole."""


def is_long(path: Path) -> bool:
    return (
        path.stat().st_size > 90_000
        and path.parent.name in {"soccer", "demo"}
        and name_of_match(path) not in REPRESENTED
    )


def name_of_match(path: Path) -> str:
    return path.name.partition(".")[0]


@pytest.mark.parametrize(
    "path", sampled([*soccer_recordings(), *others(), *demo_files("en")], is_long), ids=name_of_match
)
def test_every_recorded_answer_polled_once_gives_the_same(path, tmp_path):
    """Nothing skipped: each good answer of the recording is polled in its turn."""

    async def whole() -> None:
        store = await open_store(migrated_url(tmp_path / "whole.db"))
        try:
            match_id, snapshots = course(path)
            script = [(index / len(snapshots) + 1e-9, frozenset(), None, None) for index in range(len(snapshots))]
            await played(store, match_id, snapshots, script, rows=RowCache(2**25))
        finally:
            await store.close()

    asyncio.run(whole())
