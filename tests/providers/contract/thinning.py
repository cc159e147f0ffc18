"""Samples with fewer rows: the rules that hurt each field of a body take as long as it has rows, and rows of one kind are alike."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from providers.contract import Case, ProviderContract, Sample
from providers.contract.rules import RULES, Rule, check
from tests.kit.sampling import sampled

Path = tuple[Any, ...]

REMOVED = object()
"""What `spoilt` takes for a place that is not there."""


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of everything inside a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from places(each, (*path, key))


def spoilt(value: Any, path: Path, wrong: Any) -> Any:
    """A copy of the document with another value at the path; what is not on the way there is shared with it."""
    if not path:
        return wrong
    key, *rest = path
    copy = dict(value) if isinstance(value, dict) else list(value)
    if wrong is REMOVED and not rest:
        del copy[key]
    else:
        copy[key] = spoilt(value[key], tuple(rest), wrong)
    return copy


WORDS = ("action", "kind", "type", "eventType", "reason", "function")
"""Fields that distinguish kinds of rows."""

LONG = 16


def thinned(value: Any) -> Any:
    """A document with one row of each kind in its lists, and three of any other long list."""
    if isinstance(value, dict):
        return {name: thinned(each) for name, each in value.items()}
    if not isinstance(value, list):
        return value
    reported = [row.get("event", row) if isinstance(row, dict) else {} for row in value]
    kinds = {tuple(row.get(word) for word in WORDS): thinned(value[at]) for at, row in enumerate(reported)}
    if len(kinds) > 1:
        return list(kinds.values())
    return [thinned(row) for row in (value[:3] if len(value) > LONG else value)]


def lean(sample: Sample) -> Sample:
    """The sample with thinned bodies."""
    bodies = {path: sample.notation.write(thinned(sample.notation.read(body))) for path, body in sample.bodies.items()}
    return replace(sample, bodies=bodies)


def hostile(rule: Rule) -> bool:
    """Whether the rule hurts each field of each body."""
    return rule.id.startswith("hostile.")


FEW, SOME = 43, 10
"""Of the changes of a short sample's fields, a run and a proof try each so-manieth: of each kind, as there are 3, 7 or 1."""


class LongContract(ProviderContract):
    """The contract for long samples, whose fields `make soak` alone hurts; runs and proofs hurt fields of `short` ones."""

    short: ClassVar[tuple[Sample, ...]]

    @pytest.mark.parametrize("rule", sampled(RULES, hostile), ids=lambda rule: rule.id)
    def test_contract(self, rule: Rule) -> None:
        """The provider keeps this rule."""
        super().test_contract(rule)

    @pytest.mark.parametrize("every", [FEW, pytest.param(SOME, marks=pytest.mark.proof)])
    @pytest.mark.parametrize("rule", [*filter(hostile, RULES)], ids=lambda rule: rule.id)
    def test_contract_on_short_samples(self, rule: Rule, every: int) -> None:
        """The provider keeps this rule where each kind of rows is there once."""
        given = {"endpoint": self.endpoint, "order": self.order, "listings": self.listings, "every": every}
        case = Case(provider=self.provider, samples=self.short, **given)
        asyncio.run(check(rule, case))

    def test_short_samples_have_each_field(self) -> None:
        """Whatever is hurt in a long sample is hurt in a short one as well."""
        assert fields(self.samples) <= fields(self.short)


def fields(samples: tuple[Sample, ...]) -> set[tuple[str, ...]]:
    """The fields of all bodies, by sport and by their ways from the top, with `*` for the place of a row."""
    return {
        (sample.sport, *("*" if isinstance(step, int) else step for step in place))
        for sample in samples
        for body in sample.bodies.values()
        for place in places(sample.notation.read(body))
    }
