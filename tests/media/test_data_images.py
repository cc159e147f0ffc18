"""Images that a post brings itself, as `data:` addresses, over HTTP: they become uploads."""

import base64
from pathlib import Path
from urllib.parse import quote_from_bytes

import pytest
from sqlalchemy import select

from store.files.disk import DiskFiles
from store.media.tables import upload_uses
from store.media.tables import uploads as uploads_table
from tests.api.conftest import serving
from tests.kit import matchday
from tests.kit.event_desk import STRANGER, Desk, photo
from tests.kit.pictures import picture, png_header

PREFIX = f"imageservice://{matchday.ORGANIZATION}/"
IMAGE_BYTES = 20_000
PNG, JPEG = picture("png", 40, 30), picture("jpeg", 80, 60)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><script>alert(1)</script></svg>'


def data(content, kind="image/png"):
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


@pytest.fixture
async def server(store, tmp_path):
    files = DiskFiles(tmp_path / "media")
    limits = {"image_bytes": IMAGE_BYTES, "data_images": 4}
    async with serving(store, files=files, client_per_second=0, public_per_second=0, **limits) as running:
        await running.add(matchday.Liveblog())
        yield running


@pytest.fixture
def desk(server):
    return Desk(server.http)


@pytest.fixture
def kept(tmp_path):
    """What is on the disk, whatever its name."""
    return lambda: [path for path in Path(tmp_path / "media").rglob("*") if path.is_file()]


async def rows(server, table=uploads_table):
    return await server.store.read(lambda conn: conn.execute(select(table)).mappings().all())


async def test_data_images_of_a_post_become_uploads(server, desk, kept):
    """In the entry, its older form, the shortcut and a player: stored once, noted with the post, and shown by its address."""
    player = {"player": {"name": "Ole Brandt", "image": data(PNG)}}
    event = await desk.create(
        {
            "media": [{"local_id": "mown", "url": data(PNG)}, {"url": f"data:,{quote_from_bytes(JPEG)}"}],
            "contents": [photo(data(PNG, "IMAGE/PNG;charset=utf-8"))],
            "sport_event": {"event_type": "soccer.goal", "players": [player]},
        }
    )
    first, second, *more = event["media"]
    stored = {row["width"]: row for row in await rows(server)}

    assert "data:" not in str(event)
    assert (first["url"], first["width"], first["height"]) == (PREFIX + stored[40]["key"], 40, 30)
    assert (second["url"], second["width"], second["height"]) == (PREFIX + stored[80]["key"], 80, 60)
    assert event["sport_event"]["players"][0]["player"]["image"] == first["url"]
    assert {each["url"] for each in more} <= {first["url"]}
    assert {path.read_bytes() for path in kept()} == {PNG, JPEG}
    assert stored[40]["content_type"] == "image/png"
    assert {(row["upload_key"], row["shown"]) for row in await rows(server, upload_uses)} == {
        (row["key"], True) for row in stored.values()
    }
    assert await server.services.files.read(stored[80]["key"], IMAGE_BYTES) == JPEG


async def test_a_data_image_below_a_name_with_dots_is_taken(server, desk):
    """Open documents have any names; which of several places is meant is never a question of how its path is spelt."""
    block = {
        "_type": "Svc::Model::Content::PlayerCardContentBlock", "local_id": "bcard",
        "of.the.day": {"image": data(PNG)}, "of": {"the": {"day": {"image": data(JPEG)}}},
    }  # fmt: skip
    event = await desk.create({"contents": [block]})
    (shown,) = event["contents"]
    stored = {row["width"]: PREFIX + row["key"] for row in await rows(server)}

    assert shown["of.the.day"]["image"] == stored[40]
    assert shown["of"]["the"]["day"]["image"] == stored[80]


async def test_a_data_image_that_can_never_be_shown_is_refused(server, desk, kept):
    """More pixels than any image may have, said with the path; nothing is stored."""
    media = [{"url": data(png_header(30_000, 30_000))}]
    found = await desk.refused("create", {"media": media}, ticker_local_id="gderby")
    assert found == (422, "media.0.url")
    assert (kept(), await rows(server)) == ([], [])


async def test_a_changed_post_takes_data_images_too(server, desk, kept):
    """Its shortcut comes back as an address that it takes again; the image that it had before stays stored for a while."""
    event = await desk.create({"contents": [photo(data(PNG))]})
    again = await desk.update(event["local_id"], {"contents": event["contents"]})
    assert again["contents"] == event["contents"]
    changed = await desk.update(event["local_id"], {"contents": [photo(data(JPEG))]})

    assert changed["contents"][0]["items"][0]["source_url"].startswith(PREFIX)
    assert {path.read_bytes() for path in kept()} == {PNG, JPEG}
    used = {row["upload_key"] for row in await rows(server, upload_uses)}
    assert changed["contents"][0]["items"][0]["source_url"].removeprefix(PREFIX) in used


@pytest.mark.parametrize(
    "named", [{"headers": {"Idempotency-Key": "k1"}}, {"local_id": "eown"}], ids=["key", "local_id"]
)
async def test_a_repeated_create_makes_one_file(server, desk, kept, named):
    """The same request gives the same post; one with another image is a conflict, which stores nothing."""
    body = {"media": [{"url": data(PNG)}], **{name: value for name, value in named.items() if name != "headers"}}

    async def create(body):
        return await server.http.post(
            "/api/v5/write/event/create.json",
            params={"ticker_local_id": "gderby"},
            json=body,
            auth=desk.auth,
            headers=named.get("headers"),
        )

    first, second = await create(body), await create(body)
    assert (first.status_code, first.json()) == (second.status_code, second.json()) == (200, first.json())
    other = await create({**body, "media": [{"url": data(JPEG)}]})
    assert other.status_code == 409
    assert (len(kept()), len(await rows(server))) == (1, 1)


BAD = {
    "no base64": "data:image/png;base64,%%%%",
    "cut base64": "data:image/png;base64,iVBORw0KGg",
    "no comma": "data:image/png;base64",
    "empty": "data:,",
    "html": data(b"<html><script>alert(1)</script></html>", "text/html"),
    "html as an image": data(b"<html><script>alert(1)</script></html>"),
    "svg": data(SVG, "image/svg+xml"),
    "svg in plain": f"data:image/svg+xml;utf8,{quote_from_bytes(SVG)}",
    "video": data(b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41" + bytes(100), "video/mp4"),
    "too large": data(PNG + bytes(IMAGE_BYTES)),
}


async def test_what_is_no_image_is_refused_with_its_path(server, desk, kept):
    """Whatever it says of itself: broken, too large, a document or a video; with the path, and nothing is stored."""
    for name, url in BAD.items():
        place = {"media": [{"url": data(PNG)}, {"url": url}]}
        assert await desk.refused("create", place, ticker_local_id="gderby") == (422, "media.1.url"), name
    player = {
        "sport_event": {"event_type": "soccer.goal", "players": [{"player": {"name": "Ole", "image": data(SVG)}}]}
    }
    refused = await desk.refused("create", player, ticker_local_id="gderby")
    assert refused == (422, "sport_event.players.0.player.image")
    many = {"media": [{"url": data(PNG)}] * 5}
    assert await desk.refused("create", many, ticker_local_id="gderby") == (422, "media.4.url")
    broken = {"media": [{"url": data(PNG)}], "highlight": "nonsense"}
    assert await desk.refused("create", broken, ticker_local_id="gderby") == (422, "highlight")
    assert (kept(), await rows(server)) == ([], [])


async def test_rights_come_before_files(server, desk, kept):
    """Who may not write the post hears that and nothing else; an organization's files are stored by its own clients alone."""
    body = {"media": [{"url": data(PNG)}]}
    event = await desk.create({"headline": "x"})
    stranger = Desk(server.http, auth=STRANGER)
    assert (await stranger.refused("create", body, ticker_local_id="gderby"))[0] == 404
    assert (await stranger.refused("update", body, event_local_id=event["local_id"]))[0] == 404

    permission = {"permission": "w", "reftype": "Organization", "refid": matchday.OTHER}
    change = {"_type": "Svc::Model::Modification::UpsertPermissionModification", "permission": permission}
    granted = await server.http.post(
        "/api/v5/write/ticker/post_modifications.json",
        json={"local_id": "gderby", "modifications": [change]},
        auth=desk.auth,
    )
    assert granted.status_code == 200, granted.text
    assert await stranger.refused("create", body, ticker_local_id="gderby") == (403, "media.0.url")
    assert (kept(), await rows(server)) == ([], [])


WRITE = "/api/v5/write"
OWNED = {"owner_id": matchday.ORGANIZATION, "sportstype": "soccer"}


async def made(desk, path, body, status=200):
    response = await desk.http.post(f"{WRITE}/{path}.json", json=body, auth=desk.auth)
    assert response.status_code == status, response.text
    return response.json()


@pytest.mark.parametrize("noun", ["team", "player"])
async def test_a_new_record_brings_its_image(desk, noun, kept):
    """A team's crest or a player's portrait as a `data:` address becomes an upload of the owner."""
    kind = {"_type": f"Svc::Model::{noun.capitalize()}", "name": "SV Hafenstadt", **OWNED}
    record = await made(desk, f"{noun}/create", {**kind, "image": data(PNG)})

    assert record["image"].startswith(PREFIX)
    assert [each.read_bytes() for each in kept()] == [PNG]
    for refused in (data(SVG), data(b"x" * 9), data(picture("png", 4, 4) + b"x" * IMAGE_BYTES)):
        error = await made(desk, f"{noun}/create", {**kind, "image": refused}, status=422)
        assert error["field"] == "image"
    stranger = Desk(desk.http, auth=STRANGER)
    await made(stranger, f"{noun}/create", {**kind, "image": data(JPEG, "image/jpeg")}, status=403)
    assert [each.read_bytes() for each in kept()] == [PNG]


async def test_teams_of_a_new_liveblog_bring_their_crests(desk, kept):
    """Created on the fly; the same document again is the same liveblog and the same file."""
    team = {"_type": "Svc::Model::Team", "name": "Neuling", "image": data(PNG)}
    meta = {"_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo", "home_team": team, "away_team": {"name": "Gast"}}
    draft = {
        "_type": "Svc::Model::Game",
        "organization_id": matchday.ORGANIZATION,
        "template_id": "soccer",
        "meta_info": meta,
        "external_id": "x1",
    }
    first, again = [await made(desk, "ticker/create", draft) for _ in range(2)]

    assert first["local_id"] == again["local_id"]
    assert first["meta_info"]["home_team"]["image"] == again["meta_info"]["home_team"]["image"]
    assert first["meta_info"]["home_team"]["image"].startswith(PREFIX)
    assert [each.read_bytes() for each in kept()] == [PNG]
