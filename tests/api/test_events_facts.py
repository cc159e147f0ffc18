"""What existing clients of the interface rely on, one fact a test."""

import pytest

from tests.kit import matchday
from tests.kit.event_desk import DESK, PATH, Desk, post


@pytest.fixture
async def desk(server):
    await server.add(matchday.Liveblog())
    return Desk(server.http)


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
