"""The pages for newsrooms and integrators, played as they are printed by somebody with a fresh folder."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from providers.replay import Replay, ReplaySettings
from tests.kit.blocks import typed
from tests.kit.creating import ADDRESS, PASSWORD, RECEIVER, UPSTREAM, recorded
from tests.kit.postgres import free_port
from tests.kit.terminal import fresh_folder, plain_environment, terminal

pytestmark = pytest.mark.proof

DOCS = Path(__file__).resolve().parents[3] / "docs"
OPERATORS, NEWSROOMS, INTEGRATORS = (
    (DOCS / f"for-{name}.md").read_text() for name in ("operators", "newsrooms", "integrators")
)
BEGINNING = 'set -eu\nexport PATH="$PWD/.venv/bin:$PATH"\n'


def environment(folder, upstream):
    """With the provider, and room for a receiver on this machine, which an operator would write into the configuration."""
    provider = UPSTREAM.removesuffix("BASE_URL")
    return plain_environment(folder, **{
        "MATCHWIRE_SERVER__PORT": "0", UPSTREAM: upstream, f"{provider}USERNAME": "newsroom", f"{provider}PASSWORD": PASSWORD,
        "MATCHWIRE_WEBHOOKS__ALLOW_HOSTS": '["127.0.0.1"]',
    })  # fmt: skip


async def played(play):
    async with Replay(
        [*recorded()], ReplaySettings(user="newsroom", password=PASSWORD, start_at="end")
    ).serve() as replay:
        return await asyncio.to_thread(play, replay.url)


def split(page, heading):
    """The commands of the first terminal, which end with the daemon, and of the second."""
    first, started, second = typed(page, heading).partition("matchwire run\n")
    assert started
    return first + started, second


async def test_the_pages_of_newsrooms_and_integrators_run_as_they_are_printed():
    """An operator begins; a newsroom writes, corrects and takes back; an integrator creates once and hears of a change."""
    newsroom = typed(NEWSROOMS, "Begin", "Write, correct, take back")
    integrator = typed(INTEGRATORS, "Begin", "Create without creating twice", "Hear of every change", "Read")

    def play(upstream):
        with fresh_folder() as folder:
            shutil.copy(DOCS / "examples" / "receive_webhooks.py", folder)
            environ = environment(folder, upstream)
            first, second = split(OPERATORS, "Begin")
            with terminal(folder, environ, BEGINNING + first) as daemon:
                script = f"{second}\n{newsroom}\ntrap 'kill %1' EXIT\n{integrator}"
                script = script.replace(ADDRESS, daemon.address()).replace(RECEIVER, str(free_port()))
                with terminal(folder, environ, BEGINNING + script) as other:
                    status, said = other.finished()
            assert status == 0, said
            files = "liveblog", "post", "first", "second", "openapi"
            return said, {name: json.loads((folder / f"{name}.json").read_text()) for name in files}

    said, answers = await played(play)

    assert '"ready":true' in said
    assert "Heavy rain over the harbour." in said
    assert answers["first"]["local_id"] == answers["second"]["local_id"]
    assert answers["openapi"]["openapi"].startswith("3.1")
    assert '"event_type": "ticker_update"' in said
    assert f'"local_id": "{answers["first"]["local_id"]}"' in said
    assert "etag:" in said.lower()
    assert "whsec_" not in said
