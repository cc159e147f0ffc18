"""Texts are normalised in a time that grows with their length, whatever they consist of, and by one function."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.readers.reader_token import NAME_LENGTH, reader_name
from mapping.rules import plain_text
from mapping.rules.plain_text import MOST_MARKS, comment_text, is_mark, normalize_text, plain_line, words

MARKS = ("\u0301", "\u0316\u0301", "\u0301\u0316", "\u0f73", "\u05b0\u0591", "\U0001d165", "\uff9e\u093c")


class Library:
    """The library, and the longest run of marks that it was given: it sorts them in quadratic time."""

    category, combining = unicodedata.category, unicodedata.combining
    longest = 0

    def normalize(self, form, text):
        runs = "".join("m" if is_mark(each) else " " for each in text).split()
        self.longest = max([self.longest, *map(len, runs)])
        return unicodedata.normalize(form, text)


@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("read", [plain_line, words])
def test_a_name_of_very_many_combining_marks_is_read_at_once(read, marks, monkeypatch):
    """Of 3,000 in a row no more than the bound are ever sorted."""
    library = Library()
    monkeypatch.setattr(plain_text, "unicodedata", library)
    read("a" + marks * (3_000 // len(marks)))
    assert 0 < library.longest <= MOST_MARKS


@given(st.text(alphabet=st.sampled_from("ae \u0301\u0316\u0308\u05b0ü가각ก"), max_size=MOST_MARKS))
def test_texts_with_no_more_marks_are_normalised_as_ever(text):
    """The bound changes no text that has no more marks in a row than it lets through."""
    assert normalize_text("NFC", text) == unicodedata.normalize("NFC", text)
    assert normalize_text("NFKD", text) == unicodedata.normalize("NFKD", text)


def test_marks_beyond_the_bound_are_left_out():
    """What follows them is kept."""
    shortened = normalize_text("NFC", "x" + "\u0316" * 1_000 + "derby" + "\u0316" * 1_000)
    assert shortened == "x" + "\u0316" * MOST_MARKS + "derby" + "\u0316" * MOST_MARKS


def test_every_mark_is_known_as_one():
    """No letter of Unicode that becomes marks alone escapes the bound."""
    letters = map(chr, range(0x300, sys.maxunicode + 1))
    assert not [
        each for each in letters if unicodedata.combining(unicodedata.normalize("NFKD", each)[0]) and not is_mark(each)
    ]


@pytest.mark.parametrize(
    "text", ["\u3164", "\u2800 \u2800", "\ufe0f", "\u200d\n\uffa0", "\u115f\u1160", "\u200b\u2060 "]
)
def test_what_shows_nothing_is_empty(text):
    """Fillers, a blank of Braille, variants and joiners of nothing; beside something that is seen they may stand."""
    assert plain_line(text) == ""
    assert plain_line(f"\u2764\ufe0f{text}").startswith("\u2764\ufe0f")


def tagged(name):
    """The flag of a part of a country."""
    return f"\U0001f3f4{''.join(chr(0xE0000 + ord(each)) for each in name)}\U000e007f"


@pytest.mark.parametrize("name", ["gbeng", "gbsct", "gbwls"])
def test_the_flags_of_england_scotland_and_wales_stay(name):
    """In a comment and in a name; one that is cut in two is no flag and leaves nothing that nobody sees."""
    flag = tagged(name)
    assert plain_line(f"Come on {flag}{flag}!") == f"Come on {flag}{flag}!"
    assert comment_text(flag, text_length=99, max_links=0) == flag
    assert reader_name(f"Ann {flag}") == f"Ann {flag}"
    cut = reader_name("A" * (NAME_LENGTH - 3) + flag)
    assert cut is not None
    assert not [each for each in cut if ord(each) >= 0xE0000]


@pytest.mark.parametrize("hidden", [tagged("attack"), tagged("gbeng")[1:], tagged("gbeng")[:-1], tagged("gbengx")])
def test_no_other_tags_stay(hidden):
    """They would hide a text."""
    assert not [each for each in plain_line(f"a{hidden}b") if ord(each) >= 0xE0000]
