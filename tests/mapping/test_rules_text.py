"""Texts, words of a search, country codes and addresses of images: read alike however they are written, in bounded time."""

import sys
import unicodedata

import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from mapping.documents.countries import ALPHA2, HOME_NATIONS, alpha2
from mapping.errors import InvalidRequest, NotFound
from mapping.readers.reader_token import NAME_LENGTH, reader_name
from mapping.rules import plain_text
from mapping.rules.media_address import ImageOptions, ImageRequest, image_path, read_options, read_path
from mapping.rules.plain_text import (
    LONGEST,
    MOST,
    MOST_MARKS,
    comment_text,
    is_mark,
    normalize_text,
    plain_line,
    query_words,
    words,
)

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


KEY = b"k" * 32
SIDES = st.none() | st.integers(1, 1365)
OPTIONS = st.builds(ImageOptions, SIDES, SIDES, st.sampled_from(["contain", "cover"]), st.sampled_from([1, 2, 3]))


@given(OPTIONS, st.text(st.characters(codec="utf-8"), max_size=200))
def test_an_address_is_read_as_it_was_made(options, url):
    """Every option and every address come back from the path."""
    wanted = ImageRequest("5f0c1de2a1b2c3d4e5f60718", url, options)

    assert read_path((KEY,), *image_path(KEY, wanted).split("/")[2:]) == wanted


@given(st.data())
def test_a_changed_address_is_none(data):
    """Another character anywhere, or another key, is a page that does not exist."""
    path = image_path(KEY, ImageRequest("org", "https://example.org/a.png", ImageOptions(width=640)))
    place = data.draw(st.integers(len("/media/"), len(path) - 1).filter(lambda at: path[at] != "/"))
    letter = data.draw(st.sampled_from("abcXYZ019-_@é").filter(lambda letter: letter != path[place]))
    changed = path[:place] + letter + path[place + 1 :]

    for key, sent in ((KEY, changed), (b"x" * 32, path)):
        with pytest.raises(NotFound):
            read_path((key,), *sent.split("/")[2:])


@pytest.mark.parametrize(
    "text", ["w0", "h-1", "w640-fill", "w640@4", "w9999", "w2000@3", "640", "w640 ", "h10w10", "w٣"]
)
def test_what_is_no_option_is_refused(text):
    """Sizes are plain digits within a bound, fits and densities are those of the table."""
    with pytest.raises(InvalidRequest):
        read_options(text)
