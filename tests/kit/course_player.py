"""Plays what a provider sends, moment by moment, into liveblogs of each language, and reads what they show everywhere."""

from __future__ import annotations

import html
import json
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from api.page import card
from ingest.kit.quarantine import Quarantine
from ingest.sync.follower import Followers
from ingest.sync.import_match import Importer, ProviderSource
from providers.base import Fetched, Known
from store.clients import clients
from store.engine.ids import new_local_id
from tests.api.conftest import serving
from tests.kit import matchday
from tests.kit.opening import endpoint_of, pool_settings, store_at
from tests.kit.scripted import Clock, answer_with
from tests.kit.settings import LIMITS, polling

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    import pytest

    from api.page.card_facts import CardFacts
    from providers.base import Provider, Selector
    from store.database import Store
    from tests.api.conftest import Server

Bodies = dict[str, bytes]
Words = dict[str, str]

LOCALES = ("en", "de")
ENOUGH = 3
"""Polls of an answer, after which nothing of it waits for being confirmed."""
SURFACES = (
    "title", "scoreboard", "state", "newest post", "key moments", "recap", "feed title", "page", "structured data", "card",
)  # fmt: skip
STATES = {0: "before", 1: "running", 2: "shoot-out", 31: "over"}
_places = count(1)


class Played:
    """A provider's own adapter, which is given the bodies of its matches instead of fetching them."""

    def __init__(self, provider: Provider, names: Mapping[str, str]) -> None:
        self.bodies: dict[str, Bodies] = {}
        self.endpoint = endpoint_of(
            provider=provider.id,
            base_url=f"http://played-{next(_places)}.invalid",
            api_key="k",
            options={"names": names},
        )
        self._real = provider.connect(self.endpoint)
        self.id, self.text_resource = self._real.id, self._real.text_resource
        self.carried_by, self.translate, self.aclose = self._real.carried_by, self._real.translate, self._real.aclose

    async def resolve(self, selector: Selector) -> str:
        """A phase is a race of its own here."""
        return selector.id if selector.kind == "match" else f"{selector.kind}:{selector.id}"

    async def fetch(self, match_id: str, known: dict[str, Known], *, text: bool, hints: Any) -> Fetched:
        del text, hints
        bodies = self.bodies[match_id]
        return Fetched(
            answers=tuple(answer_with(name, body, known.get(name, Known())) for name, body in bodies.items()), hints={}
        )


@dataclass(kw_only=True)
class CoursePlayer:
    """The service with all providers behind it."""

    store: Store
    clock: Clock
    adapters: Mapping[str, Played]
    providers: Mapping[str, Provider]
    server: Server = field(init=False)

    async def play(
        self, provider: str, selector: Mapping[str, str], steps: Iterable[tuple[float, Bodies]]
    ) -> dict[str, Words]:
        """Language → surface → words, after the provider has said all this, each at its time (Unix seconds)."""
        adapter, (kind, ident) = self.adapters[provider], next(iter(selector.items()))
        match_id = ident if kind == "matchId" else f"{kind.removesuffix('Id')}:{ident}"
        names: dict[str, str] = {}
        for at, bodies in steps:
            adapter.bodies[match_id] = bodies
            self.clock.now = max(at, self.clock.now if names else 0.0)
            self.server.now = self.clock.now
            if not names:
                names = {locale: await self._create(provider, selector, locale) for locale in LOCALES}
            for _ in range(ENOUGH):
                self.clock.now += 5
                for match in self.followers.matches:
                    await self.followers.poll(match)
        self.server.now = self.clock.now
        self.server.ticks += 10
        return {locale: await self._read(name) for locale, name in names.items()}

    async def _create(self, provider: str, selector: Mapping[str, str], locale: str) -> str:
        self._start() if locale == LOCALES[0] else None
        answer = await self.server.http.post(
            f"/apigw/sports/v2/{matchday.ORGANIZATION}/liveblog/createFromExternal",
            json={"provider": provider, **selector, "autoPostEnabled": True, "locale": locale},
            auth=("desk", matchday.SECRET),
        )
        assert answer.status_code == 200, answer.text
        return answer.json()["local_id"]

    async def import_match(self, request: Any) -> Any:
        """By the importer of the match that is played now."""
        return await self.importer(request)

    def _start(self) -> None:
        """A fresh process: each match is followed by one of its own."""
        self.followers = Followers(
            self.store,
            {each.endpoint.key: each for each in self.adapters.values()},
            polling(),
            LIMITS,
            clock=lambda: self.clock.now,
            new_id=lambda: new_local_id("e"),
            quarantine=Quarantine(),
        )
        sources = {
            (matchday.ORGANIZATION, name): ProviderSource(self.providers[name], adapter, text_content=False)
            for name, adapter in self.adapters.items()
        }
        self.importer = Importer(self.store, sources, self.followers, providers=frozenset(self.adapters), limits=LIMITS)

    async def _get(self, path: str, **params: str) -> Any:
        answer = await self.server.http.get(path, params=params, auth=("desk", matchday.SECRET))
        assert answer.status_code in {200, 404}, answer.text
        return answer

    async def _read(self, name: str) -> Words:
        """What all surfaces show of a liveblog."""
        game = (await self._get("/api/v5/write/ticker/show.json", local_id=name)).json()
        feed = (await self._get("/api/embed/v4/feed/liveblog.json", liveblogId=name, limit="100")).json()
        page = (await self._get(f"/liveblogs/{name}")).text
        drawn = await self._get(f"/liveblogs/{name}/card.png")
        ours = next(each for member, each in feed.items() if member.startswith("_"))
        return {
            "title": _plain(_between(page, "<title>", "</title>")),
            "scoreboard": scoreboard_words(game),
            "state": state_words(game),
            "newest post": newest_post_words(game),
            "key moments": " | ".join(f"{each['type']}: {each['text']}" for each in ours["key_events"]),
            "recap": ours["recap"],
            "feed title": feed["title"],
            "page": board_words(page),
            "structured data": structured_words(page),
            "card": drawn.text if drawn.status_code == 200 else "no card",
        }


def _between(page: str, opening: str, closing: str) -> str:
    _, _, rest = page.partition(opening)
    return rest.partition(closing)[0]


def _plain(markup: str) -> str:
    """The text of markup, as somebody reads it."""
    unseen = re.sub(
        r'<span class="unseen">.*?</span>|<h1.*?</h1>|<p class="facts">.*?</p>|<svg.*?</svg>',
        "",
        markup,
        flags=re.DOTALL,
    )
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", unseen)).split())


def scoreboard_words(game: Mapping[str, Any]) -> str:
    """The score with what stands beside it, then that of each part."""
    board = game.get("scoreboard") or {}
    parts = [board.get("score") or {}, *(board.get("scores") or ())]
    return ", ".join(
        " ".join(filter(None, (each.get("title"), f"{each['home_score']}:{each['away_score']}")))
        for each in parts
        if each.get("home_score")
    )


def state_words(game: Mapping[str, Any]) -> str:
    """Where the state says the match is, and whether it stands still."""
    state = game.get("state_info") or {}
    phase = f"part {state['recurrence']}" if state.get("recurrence") and state["gamestate"] == 1 else ""
    flags = [name for name, key in (("break", "is_break"), ("stopped", "timeout")) if state.get(key)]
    return ", ".join(filter(None, (STATES.get(state.get("gamestate", -1), ""), phase, *flags)))


def newest_post_words(game: Mapping[str, Any]) -> str:
    """The newest post in the order of play: its type, its title and its text."""
    public = sorted((each for each in game["events"] if each["local_status"] == 0), key=lambda each: each["sort"])
    if not public:
        return ""
    play, said = public[-1].get("sport_event") or {}, _plain((public[-1].get("contents") or [{}])[0].get("text", ""))
    kind = play.get("event_type", "").partition(".")[2]
    return ": ".join(filter(None, (kind, play.get("title"), said)))


def board_words(page: str) -> str:
    """What stands between the teams in the head of the page."""
    return _plain(_between(page, '<div class="middle">', "</section>").partition('<div class="team')[0]) or _plain(
        _between(page, '<header class="board"', "</header>").partition(">")[2]
    )


def structured_words(page: str) -> str:
    """Headline, status, and whether the coverage has ended."""
    data = json.loads(_between(page, '<script type="application/ld+json">', "</script>"))
    about = data.get("about") or {}
    status = about.get("eventStatus", "").rpartition("/")[2]
    ended = "coverage ended" if "coverageEndTime" in data else "coverage goes on"
    return ", ".join(filter(None, (data["headline"], status, ended)))


def card_words(facts: CardFacts, fonts: tuple[str, ...]) -> bytes:
    """The words of a card instead of a drawing of them."""
    del fonts
    words = " / ".join(
        filter(None, (facts.score or ("" if facts.sides else facts.title), facts.decided, facts.state, *facts.lines))
    )
    return words.encode()


@asynccontextmanager
async def course_player(
    url: str, providers: Iterable[Provider], names: Mapping[str, Mapping[str, str]], patch: pytest.MonkeyPatch
) -> AsyncIterator[CoursePlayer]:
    """The service over a migrated database. `names`: the corrections of each provider's endpoint."""
    known = {each.id: each for each in providers}
    clock = Clock()
    store = await store_at(url, clock=lambda: clock.now, pool=pool_settings(timeout=60.0))
    await store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
    adapters = {name: Played(each, names.get(name, {})) for name, each in known.items()}
    patch.setattr(card, "_drawn", card_words)
    kinds = frozenset(kind for each in known.values() for group in each.catalog.values() for kind in group)
    player = CoursePlayer(store=store, clock=clock, adapters=adapters, providers=known)
    parts = {"import_match": player.import_match, "providers": frozenset(known), "event_types": kinds}
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True, parts=parts) as server:
        player.server = server
        yield player
    for each in adapters.values():
        await each.aclose()
    await store.close()
