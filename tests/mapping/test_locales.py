"""Every text that we write exists in every language that we ship, and no catalogue has a text that nobody writes."""

import ast
import io
import re
from pathlib import Path
from typing import get_args

import pytest
from babel.messages.extract import extract
from jinja2.ext import babel_extract

from mapping.documents.scalars import Locale
from mapping.locales import FALLBACKS, catalogue, shipped_locales, translator
from mapping.locales.labels import (
    BETWEEN_SETS,
    CORRECTED,
    DECIMAL_MARK,
    ENDINGS,
    INTERRUPTED,
    KICK,
    KICK_BEYOND,
    KICK_OPEN,
    KICK_UNNUMBERED,
    LAP,
    LOADS_FROM,
    NEW_POSTS,
    ON_PITCH,
    PERCENT,
    PERIODS,
    POSTS,
    SCORE,
    SCORE_CONTEXT,
    SPORT_CONTEXT,
    UNDER_REVIEW,
    VOTES,
    WITHDRAWN,
    CommentLabel,
    Label,
    PageText,
    PollText,
    Recap,
    Result,
    SnippetText,
)
from mapping.match.match import Status
from mapping.posts.wording import placeholders
from mapping.sports import SPORTS
from mapping.sports.positions import CONTEXT, POSITIONS, position_name

ROOT = Path(__file__).parents[2]
DESK = {*ROOT.glob("api/desk/**/*.html"), *ROOT.glob("api/desk/**/*.py"), *ROOT.glob("mapping/desk/*.py")}


def extracted(files):
    """Every (context, msgid) that these files ask for: templates by `_("…")`, modules by `.text("…")` and `msgid("…")`."""
    texts = set()
    for file in files:
        if file.suffix == ".html":
            found = [each for _, each, *_ in extract(babel_extract, io.BytesIO(file.read_bytes()), {"_": None})]
        else:
            calls = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call) and node.args]
            names = ((getattr(call.func, "attr", getattr(call.func, "id", "")), call.args[0]) for call in calls)
            found = [
                first.value for name, first in names if name in {"text", "msgid"} and isinstance(first, ast.Constant)
            ]
        texts |= {(None, each) for each in found}
    return texts


ENGLISH = ("en", "en-gb")
TRANSLATED = sorted(shipped_locales() - set(ENGLISH))


def used():
    """Every (context, msgid) that a row, a label or a position asks for."""
    texts = {(None, text.value) for text in (*Label, *Recap, *Result, *PageText, *PollText, *SnippetText)} | {
        (None, POSTS[0]),
        (None, LAP),
        (None, LOADS_FROM),
        (None, UNDER_REVIEW),
    }
    texts |= {(None, str(each)) for each in CommentLabel}
    kicks = (*KICK.values(), *KICK_BEYOND.values(), *KICK_UNNUMBERED.values(), KICK_OPEN)
    texts |= {(None, each) for each in kicks}
    texts |= {(None, each) for each in (NEW_POSTS[0], CORRECTED, WITHDRAWN, PERCENT, VOTES[0])}
    shown = (SCORE, DECIMAL_MARK, BETWEEN_SETS, ON_PITCH, *PERIODS.values(), *ENDINGS.values())
    texts |= {(SCORE_CONTEXT, msgid) for msgid in shown}
    texts |= {(CONTEXT, msgid) for msgid in POSITIONS.values()}
    for sport in SPORTS.values():
        texts |= {(SPORT_CONTEXT, sport.name)} | {(SCORE_CONTEXT, msgid) for msgid in sport.endings.values()}
        texts |= {(None, msgid) for msgid in (*sport.roles.values(), *sport.phases)}
        for kind in sport.kinds:
            variants = (msgid for msgids in kind.variants.values() for msgid in msgids)
            texts |= {(None, msgid) for msgid in (kind.title, *kind.sentences, *variants)}
    return texts


def messages_of(name):
    """(context, msgid) → the forms of each message in a catalogue."""
    return {
        (message.context, message.id if isinstance(message.id, str) else message.id[0]): message
        for message in catalogue(name)
        if message.id
    }


def forms(message):
    return (message.string,) if isinstance(message.string, str) else message.string


def test_every_language_of_the_interface_is_shipped():
    """Each locale has a catalogue, but for those whose English is British with other stamps."""
    assert shipped_locales() == set(get_args(Locale)) - {"", "en-ie", "en-au", "en-nz"}


@pytest.mark.parametrize("name", TRANSLATED)
def test_a_catalogue_holds_exactly_the_texts_in_use(name):
    """No text is missing, and none is left over; the desk's, which no reader sees, are in English and German alone."""
    assert messages_of(name).keys() == used() | (extracted(DESK) if name == "de" else set())


@pytest.mark.parametrize("name", ENGLISH)
def test_an_english_catalogue_holds_what_differs_from_the_source(name):
    """The source texts are English: one that reads the same is not written again, and none is left over."""
    messages = messages_of(name)
    assert messages.keys() <= used()
    assert [msgid for (_, msgid), message in messages.items() if forms(message)[0] == msgid] == []


@pytest.mark.parametrize("name", sorted(shipped_locales()))
def test_no_translation_is_empty_or_in_doubt(name):
    """Every text is translated, in all its plural forms, and none is marked as fuzzy."""
    messages = messages_of(name).values()

    assert [message.id for message in messages if not all(forms(message)) or message.fuzzy] == []
    assert {len(forms(message)) for message in messages if message.pluralizable} <= {catalogue(name).num_plurals}


@pytest.mark.parametrize("name", sorted(shipped_locales()))
def test_translations_have_the_placeholders_of_their_source(name):
    """A translation fills in the same values as the English text."""
    for message in messages_of(name).values():
        source = message.id if isinstance(message.id, str) else message.id[-1]

        assert {placeholders(form) for form in forms(message)} == {placeholders(source)}, message.id


def test_english_has_the_plural_of_the_source():
    """One post, but several posts and none."""
    assert [translator("en").plural(*POSTS, count) for count in (0, 1, 2)] == [
        form.format(count=count) for form, count in ((POSTS[1], 0), (POSTS[0], 1), (POSTS[1], 2))
    ]


@pytest.mark.parametrize("locale", [*get_args(Locale), "xx", "DE", "pt-br"])
def test_every_locale_has_every_text(locale):
    """Each locale of the interface, and any other, falls back until a text is found."""
    texts = translator(locale)

    british = {"en-ie": "en-gb", "en-au": "en-gb", "en-nz": "en-gb"}
    known = british.get(locale.lower(), locale.lower())
    assert texts.locale == (known if known in shipped_locales() else "en")
    assert all(texts.text(msgid, context=context) for context, msgid in used())


@pytest.mark.parametrize("locale", ["en-ie", "en-au", "en-nz"])
def test_english_of_other_countries_is_british_first(locale):
    """Irish, Australian and New Zealand English take British texts before any other."""
    assert FALLBACKS[locale] == "en-gb"
    assert FALLBACKS["en-gb"] == "en"
    assert translator(locale).text("Soccer", context=SPORT_CONTEXT) == "Football"
    assert translator("en").text("Soccer", context=SPORT_CONTEXT) == "Soccer"


@pytest.mark.parametrize("name", sorted(shipped_locales() - {"en", "en-gb"}))
def test_sentences_are_really_translated(name):
    """No sentence of another language is the English one, as a text copied and forgotten would be."""
    sentences = [
        message for (_, msgid), message in messages_of(name).items() if msgid.endswith((".", "!")) and " " in msgid
    ]

    assert {message.id for message in sentences if message.id == message.string} <= {"Game {team}."}


def test_french_punctuation_never_begins_a_line():
    """Before a colon and within guillemets stands a no-break space, before `!`, `?` and `;` a narrow one."""
    texts = [form for message in messages_of("fr-fr").values() for form in forms(message)]

    assert [each for each in texts if re.search("(?<!\u00a0)[:»]|«(?!\u00a0)|(?<!\u202f)[!?;]", each)] == []


@pytest.mark.parametrize(
    ("name", "words", "values"),
    [("fr-fr", "de|que", "(?!score|sets)"), ("it-it", "il|lo|del|dal|nel|sul", "(?=score|won)")],
)
def test_no_value_follows_a_word_that_changes_with_it(name, words, values):
    """`de` before Angers is `d'Angers`, and the Italian article before 1-0 another one than before 2-1: neither is used."""
    texts = [form for message in messages_of(name).values() for form in forms(message)]

    assert [each for each in texts if re.search(rf"\b(?:{words}) \{{{values}", each)] == []


@pytest.mark.parametrize(
    ("locale", "count", "expected"),
    [
        ("en", 0, "0 posts"), ("en", 1, "1 post"), ("de", 1, "1 Beitrag"), ("de", 2, "2 Beiträge"),
        ("fr-fr", 0, "0 publication"), ("fr-fr", 2, "2 publications"), ("it-it", 1, "1 aggiornamento"),
        ("nl-nl", 5, "5 berichten"), ("zh-tw", 1, "1則內容"), ("zh-tw", 7, "7則內容"), ("en-nz", 0, "0 posts"),
    ],
)  # fmt: skip
def test_numbers_choose_the_plural(locale, count, expected):
    """A count is written in the form that its language has for it."""
    assert translator(locale).plural(*POSTS, count) == expected


def test_a_text_of_somebody_else_is_given_back_as_it_is():
    """A text without translation is its own, also with braces in it, and in any plural."""
    texts = translator("de")

    assert texts.text("{strange} {}") == "{strange} {}"
    assert texts.plural("{count} goal", "{count} goals", 3) == "3 goals"


def test_positions_are_named_and_free_text_stays():
    """A position key of the interface has a name in each language; what is no key is given back."""
    assert position_name(translator("de"), "midfield") == "Mittelfeld"
    assert position_name(translator("de"), "Sechser") == "Sechser"


def test_every_interruption_has_a_word():
    """Postponed, abandoned and cancelled matches say so."""
    assert set(INTERRUPTED) == {Status.POSTPONED, Status.ABANDONED, Status.CANCELLED}
