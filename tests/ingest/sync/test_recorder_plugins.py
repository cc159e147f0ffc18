"""What a plug-in provider sent is played again without a replay module of its own: by the paths that were requested."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from config import Settings
from providers.contract.server import Reply, Server, serving
from providers.replay import Replay, ReplaySettings, read_lines
from providers.replay.recording import Paths, Source
from tests.kit.day import CREATE, ORGANIZATION, SHOW, configuration, running

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "openligadb" / "soccer"
PATH = "getmatchdata/70001"
STEPS = ("cup-final-planned", "cup-final-running", "cup-final")


def bodies():
    return [(FOLDER / f"{name}.match.json").read_bytes() for name in STEPS]


@asynccontextmanager
async def following(base_url, folder, **more):
    """A daemon with OpenLigaDB at this address, and a client of its API."""
    folder.mkdir()
    tables = configuration("http://127.0.0.1:9", folder) | more
    tables["organizations"][ORGANIZATION]["providers"] = {"openligadb": {"base_url": base_url}}
    settings = Settings.model_validate(tables)
    async with running(settings) as address:
        auth = ("cms", settings.clients["cms"].secret.get_secret_value())
        async with httpx.AsyncClient(base_url=address, auth=auth, timeout=60, trust_env=False, verify=False) as client:
            yield client


async def create(client):
    request = {"provider": "openligadb", "matchId": "70001", "autoPostEnabled": True}
    answer = await client.post(CREATE, json=request)
    assert answer.status_code == 200, answer.text
    return answer.json()["local_id"]


async def becomes(client, local_id, wanted):
    """Wait until the liveblog shows so much."""
    async with asyncio.timeout(30):
        while (found := shown((await client.get(SHOW, params={"local_id": local_id})).json()))[0] != wanted:
            await asyncio.sleep(0.05)
    return found


def shown(game):
    """State, posts in the order of play, and score."""
    posts = sorted((each for each in game["events"] if each["local_status"] == 0), key=lambda each: each["sort"])
    shown = [(each["sport_event"]["title"], each["contents"][0].get("text")) for each in posts]
    return game["state_info"]["gamestate"], shown, game["scoreboard"]["score"]


@pytest.mark.proof
async def test_a_recorded_match_of_openligadb_plays_again(tmp_path):
    """From plan to full-time with a failure in between, recorded by one daemon and replayed to another: the same liveblog."""
    kept = {"enabled": True, "folder": str(tmp_path / "kept")}
    planned, live, over = bodies()
    async with (
        serving(Server({PATH: planned})) as server,
        following(server.url, tmp_path / "first", recording=kept) as client,
    ):
        name = await create(client)
        await asyncio.sleep(0.5)
        server.bodies = {PATH: live}
        await becomes(client, name, 1)
        server.spoil = lambda _: Reply(status=500, body=b"<html>")
        await asyncio.sleep(0.5)
        server.spoil = lambda _: None
        server.bodies = {PATH: over}
        first = await becomes(client, name, 31)
    files = sorted((tmp_path / "kept").glob("*/*.jsonl.gz"))
    lines = [line for path in files for line in read_lines(path)]

    assert {line.source for line in lines} == {Source("openligadb", "70001", PATH)}
    assert [line.failure.status for line in lines if line.failure] == [500]
    async with (
        Replay(lines, ReplaySettings()).serve() as replay,
        following(f"{replay.url}/api", tmp_path / "second") as client,
    ):
        replay.seek(0)
        replay.clock.pause()
        name = await create(client)
        planned_again = shown((await client.get(SHOW, params={"local_id": name})).json())
        replay.clock.resume()
        second = await becomes(client, name, 31)

    assert planned_again[:2] == (0, [])
    assert len(first[1]) == 6
    assert second == first


def recorded(*paths):
    return Paths((Source("mine", f"{number}", path), "match") for number, path in enumerate(paths))


@pytest.mark.parametrize(
    ("requested", "found"),
    [
        (("/games/7", ""), "mine/0"), (("/any/prefix/games/7/", "key=1"), "mine/0"),
        (("/games/7", "lang=de&key=1"), "mine/1"), (("/games/7", "key=1&lang=en"), "mine/0"),
        (("/v1/real-key/games/9", ""), "mine/2"), (("/games/%38", ""), "mine/3"), (("/games/77", ""), None),
        (("/games", ""), None), (("/", ""), None),
    ],
)  # fmt: skip
def test_a_request_finds_what_was_recorded_for_it(requested, found):
    """The end of its path and the parts of the query that were kept; where a secret was left out any text will do."""
    paths = recorded("games/7", "games/7?lang=de", "v1/…/games/9", "games/8")
    address = paths.address(*requested)

    assert (address and address.match_id) == found
