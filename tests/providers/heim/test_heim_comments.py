"""The editorial text: what stands alone, what belongs to an incident, and what of it was written by nobody."""

import pytest

from tests.providers.heim.feed import item, row, translated

GOAL = row(1, "goal/head", 12, "home", 9)
HEADLINE = "<b>Tooor für SV Nordhafen, 1:0 durch Jan Muster9</b>"


def texts(items, events=()):
    return [(c.key, c.incident_key, c.html) for c in translated(events, items).comments]


@pytest.mark.parametrize(
    ("content", "html"),
    [
        (f"{HEADLINE} <br/>Nach einer Ecke.", "Nach einer Ecke."),
        (f"<p>{HEADLINE}</p> <p>Nach einer Ecke.</p>", "<p>Nach einer Ecke.</p>"),
        (f"<p>{HEADLINE}<br>Nach einer Ecke.</p>", "<p>Nach einer Ecke.</p>"),
        ('<span class="gruentext">Einwechslung bei X -> Y</span><br/>Frisch.', "Frisch."),
        ("Ohne Kopf. <b>Fett</b> <br/>weiter", "Ohne Kopf. <b>Fett</b> <br/>weiter"),
        ("<b>Fett</b> mitten im Satz", "<b>Fett</b> mitten im Satz"),
    ],
)
def test_the_automatic_headline_goes(content, html):
    """Only what the feed puts before the narrative is taken away."""
    assert texts([item(5, 12, content, GOAL)], [GOAL]) == [("text:5", "incident:1", html)]


@pytest.mark.parametrize(
    "content", [HEADLINE, f"{HEADLINE} <br/>", f"<p>{HEADLINE}</p>", f"{HEADLINE}<br/> &nbsp;", ""]
)
def test_a_headline_alone_is_no_text(content):
    """Until somebody writes, there is no text."""
    assert texts([item(5, 12, content, GOAL)], [GOAL]) == []


def test_the_text_of_a_period_belongs_to_its_marker():
    """Period rows are known by their kind, so is the text on them, before and after the row arrives."""
    start = row(7, "match/game-start", 1)
    reported = [texts([item(5, 1, "<b>Spielbeginn</b><br/>Los!", start)], rows) for rows in ([], [start])]

    assert reported == [[("text:5", "period:soccer.start", "Los!")]] * 2


def test_both_rows_of_a_substitution_speak_of_one_incident():
    """The item of the in-row wins; that of the out-row stands where the other has nothing to say."""
    going, coming = row(3, "playing/substitute-out", 60, "home", 7), row(4, "playing/substitute-in", 60, "home", 14)
    out_item, in_item = item(5, 60, "Geht.", going), item(6, 60, "Kommt.", coming)
    silent = item(6, 60, '<span class="gruentext">Einwechslung</span>', coming)

    assert texts([in_item, out_item], [going, coming]) == [("text:6", "incident:4", "Kommt.")]
    assert texts([silent, out_item], [going, coming]) == [("text:5", "incident:4", "Geht.")]


@pytest.mark.parametrize("keyword", ["goal/head", "card/red", "playing/substitute-out", "playing/substitute-in"])
def test_text_may_come_before_its_incident(keyword):
    """It names the incident that the event will be."""
    assert texts([item(5, 12, "Schon da.", row(9, keyword, 12, "home", 9))]) == [("text:5", "incident:9", "Schon da.")]


@pytest.mark.parametrize("keyword", ["special/video-check", "playing/lineup"])
def test_text_on_what_never_becomes_an_incident_stands_alone(keyword):
    """Line-ups and unknown kinds are shown by their text, headline and all."""
    event = row(9, keyword, 120, "home", 9)

    assert texts([item(5, 120, "<b>Trifft</b><br/>links", event)], [event]) == [
        ("text:5", None, "<b>Trifft</b><br/>links")
    ]
