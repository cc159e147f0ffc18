"""Every command with hostile data: names that are markup, the names of emoji or orders to a terminal are printed as they are."""

import json
import sqlite3
import zipfile
from contextlib import closing

import pytest

from tests.kit import full_house
from tests.kit.command import commands, invoke
from tests.kit.full_house import OWNER
from tests.kit.sqlite import copied_url

HOSTILE = "[/b] [link=https://evil.example]x[/link] :boom: \x1b[31m\x9b1m\r"
PRINTED = "[/b] [link=https://evil.example]x[/link] :boom: \\u001b[31m\\u009b1m"
GIVEN = {"port": HOSTILE, "organization": OWNER, "url": HOSTILE}
"""Options that are given where a command has them: with such a port no daemon starts."""
SHOW = {"account list", "clients list", "explain", "webhooks deliveries", "webhooks list"}
"""Those that show what others have named."""
FILES = {"account audit"}
"""Those that write a file, here to the terminal."""


def words_of(name):
    """The command with hostile arguments, and options that it needs."""
    words = ["explain", full_house.GAME] if name == "explain" else name.split()
    for each in commands()[name].params if name != "explain" else ():
        if each.param_type_name == "argument" and each.required:
            words.append(HOSTILE)
        elif each.param_type_name == "option" and (each.required or each.name in GIVEN):
            words += [each.opts[0], GIVEN.get(each.name, HOSTILE)]
    return words


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
    return folder


FOREIGN = {
    "nothing of it": {"a.txt": b"x"},
    "a list": {"manifest.json": b"[]"},
    "no JSON": {"manifest.json": b"{"},
    "too deep": {"manifest.json": b"[" * 100_000},
    "another version": {"manifest.json": b'{"form": 99}'},
    "the form alone": {"manifest.json": b'{"form": 1}'},
    "half of it": {
        "manifest.json": b'{"form": 1, "missing": [], "commentary": true, "provider": "heim", "endpoint": {}}'
    },
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_others_is_no_bundle(tmp_path, name):
    """`replay` says so in one line, whatever the ZIP holds."""
    with zipfile.ZipFile(tmp_path / "foreign.zip", "w") as archive:
        for each, content in FOREIGN[name].items():
            archive.writestr(each, content)
    done = invoke("replay", tmp_path / "foreign.zip")

    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1), done.output
    assert "no incident bundle" in done.stderr


@pytest.mark.parametrize("name", commands())
def test_data_is_no_markup(hostile_house, tmp_path, monkeypatch, name):
    """No traceback, nothing that a terminal obeys; what others have named is shown as it is written."""
    monkeypatch.chdir(tmp_path)
    files = [hostile_house / "matchwire.toml", hostile_house / f"{HOSTILE}.toml"]
    takes_config = any(each.name == "config_file" for each in commands()[name].params)
    for options in [("--config", each) for each in files] if takes_config else [()]:
        done = invoke(*words_of(name), *options, given=f"{HOSTILE}\n")
        shown = done.output + done.stderr

        assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
        assert name in FILES or not set(shown) & {"\x1b", "\x9b"}, shown
        assert name not in SHOW or files[0] not in options or all(each in shown for each in PRINTED.split()), shown
