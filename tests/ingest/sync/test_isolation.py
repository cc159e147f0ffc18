"""Several liveblogs on one match: each has its own ids, texts, filters and posts, and joins where the match stands."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.daemon.endpoints import rehome
from ingest.kit.quarantine import Quarantine
from ingest.sync.import_match import ProviderSource
from providers.heim.adapter import HEIM
from store.following import sync
from tests.kit.corrected_match import FIRST, ONE, START, TWO, begun, snapshot
from tests.kit.scripted import OWNER, Process, Scripted, open_store, says
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import MATCH_ID, row

OTHER = "5f0c1de2a1b2c3d4e5f60719"


@pytest.fixture
async def store(tmp_path):
    opened = await open_store(migrated_url(tmp_path / "isolation.db"))
    yield opened
    await opened.close()


def ids(value: Any) -> set[str]:
    """Every id of a block in a document; people who are in no squad go by the provider's number."""
    if isinstance(value, dict):
        own = {name for name in [value.get("local_id", "")] if name and not name.isdecimal()}
        return own.union(*(ids(each) for each in value.values()))
    return set().union(*(ids(each) for each in value)) if isinstance(value, list) else set()


async def everything(process: Process, ticker_id: str) -> tuple[set[str], str]:
    """All ids and all texts of a liveblog."""
    events = await process.events(ticker_id, statuses=None)
    found = {event.local_id for event in events} | ids([event.document for event in events])
    return found, repr([event.document for event in events])


async def test_two_locales_share_a_poll_and_nothing_else(store):
    """One follow, two liveblogs: other ids, other texts, each in its own language."""
    process, english = await begun(store, ONE)
    german = await process.create(locale="de")
    await process.poll(TWO)
    await process.settle()

    (one, in_english), (two, in_german) = await everything(process, english), await everything(process, german)
    assert 1 == len(process.matches)
    assert not one & two
    assert "Kick-off" in in_english
    assert "Anpfiff" not in in_english
    assert "Anpfiff" in in_german
    assert "Kick-off" not in in_german


async def test_two_filters_on_one_match(store):
    """What one liveblog excludes the other posts."""
    process, all_of_it = await begun(store, ONE)
    without = await process.create(exclude_events=("soccer.goal",))
    await process.poll(TWO)
    await process.settle()

    assert {"incident:11", "incident:12"} <= set(await process.posted(all_of_it))
    assert {"period:soccer.start"} == set(await process.posted(without))


async def test_another_organization_with_its_own_endpoint(store):
    """Own follow, own master data, own posts; a fault of one endpoint is none of the other's business."""
    process, ours = await begun(store, ONE)
    theirs_adapter = Scripted()
    theirs_adapter.bodies = TWO
    other = Process(store, MATCH_ID, adapter=theirs_adapter)
    other.importer._sources = {(OTHER, "heim"): ProviderSource(HEIM, theirs_adapter, text_content=True)}
    theirs = await other.create(organization_id=OTHER)
    for _ in range(3):
        await process.poll(failing=frozenset({"match", "match-event"}))
        await other.poll(TWO)

    assert {"incident:11"} == {key for key in await process.posted(ours) if key.startswith("incident")}
    assert {"incident:11", "incident:12"} == {key for key in await other.posted(theirs) if key.startswith("incident")}
    (one, _), (two, _) = await everything(process, ours), await everything(other, theirs)
    assert not one & two
    assert OWNER != OTHER
    teams = [
        (await each.game(name)).document["meta_info"]["home_team"]["_id"]
        for each, name in ((process, ours), (other, theirs))
    ]
    assert teams[0] != teams[1]


async def test_a_liveblog_that_joins_a_running_match_catches_up(store):
    """It starts with everything that has happened, and the provider's answers that are already known are enough."""
    process, _ = await begun(store, TWO)
    late = await process.create(locale="de")

    assert {"period:soccer.start", "incident:11", "incident:12"} == set(await process.posted(late))


async def test_a_liveblog_that_joins_with_text_brings_text_to_itself_alone(store):
    """The second liveblog wants text; the first, which does not want it, stays as it is."""
    process = Process(store, MATCH_ID, wishes={"text": False})
    process.adapter.bodies = ONE
    plain = await process.create()
    await process.poll()
    version = (await process.game(plain)).version
    await process.create(text=True)
    await process.settle()

    assert process.matches[0].text
    assert version == (await process.game(plain)).version


async def test_changed_terms_apply_to_what_was_imported(store):
    """A type that is excluded later becomes a draft, one that no longer is excluded is published."""
    card = row(21, "card/yellow", 20, "away", 4)
    process = Process(store, MATCH_ID, wishes={"exclude_events": ("soccer.yellow-card",)})
    process.adapter.bodies = snapshot("1:0", START, FIRST, card)
    ticker_id = await process.create()
    assert {"period:soccer.start", "incident:11"} == set(await process.posted(ticker_id))

    attachment = await store.read(lambda conn: sync.attachment(conn, ticker_id))
    terms = {**attachment.terms, "exclude_events": ["soccer.goal"]}
    await store.write(lambda unit: sync.save_terms(unit, ticker_id, terms))
    await process.restart()
    await process.poll()

    assert {"period:soccer.start", "incident:21"} == set(await process.posted(ticker_id))


async def test_a_new_password_is_no_new_match(store):
    """The endpoint's name changes with its credentials; liveblogs move along and go on without a duplicate."""
    process, ticker_id = await begun(store, ONE)
    renewed = Scripted()
    renewed.bodies = TWO
    await rehome(store, {(OWNER, "heim"): ProviderSource(HEIM, renewed, text_content=True)}, Quarantine())
    process.adapter = renewed
    await process.restart()
    assert 1 == len(process.matches)

    await process.settle()
    assert {"period:soccer.start", "incident:11", "incident:12"} == set(await process.posted(ticker_id))


def test_the_oracle_of_these_tests_is_not_empty():
    """The snapshots say something."""
    assert {"period:soccer.start", "incident:11", "incident:12"} == set(says(TWO, MATCH_ID))
