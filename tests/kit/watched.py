"""Matches of every provider, polled by their own adapters without a network or a store: what is believed, and what shows."""

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import httpx

from ingest.sync.previous_belief import confirmed_parts
from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.documents.import_options import ImportOptions
from mapping.errors import DownstreamRejected
from mapping.liveblog.prefill import game_document
from mapping.match.match import Match
from mapping.match.references import References
from mapping.posts.posts import wanted_posts
from providers.base import Known, Outcome, Provider
from providers.gn_gsd.adapter import GN_GSD
from providers.heim.adapter import HEIM
from providers.openligadb.adapter import OPENLIGADB
from providers.replay import read
from providers.replay.demo import demo_files
from tests.kit.opening import endpoint_of
from tests.kit.recordings import course as heim_course
from tests.kit.recordings import others, recordings, soccer_recordings
from tests.kit.scripted import OWNER, Bodies

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
EMPTY = {"match-event": b"[]", "liveticker": b"[]"}
NOBODY = References(owner_id=OWNER)
IDS = {"cup-final": "9000001", "practice": "9913000", "sao-paulo": "9900011"}
"""Fixture of one answer → id of its match."""


@dataclass(frozen=True)
class Course:
    """A match as its provider answered over time: the last good body of each resource, after each answer."""

    provider: Provider
    match_id: str
    snapshots: list[Bodies]


def _heim(path: Path) -> Course:
    match_id, snapshots = heim_course(path)
    return Course(HEIM, match_id, [{**EMPTY, **bodies} for bodies in snapshots])


def _heim_fixture(path: Path) -> Course:
    """A match of which the fixtures hold one answer of each resource."""
    name = path.name.removesuffix(".match.json")
    kinds = ("match", "match-event", "liveticker")
    found = {kind: each.read_bytes() for kind in kinds if (each := path.with_name(f"{name}.{kind}.json")).exists()}
    return Course(HEIM, IDS[name], [{**EMPTY, **found}])


def _gn_gsd(path: Path) -> Course:
    """Of a race the stage."""
    recording = next(each for each in read([path]) if not each.match_id.startswith("overalls/"))
    family, _, ident = recording.match_id.partition("/")
    known: Bodies = {}
    snapshots = []
    for line in recording.lines:
        known = {**known, line.kind: line.text.encode()}
        snapshots.append(known)
    match_id = ident if family == "matches" else f"{family.removesuffix('s')}:{ident}"
    return Course(GN_GSD, match_id, [each for each in snapshots if not each.keys().isdisjoint({"match", "phase"})])


def _openligadb(path: Path) -> Course:
    """The match as volunteers enter it: planned, goal by goal, then the results, then the flag."""
    planned, whole = (json.loads((path / f"cup-final{name}.match.json").read_bytes()) for name in ("-planned", ""))
    goals = sorted(whole["goals"], key=lambda row: row["goalID"])
    results = sorted(whole["matchResults"], key=lambda row: row["resultID"])
    steps = [(number, 0, False) for number in range(1, len(goals) + 1)]
    steps += [(len(goals), number, False) for number in range(1, len(results) + 1)]
    rows = [
        {**whole, "goals": goals[:of_goals], "matchResults": results[:of_results], "matchIsFinished": over}
        for of_goals, of_results, over in (*steps, (len(goals), len(results), True))
    ]
    return Course(OPENLIGADB, "70001", [{"match": json.dumps(row).encode()} for row in (planned, *rows, whole)])


def courses() -> dict[str, Any]:
    """Name → how the course is read: every recording and fixture that there is, of every provider."""
    heim = [*soccer_recordings(), *others(), *recordings("heim/motorsports/*.jsonl"), *demo_files("en")]
    fixtures = sorted((FIXTURES / "heim").glob("*/*.match.json"))
    gn_gsd = sorted((FIXTURES / "gn_gsd").glob("*/*.jsonl*"))
    found = [(_heim, path) for path in heim] + [(_heim_fixture, path) for path in fixtures]
    found += [(_gn_gsd, path) for path in gn_gsd] + [(_openligadb, FIXTURES / "openligadb" / "soccer")]
    return {f"{read_course.__name__[1:]} {path.parent.name} {path.name.partition('.')[0]}": (read_course, path)
            for read_course, path in found}  # fmt: skip


COURSES = courses()


def course(name: str) -> Course:
    """The course of this name."""
    read_course, path = COURSES[name]
    found: Course = read_course(path)
    return found


@dataclass(frozen=True)
class Memory:
    """What is kept of a match from poll to poll."""

    bodies: Bodies = field(default_factory=dict)
    known: dict[str, Known] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)
    belief: ConfirmedMatch | None = None


class Observed:
    """Polls a match: its provider answers whatever the test says. `memory` may be put back to what it was."""

    def __init__(self, provider: Provider, match_id: str) -> None:
        self.match_id = match_id
        self.adapter: Any = provider.connect(endpoint_of(provider=provider.id, base_url="http://feed.invalid/v"))
        self.adapter._client.opened = httpx.MockTransport(self._answer)
        self.answers: Bodies = {}
        self.memory = Memory()
        self._translated = lru_cache(maxsize=8)(lambda bodies: self.adapter.translate(match_id, dict(bodies)))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        body = self.answers.get(resource_of(request.url.path))
        return httpx.Response(404) if body is None else httpx.Response(200, content=body)

    async def poll(self, answers: Bodies) -> Match:
        """What is believed after these answers."""
        self.answers, memory = answers, self.memory
        text = self.adapter.text_resource is not None
        fetched = await self.adapter.fetch(self.match_id, memory.known, text=text, hints=memory.hints)
        changed = {each.resource: each.body for each in fetched.changed}
        try:
            match = self.translate({**memory.bodies, **changed})
            belief = confirm_answer(memory.belief, match, good=confirmed_parts(fetched, self.adapter, match))
            if memory.belief is None or belief.match != memory.belief.match:  # the same match has had its document
                game_document(belief.match, self.terms(belief.match), NOBODY)
        except DownstreamRejected:
            assert memory.belief is not None, "the first answer is refused"
            return memory.belief.match
        good = (each for each in fetched.answers if each.outcome is not Outcome.FAILED)
        known = {each.resource: Known(etag=each.etag, digest=each.digest, rows=each.rows) for each in good}
        self.memory = Memory(
            {**memory.bodies, **changed}, {**memory.known, **known}, {**memory.hints, **fetched.hints}, belief
        )
        return belief.match

    def translate(self, bodies: Bodies) -> Match:
        """The match in these bodies; the same ones come again and again, and translation is pure."""
        match: Match = self._translated(tuple(sorted(bodies.items())))
        return match

    async def settle(self, answers: Bodies) -> Match:
        """Poll the same answers until nothing is in doubt."""
        for _ in range(4):
            match = await self.poll(answers)
            if not self.doubted:
                return match
        raise AssertionError(f"it never settles: {sorted(self.doubted)}")

    @property
    def doubted(self) -> frozenset[str]:
        return frozenset() if self.memory.belief is None else self.memory.belief.doubted

    def terms(self, match: Match) -> ImportOptions:
        return ImportOptions(sport=match.sport, auto_post=True, text=self.adapter.text_resource is not None)


def resource_of(path: str) -> str:
    """The resource that a path is about."""
    parts = path.strip("/").split("/")
    if parts[-1] in {"lineups", "actions"}:
        return parts[-1]
    names = {"getmatchdata": "match", "matches": "match", "phases": "phase", "overalls": "overall"}
    return names.get(parts[1], parts[1])


def shown(match: Match, terms: ImportOptions) -> dict[str, Any]:
    """Key → document of all that a liveblog on the match shows: its posts, and under "" the liveblog itself."""
    posts = wanted_posts(match, terms, NOBODY, block_id=lambda key, name: f"{key} {name}")
    return {"": game_document(match, terms, NOBODY), **{post.key: post.document for post in posts}}
