"""Comments in the store, on both databases: what is public, and that numbers are exact whoever writes at once."""

import asyncio
from functools import partial

import pytest

from mapping.documents.scalars import LocalStatus
from mapping.errors import Forbidden, InvalidRequest, NotFound
from store.comments import comments, moderation
from store.comments.comments import NewComment
from store.comments.tables import CommentStatus
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from store.readers.reader_sign_ins import use_once
from tests.kit import matchday
from tests.store.conftest import ALIKE, BOTH

READERS = 6
GAME, CHANNEL, ORGANIZATION = "6a" * 12, "egoal", matchday.ORGANIZATION


def draft(name, text="What a goal!", reader="kim", **more):
    new = NewComment(name, ORGANIZATION, GAME, CHANNEL, None, reader, reader.title(), None, text, "approved")
    return new._replace(**more)


class Desk:
    """Writes and reads comments of one post."""

    def __init__(self, store):
        self.store = store

    async def add(self, name, *args, period=600, **more):
        return await self.store.write(partial(comments.create, new=draft(name, *args, **more), duplicate_period=period))

    async def page(self, **more):
        wanted = {"limit": 50, "after": None, "reader_id": None, "until": None, **more}
        return await self.store.read(lambda conn: comments.public_page(conn, CHANNEL, **wanted))

    async def shown(self, **more):
        return [each.id for each in (await self.page(**more)).comments]

    async def decide(self, name, status):
        return await self.store.write(
            partial(moderation.decide, organization_id=ORGANIZATION, comment_id=name, status=status, client_id="desk")
        )

    async def ban(self, reader, *, banned=True, organization=ORGANIZATION):
        await self.store.write(lambda unit: moderation.ban(unit, organization, reader, banned=banned, client_id="desk"))

    async def waiting(self):
        query = {"status": CommentStatus.PENDING, "game_id": None, "channel_id": None, "limit": 50, "after": None}
        found = await self.store.read(lambda conn: comments.list_comments(conn, ORGANIZATION, **query))
        return [each.id for each in found.comments]

    async def like(self, name, reader, *, liked=True):
        return await self.store.write(lambda unit: comments.like(unit, CHANNEL, name, reader, liked=liked))

    async def report(self, name, reader, after=3, network=None):
        """From a network of the reader's own unless it is named."""
        which = {"network": network or reader, "hide_after_reports": after}
        await self.store.write(lambda unit: comments.report(unit, CHANNEL, name, reader, **which))


@pytest.fixture
async def desk(store):
    await store.write(partial(matchday.insert, matchday.derby()))
    return Desk(store)


@BOTH
async def test_what_is_public_and_what_numbers_say(desk):
    """Only what is approved, of a reader who is not banned, below a comment that is both; counted the same way."""
    for number in range(5):
        await desk.add(f"c{number}", f"Comment {number}")
    await desk.add("reply", "Indeed.", reader="sam", parent_id="c1")
    await desk.add("waits", "A word", reader="sam", status="pending")
    await desk.add("other", reader="sam", channel_id="etext")

    assert await desk.shown() == ["reply", "c4", "c3", "c2", "c1", "c0"]
    assert await desk.shown(reader_id="sam") == ["waits", "reply", "c4", "c3", "c2", "c1", "c0"]
    first = await desk.page(limit=4)
    rest = await desk.page(limit=4, after=first.comments[-1].id)
    assert ([each.id for each in rest.comments], first.more, rest.more) == (["c1", "c0"], True, False)
    assert first.total == rest.total == 6
    assert rest.comments[0].reply_count == 1
    assert (await desk.page(until=0)).total == 0
    for wrong in ("other", "never"):
        with pytest.raises(InvalidRequest):
            await desk.page(after=wrong)
    assert await desk.store.read(lambda conn: comments.counts(conn, GAME).numbers) == {CHANNEL: 6, "etext": 1}

    await desk.decide("c1", CommentStatus.REJECTED)
    assert await desk.shown() == ["c4", "c3", "c2", "c0"]
    await desk.decide("c1", CommentStatus.APPROVED)
    await desk.ban("kim")
    assert await desk.shown() == []
    assert await desk.store.read(lambda conn: comments.counts(conn, GAME).numbers) == {"etext": 1}
    with pytest.raises(Forbidden):
        await desk.add("late", "More", reader="kim")
    with pytest.raises(NotFound):
        await desk.ban("nobody")
    with pytest.raises(NotFound):
        await desk.ban("kim", organization=matchday.OTHER)
    await desk.ban("kim", banned=False)
    assert len(await desk.shown()) == 6
    for banned, waiting in ((True, []), (True, []), (False, ["waits"])):
        await desk.ban("sam", banned=banned)
        assert await desk.waiting() == waiting
    await desk.decide("c1", CommentStatus.DELETED)
    with pytest.raises(NotFound):
        await desk.decide("c1", CommentStatus.APPROVED)
    gone = await desk.store.read(lambda conn: comments.require(conn, "c1"))
    assert (gone.text, gone.author_name) == ("", None)


@BOTH
async def test_readers_at_once_leave_exact_numbers(desk):
    """Comments, the same one several times, likes, likes taken back and reports, all at once."""
    await desk.add("c0", "First")
    readers = [f"r{number}" for number in range(READERS)]

    async def twice(reader):
        results = await asyncio.gather(
            *(desk.add(f"{reader}-{n}", "The same words", reader=reader) for n in range(2)), return_exceptions=True
        )
        assert sorted(type(each).__name__ for each in results) == ["Conflict", "StoredComment"], results

    await asyncio.gather(*map(twice, readers))
    await asyncio.gather(*(desk.like("c0", reader) for reader in readers for _ in range(2)))
    await asyncio.gather(*(desk.like("c0", reader, liked=False) for reader in readers[:3]))
    await asyncio.gather(*(desk.report("c0", reader, after=0) for reader in readers for _ in range(2)))

    page = await desk.page(limit=100, reader_id=readers[4])
    assert (page.total, len(page.comments)) == (READERS + 1, READERS + 1)
    first = page.comments[-1]
    assert (first.id, first.likes, first.liked, first.reports) == ("c0", READERS - 3, True, READERS)


@ALIKE
async def test_one_stranger_with_many_tokens_hides_nothing(desk):
    """Reports count by network: five readers of one are one, and each network counts once."""
    await desk.add("c0", "First")
    for number in range(5):
        await desk.report("c0", f"r{number}", network="one")
    await desk.report("c0", "sam", network="two")
    assert await desk.shown() == ["c0"]
    await desk.report("c0", "kim", network="three")
    assert await desk.shown() == []
    found = await desk.store.read(lambda conn: comments.require(conn, "c0"))
    assert (found.status, found.reports) == ("hidden", 3)


@ALIKE
async def test_what_is_forgotten_and_when(desk):
    """Rejected and deleted comments after their time, in steps, with likes; the rest of a deleted liveblog at once."""
    for number in range(4):
        await desk.add(f"c{number}", f"Comment {number}")
    await desk.like("c1", "sam")
    await desk.decide("c1", CommentStatus.REJECTED)
    await desk.decide("c2", CommentStatus.DELETED)

    async def purge(before, limit=1):
        return await desk.store.write(lambda unit: moderation.purge(unit, before=before, limit=limit))

    assert not await purge(0)
    far = 10**11
    assert [await purge(far), await purge(far), await purge(far)] == [True, True, False]
    left = await desk.store.read(lambda conn: comments.read_for_export(conn, GAME, after=0, limit=10))
    assert [each.id for each in left] == ["c0", "c3"]
    await desk.store.write(lambda unit: liveblogs.record(unit, GAME, Change(local_status=LocalStatus.DELETED)))
    assert not await purge(0, limit=10)
    assert await desk.store.read(lambda conn: comments.read_for_export(conn, GAME, after=0, limit=10)) == []


@BOTH
async def test_of_all_who_use_a_sign_in_token_at_once_one_is_first(store):
    """Also on PostgreSQL, where they do so in transactions of their own."""
    use = partial(use_once, organization_id=ORGANIZATION, jti="one", until=10**11)
    assert sum(await asyncio.gather(*(store.write(use) for _ in range(10)))) == 1
