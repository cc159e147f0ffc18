"""Several liveblogs and organizations on one match: none of them has anything of the others."""

from typing import Any

from ingest.kit.quarantine import Quarantine
from ingest.sync.provider_source import ProviderSource, rehome
from providers.heim.adapter import HEIM
from tests.kit.corrected_match import ONE, TWO, begun
from tests.kit.scripted import OWNER, Process, Scripted
from tests.providers.heim.feed import MATCH_ID

OTHER = "5f0c1de2a1b2c3d4e5f60719"


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
