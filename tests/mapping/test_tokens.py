"""Words of the search: found with and without accents, umlauts in both spellings, from their beginning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.rules.plain_text import LONGEST, MOST, query_words, words


def finds(question, *texts):
    known = words(*texts)
    return all(any(word.startswith(each) for each in group for word in known) for group in query_words(question))


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("Thomas Müller", ("müller", "MULLER", "mueller", "mül", "Tho Mue", "mu\N{COMBINING DIAERESIS}ller")),
        ("Mueller", ("müller", "mueller")),
        ("Arne Voß", ("voss", "voß", "VOSS", "vo")),
        ("Jürgen Groß-Öl", ("gross", "oel", "ol", "juergen")),
        ("Pelé", ("pele", "PELÉ")),
        ("Søren Åkesson", ("soren", "soeren", "akesson", "aakesson", "åke")),
        ("Łukasz Piszczek", ("lukasz", "łukasz")),
        ("İstanbul Başakşehir", ("istanbul", "basaksehir")),
        ("O'Neill", ("neill", "o neill", "o'neill")),
        ("1. FC Köln", ("1", "fc koln", "koeln", "köln fc")),
        ("\N{LATIN SMALL LIGATURE FI}nal", ("final",)),
        ("東京ヴェルディ", ("東京",)),
    ],
)
def test_spellings_find_each_other(text, questions):
    """Whoever types it, as people do."""
    for question in questions:
        assert finds(question, text), question


@pytest.mark.parametrize("question", ["uller", "tomas", "müllers", "maller"])
def test_a_word_matches_from_its_beginning_alone(question):
    """Neither its end nor another spelling."""
    assert not finds(question, "Thomas Müller")


def test_every_word_must_match():
    """Words narrow a search."""
    assert not finds("thomas kroos", "Thomas Müller")
    assert finds("", "anything")


@given(st.text())
def test_a_text_is_found_by_itself(text):
    """Whatever it consists of; there is a bound to the words and their length."""
    known = words(text)

    assert len(known) <= MOST
    assert all(0 < len(word) <= LONGEST for word in known)
    assert finds(text, text)
