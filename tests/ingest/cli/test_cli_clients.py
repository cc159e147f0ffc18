"""`matchwire clients …` beside a running daemon: created, rotated and revoked clients count at once or soon."""

import asyncio
import re

import httpx

from api.middleware import credentials
from config import Settings
from tests.kit.day import configuration, running

PATH = "/api/v5/write/ticker/show.json"


def secret_of(output):
    return re.search(r"secret \(shown once\): (\S+)", output)[1]


async def test_clients_come_and_go_beside_a_running_daemon(matchwire, tmp_path, monkeypatch):
    """A created client is let in, a rotated one with both secrets, a revoked one not any more; a declared one is left alone."""
    monkeypatch.setattr(credentials, "CACHE_SECONDS", 0.0)
    settings = Settings.model_validate(configuration("http://127.0.0.1:9", tmp_path))

    def command(*words):
        return asyncio.to_thread(matchwire, "clients", *words)

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
        declared = await command("revoke", "cms")

    assert (before, both, after_third) == (401, [404, 404, 401], [401, 404, 404])
    assert "desk" in shown
    assert one not in shown
    assert two not in shown
    assert (gone[0], refused) == (0, 401)
    assert (declared[0], "declared in the configuration" in declared[1]) == (2, True)


def test_mistakes_are_reported_in_one_line(matchwire, tmp_path):
    """No database yet, an unknown scope or organization, an id that no header could carry."""
    (tmp_path / "matchwire.db").unlink()
    for words in (
        ("list",),
        ("create", "desk", "--scope", "everything"),
        ("create", "desk", "--organization", "unknown"),
        ("create", "a:b"),
    ):
        code, output = matchwire("clients", *words)
        assert code == 2, words
        assert output.count("\n") == 1
        assert output.startswith("matchwire: ")
