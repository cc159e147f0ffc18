"""`quality.toml` of an adapter names every rule, and says nothing is done that no test shows."""

import tomllib
from pathlib import Path

import pytest

from providers.contract import RULES
from tests.kit import contracts as kept
from tests.kit.wire_courses.server import PROVIDERS

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "providers").glob("*/quality.toml"))
MORE = {
    "withdrawal by vanishing", "withdrawal by flag", "credentials hidden", "fixtures authored", "a day through the API",
    "probe", "replay", "coverage", "page",
}  # fmt: skip
"""What an adapter has beside the rules of the kit; it may name more that is still to do."""


def contracts(provider):
    """The test classes that hold an adapter to the contract."""
    found = [each for each in vars(kept).values() if isinstance(each, type) and hasattr(each, "provider")]
    return [each for each in found if each.provider is not None and each.provider.id == provider]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_every_rule_is_named_and_what_is_done_is_tested(path):
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    assert set(said["rules"]) == {rule.id for rule in RULES}
    assert set(said["more"]) >= MORE
    for name, value in {**said["rules"], **said["more"]}.items():
        assert value in ("done", "todo") or (isinstance(value, dict) and value.get("exempt")), name
    done = {name for name, value in said["rules"].items() if value == "done"}
    (contract,) = contracts(path.parent.name.replace("_", "-"))
    assert done == {rule.id for rule in RULES} - set(contract.exempt)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_what_an_adapter_has_beside_the_rules_is_there(path):
    name = path.parent.name
    more = tomllib.loads(path.read_text(encoding="utf-8"))["more"]
    there = {
        "fixtures authored": (ROOT / "tests" / "fixtures" / name).is_dir(),
        "a day through the API": name.replace("_", "-") in {each.id for each in PROVIDERS},
        "page": (ROOT / "docs" / "providers" / f"{name}.md").is_file(),
    }
    assert [what for what, is_there in there.items() if more[what] == "done" and not is_there] == []
