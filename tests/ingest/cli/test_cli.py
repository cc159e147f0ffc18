"""The command line, as an operator types it."""

import asyncio
import json
import re
import signal
import socket
import sqlite3
import subprocess
from contextlib import closing
from hashlib import sha256

import pytest

from providers.replay.demo import demo_files
from store.clients.clients import hash_secret
from store.upkeep.doctor import CHECKS
from tests.kit.command import ENVIRON, MATCHWIRE
from tests.kit.command import invoke as command
from tests.kit.creating import LINES, MATCH
from tests.kit.day import match_day
from tests.kit.sqlite import migrated_url

ORGANIZATION = """
[server]
port = 0
[organizations.desk]
name = "Desk"
[organizations.desk.providers.heim]
base_url = "{upstream}"
text_content = true
[[liveblogs]]
key = "derby"
organization = "desk"
provider = "heim"
match_id = "9000001"
include_text_content = true
"""


def written(folder, text):
    path = folder / "matchwire.toml"
    path.write_text(text)
    return path


def test_check_config_takes_the_file_both_ways_or_the_one_of_the_folder(tmp_path, monkeypatch):
    """`FILE`, `--config FILE` and nothing in a folder with a matchwire.toml mean the same file."""
    path = written(tmp_path, "[polling]\nlife = 5\n")
    monkeypatch.chdir(tmp_path)

    outputs = {
        command(*words).output for words in (("check-config", path.name), ("check-config", "--config", path.name))
    }

    assert outputs == {command("check-config").output}
    assert "matchwire.toml: polling.life" in outputs.pop()
    assert command("clients", "list").exit_code == 2


@pytest.mark.proof
def test_a_replay_ends_in_order_at_a_hangup():
    """A closed terminal ends what is no daemon, as Ctrl-C does."""
    file = next(iter(demo_files("en")))
    line = [*MATCHWIRE, "replay", str(file)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, env=ENVIRON, text=True) as replay:
        assert replay.stdout.readline().startswith("matchwire listens on http://")
        replay.send_signal(signal.SIGHUP)
        assert replay.wait(30) == 0


def test_clients_hash_gives_what_the_configuration_takes():
    """The same hash that authentication compares with, from standard input as well."""
    one, two = command("clients", "hash", "s3cret"), command("clients", "hash", given="s3cret\n")

    assert f"sha256:{hash_secret('s3cret')}" == one.stdout.strip() == two.stdout.strip()


def process(*words):
    """The command as a process of its own."""
    line = [*MATCHWIRE, *(str(word) for word in words)]
    return subprocess.run(line, capture_output=True, text=True, env=ENVIRON, timeout=60, check=False)


@pytest.mark.proof
def test_sync_once_brings_declared_liveblogs_in_line_and_explain_shows_them(tmp_path):
    """A declared liveblog is created and synced without a daemon; explain says what the sync knows of each post."""

    async def upstream() -> tuple[str, str]:
        async with match_day(lines=LINES, folder=tmp_path, start_at="end") as day:
            config = written(tmp_path, ORGANIZATION.format(upstream=day.replay.url))
            once = await asyncio.to_thread(process, "sync-once", "--config", config, "--data-dir", tmp_path / "data")
            day.replay.faults.add("503")
            again = await asyncio.to_thread(process, "sync-once", "--config", config, "--data-dir", tmp_path / "data")
            assert (0, 1) == (once.returncode, again.returncode), once.stderr + again.stderr
            return config, once.stdout

    config, said = asyncio.run(upstream())
    assert "1 matches" in said
    data = ("--config", config, "--data-dir", tmp_path / "data")
    assert command("explain", "derby-is-no-id", *data).exit_code == 2

    name = _only_liveblog(tmp_path / "data" / "matchwire.db")
    explained = json.loads(command("explain", name, *data).stdout)
    assert (MATCH, "live") == (explained["match"]["id"], explained["match"]["status"])
    assert {"soccer.start", "soccer.goal", "soccer.yellow-card", "text"} <= {
        post["type"] for post in explained["posts"]
    }
    assert {"published"} == {post["status"] for post in explained["posts"]}
    assert explained["match"]["resources"]["match"]["failures"] >= 1


def _only_liveblog(path) -> str:
    with closing(sqlite3.connect(path)) as database:
        ((name,),) = database.execute("select local_id from games").fetchall()
    return name


def test_a_media_folder_that_cannot_be_written_is_said(tmp_path):
    """Before the first upload fails for it; a folder that is to be made is none of these."""
    (tmp_path / "file").touch()
    for folder, is_said in ((tmp_path / "file" / "media", True), (tmp_path / "new" / "media", False)):
        text = ORGANIZATION.format(upstream="https://customer.provider.example")
        result = command("check-config", written(tmp_path, f'{text}\n[media]\nfolder = "{folder}"\n'))

        assert (result.exit_code, "media.folder: cannot be written" in result.output) == (0, is_said)


def test_the_doctor_ends_with_what_it_found(tmp_path):
    given = ("--config", written(tmp_path, "[organizations.desk]\nname = 'Desk'\n"), "--data-dir", tmp_path)
    missing = command("doctor", *given)
    migrated_url(tmp_path / "matchwire.db")
    sound = command("doctor", *given)
    with closing(sqlite3.connect(tmp_path / "matchwire.db")) as conn, conn:
        conn.execute("UPDATE alembic_version SET version_num = '0001'")
    outdated = command("doctor", "--json", *given)

    assert [done.exit_code for done in (missing, sound, outdated)] == [2, 0, 1]
    assert [line.split()[:2] for line in sound.output.splitlines()] == [
        ["ok", check] for check in ("integrity", "orphans", "schema", *CHECKS)
    ]
    assert {each["check"]: each["outcome"] for each in json.loads(outdated.output)} == {
        "integrity": "ok",
        "orphans": "ok",
        "schema": "fault",
    }


def test_a_backup_is_written_and_brought_back(tmp_path):
    """Status 2 and one line where it cannot be; the operator hears what is not in it and where the old file is."""
    config = written(tmp_path, "[organizations.desk]\nname = 'Desk'\n")
    given = ("--config", config, "--data-dir", tmp_path)
    missing = command("backup", tmp_path / "kept", *given)
    migrated_url(tmp_path / "matchwire.db")
    first = command("backup", tmp_path / "kept", *given)
    again = command("backup", tmp_path / "kept", *given)
    refused = command("restore", tmp_path / "kept", *given)
    replaced = command("restore", tmp_path / "kept", "--replace", *given)

    assert [done.exit_code for done in (missing, first, again, refused, replaced)] == [2, 0, 2, 2, 0]
    assert f"there is no database {tmp_path / 'matchwire.db'}" in missing.output
    assert f"{tmp_path / 'media'} as well" in first.output
    for held in ("secrets of webhooks, second factors and keys of the service as they are", "hashes of passwords"):
        assert held in " ".join(first.output.split())
    assert "kept is there already" in again.output
    assert "--replace" in refused.output
    assert "matchwire.db.replaced-1" in replaced.output


def test_an_organization_is_moved(tmp_path):
    """Status 2 and one line where it cannot be; else how many rows there were, and which files did not come along."""
    config = written(tmp_path, "[organizations.desk]\nname = 'Desk'\n")
    given = ("--config", config, "--data-dir", tmp_path)
    migrated_url(tmp_path / "matchwire.db")
    photo = tmp_path / "media" / "uploads" / "kk" / ("k" * 32)
    photo.parent.mkdir(parents=True)
    photo.write_bytes(b"photo")
    facts = ("k" * 32, "desk", "cms", "i", "image/png", sha256(b"photo").hexdigest(), 5, 1, 1, 1)
    with closing(sqlite3.connect(tmp_path / "matchwire.db")) as conn, conn:
        conn.execute("INSERT INTO uploads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", facts)
    unknown = command("export", "nobody", tmp_path / "none", *given)
    bare = command("export", "desk", tmp_path / "bare", *given)
    full = command("export", "desk", tmp_path / "full", "--media", tmp_path / "carried", *given)
    twice = command("import", tmp_path / "full", "--media", tmp_path / "carried", *given)
    elsewhere = ("--config", config, "--data-dir", tmp_path / "there")
    without = command("import", tmp_path / "full", *elsewhere)
    moved = command("import", tmp_path / "full", "--media", tmp_path / "carried", *elsewhere)

    assert [done.exit_code for done in (unknown, bare, full, twice, without, moved)] == [2, 0, 0, 2, 2, 0]
    assert "nothing of an organization nobody" in unknown.output
    assert "The files of 1 of its 1 uploads were not copied: --media DIR does so." in bare.output
    assert full.output.endswith("full holds 1 rows. It has no secrets but those in addresses of webhooks.\n")
    assert "desk has rows in uploads already" in twice.output
    assert "line 2: an upload, whose file --media DIR has to give" in without.output
    assert moved.output == "1 rows of the organization desk are imported.\n"
    assert (tmp_path / "there" / photo.relative_to(tmp_path)).read_bytes() == b"photo"


def test_the_doctor_tries_the_providers(tmp_path):
    """Each endpoint of each organization, without its credentials; the database's own lines come first."""
    secret = "nobody-may-read-this"
    with closing(socket.create_server(("127.0.0.1", 0))) as bound:
        port = bound.getsockname()[1]
    text = ORGANIZATION.format(upstream=f"http://127.0.0.1:{port}/feed")
    text = text.replace("\ntext_content", f'\nusername = "newsroom"\npassword = "{secret}"\ntext_content')
    given = ("--config", written(tmp_path, text), "--data-dir", tmp_path)
    migrated_url(tmp_path / "matchwire.db")
    result = command("doctor", *given)

    assert result.exit_code == 1
    assert re.fullmatch(
        rf"fault +provider +heim of .* at http://127\.0\.0\.1:{port}/feed: refused", result.output.splitlines()[-1]
    )
    assert secret not in result.output
