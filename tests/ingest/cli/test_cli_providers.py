"""`matchwire providers` and `fixtures` show what there is, what one says of a match and of a day, and no credential."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.cli import providers as cli_providers
from ingest.cli import shared
from providers.base import Fetched
from providers.contract.server import Reply, Server, serving
from providers.registry import Registry
from tests.kit.command import invoke
from tests.kit.day_lists import day_of
from tests.kit.sport_fixtures import race, translated
from tests.providers.heim.feed import match, tree

ROOT = Path(__file__).resolve().parents[3]
FIXTURE = ROOT / "tests" / "fixtures" / "openligadb" / "soccer" / "cup-final.match.json"
PASSWORD = "do-not-show-this"


def written(folder, url):
    """A configuration file with one provider."""
    file = folder / "matchwire.toml"
    file.write_text(f"""[organizations.news]
name = "News"
[organizations.news.providers.openligadb]
base_url = "{url}"
username = "newsroom"
password = "{PASSWORD}"
options.leagues = ["pokal:2024"]
""")  # fmt: skip
    return file


@pytest.fixture
async def server(tmp_path):
    """A provider with one match, and a config file that knows it."""
    bodies = {"getmatchdata/70001": FIXTURE.read_bytes(), "getmatchdata/pokal/2024": day_of("openligadb")}
    async with serving(Server(bodies)) as running:
        written(tmp_path, running.url)
        yield running


async def probe(folder, *arguments):
    """Exit code, standard output and error of the command in this process; the provider answers meanwhile."""
    words = ["providers", "probe", *arguments, "--config", folder / "matchwire.toml"]
    ran = await asyncio.to_thread(invoke, *words)
    return ran.exit_code, ran.stdout, ran.stderr


def test_list_names_every_provider_and_its_origin():
    """Sports, event types and text of each, and the package of those that entry points add."""
    shown = invoke("providers", "list")

    assert shown.exit_code == 0
    assert all(f"\n{provider.id}  (" in f"\n{shown.output}" for provider in Registry.load())
    assert "heim  (built in)" in shown.output
    assert "providers.openligadb.adapter:OPENLIGADB)" in shown.output
    assert "soccer: scoreboard, no text: goal, own-goal, start, end" in shown.output


async def test_probe_shows_what_was_understood(server, tmp_path):
    """Answers with size and cache, state, score, parts, incidents and faults; there is one poll."""
    code, shown, errors = await probe(tmp_path, "openligadb", "70001")

    assert (code, errors) == (0, "")
    assert shown.startswith(f"asked {server.url} for organization news, answered in ")
    assert "rows, ETag, fresh for 30 s" in shown
    assert "soccer 70001: finished, kick-off 2025-06-14T16:00:00Z" in shown
    assert "SV Nordhafen – FC Südtor  2:2" in shown
    assert "half-time 1:0, full-time 1:1, extra-time 2:2, shoot-out 4:2" in shown
    assert "45+3' soccer.goal  SV Nordhafen  1:0  scorer K. Brandt" in shown
    assert "faults 0" in shown
    assert len(server.requests) == 1
    assert PASSWORD not in shown


async def test_probe_shows_the_list_of_a_day(server, tmp_path):
    """How many matches of each competition stand where, and what could not be read."""
    code, shown, errors = await probe(tmp_path, "openligadb", "2025-06-14", "--kind", "day")
    server.spoil = lambda _: Reply(body=b"<html>")
    failed = await probe(tmp_path, "openligadb", "2025-06-14", "--kind", "day")

    assert (code, errors, failed[0]) == (0, "", 1)
    assert "2025-06-14: 7 matches, 0 rows that cannot be read, fresh for 30 s" in shown
    assert "  soccer, 4711 Pokal: 3 scheduled, 2 live, 2 finished" in shown
    assert PASSWORD not in shown


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(status=401), "failed, ProviderRefused: the provider refuses the credentials"),
        (Reply(status=401), "no match: the provider refuses the credentials"),
        (Reply(status=503), "failed, UpstreamUnavailable: the provider is unavailable (503)"),
        (Reply(body=b"<html>"), "failed, BadBody: match: the answer is not JSON"),
    ],
)
async def test_probe_says_what_the_provider_did(server, tmp_path, reply, words):
    """A match that cannot be had is report in words and by the exit code."""
    server.spoil = lambda _: reply
    code, shown, _ = await probe(tmp_path, "openligadb", "70001", "--organization", "news")

    assert code == 1
    assert words in shown
    assert "no match:" in shown
    assert PASSWORD not in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("openligadb", "no-number"), "openligadb match no-number: matchId has another form than 70001"),
        (("openligadb", "today", "--kind", "day"), "Invalid isoformat string: 'today'"),
        (("openligadb", "bl1", "--kind", "phase"), "phaseId has another form than bl1:2026:12"),
        (("heim", "1"), "the configuration has no endpoint of heim: add [organizations.<id>.providers.heim]"),
        (("heim", "1", "--organization", "news"), "add [organizations.news.providers.heim]"),
        (("openligadb", "1", "--organization", "nobody"), "it is not configured, only news"),
        (("sportradio", "1"), "no provider sportradio is installed, only heim, gn-gsd, openligadb"),
    ],
)
def test_probe_says_what_to_do_about_it(tmp_path, monkeypatch, arguments, words):
    """What is missing in the configuration, or how an id is written."""
    file, said = written(tmp_path, "http://127.0.0.1:9"), []
    monkeypatch.setattr(shared.err, "print", lambda line, **_: said.append(line))
    ran = invoke("providers", "probe", *arguments, "--config", file)

    assert ran.exit_code == 1
    assert words in " ".join(said)


def test_a_race_is_report_by_title_lap_and_ranking():
    """Instead of two teams that it does not have; incidents by laps, with what the provider adds."""
    match = translated(*race())
    shown = list(cli_providers.report(cli_providers.Probe("nobody", Fetched(answers=()), 0.0, match)))

    assert "  Formula 1, Großer Preis von São Paulo: Rennen" in shown
    assert "  lap 69 of 69, chequered-flag" in shown
    assert "ranking 20" in shown
    assert "        1 Max Verstappen, Red Bull  2:06:54.430" in shown
    assert "          Carlos Sainz Jr., Ferrari  DNF" in shown
    assert "   lap 24 motorsports.pit-stop  driver Charles Leclerc  24.573" in shown
    assert "   lap 27 motorsports.virtual-safety-car (over)" in shown
    assert not [line for line in shown if "squads" in line or "?" in line]


TODAY = datetime.now(UTC)
DAY = {"match_date": f"{TODAY:%d.%m.%Y}", "match_time": "18:00", "current_period": "", "finished": "no"}


@pytest.fixture
async def provider(tmp_path):
    """A provider with two matches of today, two organizations that have it, and no database."""
    body = json.dumps(tree(match(**DAY), match(**DAY, id=None))).encode()
    async with serving(Server({f"matches-by-date/da{TODAY:%Y-%m-%d}": body})) as server:
        access = f'base_url = "{server.url}"\ntimezone = "UTC"\npassword = "never-shown"\nusername = "news"\n'
        (tmp_path / "matchwire.toml").write_text(
            f'[database]\nurl = "sqlite+aiosqlite:///{tmp_path}/none.db"\n[organizations.news]\nname = "News"\n'
            f'[organizations.news.providers.heim]\n{access}[organizations.other]\nname = "Other"\n'
        )
        yield server


async def listed(folder, *words):
    """Exit status and output; the provider answers meanwhile."""
    done = await asyncio.to_thread(
        invoke, "fixtures", "--provider", "heim", *words, "--config", folder / "matchwire.toml"
    )
    assert "never-shown" not in done.output
    return done.exit_code, done.output


async def test_the_list_is_printed(provider, tmp_path):
    """By competition, with ids, kick-off and what cannot be read; as JSON it is the document of the API."""
    status, shown = await listed(tmp_path)
    assert status == 0, shown
    for words in ("(UTC), 1 matches", "Hansepokal (31) soccer", "18:00  9000001  SV Nordhafen (501) – FC Südtor (502)",
                  "1 rows cannot be read"):  # fmt: skip
        assert words in shown, words
    status, shown = await listed(tmp_path, "--json", "--team", "501", "--organization", "news")
    assert (status, json.loads(shown)["objects"][0]["matchId"]) == (0, "9000001")
    status, shown = await listed(tmp_path, "--competition", "none")
    assert (status, "0 matches" in shown) == (0, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--day", "never"), "heim never: day should be yesterday, today, tomorrow or a date"),
        (("--organization", "other"), "heim today: the organization is not authorized"),
        (("--provider", "pa"), "no organization has pa; name one with --organization"),
        (("--day", "2020-01-01"), "heim 2020-01-01: "),
    ],
)
async def test_what_cannot_be_listed_is_status_1(provider, tmp_path, words, said):
    """In one line."""
    status, shown = await listed(tmp_path, *words)

    assert (status, said in shown) == (1, True), shown


async def test_a_list_that_fails_is_status_1(provider, tmp_path):
    """It is no empty day."""
    provider.spoil = lambda _: Reply(body=b"<html>")
    status, shown = await listed(tmp_path)

    assert (status, "is not JSON" in shown) == (1, True), shown
