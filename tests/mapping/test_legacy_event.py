"""The older form of a post: text with spans, from blocks of markup and back."""

from __future__ import annotations

import json

import pytest

from mapping import legacy_event
from mapping.legacy_event import attributes_of, info_of, markup_of

SPANS = [
    ("<p>A <b>fine</b> move</p>", "A fine move", [("Bold", 2, 6)]),
    ("before<h3>Goal</h3>after", "before\nGoal\nafter", [("Headline", 7, 11)]),
    ("<p>one</p><h4>two</h4>", "one\ntwo", [("Headline", 4, 7)]),
    ("one<br><br>two", "one\n\ntwo", []),
    ("<ul><li>one</li><li><i>two</i></li></ul>", "one\ntwo", [("Italic", 4, 7)]),
    ("<b>a</b><b>b</b>", "ab", [("Bold", 0, 2)]),
    ("<b>a<i>b</i></b>", "ab", [("Bold", 0, 2), ("Italic", 1, 2)]),
    ("<strong>a</strong> <em>&lt;b&gt;</em>", "a <b>", [("Bold", 0, 1), ("Italic", 2, 5)]),
    ("</b>a</b>", "a", []),
    ("<u></u>a<s>b</s>", "ab", [("Strikethrough", 1, 2)]),
]


@pytest.mark.parametrize(("markup", "text", "spans"), SPANS)
def test_markup_is_text_with_spans(markup, text, spans):
    """Elements that begin a line do so before the span begins; spans that touch are one."""
    found = json.loads(attributes_of([markup]))
    assert found["text"] == text
    assert [(each["type"], each["start"], each["end"]) for each in found["spans"]] == spans
    assert json.loads(attributes_of([markup_of(attributes_of([markup]))])) == found


def test_links_keep_their_address():
    """As it was, not as markup spells it."""
    found = json.loads(attributes_of(['see <a href="https://x.org/?a=1&amp;b=2">this</a>']))
    assert found["spans"] == [{"type": "Ref", "start": 4, "end": 8, "url": "https://x.org/?a=1&b=2"}]


def test_several_blocks_are_one_text():
    """One below the other; a first one that is a headline alone is the title."""
    blocks = [{"_type": legacy_event.RICH_TEXT, "text": text} for text in ("<h3>A &amp; B</h3>", "<b>one</b>", "two")]
    info = info_of({"contents": blocks})
    assert info["title"] == "A & B"
    assert json.loads(info["attributes_json"]) == {
        "text": "one\ntwo",
        "spans": [{"type": "Bold", "start": 0, "end": 3}],
    }


def test_only_what_is_short_is_cached():
    """What is cached is bounded, in number and in size."""
    legacy_event._cached.cache_clear()
    for number in range(3):
        attributes_of([f"<b>{number}</b>"])
        attributes_of([f"<b>{number}</b>"])
        attributes_of([f"<b>{number}</b>" * legacy_event.SHORT])
    info_ = legacy_event._cached.cache_info()
    assert (info_.hits, info_.misses, info_.maxsize) == (3, 3, legacy_event.CACHED)


def test_text_that_no_encoding_knows_breaks_nothing():
    """What another hand has put into the database is shown as far as it goes; whoever sends it replaces the rest."""
    assert json.loads(attributes_of(["<b>a\ud800</b>"]))["text"] == "a\ud800"
