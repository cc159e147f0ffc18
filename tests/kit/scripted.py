"""A provider that plays by a script, and a process that can be crashed anywhere: for tests of the sync's promises."""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ingest.kit.quarantine import Quarantine
from ingest.sync.followed_match import FollowedMatch, everybody
from ingest.sync.follower import Followers
from ingest.sync.import_match import MatchImporter
from ingest.sync.provider_source import ProviderSource
from mapping.belief.confirm import confirm_answer
from mapping.documents.import_options import ImportOptions
from mapping.errors import BadBody
from mapping.liveblog.prefill import game_document
from mapping.match.match import Match
from mapping.match.references import References
from mapping.posts.posts import wanted_posts
from mapping.posts.withdrawal_notes import WithdrawalRules
from providers.base import Answer, Fetched, Known, Outcome
from providers.fault_collector import RowCache
from providers.heim.adapter import CARRIED_BY, HEIM
from providers.heim.catalog import names_of
from providers.heim.read import Event
from providers.heim.translate import translate
from store.database import Store
from store.engine.liveblog_records import StoredEvent, StoredGame, new_local_id
from store.following import follow_rows, ledger
from store.following.import_request import ImportRequest
from store.liveblogs import liveblogs
from tests.kit.opening import endpoint_of, store_at
from tests.kit.settings import LIMITS, polling
from tests.kit.sport_fixtures import recorded_steps
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import BERLIN

RESOURCES = ("match", "match-event", "liveticker")
OWNER = "5f0c1de2a1b2c3d4e5f60718"
NAMES = names_of({})
Bodies = dict[str, bytes]
SILENT = WithdrawalRules(silent=frozenset({OWNER}), note_after=0)
NOTES = WithdrawalRules(note_after=0)
_endpoints = count(1)


@dataclass
class Clock:
    """The wall clock of a store and of the processes on it, in Unix seconds; each poll moves it on."""

    now: float = 1_800_000_000.0


WALL = Clock()


async def open_store(url: str, clock: Clock = WALL) -> Store:
    """A store that has the clock of the processes on it: with two, a restart may find a match's window long over."""
    return await store_at(url, migrate=True, clock=lambda: clock.now)


class Crash(BaseException):
    """The process dies here: nothing that comes after it runs."""


def timeline(path: Path) -> tuple[str, list[Bodies]]:
    """The match's id and, after each recorded good answer, the last good body of every resource."""
    if path.suffix != ".gz":
        return recorded_steps(path)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        recorded = [json.loads(line) for line in lines]
    bodies: Bodies = {}
    snapshots: list[Bodies] = []
    for line in recorded:
        if _is_usable(line):
            bodies = {**bodies, _resource(line): _body(line)}
            if "match" in bodies:
                snapshots.append(bodies)
    return _match_id(recorded[0]), snapshots


def _is_usable(line: dict[str, Any]) -> bool:
    return bool(line.get("body")) and (_resource(line) != "match" or isinstance(line["body"], dict))


def _resource(line: dict[str, Any]) -> str:
    return line["resource"].partition("/")[0]


def _match_id(line: dict[str, Any]) -> str:
    return line["resource"].rpartition("ma")[2]


def _body(line: dict[str, Any]) -> bytes:
    return json.dumps(line["body"], ensure_ascii=False).encode()


def answer_with(name: str, body: bytes, known: Known) -> Answer:
    """The answer of a resource that has this body, to who knows so much of it."""
    digest = sha256(body).hexdigest()
    if digest == known.digest:
        return Answer(resource=name, outcome=Outcome.UNCHANGED)
    return Answer(resource=name, outcome=Outcome.CHANGED, body=body, digest=digest, rows=1)


class Scripted:
    """A ProviderAdapter that answers what the test puts into `bodies`; resources in `failing` answer badly."""

    id = "heim"
    text_resource = "liveticker"
    carried_by = CARRIED_BY

    def __init__(self) -> None:
        self.endpoint = endpoint_of(provider="heim", base_url=f"http://scripted-{next(_endpoints)}.invalid")
        self.bodies: Bodies = {}
        self.failing: frozenset[str] = frozenset()
        self.rows: RowCache[Event] | None = None
        self.names = dict(NAMES)

    async def resolve(self, selector: Any) -> str:
        return selector.id

    async def fetch(self, match_id: str, known: dict[str, Known], *, text: bool, hints: Any) -> Fetched:
        requested = RESOURCES if text else RESOURCES[:2]
        return Fetched(answers=tuple(self._answer(name, known.get(name, Known())) for name in requested), hints={})

    def _answer(self, name: str, known: Known) -> Answer:
        body = self.bodies.get(name)
        if name in self.failing or (body is None and name == "match"):
            return Answer(resource=name, outcome=Outcome.FAILED, error=BadBody(f"{name}: empty answer"))
        return answer_with(name, b"[]" if body is None else body, known)

    def translate(self, match_id: str, bodies: Bodies) -> Match:
        return translate(match_id, bodies, names=self.names, zone=BERLIN, rows=self.rows)

    async def aclose(self) -> None:
        return


@dataclass
class Crashing:
    """The store as the process sees it; the `fuse`-th time that something begins or has been committed, the process dies."""

    store: Any
    fuse: int | None = None

    def _burn(self) -> None:
        if self.fuse is not None:
            self.fuse -= 1
            if self.fuse < 0:
                self.fuse = None
                raise Crash

    async def write(self, work: Any) -> Any:
        self._burn()
        result = await self.store.write(work)
        self._burn()
        return result

    async def read(self, query: Any) -> Any:
        self._burn()
        return await self.store.read(query)

    async def read_for_write(self, query: Any) -> Any:
        self._burn()
        return await self.store.read_for_write(query)


@dataclass
class Process:
    """A daemon's sync on one match: created, polled by hand, crashed and started again."""

    store: Any
    match_id: str
    adapter: Scripted = field(default_factory=Scripted)
    clock: Clock = field(default_factory=lambda: WALL)
    wishes: dict[str, Any] = field(default_factory=dict)
    serves: Callable[[str, str], bool] = everybody
    organizations: tuple[str, ...] = (OWNER,)
    withdrawals: WithdrawalRules | None = None
    """What goals that are taken back leave; by default nothing, as for clients that have chosen so."""

    def __post_init__(self) -> None:
        self.crashing = Crashing(self.store)
        self.start()

    def start(self) -> None:
        """A fresh process on the same store: nothing in memory."""
        adapters = {self.adapter.endpoint.key: self.adapter}
        self.followers = Followers(
            self.crashing,
            adapters,
            polling(),
            LIMITS,
            clock=lambda: self.clock.now,
            new_id=lambda: new_local_id("e"),
            quarantine=Quarantine(),
            serves=self.serves,
            withdrawals=self.withdrawals,
        )
        source = ProviderSource(HEIM, self.adapter, text_content=True)
        sources = {(each, "heim"): source for each in self.organizations}
        self.importer = MatchImporter(
            self.crashing,
            sources,
            self.followers,
            providers=frozenset({"heim"}),
            limits=LIMITS,
            withdrawals=self.withdrawals,
        )

    async def create(self, **changes: Any) -> str:
        """Ask for a liveblog as the API would; gives its `ticker_id`."""
        wishes = {"text": True, "auto_post": True, "exclude_events": (), **self.wishes, **changes}
        wishes["exclude_events"] = frozenset(wishes["exclude_events"])
        terms = {name: wishes.pop(name) for name in [*wishes] if name in ImportOptions.__slots__}
        request = ImportRequest(**{
            "organization_id": OWNER, "client_id": "cms", "provider": "heim", "selector_kind": "match",
            "selector_id": self.match_id, "terms": ImportOptions(sport="", **terms), **wishes,
        })  # fmt: skip
        return await self.importer.create(request)

    async def poll(
        self, bodies: Bodies | None = None, *, failing: frozenset[str] = frozenset(), fuse: int | None = None
    ) -> bool:
        """One poll of the match; False when the process died in it (and was started again)."""
        if bodies is not None:
            self.adapter.bodies = bodies
        self.adapter.failing, self.crashing.fuse = failing, fuse
        self.clock.now += 5
        try:
            for match in self.matches:
                await self.followers.poll(match)
        except Crash:
            await self.restart()
            return False
        finally:
            self.crashing.fuse = None
        return True

    async def restart(self) -> None:
        self.crashing.fuse = None
        self.start()
        for row in await self.store.read(follow_rows.follows):
            if row.endpoint == self.adapter.endpoint.key:
                await self.followers.follow(row.id)

    @property
    def matches(self) -> tuple[FollowedMatch, ...]:
        return self.followers.matches

    async def settle(self, within: int = 8) -> None:
        """Poll the same answer until nothing is pending."""
        for _ in range(within):
            await self.poll()
            if not any(match.pending or match.afresh for match in self.matches):
                return
        raise AssertionError("it never settles")

    async def game(self, ticker_id: str) -> StoredGame:
        return await self.store.read(lambda conn: liveblogs.require_game(conn, ticker_id))

    async def events(self, ticker_id: str, statuses: Any = "public") -> list[StoredEvent]:
        return await self.store.read(
            lambda conn: liveblogs.events(conn, ticker_id, statuses=statuses, limit=None, descending=False)
        )

    async def ledger(self, ticker_id: str) -> dict[str, ledger.LedgerRow]:
        return await self.store.read(lambda conn: ledger.rows(conn, ticker_id))

    async def posted(self, ticker_id: str) -> dict[str, dict[str, Any]]:
        """Key → document of what the public sees of the sync's posts; fails when a key stands twice."""
        keys = {row.local_id: row.key for row in (await self.ledger(ticker_id)).values() if row.local_id}
        found = await self.events(ticker_id)
        assert len(found) == len({keys[event.local_id] for event in found})
        return {keys[event.local_id]: event.document for event in found}


def says(bodies: Bodies, match_id: str) -> dict[str, Any]:
    """Key → post that a snapshot demands: f(snapshot)."""
    return dict(_said(match_id, tuple(sorted(bodies.items())))[0])


@lru_cache(maxsize=4096)
def _said(match_id: str, bodies: tuple[tuple[str, bytes], ...]) -> tuple[dict[str, Any], frozenset[str]]:
    """Key → post, and the keys of the texts that are bound to an incident."""
    answer = translate(match_id, {"match-event": b"[]", **dict(bodies)}, names=NAMES, zone=BERLIN)
    match = confirm_answer(None, answer, good=frozenset()).match
    terms, nobody = ImportOptions(sport="soccer", auto_post=True, text=True), References(owner_id=OWNER)
    posts = wanted_posts(match, terms, nobody, block_id=lambda key, name: f"{key} {name}")
    bound_texts = frozenset(comment.key for comment in answer.comments if comment.incident_key is not None)
    return {post.key: post for post in posts}, bound_texts


def bound(bodies: Bodies, match_id: str) -> set[str]:
    """Keys of the texts that a snapshot binds to an incident."""
    return set(_said(match_id, tuple(sorted(bodies.items())))[1])


def board(bodies: Bodies, match_id: str) -> tuple[Any, Any]:
    """Score and state that a snapshot demands."""
    match = translate(match_id, bodies, names=NAMES, zone=BERLIN)
    document = game_document(match, ImportOptions(sport="soccer", auto_post=True), References(owner_id=OWNER))
    return (document.get("scoreboard") or {}).get("score"), document["state_info"]


@pytest.fixture
async def store(tmp_path):
    opened = await open_store(migrated_url(tmp_path / "scripted.db"))
    yield opened
    await opened.close()
