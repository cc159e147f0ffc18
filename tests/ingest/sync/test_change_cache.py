"""What is cached of a liveblog between two polls spares reading, and never changes what is written."""

from __future__ import annotations

import pytest

from store.following import ledger
from tests.kit.corrected_match import ONE, START, begun, snapshot
from tests.kit.editing import edit, post
from tests.kit.scripted import open_store
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import row


@pytest.fixture
async def store(tmp_path):
    opened = await open_store(migrated_url(tmp_path / "cached.db"))
    yield opened
    await opened.close()


@pytest.fixture
def read(monkeypatch):
    """The keys that were read each time the ledger was read; None for all."""
    looked, rows = [], ledger.rows

    def watched(conn, game_id, *, only=None):
        looked.append(only if only is None else set(only))
        return rows(conn, game_id, only=only)

    monkeypatch.setattr(ledger, "rows", watched)
    return looked


def corrected(minute: str):
    return snapshot("1:0", START, row(11, "goal/left-foot", minute, "home", 8, 7, content="1:0"))


async def settled(store):
    """A match with one goal, polled until nothing waits."""
    process, ticker_id = await begun(store, ONE)
    await process.settle()
    await process.poll(corrected("16"))
    return process, ticker_id


async def test_of_a_correction_only_its_own_post_is_read(store, read):
    """A minute that changes is looked at, and nothing else."""
    process, ticker_id = await settled(store)
    read.clear()
    await process.poll(corrected("17"))

    assert read == [{"incident:11"}]
    assert (await post(process, ticker_id))["sport_event"]["time_of_play"] == "17'"


async def test_everything_is_read_after_somebody_else_wrote(store, read):
    """An editor's change is merged with, and kept; after that only the changed post is read again."""
    process, ticker_id = await settled(store)
    await edit(process, ticker_id, "incident:11", headline="Mine")
    read.clear()
    await process.poll(corrected("17"))
    await process.poll(corrected("18"))

    assert read == [None, {"incident:11"}]
    found = await post(process, ticker_id)
    assert (found["headline"], found["sport_event"]["time_of_play"]) == ("Mine", "18'")
