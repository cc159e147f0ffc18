"""The daemon with clients that do not behave around it: what tests of its connections have in common."""

import asyncio
import re
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.kit.forked import Forked, forked
from tests.kit.rude import KINDS, crowd_of
from tests.kit.sqlite import migrated_url

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
SECRET = "a-secret-of-these-tests-alone"
FEED = "/api/embed/v4/feed/liveblog.json"
CONFIG = """
[server]
port = 0
public_feeds = true
public_metrics = true
shutdown_grace = 30
{server}
[database]
url = "{database}"
[organizations.{organization}]
name = "Example Newsroom"
[clients.cms]
secret = "{secret}"
organizations = ["{organization}"]
scopes = ["read", "write"]
[limits]
client_per_second = 0
public_per_second = 0
{limits}
"""


@dataclass
class Daemon:
    """`matchwire run` as a process of its own, with one liveblog of long posts."""

    process: Forked
    http: httpx.AsyncClient
    port: int
    liveblog: str = ""

    def memory(self) -> float:
        """Resident megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    async def numbers(self) -> dict[str, float]:
        lines = (await self.http.get("/metrics")).text.splitlines()
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines) if name[:1] != "#"}

    async def connections(self) -> float:
        return (await self.numbers())["matchwire_connections"]

    async def fill(self, posts: int, size: int) -> None:
        made = await self.post("ticker/create", {"_type": "Svc::Model::Game", "organization_id": ORGANIZATION, **NEWS})
        self.liveblog = made["local_id"]
        for _ in range(posts):
            await self.write(size)

    async def write(self, size: int = 100) -> None:
        block = {"_type": "Svc::Model::Content::RichTextContentBlock", "text": "x" * size}
        event = {"_type": "Svc::Model::Event", "contents": [block]}
        await self.post("event/create", event, ticker_local_id=self.liveblog)

    async def post(self, operation: str, body: dict[str, Any], **params: str) -> dict[str, Any]:
        path = f"/api/v5/write/{operation}.json"
        response = await self.http.post(path, json=body, params=params, auth=("cms", SECRET))
        assert response.status_code == 200, response.text
        return response.json()

    async def crowds(self, count: int, rate: int, seconds: float, patience: float) -> list[dict[str, Any]]:
        """A crowd of each kind, each at an address of its own, until all of their connections are closed."""
        options = {
            "port": self.port, "count": count, "rate": rate, "seconds": seconds, "patience": patience, "auth": f"cms:{SECRET}",
            "write": f"/api/v5/write/event/create.json?ticker_local_id={self.liveblog}",
            "stream": f"/api/embed/v4/stream?liveblogId={self.liveblog}",
        }  # fmt: skip
        sources = {kind: f"127.0.0.{11 + n}" for n, kind in enumerate(KINDS)}
        return await asyncio.gather(
            *(crowd_of(kind=kind, source=source, **options) for kind, source in sources.items())
        )

    async def stop(self) -> tuple[int, float]:
        """End it by SIGTERM: its exit status, and the seconds that it took."""
        began = time.monotonic()
        self.process.terminate()
        return await self.process.wait(), time.monotonic() - began


NEWS = {
    "_type": "Svc::Model::Game",
    "template_id": "news",
    "meta_info": {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": "Storm"},
}


@asynccontextmanager
async def daemon(folder: Path, *, server: str = "", limits: str = "") -> Any:
    config, database = folder / "matchwire.toml", migrated_url(folder / "matchwire.db")
    config.write_text(
        CONFIG.format(organization=ORGANIZATION, secret=SECRET, database=database, server=server, limits=limits)
    )
    process = await forked("run", "--config", str(config), stderr=folder / "daemon.log")
    try:
        line = (await process.stdout.readline()).decode()
        address = re.search(r"http://\S+", line)[0]
        async with httpx.AsyncClient(base_url=address, trust_env=False, verify=False, timeout=60) as http:
            yield Daemon(process, http, int(address.rpartition(":")[2]))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
