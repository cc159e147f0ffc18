"""Each mistake of a first start ends in one line that names file, key or port, and in the documented exit status."""

import json
import os
import re
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from config import Settings
from ingest.daemon import run as daemon
from ingest.kit.process import ExitStatus
from ingest.kit.start_wait import OPERATORS, line_of, status_of
from tests.kit.command import ENVIRON, MATCHWIRE, invoke
from tests.kit.unprivileged import own_folder, unprivileged

ROOT = Path(__file__).resolve().parents[3]
PASSWORD = "a-password-nobody-sees"
POSTGRES = {
    "MATCHWIRE_DATABASE__URL": f"postgresql+asyncpg://somebody:{PASSWORD}@127.0.0.1:9/matchwire",
    "MATCHWIRE_DATABASE__START_WAIT": "0",
}
UNKNOWN = {
    "MATCHWIRE_ORGANIZATIONS__DESK__NAME": "Desk",
    "MATCHWIRE_ORGANIZATIONS__DESK__PROVIDERS__HIEM__BASE_URL": "https://provider.example",
}
TINY = ("prlimit", "--fsize=8192")
"""No file may grow beyond so many bytes: what a full disk does to a database."""


def process(folder, *words, before=(), environ=None, program=MATCHWIRE):
    """Exit status and output of the command, run by an unprivileged user in `folder`."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MATCHWIRE_")}
    done = subprocess.run(
        [*unprivileged(), *before, *program, *words], cwd=folder, capture_output=True, text=True, timeout=120,
        env={**inherited, "HOME": str(folder), "PYTHONPATH": str(ROOT), **(environ or {})}, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


IN_TURN = """
import json, os, sys
from ingest.entry import main

sys.argv[0] = "matchwire"
for words, environ in json.loads(sys.argv.pop()):
    sys.argv[1:] = words
    os.environ.update(environ)
    status = 0
    try:
        main()
    except SystemExit as ended:
        status = ended.code
    for name in environ:
        del os.environ[name]
    sys.stdout.flush()
    print(end=f"\\0{status}\\0", file=sys.stderr, flush=True)
"""
"""Starts one after the other in one process, which loads everything once; a status stands behind what each said."""


def in_turn(folder, *calls):
    """Exit status and output of each of these starts, given as words and environment; see `process`."""
    _, text = process(folder, json.dumps(calls), program=(sys.executable, "-c", IN_TURN))
    *parts, last = text.split("\0")
    said, statuses = parts[::2], parts[1::2]
    said[-1] += last  # what the process says as it ends
    assert len(said) == len(calls), text
    return list(zip(map(int, statuses), said, strict=True))


@pytest.fixture
def folder():
    with own_folder() as path:
        (path / "matchwire.toml").touch()
        yield path


@pytest.fixture
def taken():
    """A port that somebody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def only_line(ended, status, *names):
    """The output is one line with all these names, and no traceback."""
    code, text = ended
    assert (code, text.count("\n")) == (status, 1), text
    assert text.startswith("matchwire: "), text
    assert [name for name in names if name not in text] == [], text
    assert PASSWORD not in text


@pytest.mark.proof
def test_a_start_without_the_rights_or_the_room_says_why(folder, taken):
    """An unprivileged user's data folder, log file, disk, port, recordings: each is one line, and a status of its own."""
    log, data = "/var/log/matchwire-first.log", "/var/lib/matchwire-first"
    (folder / "file").touch()
    (folder / "closed").mkdir(mode=0o500)
    recorded = ("file", "file/below", "closed", "closed/below")
    recording = {"MATCHWIRE_RECORDING__ENABLED": "true", "MATCHWIRE_SERVER__PORT": "0"}
    with ThreadPoolExecutor(2) as pool:
        others = pool.submit(
            in_turn,
            folder,
            (("run", "--data-dir", data), {}),
            (("run", "--log-file", log), {}),
            (("run", "--data-dir", "a"), {"MATCHWIRE_SERVER__PORT": str(taken)}),
            *((("run",), {**recording, "MATCHWIRE_RECORDING__FOLDER": name}) for name in recorded),
        )
        no_room = pool.submit(process, folder, "run", "--data-dir", "full", before=TINY)
    no_folder, no_log, no_port, *no_recordings = others.result()

    only_line(no_folder, ExitStatus.MISTAKE, f"--data-dir {data}", "Permission denied")
    only_line(no_log, ExitStatus.MISTAKE, f"--log-file {log}", "Permission denied")
    only_line(no_room.result(), ExitStatus.UNAVAILABLE, "database.url", str(folder / "full" / "matchwire.db"))
    only_line(no_port, ExitStatus.MISTAKE, "server.port", f"127.0.0.1:{taken}", "Address already in use")
    for name, (code, text) in zip(recorded, no_recordings, strict=True):
        assert code == ExitStatus.MISTAKE, text
        assert f"matchwire: recording.folder: cannot write to {name}: " in text.splitlines()[-1]


@pytest.fixture
def command(tmp_path, monkeypatch):
    """The command in this process, in an empty folder: for what ends before anything runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("nothing")
    (tmp_path / "matchwire.toml").touch()
    (tmp_path / "folder.toml").mkdir()

    def called(*words, **environ):
        done = invoke(*words, env=environ)
        return done.exit_code, done.output

    return called


@pytest.mark.parametrize(
    ("words", "environ", "status", "names"),
    [
        (("run", "--data-dir", "file"), {}, ExitStatus.MISTAKE, ("--data-dir file", "is a file, not a folder")),
        (("sync-once", "--data-dir", "file/data"), {}, ExitStatus.MISTAKE, ("--data-dir file/data", "not a folder")),
        (("run", "--log-file", "folder.toml"), {}, ExitStatus.MISTAKE, ("--log-file folder.toml", "Is a directory")),
        (("run", "--config", "missing.toml"), {}, ExitStatus.MISTAKE, ("missing.toml", "No such file")),
        (("clients", "list", "--config", "folder.toml"), {}, ExitStatus.MISTAKE, ("folder.toml", "Is a directory")),
        (("db", "upgrade"), POSTGRES, ExitStatus.UNAVAILABLE, ("database.url", "127.0.0.1:9/matchwire")),
        (("clients", "list"), POSTGRES, ExitStatus.UNAVAILABLE, ("database.url", "127.0.0.1:9/matchwire")),
        (("run",), POSTGRES, ExitStatus.UNAVAILABLE, ("database.url", "127.0.0.1:9/matchwire", "refused")),
        (("run",), UNKNOWN, ExitStatus.MISTAKE, ("organizations.desk.providers.hiem", "no provider hiem is installed")),
        (("check-config", "a.toml", "--config", "b.toml"), {}, ExitStatus.MISTAKE, ("a.toml", "b.toml")),
        (("webhooks", "subscribe", "http://10.0.0.1/"), {}, ExitStatus.MISTAKE, ("webhooks.allow_hosts",)),
    ],
)
def test_a_mistake_of_the_operator_is_one_line(command, words, environ, status, names):
    """It names the option, the file, the key or the place of the database, and never a password."""
    only_line(command(*words, **environ), status, *names)


@pytest.mark.parametrize("word", ["run", "sync-once"])
def test_without_a_configuration_nothing_is_made(command, tmp_path, word):
    """Who has none learns how to go on, and no database stands in a folder of theirs; a variable configures, too."""
    (tmp_path / "matchwire.toml").unlink()
    before = set(tmp_path.rglob("*"))
    bare, configured = command(word), command(word, MATCHWIRE_SERVER__PORT="no port")

    assert bare[0] == ExitStatus.MISTAKE
    assert all(each in bare[1] for each in ("no configuration", "matchwire init", "matchwire demo"))
    assert "server.port" in configured[1]
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.proof
def test_a_port_of_the_command_line_is_listened_on_in_place_of_that_of_the_file(tmp_path):
    """From a cold start of the whole command on, and it stays so, whatever the file says next."""
    (tmp_path / "matchwire.toml").write_text("[server]\nport = 1\n", encoding="utf-8")
    with subprocess.Popen(
        [*MATCHWIRE, "run", "--port", "0"], cwd=tmp_path, env=ENVIRON, stdout=subprocess.PIPE, text=True
    ) as daemon:
        said = daemon.stdout.readline()
        daemon.terminate()

    assert re.fullmatch(r"matchwire listens on http://127\.0\.0\.1:[1-9]\d{3,4}\n", said)
    assert daemon.returncode == 0


async def test_what_is_wrong_with_database_and_address_is_named(tmp_path):
    """A file that is no database, and an address that is not this machine's."""
    (tmp_path / "matchwire.db").write_text("this is no database" * 100)
    for tables, names in (
        ({}, (str(tmp_path / "matchwire.db"), "file is not a database")),
        ({"server": {"host": "192.0.2.1"}, "database": {"url": "sqlite+aiosqlite:///:memory:"}}, ("server.host", "192.0.2.1:8080")),
    ):  # fmt: skip
        settings = Settings.model_validate(tables).in_folder(tmp_path)
        with pytest.raises(OPERATORS) as raised:
            await daemon.run(settings, announce=print)
        assert [name for name in names if name not in line_of(raised.value, settings)] == []
        assert status_of(raised.value) is ExitStatus.MISTAKE


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"password": PASSWORD}, "password authentication failed"),
        ({"database": "not-there"}, 'database "not-there" does not exist'),
        ({}, "schema"),
    ],
)
async def test_a_postgresql_that_cannot_be_used_is_one_line(bare_postgres_url, change, words):
    """Wrong credentials, a database that is not there, one without tables: the server's words, never the password."""
    url = make_url(bare_postgres_url).set(**change)
    text = url.render_as_string(hide_password=False)
    settings = Settings.model_validate({"database": {"url": text}})

    with pytest.raises(OPERATORS) as raised:
        await daemon.run(settings, announce=print)

    line = line_of(raised.value, settings)
    assert words in line
    assert "\n" not in line
    assert url.password not in line


LATE = """
from ingest.cli import main, shared

@main.app.command("late")
def late():
    async def work(stop):
        raise OSError("long after the start")
    shared.start(work, announced=["http://127.0.0.1:1"])

main.main()
"""


@pytest.mark.proof
def test_a_fault_of_our_own_keeps_its_traceback():
    """What ends a daemon that has started is no mistake of the operator's: status 70, and the whole story."""
    done = subprocess.run(
        [sys.executable, "-c", LATE, "late"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == ExitStatus.BROKEN
    assert "Traceback" in done.stderr
    assert "long after the start" in done.stderr
