"""Uploads in documents over HTTP: whose may be named, and how long they stay for it."""

from functools import partial

import pytest
from sqlalchemy import select, update

from mapping.documents.scalars import LocalStatus
from store.engine.liveblog_records import Change, EventWrite, new_key
from store.liveblogs import liveblogs
from store.media import uploads
from store.media.tables import media_probes, upload_uses
from store.media.uploads import Upload
from tests.api.conftest import serving, store
from tests.kit import matchday
from tests.kit.event_desk import CONTENT, Desk
from tests.kit.name_servers import Names
from tests.kit.places import GAME, PLACES, Places

__all__ = ["store"]


@pytest.fixture
async def places(store):
    async with serving(store, client_per_second=0, public_per_second=0) as server:
        await server.add(matchday.Liveblog())
        yield Places(Desk(server.http), Names())


async def uploaded(store, organization=matchday.ORGANIZATION, **facts):
    made = Upload(
        key=new_key(), organization_id=organization, client_id="desk", subtype="i", content_type="image/png",
        digest="d", bytes=4, **{"width": 640, "height": 480, "created_at": 1, **facts},
    )  # fmt: skip
    await store.write(partial(uploads.create, upload=made))
    return made


async def used(store):
    query = select(upload_uses.c.upload_key, upload_uses.c.kind, upload_uses.c.shown)
    return {tuple(row) for row in await store.read(lambda conn: conn.execute(query).all())}


async def is_shown(store, upload):
    return await store.read(partial(uploads.is_shown, key=upload.key))


async def test_an_upload_of_the_own_organization_is_taken_and_noted(places, store):
    """In each field that takes an image; its use is written with the record, and readers may see it."""
    for name, (_, send) in PLACES.items():
        upload = await uploaded(store)
        answer = await send(places, upload.url)

        assert answer.status_code == 200, (name, answer.text)
        assert upload.url in answer.text
        assert [shown for key, _, shown in await used(store) if key == upload.key] == [True], name
        assert await is_shown(store, upload)


async def test_other_uploads_are_refused_alike(places, store):
    """Somebody else's, an unknown one and what is no address of an upload: one answer, which shows nothing."""
    theirs, ours = await uploaded(store, matchday.OTHER), await uploaded(store)
    bad = [
        theirs.url,
        f"imageservice://{matchday.ORGANIZATION}/{theirs.key}",
        f"imageservice://{matchday.ORGANIZATION}/{new_key()}",
        f"imageservice://{matchday.OTHER}/{ours.key}",
        f"imageservice://{matchday.ORGANIZATION}/../{ours.key}",
        f"{ours.url}/",
        f"{ours.url}?x=1",
        f"IMAGESERVICE://{matchday.ORGANIZATION}/{ours.key}",
        "imageservice://x",
    ]
    for path, send in PLACES.values():
        answers = [await send(places, url) for url in bad]
        assert {answer.status_code for answer in answers} == {422}
        assert {answer.json()["field"] for answer in answers} == {path}
        assert len({answer.text for answer in answers}) == 1
    assert await used(store) == set()


async def test_an_id_of_no_record_hides_no_upload(places, store):
    """Only what names a record of master data has that record's files; a block with an `_id` of its own has its own."""
    theirs, ours = await uploaded(store, matchday.OTHER), await uploaded(store)
    card = {"_type": f"{CONTENT}::PlayerCardContentBlock", "_id": "5f0c1de2a1b2c3d4e5f60001"}

    answer = await places.event({"contents": [{**card, "image": theirs.url}]})
    assert (answer.status_code, answer.json().get("field")) == (422, "contents.0.image")
    assert (await places.event({"contents": [{**card, "image": ours.url}]})).status_code == 200
    assert await used(store) == {(ours.key, "event", True)}


async def test_a_use_follows_its_file(places, store):
    """Shown while its entry is published, kept while it is withdrawn, free once the entry or the post is deleted."""
    first, second = await uploaded(store), await uploaded(store)
    desk = places.desk
    event = await desk.create({"media": [{"url": first.url}, {"url": second.url}]})
    assert await used(store) == {(first.key, "event", True), (second.key, "event", True)}

    files = [{**event["media"][0], "local_status": 60}, event["media"][1]]
    await desk.update(event["local_id"], {"media": files})
    assert await used(store) == {(first.key, "event", False), (second.key, "event", True)}
    assert not await is_shown(store, first)
    files[0] = {**files[0], "local_status": 100}
    await desk.update(event["local_id"], {"media": files})
    assert await used(store) == {(second.key, "event", True)}
    await desk.delete(event["local_id"])
    assert await used(store) == set()


async def test_a_deleted_liveblog_frees_the_uploads_of_its_posts(places, store):
    """Nobody is shown them again, so the purge takes them; those of another liveblog stay."""
    cover, first, other = [await uploaded(store) for _ in range(3)]
    info = {"_type": "Svc::Model::MarketplaceInfo::BasicMarketplaceInfo", "cover_image": cover.url}
    await places.modify("UpdateGameMarketplaceInfoModification", marketplace_info=info)
    await places.desk.create({"media": [{"url": first.url}]})
    game = (await places.post("ticker/create", GAME)).json()
    kept = await places.post("event/create", {"media": [{"url": other.url}]}, ticker_local_id=game["local_id"])
    assert kept.status_code == 200, kept.text

    assert (await places.modify("DeleteGameModification", local_status="100")).status_code == 200
    assert await used(store) == {(other.key, "event", True)}


async def test_a_replaced_or_cleared_image_is_free(places, store):
    """Of a record of master data as of a post."""
    first, second = await uploaded(store), await uploaded(store)
    for image, kept in ((first.url, {first.key}), (second.url, {second.key}), (None, set())):
        assert (await places.master_update("team", image=image)).status_code == 200
        assert {key for key, _, _ in await used(store)} == kept


async def test_an_upload_brings_its_size(places, store):
    """Where the entry does not say one; what it says stays."""
    upload = await uploaded(store)
    event = await places.desk.create({"media": [{"url": upload.url}, {"url": upload.url, "width": 64, "height": 48}]})

    assert [(file["width"], file["height"]) for file in event["media"]] == [(640, 480), (64, 48)]


async def test_the_image_of_a_record_that_is_named_is_the_records_own(places, store):
    """A liveblog that names a team in full uses nothing of the team's logo."""
    team = (await places.master("team", image=(await uploaded(store)).url)).json()
    meta = {
        "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
        "home_team": team,
        "away_team": {"_type": "Svc::Model::Team", "name": "Other"},
        "starts_at": 1789995600,
    }
    assert (await places.modify("UpdateGameMetaInfoModification", meta_info=meta)).status_code == 200
    assert {kind for _, kind, _ in await used(store)} == {"team"}


async def test_every_writer_of_a_post_notes_its_uses(places, store):
    """A post that the sync withdraws and deletes refers to no upload any more, though no client has deleted it."""
    upload = await uploaded(store)
    event = await places.desk.create({"media": [{"url": upload.url}]})

    def delete(unit):
        stored = liveblogs.event(unit.conn, event["local_id"])
        write = EventWrite.new(
            local_id=stored.local_id,
            document=stored.document,
            created_at=stored.created_at,
            local_status=LocalStatus.DELETED,
        )
        liveblogs.record(unit, stored.game_id, Change(events=(write,)))

    await store.write(delete)
    assert await used(store) == set()


async def test_probes_go_with_what_they_are_of(places, store):
    """Given-up ones too: with a deleted post, an entry that is deleted or has another address, and the liveblog."""

    async def probed():
        return set(await store.read(lambda conn: conn.scalars(select(media_probes.c.url)).all()))

    def give_up(unit):
        unit.conn.execute(update(media_probes).values(next_at=None, error="the file is gone"))

    desk, url = places.desk, "https://public.example/{}.jpg".format
    event = await desk.create({"media": [{"url": url(name)} for name in "abc"]})
    other = await desk.create({"media": [{"url": url("d")}]})
    last = await desk.create({"media": [{"url": url("e")}]})
    await store.write(give_up)
    a, b, c = event["media"]
    await desk.update(event["local_id"], {"media": [a, {**b, "local_status": 100}, {**c, "url": url("f")}]})
    assert await probed() == {url(name) for name in "adef"}
    await desk.update(event["local_id"], {"headline": "Still there"})
    assert await probed() == {url(name) for name in "adef"}
    await desk.delete(other["local_id"])
    await desk.delete(event["local_id"])
    assert await probed() == {url("e")}
    await places.modify("DeleteGameModification", local_status="100")
    assert await probed() == set(), last
