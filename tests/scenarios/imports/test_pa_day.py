"""A match of PA's from plan to full-time through the API: goals are taken back by a flag and by vanishing, and given again."""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from ingest.cli import providers as cli_providers
from providers.contract.case import plain_endpoint
from providers.contract.server import Server, serving
from providers.pa.adapter import PA
from providers.registry import BUILT_IN
from providers.replay import Replay, ReplaySettings, read_lines
from tests.kit.contracts import TIE
from tests.kit.day import SHOW
from tests.kit.provider_day import goals_of, provider_day
from tests.providers.pa.bodies import Bodies

KEY = "key-of-the-test"
PATHS = {"match": "match/info", "events": "match/events", "lineups": "match/lineUpsEnhanced"}


def served(bodies):
    """The bodies by their paths."""
    return {f"{PATHS[kind]}/{KEY}/{TIE}": body for kind, body in bodies.written().items()}


def endpoint(url):
    """The settings of the access."""
    return {"base_url": f"{url}/v1.5", "api_key": KEY}


@pytest.fixture
async def day(tmp_path):
    async with provider_day("pa", TIE, served, Bodies("cup-tie-planned"), tmp_path, endpoint) as found:
        yield found


def first_half(until, score, *, without=(), deleted=(), status="KO"):
    """The running match with the events up to that id."""
    bodies = Bodies("cup-tie-running")
    bodies.row.update(matchStatus=status)
    bodies.row["homeTeam"]["score"], bodies.row["awayTeam"]["score"] = score
    bodies.remove(*(each["eventID"] for each in bodies.events if each["eventID"] > until), *without)
    for ident in deleted:
        bodies.event(ident)["status"] = "deleted"
    return bodies


def test_it_is_no_built_in_provider():
    """The core does not name it."""
    assert "pa" not in {provider.id for provider in BUILT_IN}


async def test_a_match_is_followed_from_plan_to_full_time(day):
    answer = await day.create()
    assert answer.status_code == 200, answer.text
    game = answer.json()
    assert (game["external"]["provider"], game["meta_info"]["title"]) == ("pa", "Hafenstadt – Waldau")
    name = game["local_id"]

    none, one = (["Kick-off", "Yellow card"], ("0", "0")), (["Kick-off", "Yellow card", "Goal"], ("1", "0"))
    await day.becomes(first_half("4400002", "00"), name, none)
    given = await day.becomes(first_half("4400005", "10"), name, one)
    await day.becomes(first_half("4400005", "00", deleted=["4400003"]), name, none)
    again = await day.becomes(first_half("4400005", "10"), name, one)
    assert goals_of(given) == goals_of(again)
    await day.becomes(first_half("4400005", "00", without=["4400003"]), name, none)
    again = await day.becomes(first_half("4400005", "10"), name, one)
    assert goals_of(given) == goals_of(again)
    titles = [
        "Kick-off", "Yellow card", "Goal", "Yellow card", "Goal", "Goal", "Half-time", "Second half",
        "Substitution", "Substitution", "Own goal", "Second yellow card", "Penalty missed", "Goal", "Goal",
        "End of normal time", "Extra time", "Goal", "Half-time in extra time", "Second half of extra time", "Red card",
        "Goal", "End of extra time", "Penalty shoot-out", "Full-time",
    ]  # fmt: skip
    over = await day.becomes(Bodies(), name, (titles, ("4", "4")))
    assert over["state_info"]["gamestate"] == 31
    assert KEY not in str(over)


async def test_what_was_recorded_holds_no_key_and_plays_again(day, tmp_path):
    """The segment of the path that is the key matches any; XML is served as it came."""
    name = (await day.create()).json()["local_id"]
    half = first_half("4400005", "10")
    await day.becomes(half, name, (["Kick-off", "Yellow card", "Goal"], ("1", "0")))
    files, lines, wanted = [], [], {body.decode() for body in half.written().values()}
    async with asyncio.timeout(30):
        while not wanted <= {line.text for line in lines}:
            await asyncio.sleep(0.1)
            files = sorted((tmp_path / "kept").glob("*/*.jsonl.gz"))
            lines = [line for path in files for line in read_lines(path)]
    assert [path for path in files if KEY.encode() in gzip.decompress(path.read_bytes())] == []
    async with Replay(lines, ReplaySettings(start_at="end")).serve() as replay:
        replay.settle()
        adapter = PA.connect(replace(plain_endpoint("pa", f"{replay.url}/v1.5"), api_key="another-key"))
        fetched = await adapter.fetch(TIE, {}, text=False, hints={})
        await adapter.aclose()
    assert {each.resource: each.body for each in fetched.answers} == half.written()


@pytest.mark.parametrize("status", [401, 500])
async def test_no_log_of_a_failing_match_holds_the_key(day, status, caplog, tmp_path):
    from providers.contract.server import Reply

    name = (await day.create()).json()["local_id"]
    day.server.spoil = lambda _: Reply(status=status, body=b"no")
    before = len(day.server.requests)
    async with asyncio.timeout(30):
        while len(day.server.requests) < before + 1:
            await asyncio.sleep(0.05)
    game = (await day.client.get(SHOW, params={"local_id": name})).json()
    kept = "".join(gzip.decompress(path.read_bytes()).decode() for path in (tmp_path / "kept").glob("*/*.jsonl.gz"))
    assert KEY not in f"{game}{caplog.text}{kept}"


async def test_probe_shows_what_was_understood(tmp_path):
    async with serving(Server(served(Bodies()))) as server:
        (tmp_path / "matchwire.toml").write_text(
            f"""
            [organizations.news]
            name = "News"
            [organizations.news.providers.pa]
            base_url = "{server.url}/v1.5"
            api_key = "{KEY}"
            """
        )
        words = ["probe", "pa", TIE, "--config", str(tmp_path / "matchwire.toml")]
        ran = await asyncio.to_thread(CliRunner().invoke, cli_providers.app, words)
    assert ran.exit_code == 0, ran.stderr
    assert "Hafenstadt – Waldau  4:4" in ran.stdout
    assert "90+6' soccer.goal  Waldau  3:3  scorer Ron Birke, assist Gus Ulme" in ran.stdout
    assert "faults 0" in ran.stdout
    assert KEY not in ran.stdout + ran.stderr
