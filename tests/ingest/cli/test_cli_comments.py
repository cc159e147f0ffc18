"""`matchwire comments export`: what readers wrote, as lines and as a table without formulas."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from functools import partial

from typer.testing import CliRunner

from ingest.cli import main as cli
from store.comments import comments
from store.comments.comments import NewComment
from tests.kit import matchday
from tests.kit.opening import pool_settings, store_at
from tests.kit.sqlite import migrated_url


def export(folder, *words):
    """Exit code and output of the command on the database in the folder."""
    config = folder / "matchwire.toml"
    config.write_text(f'[database]\nurl = "sqlite+aiosqlite:///{folder}/test.db"\n')
    done = CliRunner().invoke(cli.app, ["comments", "export", *words, "--config", str(config)])
    return done.exit_code, done.output


async def filled(folder):
    store = await store_at(migrated_url(folder / "test.db"), clock=lambda: 1_790_000_000, pool=pool_settings(timeout=5))
    await store.write(partial(matchday.insert, matchday.derby()))
    for name, text in (("c1", "=1+1"), ("c2", 'Two "lines"\nof it')):
        new = NewComment(name, matchday.ORGANIZATION, "6a" * 12, "egoal", None, "akim", "Kim", None, text, "approved")
        await store.write(partial(comments.create, new=new, duplicate_period=0))
    await store.close()


def test_all_comments_of_a_liveblog_are_written_out(tmp_path):
    """In the order of writing, by either name of the liveblog; an unknown one is a mistake."""
    asyncio.run(filled(tmp_path))
    code, lines = export(tmp_path, "--liveblog", "gderby")
    _, table = export(tmp_path, "--liveblog", "6a" * 12, "--format", "csv")

    assert code == 0
    found = [json.loads(line) for line in lines.splitlines()]
    assert [(each["id"], each["created_at"]) for each in found] == [(f"c{n}", "2026-09-21T14:13:20Z") for n in (1, 2)]
    assert [row["text"] for row in csv.DictReader(io.StringIO(table))] == ["'=1+1", 'Two "lines"\nof it']
    assert export(tmp_path, "--liveblog", "gnever")[0] != 0
