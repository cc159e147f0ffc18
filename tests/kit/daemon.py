"""`matchwire run` beside a test: a configuration for it, the process, and a client that may do everything."""

import asyncio
import re
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.kit.day import SHOW
from tests.kit.forked import Forked, forked

SECRET = "a-secret-of-these-tests-alone"
HEAD = """
[server]
port = 0
[database]
url = "{database}"
[clients.cms]
secret = "{secret}"
organizations = ["{organization}"]
scopes = ["read", "write", "external", "webhooks", "admin"]
[organizations.{organization}]
name = "Example Newsroom"
[organizations.{organization}.providers.heim]
base_url = "{upstream}"
"""
"""How the configuration of each daemon begins; more of its provider may follow."""
CONFIG = (
    HEAD
    + """text_content = true
[limits]
client_per_second = 0
[polling]
live = 0.1
pause = 0.1
before = 0.1
far = 0.1
after = 0.1
after_growth = 1
backoff_max = 0.5
"""
)


MATCH = "9900001"


DECLARED = """
[[liveblogs]]
key = "derby"
organization = "{}"
provider = "heim"
match_id = "{}"
"""


class Daemon:
    """`matchwire run` as a process of its own."""

    def __init__(self, config: Path, *arguments: str) -> None:
        self.config = config
        self.arguments = arguments
        self.process: Forked | None = None
        self.address = ""
        self.starts: list[float] = []

    async def start(self) -> None:
        """Start it and wait until it is ready; the seconds that took are kept."""
        began = time.monotonic()
        self.process = await forked("run", "--config", str(self.config), *self.arguments)
        line = (await self.process.stdout.readline()).decode()
        self.address = re.search(r"http://\S+", line)[0]
        async with httpx.AsyncClient(trust_env=False, verify=False) as client:
            while (await client.get(self.address + "/readyz")).status_code != 200:
                await asyncio.sleep(0.01)
        self.starts.append(time.monotonic() - began)

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()

    async def terminate(self) -> int:
        self.process.terminate()
        return await self.process.wait()


async def no_fault(response: httpx.Response) -> None:
    """Of the 5xx a daemon answers 501 and 503 alone."""
    assert response.status_code < 500 or response.status_code in {501, 503}, f"{response.request.url}: {response!r}"


@asynccontextmanager
async def client_of(daemon: Daemon) -> Any:
    async with httpx.AsyncClient(
        base_url=daemon.address,
        auth=("cms", SECRET),
        trust_env=False,
        verify=False,
        timeout=60,
        event_hooks={"response": [no_fault]},
    ) as client:
        yield client


async def quiet(client: httpx.AsyncClient, local_id: str) -> dict[str, Any]:
    """The liveblog once it has not stepped for two seconds."""
    version = -1
    while True:
        game = (await client.get(SHOW, params={"local_id": local_id})).json()
        if game["version"] == version:
            return game
        version = game["version"]
        await asyncio.sleep(2)
