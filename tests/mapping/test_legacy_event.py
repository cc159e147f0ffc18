"""The older form of a post: text with spans, from blocks of markup and back."""

import json

import pytest

from mapping.liveblog import legacy_event
from mapping.liveblog.legacy_event import attributed_text, blocks_of, info_of, markup_of

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


TEXT = "Svc::ApiModel::Text::"


def given(text, *spans):
    """The value of `attributes_json` for a text with spans (kind, start, end, address of a link)."""
    attrs = [
        {"_type": f"{TEXT}{kind}Span", "start": start, "end": end}
        | ({"ref": {"_type": "Svc::ApiModel::UrlRef", "url": url[0]}} if url else {})
        for kind, start, end, *url in spans
    ]
    return {"_type": f"{TEXT}AttributedText", "text": text, "attrs": attrs}


def read(markup):
    """The value of `attributes_json` for a post with this text."""
    return json.loads(attributed_text([markup]).as_json("Svc::ApiModel::"))


@pytest.mark.parametrize(("markup", "text", "spans"), SPANS)
def test_markup_is_text_with_spans(markup, text, spans):
    """Elements that begin a line do so before the span begins; spans that touch are one."""
    found = read(markup)
    assert found == given(text, *spans)
    assert read(markup_of(json.dumps(found))) == found


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Goal here", [("Headline", 0, 9), ("Bold", 0, 4)]),
        ("Goal here", [("Ref", 0, 9, "https://x.org/"), ("Bold", 5, 9)]),
        ("Goal here", [("Bold", 0, 6), ("Italic", 3, 9)]),
        ("Goal\nhere", [("Headline", 0, 4), ("Headline", 5, 9)]),
        ("Goal\n\nhere", [("Headline", 0, 4)]),
        ("here\n\nGoal", [("Headline", 6, 10)]),
        ("⚽👍🏽 Goal", [("Underline", 4, 8)]),
        ("a < b & c", [("Strikethrough", 2, 3)]),
    ],
)
def test_spans_keep_their_places(text, spans):
    """Formatting within headlines and links, overlapping formatting, empty lines and characters of several bytes."""
    value = given(text, *spans)
    assert read(markup_of(json.dumps(value))) == {**value, "attrs": sorted(value["attrs"], key=_place)}


def _place(span):
    return span["start"], span["end"]


def test_a_link_with_formatting_in_it_is_one_link():
    """Elements are nested, not cut into pieces where another one begins."""
    value = given("Goal here", ("Ref", 0, 9, "https://x.org/"), ("Bold", 5, 9), ("Headline", 0, 9))
    assert markup_of(json.dumps(value)) == (
        '<h3><a href="https://x.org/" rel="noopener noreferrer nofollow">Goal <b>here</b></a></h3>'
    )


def test_links_keep_their_address():
    """As it was, not as markup spells it."""
    found = read('see <a href="https://x.org/?a=1&amp;b=2">this</a>')
    assert found == given("see this", ("Ref", 4, 8, "https://x.org/?a=1&b=2"))


def test_a_link_that_must_not_be_followed_is_text():
    """What the cleaner takes away does not come back."""
    assert read(markup_of(json.dumps(given("see this", ("Ref", 4, 8, "javascript:alert(1)"))))) == given("see this")


def test_several_blocks_are_one_text():
    """One below the other, the same in the title and, with its formatting, in `attributes_json`."""
    blocks = [{"_type": legacy_event.RICH_TEXT, "text": text} for text in ("<h3>A &amp; B</h3>", "<b>one</b>", "two")]
    info = info_of({"contents": blocks})
    assert info["title"] == "A & B\none\ntwo"
    assert json.loads(info["attributes_json"]) == given(info["title"], ("Headline", 0, 5), ("Bold", 6, 9))


def test_a_text_without_formatting_is_the_title_alone():
    """A title is no headline, and there is nothing to say about its formatting."""
    [block] = blocks_of({"title": "A < B"})
    assert block["text"] == "A &lt; B"
    assert info_of({"contents": [block]}) == {"_type": legacy_event.INFO, "title": "A < B"}


def test_only_what_is_short_is_cached():
    """What is cached is bounded, in number and in size."""
    legacy_event._cached.cache_clear()
    for number in range(3):
        attributed_text([f"<b>{number}</b>"])
        attributed_text([f"<b>{number}</b>"])
        attributed_text([f"<b>{number}</b>" * legacy_event.SHORT])
    info_ = legacy_event._cached.cache_info()
    assert (info_.hits, info_.misses, info_.maxsize) == (3, 3, legacy_event.CACHED)


def test_text_that_no_encoding_knows_breaks_nothing():
    """What another hand has put into the database is shown as far as it goes; whoever sends it replaces the rest."""
    assert read("<b>a\ud800</b>")["text"] == "a\ud800"
