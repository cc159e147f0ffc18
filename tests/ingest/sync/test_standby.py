"""A liveblog whose match has two sources: the standby is polled beside the first one, and leads when that one fails."""

from __future__ import annotations

import pytest

from mapping.errors import Unprocessable
from mapping.fusion.leading_source import Reason
from providers.heim.translate import translate
from tests.kit.recordings import required, soccer_recordings
from tests.kit.scripted import BERLIN, NAMES, open_store, timeline
from tests.kit.second_source import as_second_source
from tests.kit.source_pair import TwoSources, failing
from tests.kit.sqlite import migrated_url

SEED = 7


@pytest.fixture
async def pair(tmp_path):
    """A recorded match that both sources have, with its versions; the liveblog is created at the first of them."""
    path = required(soccer_recordings())[0]
    match_id, versions = timeline(path)
    store = await open_store(migrated_url(tmp_path / "pair.db"))
    process = TwoSources(store, match_id)
    process.versions = versions
    process.truth = [translate(match_id, each, zone=BERLIN, names=NAMES) for each in versions]
    running = next(at for at, each in enumerate(process.truth) if each.status.running)
    process.at = running
    process.adapter.bodies = versions[running]
    process.second.match = as_second_source(process.truth[running], SEED)
    process.liveblog = await process.create()
    await process.stand_by(process.liveblog, process.second.match.match_id)
    await process.poll()
    await process.poll()
    yield process
    await store.close()


async def step(pair, *, first=True, second=True):
    """The next version of the recording, at the sources that have it."""
    pair.at += 1
    if first:
        pair.adapter.bodies = pair.versions[pair.at]
    if second:
        pair.second.match = as_second_source(pair.truth[pair.at], SEED)
    await pair.poll()


def score_of(game):
    return game.document["scoreboard"]["score"]


@pytest.mark.proof
async def test_both_sources_are_one_match(pair):
    """From the first version to the last, nothing is posted because the second source has it too."""
    while pair.at < len(pair.versions) - 1:
        await step(pair)
    await pair.settle()
    alone = TwoSources(pair.store, pair.match_id)
    alone.adapter.bodies = pair.versions[-1]
    expected = await alone.posted(await alone.create())
    posted = await pair.posted(pair.liveblog)
    assert posted.keys() == expected.keys()
    state = await pair.state(pair.liveblog)
    assert len(state.keys) == len(pair.truth[-1].incidents)
    assert state.lead.source == "first"


@pytest.mark.proof
async def test_the_standby_leads_when_the_first_source_fails(pair):
    """The next goal is posted; when the first source is back it is still there once, under the key that it has had."""
    goals = len(pair.truth[pair.at].score and pair.truth[pair.at].incidents)
    pair.adapter.failing = frozenset({"match", "match-event", "liveticker"})
    while pair.truth[pair.at].score == pair.truth[pair.at + 1].score:
        pair.at += 1
    for _ in range(3):
        await pair.poll(failing=frozenset({"match"}))
    await pair.watch.look()
    await pair.pass_time(4)
    state = await pair.state(pair.liveblog)
    assert (state.lead.source, state.lead.reason) == ("second", Reason.FAILING)
    pair.at += 1
    pair.second.match = as_second_source(pair.truth[pair.at], SEED)
    await pair.poll(failing=frozenset({"match"}))
    game = await pair.game(pair.liveblog)
    assert game.document["scoreboard"] is not None
    before = await pair.posted(pair.liveblog)
    assert [key for key in before if key.startswith("incident:second/")] != []
    pair.adapter.bodies = pair.versions[pair.at]
    for _ in range(100):
        await pair.poll()
        await pair.pass_time(4)
    state = await pair.state(pair.liveblog)
    assert state.lead.source == "first"
    after = await pair.posted(pair.liveblog)
    assert {key for key in before if "second/" in key} <= after.keys()
    assert goals is not None


@pytest.mark.proof
async def test_another_match_does_not_stand_by(pair):
    pair.second.match = as_second_source(pair.truth[pair.at], SEED)
    from dataclasses import replace

    other = pair.second.match
    pair.second.match = replace(other, match_id="z1", home=other.away, away=other.home)
    with pytest.raises(Unprocessable):
        await pair.stand_by(pair.liveblog, "z1")
    assert failing() is not None
