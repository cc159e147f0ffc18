"""Every statement of the product on either database: what SQLite takes, PostgreSQL may refuse.

Operations and pages run on both in the table of doors, the daemon's own work in the test of plans; here are the commands, and
each query that is compiled once, also one that only a fault or a rare state reaches.
"""

import importlib
import itertools
import json
import pkgutil
import re
import sqlite3
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import psycopg
import pytest
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import psycopg as postgresql

import api
import ingest
import store
from store.engine.statements import CompiledQuery, compiled_for
from store.liveblogs.event_rows import EventQuery
from tests.kit.command import commands, invoke
from tests.kit.full_house import GAME, HOOK, OWNER
from tests.kit.people import PASSWORD
from tests.kit.sqlite import migrated_url
from tests.tables.conftest import ON_BOTH

pytestmark = pytest.mark.proof

PERSON, FEED = "factor@example.org", "http://127.0.0.1:{port}/feed.json"
BARE = "db upgrade, doctor, sync-once, providers list, clients list, account list, account unlock, account audit"
RUNS = {
    **dict.fromkeys(BARE.split(", "), ""),
    "webhooks list": "",
    "clients create": "another --scope read",
    "clients rotate": "another",
    "clients revoke": "another",
    "account add": f"new@example.org --organization {OWNER}",
    "account password": PERSON,
    "account second-factor-reset": PERSON,
    "account role": f"{PERSON} viewer",
    "account sessions-end": PERSON,
    "account disable": PERSON,
    "account enable": PERSON,
    "webhooks subscribe": f"http://127.0.0.1/another --organization {OWNER}",
    "webhooks rotate": f"{HOOK} --organization {OWNER}",
    "webhooks ping": f"{HOOK} --organization {OWNER}",
    "webhooks deliveries": HOOK,
    "webhooks replay": f"--url {HOOK} --since 0 --organization {OWNER}",
    "webhooks unsubscribe": f"{HOOK} --organization {OWNER}",
    "comments export": f"--liveblog {GAME}",
    "polls export": f"--liveblog {GAME}",
    "statistics export": f"--liveblog {GAME}",
    "media purge": "https://photos.example.org/a.jpg",
    "keys rotate": "media",
    "explain": GAME,
    "fixtures": "--provider heim",
    "check-config": "--online",
    "rules preview": "",
    "crosswalk show": "",
    "crosswalk add": "links.csv",
    "crosswalk remove": "team heim 9",
    "incident": f"{GAME} --out bundle.zip",
    "export": f"{OWNER} organization.jsonl",
    "import": "organization.jsonl",
    "import-feed": f"{FEED} --organization {OWNER} --into gmatch1",
    "backup": "copy.db",
    "restore": "copy.db --replace",
}
"""Commands → what they are given, in the order in which they are run."""
REFUSED = {"doctor": 1, "sync-once": 1, "fixtures": 1, "rules preview": 1, "check-config": 1, "import": 2}
"""Those that end otherwise: the house has rows that no process writes, nobody has or lists its match, what is imported is there."""
WITHOUT_DATABASE = {"init", "clients hash", "replay", "providers probe"}
DAEMONS = {"run", "demo"}


def test_every_command_has_its_row():
    """A new command is run here on both databases, or has none."""
    assert commands().keys() == RUNS.keys() | WITHOUT_DATABASE | DAEMONS


@pytest.fixture
def feed(tmp_path):
    """The port of another service with a feed."""
    document = {"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "content_text": "From elsewhere"}]}
    (tmp_path / "feed.json").write_text(json.dumps(document))
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        yield server.server_port
        server.shutdown()


@ON_BOTH
def test_every_command_does_its_work(houses, tmp_path, monkeypatch, feed):
    """One after the other on a full database, each ends as its row says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "matchwire.toml").write_text(
        f'[database]\nurl = "{houses.copy()}"\n[organizations.{OWNER}]\nname = "Owner"\n'
        f'[organizations.{OWNER}.providers.heim]\nbase_url = "http://127.0.0.1:{feed}"\n'
        f'[[follow]]\nkey = "league"\norganization = "{OWNER}"\nprovider = "heim"\ncompetition = "12"\n'
        '[webhooks]\nallow_hosts = ["127.0.0.1"]\n'
    )
    (tmp_path / "links.csv").write_text(
        "kind,provider,id,name,other_provider,other_id,other_name\nteam,pa,7,S,heim,9,S\n"
    )
    found, said = {}, ""
    for name, given in RUNS.items():
        done = invoke(*name.split(), *given.format(port=feed).split(), given=f"{PASSWORD}\n")
        found |= {name: done.exit_code} if done.exit_code else {}
        said += done.stderr
    assert found == REFUSED, said


def compiled_queries():
    """Every query that a module of the product has made."""
    for package in (api, ingest, store):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            values = vars(importlib.import_module(module.name)).values() if "migrations" not in module.name else ()
            made = [each._present if type(each) is EventQuery else each for each in values]
            yield from (each._statement for each in made if type(each) is CompiledQuery)


PARAMETER = re.compile("%s|%%")


def numbered(sql):
    """The text with its parameters as PostgreSQL numbers them."""
    numbers = itertools.count(1)
    return PARAMETER.sub(lambda found: "%" if found[0] == "%%" else f"${next(numbers)}", sql).encode()


def test_every_query_that_is_compiled_once_is_prepared_on_both(postgres_url, tmp_path):
    """Neither database finds a fault in its text."""
    queries, refused = list(compiled_queries()), []
    migrated_url(tmp_path / "empty.db")
    with (
        closing(sqlite3.connect(tmp_path / "empty.db")) as file,
        psycopg.connect(postgres_url.replace("+asyncpg", "")) as server,
    ):
        for each in queries:
            text = compiled_for(sqlite.dialect(paramstyle="qmark"), each)
            file.execute(f"EXPLAIN {text.sql}", [None] * len(text.parameters))
            text = compiled_for(postgresql.dialect(paramstyle="format"), each)
            if error := server.pgconn.prepare(b"", numbered(text.sql)).error_message:
                refused.append((text.sql, error))
    assert len(queries) > 50
    assert refused == []
