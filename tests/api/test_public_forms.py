"""Every public form of a liveblog shows what the one rule calls public now, and nothing else, through any history, at any delay."""

from __future__ import annotations

import secrets
from functools import partial
from random import Random

import pytest

from mapping.documents.scalars import LocalStatus
from store.comments import comments
from store.comments.comments import NewComment
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import Change, EventWrite, NewGame
from store.published_files import file_is_shown
from tests.api.conftest import NOW
from tests.kit import matchday
from tests.kit.delayed import EMBED, served, surfaces
from tests.kit.polling_readers import OPTIONS
from tests.kit.settings import configure
from tests.kit.sqlite import migrated_url

GAME, TICKER_ID = "gforms", "7a" * 12
POSTS = range(4)
DELAYS = (0, 3, 900)
STEPS = 12
CONTENT = "Svc::Model::Content"
WHOLE = (f"{EMBED}/feed/liveblog.rss", f"{EMBED}/feed/liveblog.atom", f"/liveblogs/{GAME}", f"/embed/{GAME}")
"""Forms that show every post that is public."""


def words(number):
    return f"Words-of-post-{number}"


def image(number):
    return f"https://photos.example.org/{number}.jpg"


def document(number):
    """A post with words, a poll and somebody else's photo."""
    text = {"_type": f"{CONTENT}::RichTextContentBlock", "local_id": f"b{number}", "text": f"<p>{words(number)}</p>"}
    poll = {
        "_type": f"{CONTENT}::PollContentBlock",
        "local_id": f"p{number}",
        "question": words(number),
        "options": OPTIONS,
    }
    media = {"_type": "Svc::Model::Media", "local_id": f"m{number}", "url": image(number), "local_status": 0}
    return {
        "headline": words(number),
        "contents": [text, poll],
        "media": [media],
        "highlight": "sticky",
        "tag_ids": ["a"],
    }


class History:
    """What people do, and what has to be public afterwards."""

    def __init__(self, server, time, seed):
        self.server, self.time, self.chance = server, time, Random(seed)
        self.status, self.publish_at, self.banned = {}, {}, set()
        self.game_status = LocalStatus.PUBLISHED

    async def begin(self):
        meta = {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": "A day", "allow_comments": True}
        posts = [
            EventWrite.new(local_id=f"e{each}", document=document(each), created_at=int(self.time[0])) for each in POSTS
        ]
        game = NewGame(
            id=TICKER_ID, local_id=GAME, organization_id=matchday.ORGANIZATION, sportstype="soccer", template_id="soccer",
            document={"meta_info": meta, "locale": "en"}, events=tuple(posts),
        )  # fmt: skip
        await self.server.store.write(partial(liveblogs.insert_game, game=game))
        for number in POSTS:
            self.status[number], self.publish_at[number] = LocalStatus.PUBLISHED, None
            new = NewComment(
                f"c{number}", matchday.ORGANIZATION, TICKER_ID, f"e{number}", None, f"r{number}", None, None,
                f"Comment-{number}", "approved",
            )  # fmt: skip
            await self.server.store.write(partial(comments.create, new=new, duplicate_period=0))
        self.go_on(2000)

    def go_on(self, seconds):
        self.time[0] += seconds
        self.server.now += seconds
        self.server.ticks += seconds

    async def step(self):
        """One thing that a person does, or time that goes by."""
        number = self.chance.choice(POSTS)
        kind = self.chance.choices(
            ("write", "hide", "put off", "delete", "game", "ban", "wait"), weights=(4, 4, 2, 0.5, 2, 2, 3)
        )[0]
        match kind:
            case "wait":
                self.go_on(self.chance.choice((1, 5, 400)))
            case "ban":
                self.banned ^= {number}
                banned, reader = number in self.banned, f"/readers/r{number}/ban.json"
                path = f"/api/comments/v1/organization/{matchday.ORGANIZATION}{reader}"
                response = await self.server.http.post(path, json={"banned": banned}, auth=("desk", matchday.SECRET))
                assert response.status_code == 200, response.text
            case "game":
                self.game_status = self.chance.choice((LocalStatus.PUBLISHED, LocalStatus.UNPUBLISHED))
                await self._record(Change(local_status=self.game_status))
            case _ if self.status[number] != LocalStatus.DELETED:
                statuses = {"hide": LocalStatus.UNPUBLISHED, "delete": LocalStatus.DELETED}
                self.status[number] = statuses.get(kind, LocalStatus.PUBLISHED)
                self.publish_at[number] = int(self.time[0]) + 30 if kind == "put off" else None
                write = EventWrite.new(
                    local_id=f"e{number}", document=document(number), created_at=int(self.time[0]),
                    local_status=self.status[number], publish_at=self.publish_at[number],
                )  # fmt: skip
                await self._record(Change(events=(write,)))

    async def _record(self, change):
        await self.server.store.write(partial(liveblogs.record, game_id=TICKER_ID, change=change))

    def public(self, number):
        shown = self.status[number] == LocalStatus.PUBLISHED and self.publish_at[number] is None
        return shown and self.game_status == LocalStatus.PUBLISHED

    async def get(self, path, delay, **query):
        params = {**query, **({"delay": delay} if delay else {})}
        return await self.server.http.get(path, params=params)

    async def check(self):
        """Nothing of what is not public anywhere, at no delay; in the present all of what is."""
        for delay in DELAYS:
            for path, query in [("/", {}), ("/", {"fragment": 1}), *surfaces(GAME, 1, "e1")]:
                text = (await self.get(path, delay, **query)).text
                shown = {number for number in POSTS if words(number) in text}
                public = {number for number in POSTS if self.public(number)}
                assert shown <= public, (path, query, delay)
                if delay == 0 and path in WHOLE and query.get("limit") != 3 and "refresh" not in query:
                    assert shown == public, (path, query)
            for number in POSTS:
                await self._check_parts(number, delay)

    async def _check_parts(self, number, delay):
        owner = f"/api/comments/v1/owner/{matchday.ORGANIZATION}/public/e{number}/comments.json"
        commented = f"Comment-{number}" in (await self.get(owner, delay)).text
        voted = (await self.get(f"/apigw/polls/v1/polls/p{number}", delay)).status_code == 200
        public, seen = self.public(number), self.public(number) and number not in self.banned
        assert commented <= seen, (number, delay)
        assert voted <= public, (number, delay)
        if delay == 0:
            assert (commented, voted) == (seen, public), number
            shown = partial(file_is_shown, organization_id=matchday.ORGANIZATION, url=image(number))
            assert await self.server.store.read(shown) == public, number


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return migrated_url(tmp_path / "forms.db")
    return request.getfixturevalue("postgres_cluster").create_database(f"forms_{secrets.token_hex(4)}")


async def play(url, seed, steps):
    time = [NOW - 2000.0]
    async with served(url, lambda: time[0], delay_max=900) as server:
        configure(server.services.settings, matchday.ORGANIZATION, comments="post")
        server.now = time[0]
        history = History(server, time, seed)
        await history.begin()
        for _ in range(steps):
            await history.step()
            await history.check()


@pytest.mark.proof
async def test_every_form_shows_what_is_public_now(url):
    await play(url, 1, STEPS)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 140))
async def test_every_form_shows_what_is_public_now_in_long_histories(url, seed):
    await play(url, seed, 60)
