"""`matchwire comments export` and `matchwire polls export`: what readers wrote and chose, on the standard output."""

import asyncio
import csv
import io
import json
from functools import partial

import pytest

from store.comments import comments
from store.comments.comments import NewComment
from store.polls import votes
from tests.kit import matchday
from tests.kit.opening import pool_settings, store_at
from tests.kit.polling_readers import POLL, liveblog, poll_post
from tests.kit.sqlite import migrated_url


@pytest.fixture
def export(matchwire, tmp_path):
    """Fills the database by these units; the result is the command on it: exit code and output."""

    async def filled(units):
        url = migrated_url(tmp_path / "matchwire.db")
        store = await store_at(url, clock=lambda: 1_790_000_000, pool=pool_settings(timeout=5))
        for unit in units:
            await store.write(unit)
        await store.close()

    def fill(*units):
        asyncio.run(filled(units))
        return lambda *words: matchwire(words[0], "export", *words[1:])

    return fill


def test_all_comments_of_a_liveblog_are_written_out(export):
    """In the order of writing, by either name of the liveblog, a table without formulas; an unknown one is a mistake."""
    new = [
        NewComment(name, matchday.ORGANIZATION, "6a" * 12, "egoal", None, "akim", "Kim", None, text, "approved")
        for name, text in (("c1", "=1+1"), ("c2", 'Two "lines"\nof it'))
    ]
    written = [partial(comments.create, new=each, duplicate_period=0) for each in new]
    run = export(partial(matchday.insert, matchday.derby()), *written)
    code, lines = run("comments", "--liveblog", "gderby")
    _, table = run("comments", "--liveblog", "6a" * 12, "--format", "csv")

    assert code == 0
    found = [json.loads(line) for line in lines.splitlines()]
    assert [(each["id"], each["created_at"]) for each in found] == [(f"c{n}", "2026-09-21T14:13:20Z") for n in (1, 2)]
    assert [row["text"] for row in csv.DictReader(io.StringIO(table))] == ["'=1+1", 'Two "lines"\nof it']
    assert run("comments", "--liveblog", "gnever")[0] != 0


def test_votes_and_results_of_a_liveblog_are_written_out(export):
    """By either name of the liveblog, the reader as a number; an unknown liveblog is a mistake."""
    cast = partial(votes.vote, game_id="9c" * 12, poll_id="p1", reader_id="akim", choose=lambda _: ("a",))
    run = export(partial(matchday.insert, liveblog(poll_post(POLL))), cast)
    code, lines = run("polls", "--liveblog", "gpolls", "--format", "jsonl")
    [vote] = map(json.loads, lines.splitlines())

    assert (code, vote["options"], vote["voted_at"]) == (0, ["a"], 1_790_000_000)
    assert len(vote["reader"]) == 16
    assert "akim" not in lines
    assert run("polls", "--liveblog", "9c" * 12, "--content", "results")[1].splitlines()[1:] == [
        "p1,Who wins?,a,Us,1,100", "p1,Who wins?,b,Them,0,0",
    ]  # fmt: skip
    assert run("polls", "--liveblog", "gnever")[0] != 0
