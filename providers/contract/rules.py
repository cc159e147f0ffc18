"""All rules of the contract, each with an id, a sentence and a check, and the pytest class that adapters' tests subclass."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import pytest

from mapping.errors import ServiceError
from providers.base import Catalog, Endpoint, Provider
from providers.contract import fetching, hostile, listing, matches, resolving, states
from providers.contract.case import Case, Listing, Sample, StateTable, Violation, plain_endpoint


@dataclass(frozen=True, slots=True)
class Rule:
    """What every adapter keeps. `run` raises Violation, or whatever the adapter must not raise."""

    id: str
    sentence: str
    run: Callable[[Case], Awaitable[None]]


async def check(rule: Rule, case: Case) -> None:
    """Violation unless the case's provider keeps the rule."""
    try:
        await rule.run(case)
    except Violation as violation:
        raise Violation(f"{rule.id}: {violation}") from violation.__cause__
    except ServiceError as error:
        raise Violation(f"{rule.id}: raised {type(error).__name__}: {error.message}") from error
    except Exception as error:  # whatever an adapter raises that it must not is what the rule is about
        raise Violation(f"{rule.id}: raised {type(error).__name__}: {error}") from error


RULES: tuple[Rule, ...] = (
    Rule("catalog.form", "The catalogue names each sport's event types once, as `<sport>.<type>`.", resolving.form),
    Rule(
        "catalog.order",
        "Event types stand in the interface's order for this provider, else in the sport's own.",
        resolving.order,
    ),
    Rule("connect.quiet", "Connecting requests nothing and keeps the endpoint as it is.", resolving.quiet),
    Rule("connect.close", "Closing ends all connections, also where none was opened.", resolving.closing),
    Rule("resolve.forms", "A match is found by its id, in every form, and by what holds it.", resolving.forms),
    Rule("resolve.malformed", "No id leads a request elsewhere: it is InvalidRequest, or quoted.", resolving.malformed),
    Rule("resolve.errors", "What a provider does while an id is resolved is one of our errors.", resolving.errors),
    Rule("fetch.first", "The first answer is the match, and needs no other to be translated.", fetching.first),
    Rule("fetch.text", "Editorial text is requested only where it is wanted.", fetching.text),
    Rule("fetch.hints", "Hints are texts, and with them the same resources answer.", fetching.hints),
    Rule("fetch.refusals", "Each status code is the error that it means, and nothing is raised.", fetching.refusals),
    Rule("fetch.bodies", "What is not the provider's format is BadBody: HTML, cut, empty, too large.", fetching.bodies),
    Rule("fetch.slow", "A provider that does not answer is given up in time.", fetching.slow),
    Rule("fetch.broken", "A connection that breaks is UpstreamUnavailable.", fetching.broken),
    Rule("fetch.redirects", "Redirects are not followed.", fetching.redirects),
    Rule("fetch.unchanged", "The same body is UNCHANGED, by its ETag and by its digest alone.", fetching.unchanged),
    Rule("fetch.changed", "A body that is not the known one is CHANGED, and there.", fetching.changed),
    Rule(
        "fetch.shrunken", "A match that was there and an answer without it are a fault, not its end.", fetching.shrunken
    ),
    Rule("fetch.partial", "A resource that fails leaves the match standing.", fetching.partial),
    Rule("fixtures.day", "A list gives the matches of its day, each once, the same each time.", listing.day),
    Rule("fixtures.errors", "Whatever comes instead of a list is an error, never an empty day.", listing.errors),
    Rule("secrets.kept", "No error, log line, hint or repr shows a credential.", fetching.secrets),
    Rule("translate.identity", "The match has provider, id, sport and kick-off that were requested.", matches.identity),
    Rule("translate.pure", "Translating twice gives the same, requests nothing and changes no input.", matches.pure),
    Rule("translate.frozen", "A match is frozen values and tuples all the way down.", matches.frozen),
    Rule("translate.equal", "Snapshots that say the same give equal matches.", matches.equal),
    Rule("translate.rejects", "Bodies without the match are DownstreamRejected.", matches.rejects),
    Rule("keys.unique", "No two incidents or comments of a match have one key.", matches.unique),
    Rule("keys.stable", "Keys do not depend on the order of rows.", matches.stable),
    Rule("keys.periods", "Rows that mark a period are keyed by it, whatever their id.", matches.periods),
    Rule("kinds.catalog", "No incident is of a type that the catalogue does not have.", matches.kinds),
    Rule("times.seconds", "Times are whole seconds, minutes and phases those of a match.", matches.times),
    Rule(
        "states.words",
        "Each word for the state means what the table says before, during and after play, and takes back nothing played.",
        states.words,
    ),
    Rule("hostile.survives", "Any field removed, nulled, retyped or doubled is survived.", hostile.survives),
    Rule(
        "hostile.faults",
        "What a wrong field takes from the match is reported in a Fault that names it.",
        hostile.faults,
    ),
    Rule("hostile.keeps", "No field that is wrong or not there takes a post with it; a Fault names it.", hostile.keeps),
    Rule("hostile.fixtures", "A wrong field of a list costs its row at most, which is counted.", listing.survives),
    Rule("hostile.doubles", "A row that comes twice is one incident.", hostile.doubles),
    Rule("hostile.characters", "Texts hold nothing that databases, JSON or XML refuse.", hostile.characters),
)


class ProviderContract:
    """One test a rule. A subclass names its provider, samples, `states` and `listings`.

    `exempt` (rule id → reason) is shown as skipped.

    `order`: sport → event types, where the interface has a row of its own for the provider.
    """

    provider: ClassVar[Provider]
    samples: ClassVar[tuple[Sample, ...]]
    order: ClassVar[Catalog] = {}
    exempt: ClassVar[Mapping[str, str]] = {}
    states: ClassVar[StateTable | None] = None
    listings: ClassVar[tuple[Listing, ...]] = ()

    def endpoint(self, base_url: str) -> Endpoint:
        """An endpoint at this address; to be overridden where credentials, options or a path below it are needed."""
        return plain_endpoint(self.provider.id, base_url)

    @pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
    def test_contract(self, rule: Rule) -> None:
        """The provider keeps this rule."""
        if rule.id in self.exempt:
            pytest.skip(f"{rule.sentence} Exempt: {self.exempt[rule.id]}")
        case = Case(
            provider=self.provider,
            samples=self.samples,
            endpoint=self.endpoint,
            order=self.order,
            states=self.states,
            listings=self.listings,
        )
        asyncio.run(check(rule, case))
