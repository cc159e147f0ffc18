"""A match of Stats Perform from plan to full-time through the API: a goal is taken back by vanishing, and given again."""

from __future__ import annotations

import asyncio
import copy
import gzip
import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from ingest.cli import providers as cli_providers
from providers.contract.case import plain_endpoint
from providers.contract.server import Server, serving
from providers.registry import BUILT_IN
from providers.replay import Replay, ReplaySettings, read_lines
from providers.statsperform.adapter import STATSPERFORM
from tests.kit.contracts import DERBY
from tests.kit.provider_day import goals_of, provider_day
from tests.kit.statsperform_match import body

KEY = "outlet-key-of-the-test"


def served(match):
    """What the provider has of it, by the path."""
    return {DERBY: json.dumps(match).encode()}


def endpoint(url):
    """The settings of the access."""
    return {"base_url": url, "api_key": KEY}


@pytest.fixture
async def day(tmp_path):
    async with provider_day("statsperform", DERBY, served, body("derby-planned"), tmp_path, endpoint) as found:
        yield found


def at(minute, *, without=()):
    """The running match as it stood at a minute of the first half."""
    match = copy.deepcopy(body("derby-running"))
    live = match["liveData"]
    live["matchDetails"] |= {"periodId": 1, "period": live["matchDetails"]["period"][:1]}
    del live["matchDetails"]["period"][0]["end"]
    for name in ("goal", "card", "substitute"):
        rows = [each for each in live[name] if each["timeMin"] <= minute and each.get("optaEventId") not in without]
        live |= {name: rows}
        if not rows:
            del live[name]
    last = [{"homeScore": 0, "awayScore": 0}, *live.get("goal", [])][-1]
    live["matchDetails"]["scores"] = {"total": {"home": last["homeScore"], "away": last["awayScore"]}}
    return match


def test_it_is_no_built_in_provider():
    """The core does not name it."""
    assert "statsperform" not in {provider.id for provider in BUILT_IN}


async def test_a_match_is_followed_from_plan_to_full_time(day):
    answer = await day.create()
    assert answer.status_code == 200, answer.text
    game = answer.json()
    assert game["external"]["provider"] == "statsperform"
    assert game["meta_info"]["title"] == "SV Hafenstadt – Waldau"
    name = game["local_id"]

    await day.becomes(at(11), name, (["Kick-off", "Yellow card"], ("0", "0")))
    one = ["Kick-off", "Yellow card", "Goal"]
    given = await day.becomes(at(23), name, (one, ("1", "0")))
    await day.becomes(at(23, without={"2300000001"}), name, (one[:2], ("0", "0")))
    again = await day.becomes(at(23), name, (one, ("1", "0")))
    assert goals_of(given) == goals_of(again)
    titles = [
        "Kick-off", "Yellow card", "Goal", "Yellow card", "Goal", "Yellow card", "Goal", "Half-time", "Second half",
        "Substitution", "Substitution", "Substitution", "Own goal", "Second yellow card", "Substitution", "Goal",
        "Yellow card", "Goal", "End of normal time", "Extra time", "Goal", "Half-time in extra time",
        "Second half of extra time", "Red card", "Goal", "End of extra time", "Penalty shoot-out", "Full-time",
    ]  # fmt: skip
    over = await day.becomes(body("derby"), name, (titles, ("4", "4")))
    assert over["state_info"]["gamestate"] == 31
    assert KEY not in str(over)


async def test_what_was_recorded_holds_no_key_and_plays_again(day, tmp_path):
    """The part of the path that is the key matches any."""
    name = (await day.create()).json()["local_id"]
    await day.becomes(at(23), name, (["Kick-off", "Yellow card", "Goal"], ("1", "0")))
    files = sorted((tmp_path / "kept").glob("*/*.jsonl.gz"))
    async with asyncio.timeout(30):
        while len(lines := [line for path in files for line in read_lines(path)]) < 2:
            await asyncio.sleep(0.1)
    assert files
    assert [path for path in files if KEY.encode() in gzip.decompress(path.read_bytes())] == []
    async with Replay(lines, ReplaySettings(start_at="end")).serve() as replay:
        endpoint = replace(plain_endpoint("statsperform", f"{replay.url}/v1"), api_key="another-key")
        adapter = STATSPERFORM.connect(endpoint)
        (answer,) = (await adapter.fetch(DERBY, {}, text=False, hints={})).answers
        await adapter.aclose()
    assert json.loads(answer.body) == at(23)


async def test_probe_shows_what_was_understood(tmp_path):
    async with serving(Server({DERBY: json.dumps(body()).encode()})) as server:
        (tmp_path / "matchwire.toml").write_text(
            f"""
            [organizations.news]
            name = "News"
            [organizations.news.providers.statsperform]
            base_url = "{server.url}"
            api_key = "{KEY}"
            """
        )
        words = ["probe", "statsperform", DERBY, "--config", str(tmp_path / "matchwire.toml")]
        ran = await asyncio.to_thread(CliRunner().invoke, cli_providers.app, words)
    assert ran.exit_code == 0, ran.stderr
    assert "SV Hafenstadt – Waldau  4:4" in ran.stdout
    assert "90+6' soccer.goal  Waldau  3:3  scorer Ron Birke, assist Gus Ulme" in ran.stdout
    assert "faults 0" in ran.stdout
    assert KEY not in ran.stdout + ran.stderr
