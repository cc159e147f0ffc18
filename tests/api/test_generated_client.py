"""A client that openapi-python-client makes of the OpenAPI document, used against the daemon: it imports, writes and reads."""

import asyncio
import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.day import ORGANIZATION, match_day
from tests.kit.desk import news
from tests.kit.event_desk import post

pytestmark = pytest.mark.proof

GENERATOR = "openapi-python-client==0.29.1"
"""In an environment of its own: it wants an older Typer than the command has."""
SECRET = "correct-horse-battery-staple"
USE = """
import importlib, json, pkgutil, sys
import made
from made import AuthenticatedClient
from made.api.events import event_create, event_delete, event_update
from made.api.liveblogs import ticker_create, ticker_show
from made.models.event_input import EventInput
from made.models.game_draft import GameDraft

address, token, game, post = sys.argv[1:]
for module in pkgutil.walk_packages(made.__path__, "made."):
    importlib.import_module(module.name)
client = AuthenticatedClient(base_url=address, token=token, prefix="Basic", raise_on_unexpected_status=True)
liveblog = ticker_create.sync(client=client, body=GameDraft.from_dict(json.loads(game))).local_id
written = event_create.sync(client=client, body=EventInput.from_dict(json.loads(post)), ticker_local_id=liveblog)
changed = {**json.loads(post), "local_id": written.local_id, "headline": "Changed by a generated client"}
event_update.sync(client=client, body=EventInput.from_dict(changed), event_local_id=written.local_id)
shown = ticker_show.sync(client=client, local_id=liveblog)
print(json.dumps([event.headline for event in shown.events]))
"""


def generated(folder: Path, address: str) -> Path:
    """The interpreter of an environment with the generator, beside which the package `made` is."""
    binaries = folder / "venv" / "bin"
    made = ("generate", "--url", f"{address}/openapi.json", "--output-path", str(folder / "made"), "--meta", "none")
    for line in (
        (sys.executable, "-m", "venv", str(folder / "venv")),
        (str(binaries / "python"), "-m", "pip", "install", "--quiet", GENERATOR),
        (str(binaries / "openapi-python-client"), *made),
    ):
        subprocess.run(line, cwd=folder, check=True, timeout=300)
    return binaries / "python"


@pytest.mark.soak
async def test_a_generated_client_imports_whole_and_writes_what_it_reads(tmp_path):
    """Every module of it; a liveblog, a post and its change, by what the document says and by nothing else."""
    client = {"secret": SECRET, "organizations": [ORGANIZATION], "scopes": ["read", "write"]}
    token = base64.b64encode(f"cms:{SECRET}".encode()).decode()
    async with match_day(folder=tmp_path, lines=(), clients={"cms": client}) as day:
        address = str(day.client.base_url).rstrip("/")
        python = await asyncio.to_thread(generated, tmp_path, address)
        given = (address, token, json.dumps(news(organization_id=ORGANIZATION)), json.dumps(post("Hello")))
        process = await asyncio.create_subprocess_exec(
            *(str(python), "-c", USE, *given), cwd=tmp_path, stdout=asyncio.subprocess.PIPE
        )
        shown, _ = await process.communicate()

    assert process.returncode == 0
    assert shown.strip() == b'["Changed by a generated client"]'
