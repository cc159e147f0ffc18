"""Country codes of sport become ISO 3166-1 alpha-2."""

import pytest
from babel import Locale

from mapping.documents.countries import ALPHA2, HOME_NATIONS, alpha2


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("GER", "DE"), ("CRO", "HR"), ("SUI", "CH"), ("NED", "NL"), ("DEU", "DE"), ("TRI", "TT"), ("BRN", "BH"),
        ("gre", "GR"), (" por ", "PT"), ("de", "DE"), ("KOS", "XK"), ("TPE", "TW"),
    ],
)  # fmt: skip
def test_codes_of_ioc_fifa_and_iso_are_known(code, expected):
    """Whatever alphabet of three letters a feed uses, two letters come out; two letters stay what they are."""
    assert alpha2(code) == expected


@pytest.mark.parametrize("code", HOME_NATIONS)
def test_home_nations_are_the_united_kingdom(code):
    """England, Scotland, Wales and Northern Ireland have no ISO code of their own."""
    assert alpha2(code) == "GB"


@pytest.mark.parametrize("code", [None, "", "XYZ", "1A", "D", "ÄÖ", "GERM"])
def test_what_is_no_code_is_none(code):
    """Nothing is guessed."""
    assert alpha2(code) is None


def test_every_code_leads_to_a_country():
    """Each entry is three letters to two letters that are a territory."""
    territories = Locale("en").territories

    assert {code for code, iso in ALPHA2.items() if len(code) != 3 or iso not in territories} == set()
    assert len(ALPHA2) > 300
