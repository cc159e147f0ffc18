"""`matchwire fixtures` lists what the API lists, and says what went wrong by its exit status."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from providers.contract.server import Reply, Server, serving
from tests.kit.command import invoke
from tests.providers.heim.feed import match, tree

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
