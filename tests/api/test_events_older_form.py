"""The older form of a post as clients send it: title, the same text with spans, embeds, files; each update a whole post."""

from __future__ import annotations

import json
import random
from html.parser import HTMLParser

import pytest

from tests.kit import matchday
from tests.kit.event_desk import Desk, photo, text

THEIRS = "Abc::ApiModel::"
SPANS = ("Bold", "Italic", "Underline", "Strikethrough")
ELEMENTS = {"Bold": "b", "Italic": "i", "Underline": "u", "Strikethrough": "s", "Headline": "h3", "Ref": "a"}
WORDS = ("Goal", "für", "Łódź", "⚽", "👍🏽", "a<b", "R&D", '"so"', "München", "kick", "off")


def span(kind, start, end, url=""):
    ref = {"ref": {"_type": f"{THEIRS}UrlRef", "url": url}} if url else {}
    return {"_type": f"{THEIRS}Text::{kind}Span", "start": start, "end": end, **ref}


def info_for(words, *spans, **more):
    attributes = {"_type": f"{THEIRS}Text::AttributedText", "text": words, "attrs": list(spans)}
    return {"title": words, **({"attributes_json": json.dumps(attributes)} if spans else {}), **more}


@pytest.fixture
async def desk(server):
    await server.add(matchday.Liveblog())
    return Desk(server.http)


async def test_text_with_spans_is_one_block_and_comes_back_as_it_was(desk):
    """Formatting and links are kept, nothing is a headline, nothing is there twice; fractions of seconds are cut off."""
    words = "Goal by Kane after 12 minutes, says the linesman here"
    info = info_for(words, span("Bold", 0, 4), span("Ref", 44, 48, "https://a.example/?b=1&c=2"))
    event = await desk.create({"event_info": info, "created_at": 1449832445.567})
    after = await desk.update(event["local_id"], {"event_info": event["event_info"]})

    assert [block["_type"].rpartition("::")[2] for block in event["contents"]] == ["RichTextContentBlock"]
    assert event["contents"][0]["text"].startswith("<b>Goal</b> by Kane")
    assert event["event_info"]["title"] == words
    assert json.loads(event["event_info"]["attributes_json"]) == json.loads(info["attributes_json"])
    assert event["created_at"] == 1449832445
    assert (after["contents"], after["event_info"]) == (event["contents"], event["event_info"])


async def test_a_title_alone_is_a_text_without_formatting(desk):
    """It is no headline, and comes back alone."""
    event = await desk.create({"event_info": info_for("Calm & quiet")})

    assert [block["text"] for block in event["contents"]] == ["Calm &amp; quiet"]
    assert event["event_info"] == {"_type": "Svc::Model::EventInfo::BasicEventInfo", "title": "Calm & quiet"}


async def test_a_new_title_beside_the_old_formatting_counts(desk):
    """Whichever of the two a client changed is what it means."""
    event = await desk.create({"event_info": info_for("Goal here", span("Bold", 0, 4))})
    after = await desk.update(event["local_id"], {"event_info": {**event["event_info"], "title": "No goal"}})

    assert [block["text"] for block in after["contents"]] == ["No goal"]


async def test_an_update_in_the_older_form_is_a_whole_post(desk):
    """Highlight, files, text and embeds that it leaves out are gone; blocks that it does not know stay."""
    quote = {"_type": "Svc::Model::Content::QuoteContentBlock", "text": "Well", "author": "Kim", "source": "TV"}
    event = await desk.create({"highlight": "sticky", "contents": [text("<b>One</b>"), photo(), quote]})
    stays = await desk.update(event["local_id"], {"headline": "Level"})
    whole = await desk.update(event["local_id"], {"event_info": info_for("Two")})
    empty = await desk.update(event["local_id"], {"event_info": {"event_type": 7}})

    assert (stays["highlight"], stays["is_sticky"], len(stays["media"])) == ("sticky", True, 1)
    assert (whole["highlight"], whole["is_sticky"], whole["media"]) == ("", False, [])
    assert [block["text"] for block in whole["contents"]] == ["Two", "Well"]
    assert [block["text"] for block in empty["contents"]] == ["Well"]


async def test_what_the_older_form_names_again_stays(desk):
    """Stickiness in either spelling, files by their id or address; another file beside them is shown too."""
    files = [{"url": f"https://img.example.org/{name}.jpg", "subtype": "i"} for name in "ab"]
    event = await desk.create({"event_info": info_for("One"), "highlight": "stickyNoHighlight", "media": files[:1]})
    after = await desk.update(
        event["local_id"], {"event_info": info_for("One"), "is_sticky": True, "media": [*event["media"], files[1]]}
    )
    fewer = await desk.update(event["local_id"], {"event_info": info_for("One"), "media": [files[1]]})

    assert after["highlight"] == "stickyNoHighlight"
    assert _shown(after) == [each["url"] for each in files]
    assert after["media"][0]["local_id"] == event["media"][0]["local_id"]
    assert (fewer["highlight"], _shown(fewer)) == ("", [files[1]["url"]])


def _shown(event):
    urls = {file["local_id"]: file["url"] for file in event["media"]}
    return [urls[item["media_local_id"]] for block in event["contents"] for item in block.get("items", ())]


async def test_a_hundred_formatted_posts_are_shown_once_each_with_all_their_formatting(desk):
    """No text is there twice; every span and every link is there, in the feed and on the page."""
    chance = random.Random(8)
    infos = [_any_info(number, chance) for number in range(100)]
    posts = {(await desk.create({"event_info": info}))["local_id"]: info for info in infos}
    params = {"liveblogId": desk.liveblog, "limit": 1000}
    feed = (await desk.http.get("/api/embed/v4/feed/liveblog.json", params=params, auth=desk.auth)).json()["items"]
    page = _Page((await desk.http.get(f"/liveblogs/{desk.liveblog}", auth=desk.auth)).text)
    shown = {event["local_id"]: event["event_info"] for event in (await desk.show())["events"]}
    for local_id, info in posts.items():
        [item] = [item for item in feed if item["id"] == local_id]
        expected = _expected(info)
        assert _Page(item["content_html"]).found("") == expected
        assert shown[local_id]["title"] == info["title"]
        assert json.loads(shown[local_id]["attributes_json"]) == json.loads(info["attributes_json"])
        if local_id in page.posts:
            assert page.found(local_id) == expected
    assert len(page.posts) >= 20


def _any_info(number, chance):
    """Lines of words, each word with at most one kind of formatting, some in a link; the first line may be a headline."""
    words, spans = f"No. {number}:", []
    headline = chance.random() < 0.3
    for line in range(chance.randint(1, 3)):
        words += "\n" if line else ""
        for _ in range(chance.randint(2, 6)):
            word = chance.choice(WORDS)
            words += f" {word}"
            place = (len(words) - len(word), len(words))
            if chance.random() < 0.5:
                spans.append(span(chance.choice(SPANS), *place))
            elif chance.random() < 0.3:
                spans.append(span("Ref", *place, f"https://a.example/{number}?b=1&c={len(spans)}"))
    first = len(words.partition("\n")[0])
    spans += [span("Headline", 0, first)] if headline or not spans else []
    return info_for(words, *sorted(spans, key=lambda each: (each["start"], each["end"])))


def _expected(info):
    """(the text without its line breaks, [(element, its text, its address)])."""
    words, attrs = info["title"], json.loads(info["attributes_json"])["attrs"]
    elements = [
        (ELEMENTS[each["_type"].rpartition("::")[2].removesuffix("Span")], words[each["start"] : each["end"]],
         each.get("ref", {}).get("url"))
        for each in attrs
    ]  # fmt: skip
    return words.replace("\n", ""), sorted(elements, key=str)


class _Page(HTMLParser):
    """The texts and formatting of each post of a page, or of a piece of markup, which is the post ``."""

    def __init__(self, markup):
        super().__init__()
        self.posts, self._open, self._post = {}, [], ""
        self.feed(markup)

    def found(self, local_id):
        texts, elements = self.posts[local_id]
        return "".join(texts), sorted(((tag, "".join(inner), url) for tag, inner, url in elements), key=str)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if tag == "li" and "data-sort" in named:
            self._post, self._open = named["id"], []
        if (tag == "div" and named in ({}, {"dir": "auto"})) or tag in ELEMENTS.values():
            element = (tag, [], named.get("href"))
            within = any(each[0] == "div" for each in self._open)
            self._open.append(element)
            if within:
                self.posts.setdefault(self._post, ([], []))[1].append(element)

    def handle_endtag(self, tag):
        if any(tag == each[0] for each in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data):
        if any(each[0] == "div" for each in self._open):
            self.posts.setdefault(self._post, ([], []))[0].append(data)
            for _, inner, _ in self._open:
                inner.append(data)
