"""The demo as it is started: whoever comes first has something to read."""

import asyncio
import re
from io import StringIO
from pathlib import Path

import httpx
import pytest
from rich.console import Console

from ingest.cli.demo import play
from ingest.telemetry import logs
from providers.replay.demo import NAMES
from tests.kit.blocks import blocks_of
from tests.kit.terminal import fresh_folder, plain_environment, terminal

pytestmark = pytest.mark.proof

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
async def demo(monkeypatch):
    """Where the page of a demo is that says it is ready, and all that it says."""
    monkeypatch.setattr(logs, "configure", lambda *_: None)  # loggers of this process are kept for ever once it is done
    said, stop = StringIO(), asyncio.Event()
    playing = asyncio.create_task(play(port=0, speed=20, out=Console(file=said, width=200), stop=stop))
    async with asyncio.timeout(60):
        while not (found := re.search(r"Page +(\S+)/", said.getvalue())):
            assert not playing.done(), playing.exception()
            await asyncio.sleep(0.02)
    yield found[1], said.getvalue()
    stop.set()
    await playing


async def test_the_list_is_there_once_the_demo_is_ready(demo):
    """Once it says where its page is, it is ready: the list has all matches with posts to read, but one that can be chosen."""
    address, said = demo
    async with httpx.AsyncClient(trust_env=False, verify=False) as http:
        ready = (await http.get(f"{address}/readyz")).status_code
        listed = (await http.get(f"{address}/")).text
        links = re.findall(r'href="(liveblogs/[^"]+)"', listed)
        page = (await http.get(f"{address}/{links[0]}")).text if links else ""
        account = re.search(r"Desk +(\S+) +\((\S+), password (\S+)\)", said)
        form = {"email": account[2], "password": account[3]}
        signed_in = await http.post(f"{account[1]}/sign-in", data=form, headers={"Sec-Fetch-Site": "same-origin"})
        cookie = signed_in.headers["set-cookie"].partition(";")[0]
        desk = (await http.get(account[1], headers={"Cookie": cookie})).text
        choose = (await http.get(re.search(r"Choose +(\S+)", said)[1], headers={"Cookie": cookie})).text

    assert (ready, len(links)) == (200, len(NAMES) - 1), listed
    assert 'class="state live"' in listed
    assert 'class="post' in page
    assert signed_in.status_code == 303
    assert "Robin Demo" in desk
    assert "Croatia" in desk
    assert (choose.count('name="match.'), choose.count("Has a liveblog")) == (len(NAMES), len(NAMES) - 1)


async def test_the_first_liveblog_is_made_as_readme_prints_it(demo):
    """From the two lines that name the client to the feed that has the post: every id that is printed exists in the demo."""
    blocks = blocks_of((ROOT / "README.md").read_text())
    shown = "\n".join(each.text for each in blocks if each.heading == "Your first liveblog, without a contract")

    def typed():
        with fresh_folder() as folder:
            script = "set -eu\n" + shown.replace("http://127.0.0.1:8080", demo[0])
            with terminal(folder, plain_environment(folder), script) as curl:
                return curl.finished()

    status, printed = await asyncio.to_thread(typed)

    assert status == 0, printed
    assert "Welcome to Saransk" in printed
