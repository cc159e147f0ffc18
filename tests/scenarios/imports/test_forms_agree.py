"""Posts, board, recap, key moments and structured data agree at every version that is stored, whoever dies and whatever is missed.

The provider is a recording; goals that it takes back leave notes, which count nowhere.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from api.page.structured_data import Publication, live_blog_posting
from api.view.key_moments import moments_of
from api.view.post_files import Images
from providers.row_cache import RowCache
from store.liveblogs.deltas import Coverage
from tests.kit.recorded_courses import course, matches
from tests.kit.scores_agree import SCORE, said
from tests.kit.scripted import NOTES, OWNER, SILENT, Process, open_store
from tests.kit.sqlite import migrated_url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mapping.disallowed import WithdrawalRules

pytestmark = pytest.mark.proof

NOTE = "soccer.disallowed-goal"
SEEDS, SOAK_SEEDS = 1, 12
PUBLICATION = Publication(
    page="https://live.example.org/liveblogs/gderby",
    site="https://live.example.org",
    publisher="Example",
    logo=None,
    images=Images(b"key", "https://live.example.org", OWNER),
)


async def shown(process: Process, ticker_id: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The liveblog and its public posts, oldest first, as readers get them."""
    game = await process.game(ticker_id)
    return game.as_document(), [event.as_document() for event in await process.events(ticker_id)]


def scores_of(posts: list[dict[str, Any]]) -> Iterator[tuple[int, int]]:
    """The scores that posts of goals show, kicks of the shoot-out have none."""
    for post in posts:
        event = post.get("sport_event") or {}
        if "score" in event and not event["event_type"].startswith("tennis."):
            yield said(event["score"])


def contradictions(game: dict[str, Any], posts: list[dict[str, Any]]) -> Iterator[str]:
    """What two forms of the liveblog say differently."""
    moments, recap, *_ = moments_of(game, posts)
    score = (game.get("scoreboard") or {}).get("score") or {}
    if score.get("home_score", "").isdigit():
        home, away = said(score)
        parts = [said(each) for each in game["scoreboard"].get("scores", ()) if each["home_score"].isdigit()]
        named = [each for each in ((int(a), int(b)) for a, b in SCORE.findall(recap)) if each not in parts]
        scored = [
            (each.score.home, each.score.away) for each in moments if each.type == "goal" and each.score is not None
        ]
        sets = game["sportstype"] == "tennis"
        for where, scores in (
            ("a post", [*scores_of(posts)]),
            ("a key moment", scored),
            ("the recap", [] if sets else named),
        ):
            if any(each[0] > home or each[1] > away for each in scores):
                yield f"{where} says {scores}, the board {home}:{away}"
    notes = {post["local_id"] for post in posts if (post.get("sport_event") or {}).get("event_type") == NOTE}
    listed = {each.local_id for each in moments if each.type == "disallowed"}
    if notes != listed:
        yield f"notes {notes} and key moments {listed}"
    updates = (
        live_blog_posting(game, posts, Coverage(1, 1, 1), PUBLICATION, recap=recap)["liveBlogUpdate"] if posts else []
    )
    names = [each["url"].partition("#")[2] for each in updates]
    if names != [post["local_id"] for post in posts]:
        yield "structured data has other posts"
    for each in updates:
        if each["url"].partition("#")[2] in notes and "Goal disallowed" not in each["headline"]:
            yield f"structured data says {each['headline']!r} of a note"


async def agrees(folder: Path, path: Path, seed: int, rules: WithdrawalRules) -> int:
    """Play the recording with random polls and deaths; gives how many notes there were."""
    match_id, snapshots = course(path)
    draw, notes = Random(f"{path.name} {seed}"), 0
    store = await open_store(migrated_url(folder / f"{seed}.db"))
    process = Process(store, match_id, withdrawals=rules)
    process.adapter.rows, process.adapter.bodies = RowCache(2**25), snapshots[0]
    ticker_id = await process.create(text=False)
    version = -1
    for bodies in (*snapshots, snapshots[-1], snapshots[-1]):
        if draw.random() < (0.5 if seed else 0.2):
            continue
        await process.poll(bodies, fuse=draw.choice((None, None, None, draw.randrange(7))))
        game, posts = await shown(process, ticker_id)
        assert game["version"] == version or not list(contradictions(game, posts))
        version = game["version"]
        notes += sum((post.get("sport_event") or {}).get("event_type") == NOTE for post in posts)
    await store.close()
    return notes


@pytest.mark.parametrize("path", matches(), ids=lambda path: path.name.partition(".jsonl")[0])
async def test_every_form_says_the_same_at_every_version(tmp_path, path):
    for seed in range(SEEDS):
        await agrees(tmp_path, path, seed, NOTES)


@pytest.mark.parametrize("path", matches()[::3], ids=lambda path: path.name.partition(".jsonl")[0])
async def test_every_form_says_the_same_where_goals_go_silently(tmp_path, path):
    assert not await agrees(tmp_path, path, SEEDS, SILENT)


@pytest.mark.soak
@pytest.mark.parametrize("path", matches(), ids=lambda path: path.name.partition(".jsonl")[0])
async def test_every_form_says_the_same_with_many_polls_and_deaths(tmp_path, path):
    for seed in range(SEEDS, SOAK_SEEDS):
        await agrees(tmp_path, path, seed, NOTES)


async def test_the_goal_of_the_demo_that_does_not_count_leaves_its_note(tmp_path):
    """Croatia against Denmark: 2-1 is taken back, and given after all."""
    (path,) = [each for each in matches() if each.name.startswith("croatia")]
    assert await agrees(tmp_path, path, 0, NOTES)
