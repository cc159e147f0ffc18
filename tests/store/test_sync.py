"""What the sync stores comes back as it was written."""

from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import exc

from mapping.documents.scalars import LocalStatus
from store.engine.liveblog_records import Change
from store.following import closing, follow_rows
from store.following.follow_rows import Attachment, ResourceRow
from store.liveblogs.liveblogs import insert_game, record
from tests.kit.followed import MATCH
from tests.store.conftest import ALIKE, ORGANIZATION, new_game


def bodies(conn, follow_id):
    return follow_rows.unpack_bodies(follow_rows.packed_bodies(conn, follow_id))


@pytest.fixture
async def follow(store):
    return await store.write(partial(follow_rows.follow_for, match=MATCH))


def attachment(game, follow, **fields):
    return Attachment(
        game_id=game.id,
        follow_id=follow.id,
        organization_id=ORGANIZATION,
        provider="heim",
        match_id="8315073",
        selector={"matchId": "8315073"},
        terms={"autoPost": True, "exclude": ["soccer.yellow-card"]},
        created_at=1_700_000_000,
        **fields,
    )


@ALIKE
async def test_one_match_of_one_endpoint_is_followed_once(store, follow):
    """A second liveblog on the match gets the same follow, untouched; another endpoint its own."""
    await store.write(lambda unit: follow_rows.save_follow(unit, follow.id, status="live", failures=2))
    again = await store.write(partial(follow_rows.follow_for, match=MATCH))
    other = await store.write(partial(follow_rows.follow_for, match=replace(MATCH, endpoint="heim:xyz")))

    assert again == replace(follow, status="live", failures=2)
    assert other.id != follow.id
    assert (follow.kickoff, follow.next_poll_at, follow.hints, follow.fence) == (
        1_700_003_600,
        1_700_000_000.25,
        {"competition": "co12"},
        0,
    )


@ALIKE
async def test_a_match_is_closed_when_its_last_liveblog_is_deleted_and_opened_by_the_next(store, game, follow):
    """Deleted liveblogs count for nothing, but it stays known that they were created; a match of nobody yet stays open."""
    other = await store.write(partial(insert_game, game=new_game(2)))
    await store.write(partial(follow_rows.follow_for, match=replace(MATCH, match_id="nobody's yet")))
    for each in (game, other):
        await store.write(partial(follow_rows.attach, attachment=attachment(each, follow, declared_key=each.id)))
    assert [] == await store.write(closing.close_abandoned)
    await store.write(partial(record, game_id=game.id, change=Change(local_status=LocalStatus.DELETED)))
    assert [] == await store.read(closing.abandoned_matches)
    assert [other.id] == [
        each.game_id for each in await store.read(partial(follow_rows.attachments_of, follow_id=follow.id))
    ]
    await store.write(partial(record, game_id=other.id, change=Change(local_status=LocalStatus.DELETED)))

    assert [follow.id] == await store.read(closing.abandoned_matches) == await store.write(closing.close_abandoned)
    assert [] == await store.write(closing.close_abandoned)
    assert "nobody's yet" in {row.match_id for row in await store.read(follow_rows.follows)} - {follow.match_id}
    assert await store.read(partial(follow_rows.find_declared, organization_id=ORGANIZATION, key=game.id))
    third = await store.write(partial(insert_game, game=new_game(3)))
    await store.write(partial(follow_rows.attach, attachment=attachment(third, follow)))
    assert follow.id in {row.id for row in await store.read(follow_rows.follows)}


@ALIKE
async def test_bodies_of_closed_matches_are_forgotten(store, follow):
    """With them go the validators, so that a match that is opened again is fetched anew; health stays."""
    good = ResourceRow(name="match", etag='"1"', digest="d1", rows=22, good_at=5, changed_at=5, faults=[])
    await store.write(lambda unit: follow_rows.save_resources(unit, follow.id, [(good, b"{}")]))
    forget = partial(closing.forget_bodies, follow_ids=[follow.id])
    assert ([], 0) == (await store.read(closing.closed_with_bodies), await store.write(forget))
    await store.write(lambda unit: follow_rows.save_follow(unit, follow.id, closed_at=1_700_000_000))

    assert [follow.id] == await store.read(closing.closed_with_bodies)
    assert [1, 0] == [await store.write(forget) for _ in range(2)]
    assert [] == await store.read(closing.closed_with_bodies)
    assert {} == await store.read(partial(bodies, follow_id=follow.id))
    known = await store.read(partial(follow_rows.resources, follow_id=follow.id))
    assert {"match": replace(good, etag=None, digest=None)} == known


async def test_a_declared_key_creates_one_liveblog(store, game, follow):
    """The database refuses a second liveblog under the same key of the organization; without a key any number."""
    other = await store.write(partial(insert_game, game=new_game(2)))
    third = await store.write(partial(insert_game, game=new_game(3)))
    await store.write(partial(follow_rows.attach, attachment=attachment(game, follow, declared_key="derby")))
    with pytest.raises(exc.IntegrityError):
        await store.write(partial(follow_rows.attach, attachment=attachment(other, follow, declared_key="derby")))

    await store.write(partial(follow_rows.attach, attachment=attachment(other, follow)))
    await store.write(partial(follow_rows.attach, attachment=attachment(third, follow)))
    assert len(await store.read(partial(follow_rows.attachments_of, follow_id=follow.id))) == 3
