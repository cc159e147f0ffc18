"""The rules of an adapter, as tests: what every provider keeps, whoever wrote it.

A plug-in's test file subclasses `ProviderContract` with its provider and its fixtures (`pip install matchwire[contract]`):

    class TestMine(ProviderContract):
        provider = MINE
        samples = (Sample("final", match_id="7", sport="soccer", bodies={"matches/7": Path("final.json").read_bytes()}),)

Without pytest: `await check(rule, Case(provider=MINE, samples=…))` for each of `RULES`.
"""

from providers.contract.case import Case, Listing, Sample, StateTable, Violation
from providers.contract.mutations import xml
from providers.contract.rules import RULES, Rule, check

__all__ = ["RULES", "Case", "Listing", "ProviderContract", "Rule", "Sample", "StateTable", "Violation", "check", "xml"]


def __getattr__(name: str) -> object:
    """`ProviderContract` on demand: the rest does without pytest."""
    if name != "ProviderContract":
        raise AttributeError(name)
    from providers.contract.rules import ProviderContract

    return ProviderContract
