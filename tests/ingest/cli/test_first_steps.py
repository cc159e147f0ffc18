"""The commands of docs/first-steps.md, played as they are printed by somebody who has nothing but a fresh folder."""

import asyncio
import json
import os
import re
import shutil
import signal
import textwrap
import time
import tomllib
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from providers.replay import Replay, ReplaySettings
from tests.kit.blocks import blocks_of
from tests.kit.creating import ADDRESS, PASSWORD, RECEIVER, UPSTREAM, recorded
from tests.kit.postgres import free_port
from tests.kit.terminal import fresh_clone, fresh_folder, plain_environment, terminal, with_interpreter

pytestmark = pytest.mark.proof

ROOT = Path(__file__).resolve().parents[3]
STEPS = (ROOT / "docs" / "first-steps.md").read_text()
BEGINNING = """
set -eu
export PATH="$PWD/.venv/bin:$PATH"
"""


def own_contract():
    """The page's blocks for a contract of one's own: the configuration, and what is typed in the two terminals."""
    shown = [each for each in blocks_of(STEPS) if each.heading == "Run it on your own contract"]
    tables = [each.text for each in shown if each.language == "toml"]
    return tables, [each.text for each in shown if each.is_typed]


def environment(folder, upstream):
    return plain_environment(folder, MATCHWIRE_SERVER__PORT="0", **{UPSTREAM: upstream})


async def test_readme_runs_as_it_is_printed():
    """From a fresh folder to a liveblog that everybody reads: `init`, `check-config`, `run`, and each curl after them."""
    await read_and_typed(installed)


@pytest.mark.soak
async def test_readme_runs_as_it_is_printed_from_a_clone():
    """The same with `make install`, from nothing but the files of the repository."""
    await read_and_typed(fresh_clone)


@contextmanager
def installed():
    """What a clone is after `make install`."""
    with fresh_folder() as folder:
        shutil.copytree(ROOT / "docs" / "examples", folder / "docs" / "examples")
        (folder / "Makefile").write_text("install:\n")
        yield folder


async def read_and_typed(clone):
    (tables,), (prepare, start, *more) = own_contract()
    assert prepare.startswith("make install\n")
    settings = ReplaySettings(user="newsroom", password=PASSWORD, start_at="end")
    async with Replay([*recorded()], settings).serve() as replay:
        await asyncio.to_thread(play, clone, replay.url, tables, f"{prepare}\n{start}", "\n".join(more))


def play(clone, upstream, tables, first, second):
    """Both terminals, and what the second shows."""
    with clone() as folder:
        environ = environment(folder, upstream)
        if clone is fresh_clone:
            environ = with_interpreter(environ)
        with terminal(folder, environ, f"set -eu\n{first}", given=f"{PASSWORD}\n") as daemon:
            daemon.until("matchwire.toml is valid", within=600)
            address = daemon.address()
            written = folder / "newsroom" / "matchwire.toml"
            shown = tomllib.loads(tables) | {"webhooks": {"allow_hosts": ["127.0.0.1"]}}
            assert tomllib.loads(written.read_text()) == shown
            assert {file.name: oct(file.stat().st_mode & 0o777) for file in (written.parent / "secrets").iterdir()} == {
                "heim": "0o600",
                "newsroom-cms": "0o600",
            }
            second = second.replace(ADDRESS, address).replace(RECEIVER, str(free_port()))
            with terminal(folder, environ, f"set -eu\ntrap 'kill %1' EXIT\n{second}") as other:
                status, said = other.finished()
            secret = (written.parent / "secrets" / "newsroom-cms").read_text().strip()
            made = json.loads((written.parent / "liveblog.json").read_text())
            readers_see(f"http://{address}", made["local_id"])
            reload_is_harmless(daemon, written)
    assert status == 0, said
    for shown in (
        "<!doctype html>",
        "<rss",
        '"_type":"Svc::Model::Game"',
        "verified msg_",
        '"event_type": "ping"',
        "204",
        '"status":"active"',
        "secret (shown once)",
        "reader",
    ):
        assert shown in said, (shown, said)
    assert secret not in said
    assert "whsec_" not in said
    assert PASSWORD not in said


def readers_see(address, liveblog):
    """The page, the list of all pages and the posts, without credentials."""
    with httpx.Client(base_url=address, trust_env=False, verify=False) as http:
        assert liveblog in http.get("/").text
        assert http.get(f"/liveblogs/{liveblog}").status_code == 200
        feed = {"liveblogId": liveblog}
        for _ in range(300):
            if items := http.get("/api/embed/v4/feed/liveblog.json", params=feed).json()["items"]:
                break
            time.sleep(0.1)
        assert [item for item in items if "1:0" in json.dumps(item)]


def reload_is_harmless(daemon, configuration):
    """SIGHUP applies a valid configuration and says what is wrong with another; the daemon goes on."""
    text = configuration.read_text()
    for changed, words in (
        (text, '"event": "config.unchanged"'),
        (text.replace("port = 8080", "port = 8080\nkeep_alive = 5"), '"changed": ["server"]'),
        (text.replace("port = 8080", "prot = 8080"), "unknown key; the nearest known one is server.port"),
    ):
        configuration.write_text(changed)
        os.kill(int((configuration.parent / "matchwire.db.lock").read_text()), signal.SIGHUP)
        daemon.until(words)
    assert daemon.process.poll() is None


def test_what_init_prints_works_without_a_provider():
    """`init` alone is enough for a daemon that answers; its secret is printed nowhere, and a second one changes nothing."""
    with fresh_folder() as folder:
        environ = environment(folder, "http://127.0.0.1:9")
        del environ[UPSTREAM]
        with terminal(folder, environ, f"{BEGINNING} matchwire init") as init:
            status, said = init.finished()
        assert status == 0, said
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and ".venv" not in path.parts}
        begin, rest = [textwrap.dedent(each).strip() for each in re.findall(r"\n\n((?: {4}.*\n?)+)", said)]
        with terminal(folder, environ, f"{BEGINNING}{begin}") as daemon:
            address = daemon.address()
            again = f"{BEGINNING}{rest.replace(ADDRESS, address)}\nmatchwire init || echo status $?"
            with terminal(folder, environ, again) as other:
                code, answers = other.finished()

    assert code == 0, answers
    assert '"ready":true' in answers
    assert '"_type":"Svc::Model::Collection"' in answers
    assert "nothing is overwritten: matchwire.toml, secrets/newsroom-cms are there already" in answers
    assert "status 2" in answers
    assert before[folder / "secrets" / "newsroom-cms"].decode().strip() not in said + answers
