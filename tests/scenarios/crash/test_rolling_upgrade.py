"""A rolling upgrade: processes of the next version, with another schema, take over one by one while everything goes on."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from providers.http_server import bind_socket, listening
from store.engine import migrate
from tests.kit.chaos import CONFIG, INTERVAL, Upstream
from tests.kit.daemon import SECRET
from tests.kit.day import CREATE, ORGANIZATION, SHOW
from tests.kit.news_daemon import NEWS, WRITE, post
from tests.kit.recorded_posts import posts_of_the_liveblog, posts_of_the_provider

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("api", "config", "ingest", "mapping", "providers", "store")
TICK = 2.0
"""Seconds between two looks of a worker for matches that nobody follows."""
NEXT = '''"""Something the next version keeps of liveblogs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "{next}"
down_revision = "{head}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("games", sa.Column("rehearsed", sa.Text(), nullable=True))
    op.create_table("rehearsals", sa.Column("id", sa.Text(), primary_key=True))


def downgrade() -> None:
    op.drop_table("rehearsals")
    op.drop_column("games", "rehearsed")
'''

CHANGES = (
    ("tables.py", '    integer("previous_starts_at", nullable=True),\n', '    text("rehearsed", nullable=True),\n'),
    ("records.py", "    previous_starts_at: int | None = None\n", "    rehearsed: str | None = None\n"),
)
"""File of the store, a line of it, and what comes behind it in the next version."""


def next_version(folder: Path) -> Path:
    """A copy of the product with one more migration, whose column its own statements read and write."""
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    head = migrate.head()
    number = f"{int(head) + 1:04d}"
    (folder / f"store/migrations/versions/v{number}_rehearsal.py").write_text(NEXT.format(head=head, next=number))
    for name, old, new in CHANGES:
        file = folder / "store" / name
        text = file.read_text()
        assert text.count(old) == 1
        file.write_text(text.replace(old, old + new))
    return folder


class Running:
    """`matchwire run` from one of the two versions."""

    def __init__(self, version: Path, config: Path, role: str) -> None:
        self.version, self.config, self.role = version, config, role
        self.address = ""

    async def start(self) -> Running:
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-c", "from ingest.entry import main; main()", "run", "--config", str(self.config),
            "--role", self.role, "--log-file", str(self.config.with_suffix(".log")),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(self.version)}, cwd=self.version,
        )  # fmt: skip
        line = (await self.process.stdout.readline()).decode()
        found = re.search(r"http://\S+", line)
        assert found, self.config.with_suffix(".log").read_text()[-2000:]
        self.address = found[0]
        return self

    async def stop(self) -> None:
        self.process.terminate()
        assert await self.process.wait() == 0

    def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()


async def upgraded(version: Path, config: Path) -> None:
    """Run `matchwire db upgrade` of that version, as its upgrade notes say."""
    command = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", "from ingest.entry import main; main()", "db", "upgrade", "--config", str(config),
        env={**os.environ, "PYTHONPATH": str(version)}, cwd=version,
    )  # fmt: skip
    assert await command.wait() == 0


class Balancer:
    """What nginx does before several processes: a connection that one does not take goes to the next; all else counts."""

    def __init__(self) -> None:
        self.behind: list[Running] = []
        self.answered: list[tuple[str, int]] = []

    async def send(self, method: str, path: str, **options: object) -> httpx.Response:
        """The response; a process that does not take connections is passed over, and anything else it does is a failure."""
        for each in (*self.behind, *self.behind):
            async with httpx.AsyncClient(
                base_url=each.address, auth=("cms", SECRET), trust_env=False, verify=False
            ) as http:
                try:
                    answer = await http.request(method, path, timeout=30, **options)
                except httpx.ConnectError:
                    continue
            self.answered.append((f"{method} {path}", answer.status_code))
            return answer
        raise AssertionError("nobody takes connections")


async def writing(balancer: Balancer, liveblog: str, acknowledged: list[str], over: asyncio.Event) -> None:
    """Post and read all along."""
    while not over.is_set():
        body = post(f"number {len(acknowledged)}")
        answer = await balancer.send("POST", f"{WRITE}/event/create.json?ticker_local_id={liveblog}", json=body)
        acknowledged.append(answer.json()["local_id"])
        await balancer.send("GET", "/readyz")
        await asyncio.sleep(0.05)


async def changing(upstream: Upstream, over: asyncio.Event) -> None:
    while not over.is_set():
        upstream.change()
        await asyncio.sleep(0.1)


@pytest.mark.soak
async def test_an_upgrade_refuses_no_request_and_misses_no_poll(tmp_path, postgres_url):
    """Two workers and two of the API are replaced by those of a version with a newer schema, under reads, writes and polls."""
    new, upstream = next_version(tmp_path / "next"), Upstream(60, random.Random(1))
    provider = Starlette(routes=[Route("/{rest:path}", upstream.answer)])
    balancer, over, acknowledged = Balancer(), asyncio.Event(), []
    async with AsyncExitStack() as stack:
        address = await stack.enter_async_context(listening(provider, bind_socket("127.0.0.1", 0)))

        async def started(name: str, role: str, version: Path) -> Running:
            config = tmp_path / f"{name}.toml"
            config.write_text(
                CONFIG.format(
                    organization=ORGANIZATION, secret=SECRET, interval=INTERVAL, database=postgres_url, upstream=address
                )
            )
            running = await Running(version, config, role).start()
            stack.callback(running.kill)
            return running

        workers = [await started(f"worker{n}", "worker", ROOT) for n in range(2)]
        balancer.behind = [await started(f"api{n}", "api", ROOT) for n in range(2)]
        liveblog = (await balancer.send("POST", f"{WRITE}/ticker/create.json", json=NEWS)).json()["local_id"]
        made = {}
        for name in upstream.rows:
            body = {"provider": "heim", "matchId": name, "autoPostEnabled": True}
            made[name] = (await balancer.send("POST", CREATE, json=body)).json()["local_id"]
        await asyncio.sleep(2 * INTERVAL)
        for times in upstream.polls.values():
            del times[:-1]
        load = [
            asyncio.create_task(each)
            for each in (writing(balancer, liveblog, acknowledged, over), changing(upstream, over))
        ]
        await asyncio.sleep(1.0)
        await upgraded(new, tmp_path / "api0.toml")
        for number in range(2):
            balancer.behind.append(await started(f"new-api{number}", "api", new))
            await asyncio.sleep(INTERVAL)
            await balancer.behind[0].stop()
            del balancer.behind[0]
            workers.append(await started(f"new-worker{number}", "worker", new))
            await asyncio.sleep(INTERVAL)
            await workers.pop(0).stop()
            await asyncio.sleep(INTERVAL)
        over.set()
        await asyncio.gather(*load)
        await asyncio.sleep(4 * INTERVAL)
        silence = max(upstream.silence().values())
        shown = {
            name: (await balancer.send("GET", SHOW, params={"local_id": local_id})).json()
            for name, local_id in made.items()
        }
        posts = (await balancer.send("GET", SHOW, params={"local_id": liveblog})).json()["events"]
        for each in (*workers, *balancer.behind):
            await each.stop()
    print(f"\n{len(acknowledged)} writes, {len(balancer.answered)} requests, longest silence {silence:.1f} s")  # noqa: T201
    assert {status for _, status in balancer.answered} == {200}
    assert {each["local_id"] for each in posts} == set(acknowledged)
    for name, rows in upstream.rows.items():
        cards = {each for each in posts_of_the_liveblog(shown[name]) if each[0] == "soccer.yellow-card"}
        assert cards == posts_of_the_provider(rows), name
    assert silence <= INTERVAL + TICK + 2.0
