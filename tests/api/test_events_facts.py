"""What existing clients of the interface rely on, one fact a test."""

from __future__ import annotations

import json

import pytest

from tests.kit import matchday
from tests.kit.event_desk import DESK, PATH, Desk, post


@pytest.fixture
async def desk(server):
    await server.add(matchday.Liveblog())
    return Desk(server.http)


async def test_json_is_understood_as_plain_text(desk):
    """A real client sends its JSON as `text/plain`."""
    response = await desk.http.post(
        f"{PATH}/create.json",
        params={"ticker_local_id": "gderby"},
        content=json.dumps(post("Hello")),
        headers={"Content-Type": "text/plain"},
        auth=DESK,
    )

    assert (response.status_code, response.json()["contents"][0]["text"]) == (200, "Hello")


async def test_timestamps_may_be_fractions(desk):
    """Floats and digit strings are seconds; answers carry integers."""
    event = await desk.create(post(created_at=1_789_000_000.75, updated_at="1789000001"))

    assert (event["created_at"], event["updated_at"]) == (1_789_000_000, 1_789_000_001)
    assert event["sort"].startswith(f"{1_789_000_000:016x}")


async def test_any_type_prefix_is_understood(desk):
    """What follows the first `::` decides; the answer begins the names as the request did."""
    event = await desk.create(json.loads(json.dumps(post()).replace("Svc::", "Vendor::")))

    assert next(iter(event)) == "_type"
    assert event["_type"] == "Vendor::Model::Event"
    assert event["contents"][0]["_type"] == "Vendor::Model::Content::RichTextContentBlock"


async def test_a_liveblog_may_be_named_by_ticker_id(desk):
    """`ticker_id` is accepted, as a parameter of its own and in the place of the `local_id`."""
    by_id = matchday.Liveblog().ticker_id
    responses = [
        await desk.send("create", post(), ticker_id=by_id),
        await desk.send("create", post(), ticker_local_id=by_id),
        await desk.send("create", post(), ticker_local_id="gderby", ticker_id=by_id),
    ]

    assert [response.status_code for response in responses] == [200, 200, 200]
    assert [response.json()["version"] for response in responses] == [2, 3, 4]


async def test_a_retried_creation_is_the_same_event(desk):
    """The same `local_id` with the same document is the same event, without a version step, also after an edit."""
    first = await desk.create(post(local_id="mine"))
    again = await desk.create(post(local_id="mine"))
    await desk.update("mine", {"headline": "Edited since"})
    later = await desk.create(post(local_id="mine"))

    assert first == again
    assert (later["headline"], later["version"]) == ("Edited since", 3)
    assert (await desk.show())["version"] == 3


async def test_a_known_id_with_another_document_is_a_conflict(desk):
    """409, and the event stays what it was."""
    await desk.create(post("One", local_id="mine"))

    assert await desk.refused("create", post("Two", local_id="mine"), ticker_local_id="gderby") == (409, "local_id")
    assert (await desk.delta())["events"][0]["contents"][0]["text"] == "One"


async def test_the_id_of_a_deleted_event_stays_taken(desk):
    """Deleted is final, for its id too."""
    await desk.create(post(local_id="mine"))
    await desk.delete("mine")

    assert await desk.refused("create", post(local_id="mine"), ticker_local_id="gderby") == (409, "local_id")


async def test_a_form_encoded_empty_delete_is_taken(desk):
    """Clients send the content type of a form and no body."""
    await desk.create(post(local_id="mine"))
    response = await desk.http.post(
        f"{PATH}/delete.json",
        params={"event_local_id": "mine"},
        content=b"",
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        auth=DESK,
    )

    assert (response.status_code, response.json()) == (200, {})


async def test_a_second_delete_is_no_error(desk):
    """200 and `{}` once more, without a version step: clients retry."""
    await desk.create(post(local_id="mine"))

    assert (await desk.delete("mine"), await desk.delete("mine")) == ({}, {})
    assert (await desk.show())["version"] == 3


async def test_every_answer_is_200_with_json(desk):
    """Create, update and delete alike."""
    responses = [
        await desk.send("create", post(local_id="mine"), ticker_local_id="gderby"),
        await desk.send("update", {"headline": "x"}, event_local_id="mine"),
        await desk.send("delete", event_local_id="mine"),
    ]

    assert [response.status_code for response in responses] == [200, 200, 200]
    assert {response.headers["content-type"] for response in responses} == {"application/json"}
