"""Every command with hostile data: names that are markup, the names of emoji or orders to a terminal are printed as they are."""

import json
import sqlite3
import zipfile
from contextlib import closing

import pytest
import typer
from typer.testing import CliRunner

from ingest.cli import main as cli
from tests.kit import full_house
from tests.kit.full_house import OWNER
from tests.kit.sqlite import copied_url

HOSTILE = "[/b] [link=https://evil.example]x[/link] :boom: \x1b[31m\x9b1m\r"
PRINTED = "[/b] [link=https://evil.example]x[/link] :boom: \\u001b[31m\\u009b1m"
GAME = full_house.GAME
OF = ("--organization", OWNER)
COMMANDS = {
    "init": ("{folder}/new", "--organization", HOSTILE),
    "backup": (f"{{folder}}/{HOSTILE}",),
    "restore": (f"{{folder}}/{HOSTILE}",),
    "export": (HOSTILE, "{folder}/x"),
    "import": (f"{{folder}}/{HOSTILE}",),
    "import-feed": (HOSTILE, *OF),
    "doctor": (),
    "incident": (HOSTILE,),
    "replay": ("{folder}/{hostile}.jsonl",),
    "demo": ("--port", HOSTILE),
    "run": ("--port", HOSTILE),
    "sync-once": (),
    "explain": (GAME,),
    "check-config": (),
    "db upgrade": (),
    "clients create": (HOSTILE, *OF),
    "clients list": (),
    "clients rotate": (HOSTILE,),
    "clients revoke": (HOSTILE,),
    "clients hash": (HOSTILE,),
    "account add": (HOSTILE, *OF),
    "account list": (),
    "account password": (HOSTILE,),
    "account second-factor-reset": (HOSTILE,),
    "account role": (HOSTILE, HOSTILE),
    "account disable": (HOSTILE,),
    "account enable": (HOSTILE,),
    "account sessions-end": (HOSTILE,),
    "account audit": (),
    "webhooks list": (),
    "webhooks subscribe": (HOSTILE, *OF),
    "webhooks unsubscribe": (HOSTILE, *OF),
    "webhooks rotate": (HOSTILE, *OF),
    "webhooks ping": (HOSTILE, *OF),
    "webhooks deliveries": OF,
    "webhooks replay": ("--url", HOSTILE, *OF),
    "comments export": ("--liveblog", HOSTILE),
    "polls export": ("--liveblog", HOSTILE),
    "media purge": (HOSTILE,),
    "keys rotate": (HOSTILE,),
    "statistics export": ("--liveblog", HOSTILE),
    "providers list": (),
    "providers probe": ("heim", HOSTILE, *OF),
}
"""Each command and its arguments."""
SHOW = {"account list", "clients list", "explain", "webhooks deliveries", "webhooks list"}
"""Those that show what others have named."""
FILES = {"account audit"}
"""Those that write a file, here to the terminal."""


def commands(group, path=()):
    for name, each in group.commands.items():
        if hasattr(each, "commands"):
            yield from commands(each, (*path, name))
        else:
            yield " ".join((*path, name)), each


KNOWN = dict(commands(typer.main.get_command(cli.app)))


@pytest.fixture(scope="module")
def hostile_house(tmp_path_factory):
    """A full database in which the texts, people, clients and receivers are called so."""
    folder = tmp_path_factory.mktemp("hostile")
    url = copied_url(folder / "house.db", lambda: full_house.sqlite_house()[0])
    with closing(sqlite3.connect(folder / "house.db")) as raw, raw:
        raw.execute("UPDATE games SET title = ?", (HOSTILE,))
        raw.execute("UPDATE accounts SET name = ?, email = ? || id", (HOSTILE, HOSTILE))
        raw.execute("UPDATE clients SET id = ? || id", (HOSTILE,))
        raw.execute("UPDATE webhooks SET url = url || ?, outcome_message = ?", (HOSTILE, HOSTILE))
        raw.execute("UPDATE webhook_rounds SET message = ?", (HOSTILE,))
    config = f'[database]\nurl = "{url}"\n[organizations.{OWNER}]\nname = {json.dumps(HOSTILE)}\n'
    (folder / "matchwire.toml").write_text(config)
    (folder / "[b].jsonl").write_text(HOSTILE)
    return folder


FOREIGN = {
    "nothing of it": {"a.txt": b"x"},
    "a list": {"manifest.json": b"[]"},
    "no JSON": {"manifest.json": b"{"},
    "too deep": {"manifest.json": b"[" * 100_000},
    "another version": {"manifest.json": b'{"form": 99}'},
    "the form alone": {"manifest.json": b'{"form": 1}'},
    "half of it": {"manifest.json": b'{"form": 1, "missing": [], "commentary": true, "provider": "heim", "endpoint": {}}'},
    "no answers": {"manifest.json": json.dumps(
        {"form": 1, "missing": [], "commentary": True, "provider": "heim", "liveblog": {"id": "1", "organization_id": "o"},
         "endpoint": {"language": "de", "timezone": "UTC", "options": {}}}
    ).encode(), "decisions.json": b'[{"x": 1}]'},
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_others_is_no_bundle(tmp_path, name):
    """`replay` says so in one line, whatever the ZIP holds."""
    with zipfile.ZipFile(tmp_path / "foreign.zip", "w") as archive:
        for each, content in FOREIGN[name].items():
            archive.writestr(each, content)
    done = CliRunner().invoke(cli.app, ["replay", str(tmp_path / "foreign.zip")])

    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1), done.output
    assert "no incident bundle" in done.stderr


def test_every_command_is_tried():
    """A new one needs a row."""
    assert set(KNOWN) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_data_is_no_markup(hostile_house, name):
    """No traceback, nothing that a terminal obeys; what others have named is shown as it is written."""
    words = [each.format(folder=hostile_house, hostile="[b]") for each in COMMANDS[name]]
    takes_config = any(each.name == "config_file" for each in KNOWN[name].params)
    for config in (hostile_house / "matchwire.toml", hostile_house / f"{HOSTILE}.toml") if takes_config else (None,):
        given = [*words, "--config", str(config)] if config else words
        done = CliRunner().invoke(cli.app, [*name.split(), *given], env={"COLUMNS": "300"}, input=f"{HOSTILE}\n")
        shown = done.output + done.stderr

        assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
        assert name in FILES or not set(shown) & {"\x1b", "\x9b"}, shown
        if name in SHOW and config == hostile_house / "matchwire.toml":
            assert all(each in shown for each in PRINTED.split()), shown
