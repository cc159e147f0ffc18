"""The contract finds what is wrong: for each rule an adapter that is right in everything else, and breaks that one."""

import asyncio
import json
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import ClassVar

import httpx
import pytest

from mapping.errors import BadBody, DownstreamRejected, MatchUnknown, UpstreamUnavailable
from mapping.match.fixture import FixtureList
from mapping.match.match import Status
from providers.base import Outcome
from providers.contract import RULES, Case, Violation, check
from providers.heim.adapter import HEIM
from providers.openligadb.adapter import OPENLIGADB
from tests.kit.contracts import HeimContract as Heim
from tests.kit.contracts import OpenLigaDbContract as OpenLigaDb


class Bent:
    """A good adapter of which subclasses bend one thing."""

    def __init__(self, good):
        self.good = good
        self.calls = 0

    def __getattr__(self, name):
        return getattr(self.good, name)


@dataclass
class Vendor:
    """A good provider whose adapters are bent; `said` replaces what it says of itself."""

    good: object
    bend: object
    said: dict

    def __getattr__(self, name):
        return self.said.get(name, getattr(self.good, name))

    def connect(self, endpoint):
        return self.bend(self.good.connect(endpoint))


def fetching(change):
    """Adapters whose every poll is changed afterwards: `change(fetched, known)`."""

    class Changed(Bent):
        async def fetch(self, match_id, known, **more):
            return change(await self.good.fetch(match_id, known, **more), known)

    return Changed


def answering(change):
    """Adapters each of whose answers is changed afterwards."""
    return fetching(lambda fetched, _: replace(fetched, answers=tuple(map(change, fetched.answers))))


def translating(change):
    """Adapters each of whose matches is changed afterwards: `change(match, bodies)`."""

    class Changed(Bent):
        def translate(self, match_id, bodies):
            return change(self.good.translate(match_id, bodies), bodies)

    return Changed


def incidents(change):
    return translating(lambda match, bodies: replace(match, incidents=tuple(change(match.incidents))))


def failing_with(error):
    """Adapters that call every failure by one name."""
    return answering(lambda answer: replace(answer, error=error) if answer.error else answer)


class Eager(Bent):
    def __init__(self, good):
        super().__init__(good)
        good.endpoint = replace(good.endpoint, base_url="http://elsewhere.example")


class Leaky(Bent):
    left: ClassVar = []

    async def aclose(self):
        self.left.append(self.good)


class Fixed(Bent):
    """Finds one match whatever the id."""

    async def resolve(self, selector):
        return "1"


class Trusting(Bent):
    async def resolve(self, selector):
        return selector.id if selector.kind == "match" else await self.good.resolve(selector)


class Naive(Bent):
    async def resolve(self, selector):
        try:
            return await self.good.resolve(selector)
        except UpstreamUnavailable as error:
            raise KeyError("matches") from error


class NoText(Bent):
    async def fetch(self, match_id, known, *, text, hints):
        return await self.good.fetch(match_id, known, text=True, hints=hints)


class Raising(Bent):
    async def fetch(self, match_id, known, **more):
        fetched = await self.good.fetch(match_id, known, **more)
        for answer in fetched.failed:
            raise answer.error
        return fetched


class Patient(Bent):
    async def fetch(self, match_id, known, **more):
        await self.good.fetch(match_id, known, **more)
        return await asyncio.Future()


class Following(Bent):
    async def fetch(self, match_id, known, **more):
        async with httpx.AsyncClient(base_url=self.endpoint.base_url, trust_env=False) as client:
            reply = await client.get(f"/getmatchdata/{match_id}")
            if reply.is_redirect:
                await client.get(reply.headers["location"])
        return await self.good.fetch(match_id, known, **more)


class Forgetful(Bent):
    async def fetch(self, match_id, known, **more):
        return await self.good.fetch(match_id, {}, **more)


class Credulous(Bent):
    """Takes whatever comes for good once it knows the match."""

    async def fetch(self, match_id, known, **more):
        fetched = await self.good.fetch(match_id, known, **more)
        fine = [replace(a, outcome=Outcome.CHANGED, error=None, body=b"{}") if known else a for a in fetched.answers]
        return replace(fetched, answers=tuple(fine))


class AllOrNothing(Bent):
    async def fetch(self, match_id, known, **more):
        fetched = await self.good.fetch(match_id, known, **more)
        error = next((answer.error for answer in fetched.failed), None)
        spoilt = [replace(a, outcome=Outcome.FAILED, error=error, body=None) if error else a for a in fetched.answers]
        return replace(fetched, answers=tuple(spoilt))


class Talkative(Bent):
    async def fetch(self, match_id, known, **more):
        fetched = await self.good.fetch(match_id, known, **more)
        reported = BadBody(f"GET {self.endpoint.base_url}?key={self.endpoint.api_key} failed")
        return replace(fetched, answers=tuple(replace(a, error=reported) if a.error else a for a in fetched.answers))


class Impure(Bent):
    def translate(self, match_id, bodies):
        self.calls += 1
        return replace(self.good.translate(match_id, bodies), kickoff=1749916800 + self.calls)


def listing_with(change):
    """Adapters whose every list is changed afterwards."""

    class Changed(Bent):
        async def fixtures(self, first, last):
            return change(await self.good.fixtures(first, last))

    return Changed


class Optimistic(Bent):
    async def fixtures(self, first, last):
        try:
            return await self.good.fixtures(first, last)
        except UpstreamUnavailable:
            return FixtureList(fixtures=())


class Lenient(Bent):
    def translate(self, match_id, bodies):
        try:
            return self.good.translate(match_id, bodies)
        except DownstreamRejected:
            return SimpleNamespace(faults=())


class Fragile(Bent):
    def translate(self, match_id, bodies):
        json.loads(bodies["match"])["lastUpdateDateTime"][:10]
        return self.good.translate(match_id, bodies)


def doubled(match, bodies):
    """An incident for each row of the body, however many there are of one goal."""
    rows = (
        len(json.loads(bodies["match"])["goals"]) if isinstance(json.loads(bodies["match"]).get("goals"), list) else 0
    )
    first = match.incidents[:1]
    return replace(match, incidents=(*match.incidents, *(replace(i, key=f"incident:row-{rows}") for i in first)))


def forgotten(match, _):
    """Faults are reported, and nothing is kept because of them."""
    faults = tuple(replace(fault, blocks_withdrawal=False) for fault in match.faults)
    return replace(match, faults=faults, unreadable_keys=frozenset())


def renumbered(match, bodies):
    """Keys made of the id of the first row of the body."""
    first = (json.loads(bodies["match"])["goals"] or [{}])[0].get("goalID")
    return replace(match, incidents=tuple(replace(i, key=f"{i.key}-{first}") for i in match.incidents))


BROKEN = {
    "catalog.form": {"catalog": {"soccer": ("goal",)}},
    "catalog.order": {"catalog": {"soccer": ("soccer.end", "soccer.goal")}},
    "connect.quiet": Eager,
    "connect.close": Leaky,
    "resolve.forms": Fixed,
    "resolve.malformed": Trusting,
    "resolve.errors": Naive,
    "fetch.first": (HEIM, fetching(lambda fetched, _: replace(fetched, answers=fetched.answers[::-1]))),
    "fetch.text": (HEIM, NoText),
    "fetch.hints": fetching(lambda fetched, _: replace(fetched, hints={"round": 6})),
    "fetch.refusals": failing_with(UpstreamUnavailable("something")),
    "fetch.bodies": failing_with(MatchUnknown("nothing there")),
    "fetch.slow": Patient,
    "fetch.broken": Raising,
    "fetch.redirects": Following,
    "fetch.unchanged": Forgetful,
    "fetch.changed": answering(lambda answer: replace(answer, outcome=Outcome.UNCHANGED, body=None)),
    "fetch.shrunken": Credulous,
    "fetch.partial": (HEIM, AllOrNothing),
    "fixtures.day": (HEIM, listing_with(lambda found: replace(found, fixtures=found.fixtures * 2))),
    "fixtures.errors": (HEIM, Optimistic),
    "secrets.kept": Talkative,
    "translate.identity": translating(lambda match, _: replace(match, provider="somebody")),
    "translate.pure": Impure,
    "translate.frozen": translating(lambda match, _: replace(match, incidents=list(match.incidents))),
    "translate.equal": translating(lambda match, bodies: replace(match, winner=str(len(bodies["match"])))),
    "translate.rejects": Lenient,
    "keys.unique": incidents(lambda found: (*found, *found)),
    "keys.stable": translating(renumbered),
    "keys.periods": incidents(lambda found: [replace(each, key=f"incident:{each.kind}") for each in found]),
    "kinds.catalog": incidents(lambda found: [replace(each, kind="soccer.corner-kick") for each in found]),
    "times.seconds": translating(lambda match, _: replace(match, kickoff=1749916800000)),
    "states.words": translating(lambda match, _: replace(match, status=Status.LIVE)),
    "hostile.survives": Fragile,
    "hostile.faults": translating(lambda match, _: replace(match, faults=())),
    "hostile.keeps": translating(forgotten),
    "hostile.fixtures": (HEIM, listing_with(lambda found: replace(found, unreadable=0))),
    "hostile.doubles": translating(doubled),
    "hostile.characters": translating(
        lambda match, bodies: replace(
            match, home=match.home and replace(match.home, name=json.loads(bodies["match"])["team1"]["teamName"])
        )
    ),
}
SAMPLES = {HEIM: Heim.samples, OPENLIGADB: OpenLigaDb.samples}
MORE = {"states": OpenLigaDb.states, "listings": Heim.listings}


def case_of(broken):
    good, bend = broken if isinstance(broken, tuple) else (OPENLIGADB, broken)
    said = bend if isinstance(bend, dict) else {}
    return Case(provider=Vendor(good, Bent if said else bend, said), samples=SAMPLES[good], **MORE)


def test_there_is_a_broken_adapter_for_every_rule():
    """No rule is without the proof that it can fail."""
    assert set(BROKEN) == {rule.id for rule in RULES}
    assert len(BROKEN) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
async def test_a_broken_adapter_fails(rule, monkeypatch):
    """The adapter that breaks the rule is found out by that rule, in words that name it."""
    monkeypatch.setattr("providers.contract.fetching.GIVEN_UP_WITHIN", 0.5)
    with pytest.raises(Violation, match=rule.id.replace(".", r"\.")):
        await check(rule, case_of(BROKEN[rule.id]))
    while Leaky.left:
        await Leaky.left.pop().aclose()


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if not rule.id.startswith("hostile.")], ids=lambda rule: rule.id
)
async def test_a_wrapped_good_adapter_passes(rule):
    """What the bent adapters are made of is good: it is the bend that fails."""
    more = {**MORE, "listings": OpenLigaDb.listings, "endpoint": OpenLigaDb.endpoint}
    await check(rule, Case(provider=Vendor(OPENLIGADB, Bent, {}), samples=OpenLigaDb.samples, **more))
