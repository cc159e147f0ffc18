"""A match of every provider over HTTP: created or refused, corrected, taken back and given again, recorded and played again."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import stamina

from ingest.sync.recorder import Recorder
from providers.contract.server import Reply, serving
from providers.registry import BUILT_IN
from providers.replay import Replay, ReplaySettings, read_lines
from tests.kit.command import invoke
from tests.kit.provider_service import DESK, ORGANIZATION, ProviderService, provider_service
from tests.kit.sqlite import migrated_url
from tests.kit.wire_courses.courses import id_of
from tests.kit.wire_courses.server import KEY, OURS, PROVIDERS, Everybody, bodies_of
from tests.kit.wire_courses.soccer import FIRST_HALF, KICK_OFF, OVER, PLANNED, Moment

SCORELESS = replace(FIRST_HALF, goals=())
OF_ANOTHER = replace(FIRST_HALF, goals=(replace(FIRST_HALF.goals[0], by=7),))
NAMES = [each.id for each in PROVIDERS]


class Day:
    """The providers, the service, and what a client of it does with the match of one of them."""

    def __init__(self, server: Everybody, service: ProviderService, provider: str) -> None:
        self.server, self.service, self.provider = server, service, provider

    async def ask(self, **wishes: Any) -> Any:
        """The answer to whoever wants a liveblog."""
        body = {"provider": self.provider, "matchId": id_of(self.provider, OURS), "autoPostEnabled": True, **wishes}
        return await self.service.server.http.post(f"{ORGANIZATION}/createFromExternal", json=body, auth=DESK)

    async def create(self) -> str:
        self.service.clock.now = self.service.server.now = KICK_OFF.timestamp() + 600
        answer = await self.ask()
        assert answer.status_code == 200, answer.text
        return answer.json()["local_id"]

    async def becomes(self, moment: Moment, name: str, change: Callable[[bytes], bytes] | None = None) -> list[Any]:
        """The goals that are public once the match stands there: id, title and who is named."""
        self.server.become(moment)
        if change is not None:
            self.server.bodies = {at: change(body) for at, body in self.server.bodies.items()}
        await self.service.poll(3)
        game = await self.service.get("/api/v5/write/ticker/show.json", local_id=name)
        public = [each for each in game["events"] if each["local_status"] == 0 and each.get("sport_event")]
        goals = [each for each in public if each["sport_event"]["event_type"].endswith("goal")]
        return [
            (each["local_id"], [who["player"]["name"].split()[-1] for who in each["sport_event"]["players"]])
            for each in goals
        ]


@asynccontextmanager
async def provider_day(folder: Path, provider: str, **more: Any) -> AsyncIterator[Day]:
    async with serving(Everybody({})) as server:
        server.become(FIRST_HALF)

        def connect(each: Any) -> Any:
            return each.connect(server.endpoint(each.id, 30.0))

        async with provider_service(migrated_url(folder / "day.db"), PROVIDERS, connect) as service:
            service.record = more.get("record", service.record)
            await service.start()
            yield Day(server, service, provider)


def flagged(body: bytes) -> bytes:
    """PA's events with the mark of one that is deleted on the goal."""
    return body.replace(b'eventID="7100"', b'eventID="7100" status="deleted"')


@pytest.mark.parametrize(
    ("provider", "gone", "change"),
    [*((each, SCORELESS, None) for each in NAMES), ("pa", replace(FIRST_HALF, award=(0, 0)), flagged)],
    ids=[*NAMES, "pa-flagged"],
)
async def test_a_goal_that_is_taken_back_and_given_again_is_one_post(tmp_path, provider, gone, change):
    """It is hidden while the provider has none, and comes back under its id; a corrected scorer stands in it."""
    async with provider_day(tmp_path, provider) as day:
        name = await day.create()
        given = await day.becomes(FIRST_HALF, name)
        assert [who for _, who in given] == [["Muster9"]]
        assert await day.becomes(gone, name, change) == []
        assert await day.becomes(FIRST_HALF, name) == given
        assert await day.becomes(OF_ANOTHER, name) == [(given[0][0], ["Muster7"])]


@pytest.fixture
def at_once() -> Iterator[None]:
    """Whoever tries again does so without a pause."""
    stamina.set_testing(True, attempts=3)
    yield
    stamina.set_testing(False)


@pytest.mark.parametrize("provider", NAMES)
@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (Reply(status=401), 403, "forbidden"),
        (Reply(status=429), 503, "upstream_unavailable"),
        (Reply(status=500), 503, "upstream_unavailable"),
        (Reply(body=b"<html>Maintenance</html>"), 503, "upstream_unavailable"),
    ],
    ids=["401", "429", "500", "html"],
)
async def test_a_provider_that_fails_is_reported_to_whoever_creates(tmp_path, provider, reply, status, code, at_once):
    """Refused credentials are not the caller's to retry, an outage is: then the same request is answered."""
    async with provider_day(tmp_path, provider) as day:
        day.server.answer_with(provider, "match", lambda: reply)
        answer = await day.ask()
        assert (answer.status_code, answer.json()["code"], answer.json()["retryable"]) == (status, code, status == 503)
        if status == 503:
            day.server.heal()
            await day.create()


BESIDE = [(each, name) for each in NAMES for name in bodies_of(each, OVER) if name != "match"]


@pytest.mark.parametrize(("provider", "resource"), BESIDE)
async def test_a_creation_stands_whatever_else_fails(tmp_path, provider, resource):
    """What only the failing resource has comes when the provider has recovered."""
    async with provider_day(tmp_path, provider) as day:
        day.server.answer_with(provider, resource, lambda: Reply(status=500))
        name = await day.create()
        day.server.heal()
        goals = await day.becomes(FIRST_HALF, name)

    assert [who for _, who in goals] == [["Muster9"]]


@pytest.mark.parametrize("provider", NAMES)
async def test_what_was_recorded_holds_no_key_and_plays_again(tmp_path, caplog, provider):
    """Nor does a log, whatever fails; a replay takes any key, and serves what came."""
    recorder = Recorder(tmp_path / "kept", retention=86_400, max_bytes=10**8, clock=KICK_OFF.timestamp)
    async with provider_day(tmp_path, provider, record=recorder) as day:
        await day.becomes(PLANNED, await day.create())
        for status in (401, 500):
            day.server.answer_with(provider, "match", lambda status=status: Reply(status=status, body=b"no"))
            await day.service.poll()
        day.server.heal()
        await day.service.start()
        await day.service.take_up(provider)
        await day.service.poll()
    recorder.close()
    files = sorted((tmp_path / "kept").glob("*/*.jsonl.gz"))
    kept = "".join(gzip.decompress(path.read_bytes()).decode() for path in files)
    async with Replay(
        [line for path in files for line in read_lines(path)], ReplaySettings(start_at="end")
    ).serve() as replay:
        replay.settle()
        endpoint = replace(day.server.endpoint(provider, 30.0), base_url=replay.url, api_key="another-key")
        adapter = next(each for each in PROVIDERS if each.id == provider).connect(endpoint)
        fetched = await adapter.fetch(id_of(provider, OURS), {}, text=False, hints={})
        await adapter.aclose()

    assert files
    assert KEY not in f"{kept}{caplog.text}"
    wanted, found = bodies_of(provider, PLANNED), {each.resource: each.body for each in fetched.answers}
    assert found.keys() <= wanted.keys()
    if provider not in {each.id for each in BUILT_IN}:  # of those a replay moves the times, and writes the JSON anew
        assert found.items() <= wanted.items()


@pytest.mark.parametrize("provider", NAMES)
async def test_probe_shows_what_was_understood(tmp_path, provider):
    """The pairing, the score, the goals and that nothing was left out, and no key."""
    async with serving(Everybody({})) as server:
        server.become(OVER)
        endpoint = server.endpoint(provider, 30.0)
        access = f'username = "us"\npassword = "{KEY}"' if endpoint.password else f'api_key = "{KEY}"'
        config = tmp_path / "matchwire.toml"
        config.write_text(
            f'[organizations.news]\nname = "News"\n[organizations.news.providers.{provider}]\n'
            f'base_url = "{endpoint.base_url}"\n{access}\n'
        )
        words = ["providers", "probe", provider, id_of(provider, OURS), "--config", config]
        ran = await asyncio.to_thread(invoke, *words)

    assert ran.exit_code == 0, ran.stderr
    assert "Nordhafen – Südtor  2:1" in ran.stdout
    assert any(line.split()[:2] == ["80'", "soccer.goal"] for line in ran.stdout.splitlines())
    assert "faults 0" in ran.stdout
    assert KEY not in ran.stdout + ran.stderr
