"""The older form of a post as clients send it: title, the same text with spans, embeds, files; each update a whole post."""

import json

import pytest

from tests.kit import matchday
from tests.kit.event_desk import Desk, photo, text

THEIRS = "Abc::ApiModel::"


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
