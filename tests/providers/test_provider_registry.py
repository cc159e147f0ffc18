"""Which providers there are, and what they say of themselves."""

from importlib.metadata import EntryPoint

import pytest

from providers.gn_gsd.adapter import GN_GSD
from providers.heim.adapter import HEIM
from providers.registry import Registry
from tests.kit.interface_tables import OURS, providers

TABLE = providers(OURS.read_text(encoding="utf-8"))


def test_the_built_in_providers_are_found_by_id():
    """heim and gn-gsd are there without any entry point; what is not there is None."""
    registry = Registry.load()

    assert (registry.find("heim"), registry.find("gn-gsd")) == (HEIM, GN_GSD)
    assert registry.find("nobody") is None
    assert "heim" in registry.ids


def test_two_providers_cannot_have_one_id():
    """An installed package does not replace a built-in provider unnoticed."""
    with pytest.raises(ValueError, match="heim"):
        Registry.of([HEIM, HEIM])


def test_entry_points_add_providers(monkeypatch):
    """What the group `matchwire.providers` names is a provider like the built-in ones."""

    class Other:
        id = "other"

    class Entry:
        name = "other"

        @staticmethod
        def load():
            return Other

    monkeypatch.setattr(
        "providers.registry.entry_points", lambda group: [Entry] if group == "matchwire.providers" else []
    )

    assert Registry.load().ids == {"heim", "gn-gsd", "other"}


def test_a_plug_in_that_cannot_be_loaded_is_named(monkeypatch):
    """The entry point, its module and the reason stand in one line."""
    broken = EntryPoint("local", "no_such_module:PROVIDER", "matchwire.providers")
    monkeypatch.setattr("providers.registry.entry_points", lambda group: [broken] if group == broken.group else [])

    with pytest.raises(ValueError, match=r"plug-in local \(no_such_module:PROVIDER\) cannot be loaded: No module"):
        Registry.load()


@pytest.mark.parametrize("provider", [HEIM, GN_GSD], ids=lambda provider: provider.id)
def test_a_provider_offers_what_the_interface_lists(provider):
    """Sports, event types in their order, and which of them have a scoreboard."""
    promised = {sport: row for (name, sport), row in TABLE.items() if name == provider.id}
    assert {sport: kinds for sport, (_, kinds) in promised.items()} == dict(provider.catalog)
    assert {sport: board for sport, (board, _) in promised.items()} == dict(provider.scoreboard)
