"""Which providers there are, and what they say of themselves."""

import pytest

from providers.heim.adapter import HEIM
from providers.heim.names import NAMES
from providers.registry import Registry


def test_the_built_in_providers_are_found_by_id():
    """heim is there without any entry point; what is not there is None."""
    registry = Registry.load()

    assert registry.find("heim") is HEIM
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

    assert Registry.load().ids == {"heim", "other"}


def test_heim_promises_what_the_interface_lists():
    """Four sports, all but motorsports with a scoreboard, five with text."""
    assert {sport: len(kinds) for sport, kinds in HEIM.catalog.items()} == {
        "soccer": 17,
        "tennis": 3,
        "american_football": 0,
        "motorsports": 14,
    }
    assert [sport for sport, board in HEIM.scoreboard.items() if not board] == ["motorsports"]
    assert HEIM.text_sports == {"soccer", "icehockey", "tennis", "american_football", "motorsports"}


def test_each_assumed_name_says_what_it_is():
    """The table has one row a name, with its grade and meaning."""
    assert len({name.key for name in NAMES}) == len(NAMES)
    assert all(name.meaning and name.grade in ("documented", "inferred", "assumed") for name in NAMES)
