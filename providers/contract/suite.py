"""The contract as a pytest class, to be subclassed by the test file of an adapter."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import ClassVar

import pytest

from providers.base import Catalog, Endpoint, Provider
from providers.contract.case import Case, Listing, Sample, StateTable, plain_endpoint
from providers.contract.rules import RULES, Rule, check


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
