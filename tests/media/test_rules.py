"""Files of posts as the interface describes them, each rule over HTTP: what a client sends, what it and its readers get."""

import pytest

from tests.api.conftest import NOW, public, server, store
from tests.kit import matchday
from tests.kit.event_desk import CONTENT, Desk

__all__ = ["public", "server", "store"]

URL = "https://img.example.org/1.jpg"
BLOCK = f"{CONTENT}::MultiMediaContentBlock"
IMAGE, VIDEO = f"{CONTENT}::ImageMediaContent", f"{CONTENT}::VideoMediaContent"


@pytest.fixture
async def desk(server):
    await server.add(matchday.Liveblog())
    return Desk(server.http)


def showing(*items, **more):
    return {"contents": [{"_type": BLOCK, "items": list(items), **more}]}


def item(kind=IMAGE, **fields):
    return {"_type": kind, **fields}


async def changed_file(desk, event, **fields):
    """The entry after an update that sends these fields of it alone."""
    [file] = event["media"]
    after = await desk.update(event["local_id"], {"media": [{"local_id": file["local_id"], **fields}]})
    return after["media"][0]


async def test_a_source_url_becomes_a_whole_entry(desk):
    """Everything that the interface says of a file is there, whoever made it and when; the item names the entry."""
    event = await desk.create(showing(item(source_url=URL, title="Goal", credit="Kim")))
    [file], [shown] = event["media"], event["contents"][0]["items"]

    assert file == {
        "_type": "Svc::Model::Media",
        "local_id": shown["media_local_id"],
        "subtype": "i",
        "url": URL,
        "local_status": 0,
        "duration_ms": 0,
        "created_at": NOW - 60,
        "updated_at": NOW - 60,
        "user_id": "desk",
        "version": event["version"],
    }
    assert (shown["title"], shown["credit"]) == ("Goal", "Kim")


CLIP = "https://img.example.org/a.mp4"
LENGTHS = [
    ({"url": URL}, 0, {"duration_ms": 5000}, 0),
    ({"url": URL, "subtype": "i"}, 0, {"duration_ms": 5000}, 0),
    ({"url": URL, "subtype": "i", "duration_ms": 4000}, 0, {"duration_ms": 5000}, 0),
    ({"url": CLIP, "duration_ms": 4000}, 4000, {"subtype": "i"}, 0),
    ({"url": URL}, 0, {"subtype": "v"}, None),
    ({"url": URL}, 0, {"subtype": "v", "duration_ms": 900}, 900),
    ({"url": URL, "width": 640, "height": 360}, 0, {"url": f"{URL}?2"}, 0),
]
"""An entry and its `duration_ms`, a change and what it is then; None where it has none."""


@pytest.mark.parametrize(("sent", "first", "change", "then"), LENGTHS)
async def test_an_image_lasts_nothing(desk, sent, first, change, then):
    """`duration_ms` is 0 for images, also where a client says otherwise; what becomes a video has no length yet."""
    event = await desk.create({"media": [sent]})

    assert event["media"][0]["duration_ms"] == first
    assert (await changed_file(desk, event, **change)).get("duration_ms") == then


@pytest.mark.parametrize("whole", [False, True])
async def test_another_address_is_another_file(desk, whole):
    """Width, height and duration of the old one go, also where they come back with the whole entry."""
    event = await desk.create(
        {"media": [{"url": "https://a.example/a.mp4", "width": 640, "height": 360, "duration_ms": 9}]}
    )
    sent = {**event["media"][0], "url": "https://a.example/b.mp4"} if whole else {"url": "https://a.example/b.mp4"}
    file = await changed_file(desk, event, **sent)

    assert file["url"] == "https://a.example/b.mp4"
    assert not {"width", "height", "duration_ms"} & set(file)
    assert (await changed_file(desk, event, url="https://a.example/c.mp4", width=10, height=20, duration_ms=3)).items() >= {
        "width": 10, "height": 20, "duration_ms": 3,
    }.items()  # fmt: skip


async def test_absent_fields_of_a_file_stay_and_empty_ones_are_cleared(desk):
    """Null and the empty text clear; what every file has is not cleared by them."""
    texts = {"title": "Goal", "credit": "Kim", "width": 640, "height": 480}
    event = await desk.create({"media": [{"url": URL, **texts}]})

    assert (await changed_file(desk, event, credit="Lee")).items() >= {**texts, "credit": "Lee"}.items()
    cleared = await changed_file(desk, event, title=None, credit="", width=None, height=None)
    assert not texts.keys() & cleared.keys()
    kept = await changed_file(desk, event, subtype=None, local_status=None, duration_ms=None)
    assert (kept["subtype"], kept["local_status"], kept["duration_ms"], kept["url"]) == ("i", 0, 0, URL)


async def test_a_file_keeps_its_address(desk):
    """An entry without one is none; an update cannot take it away."""
    event = await desk.create({"media": [{"url": URL}]})
    name = event["media"][0]["local_id"]

    for nothing in (None, ""):
        answer = await desk.send(
            "update", {"media": [{"local_id": name, "url": nothing}]}, event_local_id=event["local_id"]
        )
        assert answer.status_code in {200, 422}
        assert answer.status_code == 422 or answer.json()["media"][0]["url"] == URL


async def test_version_and_times_are_those_of_the_files_own_last_change(desk, server):
    """A change of the post, or of another file, is none of this one; the creator stays who it was."""
    event = await desk.create({"media": [{"url": URL}, {"url": "https://img.example.org/2.jpg"}]})
    first, second = event["media"]
    other = await desk.update(event["local_id"], {"headline": "Level"})
    both = await desk.update(event["local_id"], {"media": [first, {**second, "credit": "Kim"}]})

    assert other["media"] == event["media"]
    assert both["media"][0] == first
    assert both["media"][1]["version"] == both["version"] > event["version"]
    assert (both["media"][1]["created_at"], both["media"][1]["user_id"]) == (second["created_at"], "desk")


@pytest.mark.parametrize("field", ["created_at", "updated_at", "user_id", "version"])
async def test_what_the_service_alone_says_of_a_file_is_not_taken(desk, field):
    """Clients send it back with the entry."""
    value = "somebody" if field == "user_id" else 5
    event = await desk.create({"media": [{"url": URL, field: value}]})
    file = await changed_file(desk, event, **{field: value})

    assert event["media"][0][field] != value
    assert file[field] == event["media"][0][field]


@pytest.mark.parametrize("path", [(0, 60, 0, 100), (60, 0, 60, 100), (60, 100), (0, 100)])
async def test_published_and_unpublished_either_way_and_deleted_for_good(desk, path):
    """`local_status`: 0 and 60 change into each other and into 100, which is final."""
    event = await desk.create({"media": [{"url": URL, "local_status": path[0]}]})
    assert event["media"][0]["local_status"] == path[0]
    for status in path[1:]:
        assert (await changed_file(desk, event, local_status=status))["local_status"] == status

    for status in (0, 60):
        back = {"media": [{"local_id": event["media"][0]["local_id"], "local_status": status}]}
        assert await desk.refused("update", back, event_local_id=event["local_id"]) == (422, "media.0.local_status")
    assert (await changed_file(desk, event, title="x"))["local_status"] == 100


@pytest.mark.parametrize("sent", [{}, {"content_warning": None}, {"content_warning": ""}, {"content_warning": "Blood"}])
async def test_a_warning_is_none_the_generic_one_or_its_own_words(desk, sent):
    """Null and absent are no warning, the empty text asks for the generic one; an update can change one into another."""
    event = await desk.create(showing(item(source_url=URL, **sent)))
    [shown] = event["contents"][0]["items"]
    assert shown.get("content_warning") == sent.get("content_warning")

    for warning in ("", None, "Injury", None):
        contents = [{**event["contents"][0], "items": [{**shown, "content_warning": warning}]}]
        after = await desk.update(event["local_id"], {"contents": contents})
        assert after["contents"][0]["items"][0].get("content_warning") == warning
        assert after["media"] == event["media"]


@pytest.mark.parametrize(("sent", "kept"), [("slideshow", "slideshow"), ("default", "default"), (None, None), ("", "")])
async def test_a_block_is_a_slideshow_or_default(desk, sent, kept):
    """Null and the empty text mean `default`; other words are refused."""
    event = await desk.create(showing(item(source_url=URL), display_type=sent))

    assert event["contents"][0].get("display_type") == kept
    other = showing(item(source_url=URL), display_type="grid")
    assert await desk.refused("create", other, ticker_local_id="gderby") == (422, "contents.0.display_type")


@pytest.mark.parametrize("sent", [{"media_local_id": "mother"}, {"media_local_id": "mnone"}, {}, {"source_url": ""}])
async def test_an_item_shows_a_file_of_its_own_post(desk, sent):
    """Another post's file is as unknown as one that does not exist, and an item of nothing is none."""
    await desk.create({"media": [{"local_id": "mother", "url": URL}]})
    refused = await desk.refused("create", showing(item(**sent)), ticker_local_id="gderby")

    assert refused == (422, "contents.0.items.0.media_local_id")


@pytest.mark.parametrize(
    "sent", [{"width": -1}, {"height": 1.5}, {"width": "640"}, {"duration_ms": -1}, {"subtype": "x"}]
)
async def test_facts_that_cannot_be_are_refused(desk, sent):
    """Sizes and lengths are whole numbers from 0 on, the subtype is `i` or `v`."""
    [field] = sent
    body = {"media": [{"url": URL, **sent}]}

    assert await desk.refused("create", body, ticker_local_id="gderby") == (422, f"media.0.{field}")
