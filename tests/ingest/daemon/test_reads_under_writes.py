"""No cache shows what is withdrawn, deleted, unpublished or another's: reads from several processes while others write.

Each answer is compared with what the database said at some instant of the last second; one of the process that wrote, with
what it said at some instant of the request. A writer is the only one of its liveblog, so it knows every state of it.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

import httpx
import pytest

from store.clients import clients
from store.upkeep import command
from tests.kit.day import ORGANIZATION
from tests.kit.forked import Forked, forked
from tests.kit.sqlite import migrated_url

pytestmark = pytest.mark.soak

OTHER = "5f0c1de2a1b2c3d4e5f60719"
SECRET = "a-secret-of-these-tests-alone"
CONFIG = f"""
[server]
port = 0
[database]
url = "{{database}}"
[organizations.{ORGANIZATION}]
name = "Example Newsroom"
[organizations.{OTHER}]
name = "Another Newsroom"
[clients.cms]
secret = "{SECRET}"
organizations = ["{ORGANIZATION}"]
scopes = ["read", "write"]
[clients.stranger]
secret = "{SECRET}"
organizations = ["{OTHER}"]
scopes = ["read", "write"]
[limits]
client_per_second = 0
public_per_second = 0
connections_per_address = 0
"""
WRITE = "/api/v5/write"
FEED = "/api/embed/v4/feed/liveblog"
PUBLIC = {
    "rss": f"{FEED}.rss?liveblogId={{name}}&limit=1000",
    "atom": f"{FEED}.atom?liveblogId={{name}}&limit=1000",
    "json": f"{FEED}.json?liveblogId={{name}}&limit=1000",
    "page": "/liveblogs/{name}",
    "fragment": "/liveblogs/{name}?fragment=1",
    "changes": "/liveblogs/{name}?fragment=1&refresh=1",
    "delta": "/api/v6/ticker/show.json?id={name}&limit=1000",
}
EDITORS = {
    "show": f"{WRITE}/ticker/show.json?local_id={{name}}",
    "search": f"{WRITE}/ticker/search.json",
}
MARK = re.compile(r"mark\d+x\d+x\d+")
SECOND = 1.0
EVENTS = 12
"""Posts of a liveblog at most; there is no second page of anything."""
GONE = "gone"


@dataclass(frozen=True)
class State:
    """The marks that readers, and editors, see in a liveblog; None where there is none for them."""

    public: frozenset[str] | None = frozenset()
    editors: frozenset[str] | None = frozenset()


@dataclass
class Step:
    """A state and who brought it about: sent at `began`, acknowledged at `acknowledged` (monotonic seconds)."""

    state: State
    by: str
    began: float
    acknowledged: float = float("inf")


@dataclass
class Liveblog:
    name: str
    steps: list[Step] = field(default_factory=list)

    def possible(self, reader, began, ended):
        """The states that a reader at process `reader` may be shown by a request from `began` to `ended`."""
        for number, step in enumerate(self.steps):
            if step.began > ended:
                return
            over = any(
                later.acknowledged < (began if later.by == reader else began - SECOND)
                for later in self.steps[number + 1 :]
            )
            if not over:
                yield step.state


@dataclass
class Process:
    """One daemon."""

    name: str
    process: Forked
    client: httpx.AsyncClient


@asynccontextmanager
async def daemon(folder, name, role, database):
    config = folder / f"{name}.toml"
    config.write_text(CONFIG.format(database=database))
    log = str(folder / f"{name}.log")
    process = await forked("run", "--config", str(config), "--role", role, "--log-file", log, cwd=folder)
    try:
        line = (await process.stdout.readline()).decode()
        async with httpx.AsyncClient(
            base_url=re.search(r"http://\S+", line)[0], timeout=30, trust_env=False, verify=False, limits=httpx.Limits()
        ) as client:
            yield Process(name, process, client)
    finally:
        process.kill()
        await process.wait()


@dataclass
class Hammer:
    """Writers and readers of some liveblogs, until `over`."""

    processes: list[Process]
    over: float = 0.0
    read: dict[str, int] = field(default_factory=dict)
    unchanged: int = 0
    liveblogs: list[Liveblog] = field(default_factory=list)

    async def send(self, process, operation, body, **params):
        answer = await process.client.post(f"{WRITE}/{operation}.json", params=params, json=body, auth=("cms", SECRET))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def write(self, number):
        """One liveblog's life: posts come, change, go and return, and so does the liveblog; at the end it is deleted."""
        rng, revision = random.Random(number), count()
        process = self.processes[number % len(self.processes)]
        about = {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": f"Liveblog {number}"}
        game = {
            "_type": "Svc::Model::Game",
            "organization_id": ORGANIZATION,
            "template_id": "soccer",
            "meta_info": about,
        }
        made = await self.send(process, "ticker/create", game)
        liveblog = Liveblog(made["local_id"], [Step(State(), process.name, 0.0, 0.0)])
        self.liveblogs.append(liveblog)
        shown, hidden, waiting, gone = {}, {}, {}, False
        while time.monotonic() < self.over or len(liveblog.steps) < 10 or not self.unchanged:
            process = rng.choice(self.processes)
            event, mark = f"e{number}x{next(revision)}", f"mark{number}x{next(revision)}x{rng.randint(0, 9)}"
            block = {"_type": "Svc::Model::Content::RichTextContentBlock", "text": mark}
            document = {"_type": "Svc::Model::Event", "local_id": event, "contents": [block]}
            known = rng.choice([*shown, *hidden]) if shown or hidden else None
            at = {"event_local_id": known}
            match rng.choice(["create", "create", "create", "wait", "update", "hide", "show", "delete", "withdraw"]):
                case "create" if len(shown) + len(hidden) < EVENTS:
                    shown[event] = mark
                    request = ("event/create", document, {"ticker_local_id": liveblog.name})
                case "wait" if len(waiting) < 2:
                    waiting[event] = mark
                    later = document | {"publish_at": int(time.time()) + 3600}
                    request = ("event/create", later, {"ticker_local_id": liveblog.name})
                case "update" if known:
                    (shown if known in shown else hidden)[known] = mark
                    request = ("event/update", {"_type": "Svc::Model::Event", "contents": [block]}, at)
                case "hide" if known in shown:
                    hidden[known] = shown.pop(known)
                    request = ("event/update", {"_type": "Svc::Model::Event", "local_status": 60}, at)
                case "show" if known in hidden:
                    shown[known] = hidden.pop(known)
                    request = ("event/update", {"_type": "Svc::Model::Event", "local_status": 0}, at)
                case "delete" if known:
                    shown.pop(known, None)
                    hidden.pop(known, None)
                    request = ("event/delete", None, at)
                case "withdraw" if rng.random() < 0.4 or gone:
                    gone = not gone
                    request = ("ticker/post_modifications", modified(liveblog, 60 if gone else 0), {})
                case _:
                    continue
            state = State(
                None if gone else frozenset(shown.values()),
                frozenset({*shown.values(), *hidden.values(), *waiting.values()}),
            )
            await self._step(liveblog, process, state, *request)
            await asyncio.sleep(rng.choice([0, 0, 0.02, 0.3]))
        await self._step(liveblog, process, State(None, None), "ticker/post_modifications", modified(liveblog, 100), {})

    def enough(self):
        """Whether each kind of read has been made so often that it counts, and one found nothing new, also on a busy machine."""
        return self.unchanged > 0 and self.read.keys() == {*PUBLIC, *EDITORS} and min(self.read.values()) >= 5

    async def _step(self, liveblog, process, state, operation, body, params):
        step = Step(state, process.name, time.monotonic())
        liveblog.steps.append(step)
        await self.send(process, operation, body, **params)
        step.acknowledged = time.monotonic()

    async def reads(self, number):
        """One reader: any process, any liveblog, any read, with and without what it has seen before."""
        rng, seen = random.Random(-number), {}
        until = self.over + 1.5 * SECOND  # what is deleted at the end is gone too
        while time.monotonic() < until or not self.enough():
            if time.monotonic() > self.over:  # hardly anything is written any more
                await asyncio.sleep(0.05)
            process, kind = rng.choice(self.processes), rng.choice([*PUBLIC, *PUBLIC, *EDITORS])
            if not self.liveblogs:
                await asyncio.sleep(0.01)
                continue
            liveblog = rng.choice(self.liveblogs)
            path = (PUBLIC | EDITORS)[kind].format(name=liveblog.name)
            tag, content = seen.get((process.name, path), (None, None))
            headers = {"If-None-Match": tag} if tag and rng.random() < 0.5 else {}
            who = "stranger" if rng.random() < 0.1 else "cms"
            began = time.monotonic()
            answer = await process.client.get(path, headers=headers, auth=(who, SECRET))
            ended = time.monotonic()
            if who == "stranger":
                assert answer.status_code == 404 or (kind == "search" and answer.json()["total"] == 0), (kind, answer)
                continue
            if answer.status_code == 304:
                self.unchanged += 1
            else:
                content = answer
                if "etag" in answer.headers:
                    seen[process.name, path] = (answer.headers["etag"], answer)
            self.read[kind] = self.read.get(kind, 0) + 1
            check(liveblog, kind, content, list(liveblog.possible(process.name, began, ended)))


def modified(liveblog, status):
    change = {"_type": "Svc::Model::Modification::DeleteGameModification", "local_status": status}
    return {"local_id": liveblog.name, "modifications": [change]}


def check(liveblog, kind, answer, possible):
    """Whether the answer shows one of the states that are possible."""
    assert answer.status_code in {200, 204, 404}, (kind, answer.text)
    marks = frozenset(MARK.findall(answer.text))
    if kind == "search":  # lists show no contents: whose liveblogs they are is all there is to see
        assert not marks
        return
    shown = [state.editors if kind == "show" else state.public for state in possible]
    if kind == "delta" or (kind == "changes" and answer.status_code == 200):  # says that there is none any more
        shown = [each or frozenset() for each in shown]
    found = None if answer.status_code == 404 else marks
    if (
        kind in {"delta", "changes"} and answer.status_code == 200 and answer.json()["more"]
    ):  # the first part of many changes
        assert any(marks <= each for each in shown), (liveblog.name, kind, found, shown)
        return
    assert found in shown, (liveblog.name, kind, found, shown)


async def revoked(hammer, database):
    """A client reads what is cached until it is revoked, and nothing from a second later on."""
    spec = clients.ClientSpec(
        id="guest", secrets=(clients.hash_secret(SECRET),), organizations=(ORGANIZATION,), scopes=("read",)
    )
    await asyncio.to_thread(command.run, database, lambda unit: clients.create(unit, spec), timeout=5)
    while not hammer.liveblogs:
        await asyncio.sleep(0.05)
    end, answers = float("inf"), []
    while (began := time.monotonic()) < end + 2 * SECOND:
        process = random.choice(hammer.processes)
        name = hammer.liveblogs[0].name
        path = PUBLIC[random.choice(["rss", "page", "delta"])].format(name=name)
        answers.append((began, (await process.client.get(path, auth=("guest", SECRET))).status_code))
        if end == float("inf") and len(answers) > 30:
            await asyncio.to_thread(command.run, database, lambda unit: clients.revoke(unit, "guest"), timeout=5)
            end = time.monotonic()
        if end < float("inf"):
            await asyncio.sleep(0.02)
    assert 200 in {status for began, status in answers if began < end}
    assert {401} == {status for began, status in answers if began > end + SECOND}


async def hammered(folder, database, roles, seconds):
    """The whole story; `roles` of the processes by name."""
    async with asyncio.timeout(seconds + 120):
        processes = [daemon(folder, name, role, database) for name, role in roles.items()]
        async with processes[0] as first, AsyncGroup(processes[1:]) as others:
            hammer = Hammer([first, *others], over=time.monotonic() + seconds)
            async with asyncio.TaskGroup() as tasks:
                for number in range(4):
                    tasks.create_task(hammer.write(number))
                for number in range(8):
                    tasks.create_task(hammer.reads(number))
                tasks.create_task(revoked(hammer, database))
            assert hammer.enough(), hammer.read
            assert all(len(liveblog.steps) > 5 for liveblog in hammer.liveblogs)


class AsyncGroup:
    """Several context managers as one."""

    def __init__(self, members):
        self._members = members

    async def __aenter__(self):
        return [await each.__aenter__() for each in self._members]

    async def __aexit__(self, *how):
        for each in self._members:
            await each.__aexit__(*how)


DATABASES = ["sqlite", "postgresql"]


@pytest.mark.parametrize("kind", DATABASES)
async def test_no_read_shows_what_has_not_been_so_for_a_second(request, tmp_path, kind):
    """Every public read, for two minutes, of what is written meanwhile in this process and in others."""
    if kind == "sqlite":  # a file belongs to one process
        await hammered(tmp_path, migrated_url(tmp_path / "reads.db"), {"one": "all"}, 120)
        return
    database = request.getfixturevalue("postgres_url")
    await hammered(tmp_path, database, {"one": "all", "two": "api", "three": "api"}, 120)
