"""Every field of every fixture and shipped match removed, nulled and retyped: no crash, no lost post, a fault names it."""

import json
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from ingest.cli.explain import explain
from providers.contract import Case, Sample
from providers.contract.case import bodies_of
from providers.contract.hostile import DOCUMENTED, keeps, missing
from providers.contract.mutations import MUTATIONS, hurt
from providers.contract.server import Reply
from providers.fault_collector import RowCache
from providers.gn_gsd.adapter import GN_GSD
from providers.heim.adapter import HEIM
from providers.openligadb.adapter import OPENLIGADB
from providers.pa.adapter import PA
from providers.replay import read
from providers.statsperform.adapter import STATSPERFORM
from tests.kit.contracts import HeimContract as Soccer
from tests.kit.contracts import HeimOtherSportsContract as OtherSports
from tests.kit.contracts import OpenLigaDbContract as OpenLigaDb
from tests.kit.contracts import PaContract as Pa
from tests.kit.contracts import StatsPerformContract as StatsPerform
from tests.kit.gn_gsd_contract import GnGsdContract as GnGsd
from tests.kit.no_post_lost import Polled
from tests.kit.opening import endpoint_of
from tests.providers.contract.thinning import lean

ROOT = Path(__file__).resolve().parents[3]
RECORDED = sorted((
    *(ROOT / "tests" / "fixtures").glob("*/*/*.jsonl*"),
    *(ROOT / "providers" / "replay" / "demo").glob("*.en.jsonl.gz"),
))  # fmt: skip
ROWS = 5
"""Rows of a list in which each field is hurt, of those that `thinned` leaves."""

FEW, SOME = 43, 10
"""Each so-manieth of these changes is tried in every run and in a proof."""
ANSWERS = 5
"""Each so-manieth answer of a recording is looked at in every run."""

CHANGES, AMONG = 1, 11
"""So many changes of each list of posts are played through the store, any of those that take posts out of the answer."""


def sample_of(recording, bodies):
    """A recorded match as the contract's server serves it, with empty lists for what was not recorded."""
    family, _, ident = recording.match_id.partition("/")
    if ident:
        match_id = ident if family == "matches" else f"{family.removesuffix('s')}:{ident}"
        return GN_GSD, Sample(recording.match_id, match_id=match_id, sport="", bodies=bodies)
    text = next((body for path, body in bodies.items() if path.startswith("liveticker")), b"[]")
    own = {f"{kind}/ma{family}": bodies.get(f"{kind}/ma{family}", b"[]") for kind in ("match", "match-event")}
    return HEIM, Sample(family, match_id=family, sport="", text=True, bodies={**own, f"ma{family}": text})


def recorded():
    """(name, provider, sample) of the last answers of every recorded match of ours."""
    for path in RECORDED:
        for recording in read([path]):
            last = {line.resource: line.text.encode() for line in recording.lines if line.is_json}
            provider, sample = sample_of(recording, last)
            yield f"{path.relative_to(ROOT).as_posix()} {sample.match_id}", provider, sample


LAST = {name: (provider, sample) for name, provider, sample in recorded()}


@pytest.mark.parametrize(
    "every", [FEW, pytest.param(SOME, marks=pytest.mark.proof), pytest.param(1, marks=pytest.mark.soak)]
)
@pytest.mark.parametrize("name", LAST)
async def test_no_field_of_a_fixture_takes_a_post_with_it(name, every):
    """Whatever is wrong or not there: each post is in the answer, or reported to be unreadable, or the answer is refused."""
    provider, sample = LAST[name]

    await keeps(Case(provider=provider, samples=(lean(sample),), every=every), ROWS)


@pytest.mark.parametrize("every", [ANSWERS, pytest.param(1, marks=pytest.mark.proof)])
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_provider_leaves_out_is_no_fault(path, every):
    """From plan to end, no answer of ours has a fault, hides a post or keeps one that is not there."""
    looked = 0
    for recording in read([path]):
        provider, sample = sample_of(recording, {})
        endpoint = endpoint_of(provider=provider.id, base_url="http://127.0.0.1:9", row_cache=RowCache(2**25))
        adapter, known = provider.connect(endpoint), {}
        for number, line in enumerate(recording.lines, 1 - len(recording.lines)):
            known |= {line.kind: line.text.encode()} if line.is_json else {}
            if number % every or known.keys().isdisjoint({"match", "phase", "overall"}):
                continue
            match, looked = adapter.translate(sample.match_id, known), looked + 1

            assert (match.faults, match.withdrawal_blocked, match.unreadable_keys) == ((), frozenset(), frozenset())
    assert looked


SAMPLES = {
    f"{provider.id} {sample.name}": (provider, sample)
    for provider, samples in (
        (HEIM, (*Soccer.samples, *OtherSports.samples)),
        (OPENLIGADB, OpenLigaDb.samples[:2]),
        (GN_GSD, GnGsd.samples[:2]),
        (STATSPERFORM, StatsPerform.samples[:2]),
        (PA, Pa.samples[:2]),
    )
    for sample in samples
    if sample.sport != "american_football"  # has no posts but text
}


async def served(process, server, path, body):
    """One poll in which one resource is answered otherwise than by its fixture."""
    server.spoil = lambda requested: Reply(body=body) if server.body(requested) == path else None
    await process.poll()
    server.spoil = lambda _: None


async def health_of(process, ticker_id, resource):
    """What an operator reads of a resource: rows left out, and the last error."""
    reported = (await process.store.read(lambda conn: explain(conn, ticker_id)))["match"]["resources"][resource]
    return f"{reported['skipped']} {reported['last_error']}"


POSTS = {
    "heim cup-final": ("match-event", "liveticker"),
    "heim sao-paulo": ("match", "match-event"),
    "gn-gsd second half": ("actions",),
    "gn-gsd shoot-out": ("actions",),
    "pa cup-tie": ("match", "events"),
    "pa cup-tie-running": ("events",),
}
"""Sample → the resources that posts are made of; the match alone where that is not said."""


@pytest.mark.parametrize(
    "changes", [pytest.param(CHANGES, id="few"), pytest.param(None, id="all", marks=pytest.mark.soak)]
)
@pytest.mark.parametrize("name", SAMPLES)
async def test_three_such_answers_in_a_row_withdraw_nothing(name, changes, store):
    """Through the store: every post stands meanwhile, health names the field, and the good answer gives all as it was."""
    provider, sample = SAMPLES[name][0], lean(SAMPLES[name][1])
    async with Case(provider=provider, samples=(sample,)).open(sample) as opened:
        process = type("Of", (Polled,), {"provider": provider})(store, sample.match_id, opened.adapter)
        ticker_id = await process.create(provider=provider.id, text=sample.text)
        await process.settle()
        before, bodies = await process.posted(ticker_id), bodies_of(await opened.fetch())
        resources = POSTS.get(name, ("match",)) if changes else bodies
        played = [
            each
            for resource in resources
            for each in islice(taking(opened, bodies, resource, AMONG if changes else 1), changes)
        ]
        assert before, "nothing was posted"
        assert {each.resource for each in played} >= {*POSTS.get(name, ("match",))}, "no post is taken out of an answer"

        for each in played:
            for _ in range(3):
                await served(process, opened.server, bodies[each.resource], each.bodies[each.resource])
            assert set(before) <= set(await process.posted(ticker_id)), each
            health = await health_of(process, ticker_id, each.resource)
            assert each.field in health or each.resource in health, (str(each), health)
            await process.poll()
            await process.settle()
            assert before == await process.posted(ticker_id), each


AWAY = {"away", "team2", "awayParticipant"}

LISTS = {"heim cup-final": "match-event", "heim sao-paulo": "match-event", "gn-gsd second half": "actions"}
"""Sample → the resource with its incidents, each with an id."""


@pytest.mark.parametrize("name", LISTS)
async def test_a_row_that_is_gone_is_taken_back_beside_one_that_nobody_understands(name, store):
    """The other half of the rule: the provider's correction counts, whatever is wrong with a row of another id."""
    provider, sample = SAMPLES[name]
    async with Case(provider=provider, samples=(sample,)).open(sample) as opened:
        process = type("Of", (Polled,), {"provider": provider})(store, sample.match_id, opened.adapter)
        ticker_id = await process.create(provider=provider.id, text=sample.text)
        await process.settle()
        before, bodies = await process.posted(ticker_id), bodies_of(await opened.fetch())
        document = json.loads(bodies[LISTS[name]])
        rows = document if isinstance(document, list) else document["actions"]
        *_, gone = (row for row in rows if f"incident:{row['id']}" in before)
        rows[rows.index(gone)] = {**gone, "id": "424242", "action": "new", "kind": "word", "type": "NEW_WORD"}
        for _ in range(2):
            assert f"incident:{gone['id']}" in await process.posted(ticker_id)
            await served(process, opened.server, bodies[LISTS[name]], json.dumps(document).encode())

        assert before.keys() - (await process.posted(ticker_id)).keys() == {f"incident:{gone['id']}"}
        assert "424242" in await health_of(process, ticker_id, LISTS[name])


@pytest.mark.parametrize(
    "name", ["heim cup-final", "heim tennis tie-break", "openligadb cup-final", "gn-gsd second half"]
)
async def test_a_match_without_one_of_its_teams_is_reported_and_changes_nothing(name, store):
    """No liveblog can be made of it: the last good answer stands, and health says which side is missing."""
    provider, sample = SAMPLES[name]
    async with Case(provider=provider, samples=(sample,)).open(sample) as opened:
        process = type("Of", (Polled,), {"provider": provider})(store, sample.match_id, opened.adapter)
        ticker_id = await process.create(provider=provider.id, text=sample.text)
        await process.settle()
        before, bodies = await process.posted(ticker_id), bodies_of(await opened.fetch())
        sides = [each for each in hurt(bodies, MUTATIONS, 1) if each.resource == "match" and each.field in AWAY]
        assert len(sides) == len(MUTATIONS)

        for each in sides:
            for _ in range(3):
                await served(process, opened.server, bodies["match"], each.bodies["match"])
            assert "away" in await health_of(process, ticker_id, "match"), each
            assert before == await process.posted(ticker_id), each
            await process.poll()
            assert "away" not in await health_of(process, ticker_id, "match"), each
            assert before == await process.posted(ticker_id), each


def taking(opened, bodies, resource, every):
    """Of each `every`th change those that take posts out of the answer, in an order that is the same in every run."""
    found = [*hurt({resource: bodies[resource]}, MUTATIONS, ROWS, opened.sample.notation, every)]
    whole = opened.translate(bodies)
    Random(resource).shuffle(found)  # any few of them are of several fields and kinds of rows
    for each in found:
        if not each.corrects and takes(opened, whole, each._replace(bodies=bodies | each.bodies)):
            yield each


def takes(opened, whole, each):
    """Whether an answer wants fewer posts than the whole match does."""
    try:
        return bool(missing(whole, opened.translate(each.bodies)))
    except DOCUMENTED:
        return False
