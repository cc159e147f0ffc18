"""`matchwire clients …` beside a running daemon: created, rotated and revoked clients count at once or soon."""

from __future__ import annotations

import asyncio
import re

import httpx
import pytest
from typer.testing import CliRunner

from api.middleware import credentials
from config import Settings
from ingest.cli import main as cli
from tests.kit.day import ORGANIZATION, configuration, running

PATH = "/api/v5/write/ticker/show.json"


@pytest.fixture
def config_file(tmp_path):
    path = tmp_path / "matchwire.toml"
    path.write_text(
        f'[server]\nport = 0\n[database]\nurl = "sqlite+aiosqlite:///{tmp_path}/matchwire.db"\n'
        f'[organizations.{ORGANIZATION}]\nname = "Example"\n'
        f'[clients.cms]\nsecret = "a-long-secret-of-the-test"\norganizations = ["{ORGANIZATION}"]\nscopes = ["read"]\n'
    )
    return path


def matchwire(config_file, *words):
    """Exit code and output of the command."""
    done = CliRunner().invoke(cli.app, ["clients", *words, "--config", str(config_file)], env={"COLUMNS": "200"})
    return done.exit_code, done.output


def secret_of(output):
    return re.search(r"secret \(shown once\): (\S+)", output)[1]


async def test_clients_come_and_go_beside_a_running_daemon(config_file, tmp_path, monkeypatch):
    """A created client is let in, a rotated one with both secrets, a revoked one not any more."""
    monkeypatch.setattr(credentials, "CACHE_SECONDS", 0.0)
    tables = configuration("http://127.0.0.1:9", tmp_path)
    settings = Settings.model_validate(tables)

    def command(*words):
        return asyncio.to_thread(matchwire, config_file, *words)

    async with running(settings) as address, httpx.AsyncClient(base_url=address, trust_env=False, verify=False) as http:

        async def status(secret):
            answer = await http.get(PATH, params={"local_id": "gnone"}, auth=("desk", secret))
            return answer.status_code

        before = await status("x")
        _, made = await command("create", "desk", "--scope", "read", "--scope", "write")
        one = secret_of(made)
        _, rotated = await command("rotate", "desk")
        two = secret_of(rotated)
        both = [await status(one), await status(two), await status("wrong")]
        _, third = await command("rotate", "desk")
        after_third = [await status(one), await status(two), await status(secret_of(third))]
        shown = (await command("list"))[1]
        gone = await command("revoke", "desk")
        refused = await status(two)

    assert (before, both, after_third) == (401, [404, 404, 401], [401, 404, 404])
    assert "desk" in shown
    assert one not in shown
    assert two not in shown
    assert (gone[0], refused) == (0, 401)


def test_mistakes_are_reported_in_one_line(config_file):
    """No database yet, an unknown scope or organization, an id that no header could carry."""
    for words in (
        ("list",),
        ("create", "desk", "--scope", "everything"),
        ("create", "desk", "--organization", "unknown"),
        ("create", "a:b"),
    ):
        code, output = matchwire(config_file, *words)
        assert code == 2, words
        assert output.count("\n") == 1
        assert output.startswith("matchwire: ")


async def test_a_declared_client_is_changed_in_the_configuration(config_file, tmp_path):
    """The command refuses, and says where to change it."""
    async with running(Settings.model_validate(configuration("http://127.0.0.1:9", tmp_path))):
        code, output = await asyncio.to_thread(matchwire, config_file, "revoke", "cms")

    assert code == 2
    assert "declared in the configuration" in output
