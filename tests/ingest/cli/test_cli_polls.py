"""`matchwire polls export`: votes and results of a liveblog, on the standard output."""

from __future__ import annotations

import asyncio
import json
from functools import partial

from typer.testing import CliRunner

from ingest.cli import main as cli
from store.polls import votes
from tests.kit import matchday
from tests.kit.opening import pool_settings, store_at
from tests.kit.polling_readers import POLL, liveblog, poll_post
from tests.kit.sqlite import migrated_url


def export(folder, *words):
    """Exit code and output of the command on the database in the folder."""
    config = folder / "matchwire.toml"
    config.write_text(f'[database]\nurl = "sqlite+aiosqlite:///{folder}/test.db"\n')
    done = CliRunner().invoke(cli.app, ["polls", "export", *words, "--config", str(config)])
    return done.exit_code, done.output


async def filled(folder):
    store = await store_at(migrated_url(folder / "test.db"), clock=lambda: 1_790_000_000, pool=pool_settings(timeout=5))
    await store.write(partial(matchday.insert, liveblog(poll_post(POLL))))
    cast = partial(votes.vote, game_id="9c" * 12, poll_id="p1", reader_id="akim", choose=lambda _: ("a",))
    await store.write(cast)
    await store.close()


def test_votes_and_results_of_a_liveblog_are_written_out(tmp_path):
    """By either name of the liveblog, the reader as a number; an unknown liveblog is a mistake."""
    asyncio.run(filled(tmp_path))
    code, lines = export(tmp_path, "--liveblog", "gpolls", "--format", "jsonl")
    [vote] = map(json.loads, lines.splitlines())

    assert (code, vote["options"], vote["voted_at"]) == (0, ["a"], 1_790_000_000)
    assert len(vote["reader"]) == 16
    assert "akim" not in lines
    assert export(tmp_path, "--liveblog", "9c" * 12, "--content", "results")[1].splitlines()[1:] == [
        "p1,Who wins?,a,Us,1,100", "p1,Who wins?,b,Them,0,0",
    ]  # fmt: skip
    assert export(tmp_path, "--liveblog", "gnever")[0] != 0
