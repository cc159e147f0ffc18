"""docs/reference/coverage.md shows what the catalogues, the grades and the fixtures say, all of them and nothing else."""

from pathlib import Path

import pytest

from providers.contract import RULES
from providers.openligadb import catalog as openligadb
from providers.pa import catalog as pa
from providers.registry import Registry
from providers.statsperform import catalog as statsperform
from tools import coverage

DOCS = Path(__file__).resolve().parent.parent / "docs"
GRADES = {"documented", "inferred", "assumed"}


def test_the_file_is_what_the_script_writes():
    """After a change of catalogue, grade or fixture: python -m tools.coverage"""
    assert coverage.TARGET.read_text(encoding="utf-8") == coverage.coverage()


def test_every_event_type_has_a_grade():
    """Of every provider and sport; and no line of the grades is about a type that does not exist."""
    for provider in Registry.load():
        for sport, kinds in provider.catalog.items():
            assert {coverage.grade(provider.id, sport, kind) for kind in kinds} <= GRADES
            own = set(coverage.GRADES[provider.id][sport]) - {"else"}
            assert own <= {kind.partition(".")[2] for kind in kinds}


def test_every_event_type_has_a_fixture():
    """Of every provider and sport: what no body shows has never been seen to work."""
    shown = coverage.shown(Registry.load())
    promised = {
        (each.id, sport, kind) for each in Registry.load() for sport, kinds in each.catalog.items() for kind in kinds
    }

    assert promised - {place for place, names in shown.items() if names} == set()


def test_no_fixture_shows_a_type_that_the_catalogue_does_not_have():
    """What is in a fixture becomes a post, so it has to be promised."""
    registry = Registry.load()

    for provider, sport, kind in coverage.shown(registry):
        assert kind in registry.find(provider).catalog[sport]


def test_the_checklist_names_every_rule_of_the_contract():
    """With its sentence, in the order of the kit."""
    rules = [f"| `{rule.id}` | {rule.sentence} |" for rule in RULES]

    assert [
        line for line in (DOCS / "add-a-provider.md").read_text(encoding="utf-8").splitlines() if line in rules
    ] == rules


@pytest.mark.parametrize(
    ("page", "names"), [("openligadb", openligadb.NAMES), ("pa", pa.NAMES), ("statsperform", statsperform.NAMES)]
)
def test_the_page_of_a_plug_in_names_what_may_be_corrected(page, names):
    """With default, grade and meaning as in the adapter."""
    text = (DOCS / "providers" / f"{page}.md").read_text(encoding="utf-8")

    assert all(f"| `{name.key}` | `{name.default}` | {name.grade} | {name.meaning} |" in text for name in names)
