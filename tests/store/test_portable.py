"""An organization moves between databases as it is: every table, exact values, and nothing of a file that is not sound."""

import asyncio
import functools
import hashlib
import json
import signal
import subprocess
import sys
from functools import partial

import pytest
from sqlalchemy import BigInteger, Boolean, Double, LargeBinary, Text, delete, insert, select, text, update

from store.engine import migrate
from store.engine.columns import Json
from store.engine.errors import AlreadyRunning, SchemaOutdated, StoreError
from store.files.disk import DiskFiles
from store.following.standby_tables import standbys
from store.liveblogs.liveblogs import insert_game
from store.schema import metadata
from store.statistics.tables import load_counts, load_rollups
from store.tables import attachments, beliefs, follows, ledger, resources, webhooks
from store.upkeep import command
from store.upkeep.export_organization import export_organization
from store.upkeep.import_organization import import_organization
from store.upkeep.portable_rows import KIND_OF_REFERENCE, OWNERS, PORTABLE, STAYS, LineRefused, line_of, row_of
from store.upkeep.portable_rows import value_of as value_of_line
from tests.kit.opening import pool_settings
from tests.kit.sqlite import copied_url, filled_database, migrated_url
from tests.store.conftest import new_game, open_store, writing

OURS, OTHERS = "5f0c1de2a1b2c3d4e5f60718", "aaaaaaaaaaaaaaaaaaaaaaaa"
GAME = new_game()
CONTENT = b"\x89PNG and what follows"
UPLOAD = {
    "bytes": len(CONTENT),
    "digest": hashlib.sha256(CONTENT).hexdigest(),
    "subtype": "i",
    "content_type": "image/png",
}
AWKWARD = {
    "title": "Schöne Grüße \u2028 \U0001f3c6",
    "nul": "\0",
    "numbers": [1, 1.0, -0.0, 1e300, 2**70],
    "none": None,
}
JSONS = {"options": ["a"], "faults": [AWKWARD], "pending": True}
"""Columns that hold no JSON object."""
ON = follows.c.id == ledger.c.follow_id
ID = {"event": "local_id", "upload": "key"}
"""Kinds whose id has another name than `id`."""


def key_of(organization, kind):
    """The id of the record of a kind; uploads have keys of 32 characters."""
    return f"{kind}-{organization}".ljust(32, "_") if kind == "upload" else f"{kind}-{organization}"


def value_of(each, column, organization):
    """A value of the column's type that differs from every other organization's."""
    named = {**each.parents, **each.named}
    table, name = each.table.name, column.name
    if name in OWNERS:
        return organization
    if name in named:
        kind = named[name] or ("teams" if table in {"master_history", "tokens"} else "team")
        return key_of(organization, KIND_OF_REFERENCE.get(kind, kind))
    if name == each.kind_column:
        return {"master_history": "teams", "tokens": "teams", "game_records": "Team"}.get(table, "team")
    for kind in ("game", "event", "follow", "upload", "comment", "teams"):
        if (table.removesuffix("s"), name) == (kind, ID.get(kind, "id")) or (table, name) == (kind, "id"):
            return key_of(organization, kind)
    if table == "uploads" and name in UPLOAD:
        return UPLOAD[name]
    if (table, name) == ("webhooks", "secrets"):
        return [{"value": "whsec_old", "until": None}]
    if name in JSONS:
        return JSONS[name]
    types = {Json: AWKWARD, Boolean: True, Double: 1.1, BigInteger: 2**53 + 1, LargeBinary: b"\0\xff"}
    if column.autoincrement is True:
        return None
    return next((value for kind, value in types.items() if isinstance(column.type, kind)), f"{name}-{organization}")


def fill(unit, organizations=(OURS, OTHERS)):
    """A row in every table for each organization; the second comment of each answers the first one."""
    for organization in organizations:
        for each in PORTABLE:
            row = {column.name: value_of(each, column, organization) for column in each.table.c}
            unit.conn.execute(
                insert(each.table).values({key: value for key, value in row.items() if value is not None})
            )
        comment = next(each for each in PORTABLE if each.table.name == "comments")
        row = {column.name: value_of(comment, column, organization) for column in comment.columns}
        unit.conn.execute(insert(comment.table).values(row | {"id": f"answer-{organization}", "idempotency_key": None}))


def exported(url, target, *, organization=OURS, media=None, files=None):
    return export_organization(url, organization, target, files=files or DiskFiles(target.parent), media=media)


def imported(url, source, *, media=None, files=None):
    folder = source.parent / "media"
    return import_organization(url, source, files=files or DiskFiles(folder), media=media or DiskFiles(folder))


def lines_of(file):
    return file.read_bytes().splitlines(keepends=True)


def rows_of(url, organization=OURS):
    """How many rows of each table belong to the organization."""

    def query(conn):
        return {
            each.table.name: len(conn.execute(each.rows(conn.dialect.name), {"organization": organization}).all())
            for each in PORTABLE
        }

    return asyncio.run(command.look(url, query, timeout=60))


def perform(url, work):
    return command.run(url, work, timeout=60)


@functools.cache
def full_file():
    """The bytes of a SQLite file with two organizations."""

    async def filled(url):
        await asyncio.to_thread(perform, url, fill)

    return filled_database(filled)


@pytest.fixture
def full(tmp_path):
    return copied_url(tmp_path / "full.db", full_file)


@pytest.fixture
def empty_urls(postgres_url, tmp_path):
    """A database of each kind in which nothing is."""
    return {"sqlite": migrated_url(tmp_path / "empty.db"), "postgresql": postgres_url}


def test_every_table_is_exported_or_has_a_reason():
    """A new table has to be put into one of the two lists, and a row names its parents before itself."""
    names = [each.table.name for each in PORTABLE]

    assert metadata.tables.keys() - {*names, *STAYS} == set()
    assert STAYS.keys() & {*names} == set()
    for place, each in enumerate(PORTABLE):
        keys = {key.parent.name: key.column.table.name for key in each.table.foreign_keys}
        assert keys.keys() <= each.parents.keys(), each.table.name
        assert set(keys.values()) <= set(names[:place]), each.table.name
        order = str(each.rows("postgresql")).partition("ORDER BY")[2]  # whatever the collation of the database is
        texts = [key for key in each.order or each.table.primary_key if isinstance(key.type, Text)]
        assert order.count("COLLATE") == len(texts), each.table.name


def test_a_sqlite_file_a_postgresql_and_back(full, empty_urls, tmp_path):
    """The same lines each time, with every table in them, the files of uploads beside them, and no secret."""
    files = DiskFiles(tmp_path / "own")

    async def once():
        yield CONTENT

    asyncio.run(files.put(key_of(OURS, "upload"), once()))
    first = exported(full, tmp_path / "first", media=DiskFiles(tmp_path / "kept"), files=files)
    there = DiskFiles(tmp_path / "there")
    imported(empty_urls["postgresql"], tmp_path / "first", media=DiskFiles(tmp_path / "kept"), files=there)
    exported(empty_urls["postgresql"], tmp_path / "second")
    back = imported(empty_urls["sqlite"], tmp_path / "second", media=there, files=DiskFiles(tmp_path / "back"))
    exported(empty_urls["sqlite"], tmp_path / "third")
    head, *lines = lines_of(tmp_path / "first")
    named = json.loads(head)

    assert lines == lines_of(tmp_path / "second")[1:] == lines_of(tmp_path / "third")[1:]
    assert {json.loads(line).get("table") for line in lines} == {each.table.name for each in PORTABLE} | {None}
    assert OTHERS.encode() not in b"".join(lines)
    assert b"whsec_" not in b"".join(lines)
    assert (tmp_path / "first").stat().st_mode & 0o777 == 0o600
    assert (named["organization"], named["schema"]) == (OURS, migrate.head())
    assert (first.rows, first.uploads, first.without_file) == (len(lines) - 1, 1, 0)
    assert back == (OURS, first)
    assert asyncio.run(DiskFiles(tmp_path / "back").read(key_of(OURS, "upload"), 100)) == CONTENT
    hook = asyncio.run(
        command.look(empty_urls["postgresql"], lambda conn: conn.execute(select(webhooks)).one(), timeout=60)
    )
    assert hook.status == "disabled"
    assert hook.secrets[0]["value"].startswith("whsec_")
    assert hook.secrets[0]["value"] != "whsec_old"


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_readers_that_were_imported_are_added_up_by_day(full, empty_urls, tmp_path, kind):
    """The days are made anew of what an export holds, by the job that makes those of every liveblog."""
    exported(full, tmp_path / "lines", media=DiskFiles(tmp_path / "kept"))
    imported(empty_urls[kind], tmp_path / "lines", media=DiskFiles(tmp_path / "kept"))

    def planned(unit):
        return {(row.game_id, row.until, row.due_at) for row in unit.conn.execute(select(load_rollups))}

    counted = perform(empty_urls[kind], lambda unit: set(unit.conn.scalars(select(load_counts.c.game_id))))
    assert perform(empty_urls[kind], planned) == {(game_id, 0, 0) for game_id in counted}
    assert counted


def changed(lines, table, **columns):
    """The lines with the first row of a table changed, and the number of its line."""
    place = next(place for place, line in enumerate(lines) if json.loads(line).get("table") == table)
    value = json.loads(lines[place])
    return spoilt(lines, place, json.dumps({**value, "row": {**value["row"], **columns}}).encode() + b"\n"), place + 1


def spoilt(lines, place, line):
    return [*lines[:place], line, *lines[place + 1 :]]


COLUMNS = [
    ("no integer", "events", {"version": "7"}, "events.version is no integer"),
    ("a boolean for an integer", "events", {"version": True}, "events.version is no integer"),
    ("too large", "events", {"version": 2**63}, "events.version is no integer"),
    ("no text", "games", {"title": 7}, "games.title is no text"),
    ("a NUL", "games", {"title": "a\0b"}, "games.title is no text"),
    ("no null", "games", {"title": None}, "games.title is null"),
    ("no bytes", "beliefs", {"belief": "&&"}, "beliefs.belief is no base64"),
    ("no number", "follows", {"next_poll_at": "soon"}, "follows.next_poll_at is no number"),
    ("an unknown column", "games", {"owner": "me"}, "games has no column 'owner'"),
    ("another's row", "games", {"organization_id": OTHERS}, "belongs to another organization"),
    ("no object", "events", {"doc": [1]}, "events.doc is no JSON object"),
    ("a path for a key", "uploads", {"key": "../" * 10 + "ab"}, "uploads.key is not that of an upload"),
    ("a page", "uploads", {"content_type": "text/html"}, "uploads.content_type is not that of an upload"),
    ("a header in a digest", "uploads", {"digest": "a\r\nb"}, "uploads.digest is not that of an upload"),
]
LINES = [
    ("an unknown table", b'{"table":"clients","row":{}}\n', "no table 'clients'"),
    ("no row", b'{"table":"games"}\n', "neither a row"),
    ("a missing column", b'{"table":"game_links","row":{}}\n', "lacks the column"),
    ("no JSON", b"{\n", "no JSON"),
    ("no object", b"[]\n", "no JSON object"),
    ("NaN", b'{"table":"games","row":{"x":NaN}}\n', "no JSON"),
    ("half a character", b'{"table":"games","row":{"x":"\\ud800"}}\n', "no JSON"),
    ("no UTF-8", b'{"table":"\xff"}\n', "no JSON"),
    ("deep", b"[" * 1500 + b"\n", "no JSON"),
    ("cut off", b'{"table":"games"', "the file ends within a line"),
    ("huge", b" " * 5000 + b"{}\n", "longer than"),
]
OF_OTHERS = [
    ("another's liveblog", "events", {"game_id": key_of(OTHERS, "game")}, "not of this organization"),
    ("nobody's liveblog", "events", {"game_id": "none"}, "not of this organization"),
    ("another's match", "resources", {"follow_id": key_of(OTHERS, "follow")}, "not of this organization"),
    ("another's post", "ledger", {"local_id": key_of(OTHERS, "event")}, "not of this organization"),
    ("another's team", "game_records", {"record_id": key_of(OTHERS, "teams")}, "not of this organization"),
    ("a taken id", "games", {"id": key_of(OTHERS, "game")}, "games: another record has the same key"),
    ("another's upload", "uploads", {"key": key_of(OTHERS, "upload")}, "another record has the same key"),
]


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """The lines of an export."""
    folder = tmp_path_factory.mktemp("exported")
    exported(copied_url(folder / "full.db", full_file), folder / "good")
    return lines_of(folder / "good")


@pytest.mark.parametrize(("table", "columns", "error"), [row[1:] for row in COLUMNS], ids=[row[0] for row in COLUMNS])
def test_a_value_that_its_column_cannot_hold_is_refused(lines, table, columns, error):
    """Whatever an export of ours would never hold."""
    made, number = changed(lines, table, **columns)
    with pytest.raises(LineRefused, match=error):
        row_of(value_of_line(made[number - 1]), OURS)


@pytest.mark.parametrize(("line", "error"), [row[1:] for row in LINES], ids=[row[0] for row in LINES])
def test_a_line_that_is_no_row_is_refused(monkeypatch, line, error):
    """Broken, deep, huge or of something else."""
    monkeypatch.setattr("store.upkeep.portable_rows.LONGEST_LINE", 4000)
    with pytest.raises(LineRefused, match=error):
        row_of(value_of_line(line), OURS)


def test_a_number_beyond_all_bounds_is_refused(lines):
    """No database keeps an infinite one."""
    made, number = changed(lines, "games", doc={"x": 0})
    with pytest.raises(LineRefused, match=r"games\.doc holds a number beyond"):
        row_of(value_of_line(made[number - 1].replace(b'{"x": 0}', b'{"x": 1e999}')), OURS)


def hostile(lines):
    """What a file may hold that nobody exported: its name, its lines, and what the error says."""
    ours, last = len(lines) // 2, len(lines) - 1
    for name, table, columns, error in (COLUMNS[0], *OF_OTHERS):
        made, number = changed(lines, table, **columns)
        yield name, made, f"line {number}: .*{error}"
    yield "no JSON", spoilt(lines, ours, b"{\n"), f"line {ours + 1}: .*no JSON"
    yield "a wrong count", spoilt(lines, last, b'{"end":true,"rows":1}\n'), f"line {last + 1}: .*counts other rows"
    yield "cut off at a line", lines[:ours], f"line {ours + 1}: the file ends"
    yield "cut off in a line", [*lines[:ours], lines[ours][:-5]], f"line {ours + 1}: the file ends"
    yield "more than all", [*lines, lines[1]], f"line {last + 1}: the file goes on"
    yield "a huge line", spoilt(lines, ours, b" " * 5000 + lines[ours]), f"line {ours + 1}: longer than"
    yield "another form", spoilt(lines, 0, b'{"format":"else"}\n'), "line 1: this is no export"
    yield "empty", [], "line 1: the file ends"


def test_a_hostile_file_is_refused_and_leaves_nothing(lines, empty_urls, tmp_path, monkeypatch):
    """Each with the number of its line, whatever was imported before that line, on both databases."""
    monkeypatch.setattr("store.upkeep.portable_rows.LONGEST_LINE", 4000)
    monkeypatch.setattr("store.upkeep.import_organization.LONGEST_LINE", 4000)
    monkeypatch.setattr("store.upkeep.import_organization.BATCH_ROWS", 2)
    for url in empty_urls.values():
        perform(url, partial(fill, organizations=(OTHERS,)))
        others = rows_of(url, OTHERS)
        for name, made, error in hostile(lines):
            if url.startswith("postgresql") and name not in {"another's liveblog", "a taken id"}:
                continue  # refused before the database hears of it, or as with SQLite
            (tmp_path / "bad").write_bytes(b"".join(made))
            with pytest.raises(StoreError, match=error):
                imported(url, tmp_path / "bad")
        assert set(rows_of(url).values()) == {0}
        assert rows_of(url, OTHERS) == others
    (tmp_path / "good").write_bytes(b"".join(lines))
    imported(url, tmp_path / "good")
    with pytest.raises(StoreError, match="has rows in uploads already"):
        imported(url, tmp_path / "good")


def test_what_cannot_be_is_said(full, tmp_path):
    """A file that is there, nobody's organization, another schema, a daemon that runs, an upload without its folder."""
    exported(full, tmp_path / "kept")
    with pytest.raises(StoreError, match="there already"):
        exported(full, tmp_path / "kept")
    with pytest.raises(StoreError, match="nothing of an organization nobody"):
        exported(full, tmp_path / "none", organization="nobody")
    empty = f"sqlite+aiosqlite:///{tmp_path / 'empty.db'}"
    with pytest.raises(StoreError, match="--media DIR"):
        import_organization(empty, tmp_path / "kept", files=DiskFiles(tmp_path), media=None)
    head, *rest = lines_of(tmp_path / "kept")
    (tmp_path / "older").write_bytes(head.replace(migrate.head().encode(), b"0112") + b"".join(rest))
    with pytest.raises(SchemaOutdated, match=r"the export has the schema 0112 of before 0\.1\.0"):
        imported(empty, tmp_path / "older")

    async def beside_a_daemon():
        store = await open_store(empty, pool=pool_settings(timeout=60.0))
        try:
            with pytest.raises(AlreadyRunning):
                await asyncio.to_thread(imported, empty, tmp_path / "kept")
        finally:
            await store.close()

    asyncio.run(beside_a_daemon())
    perform(full, lambda unit: unit.conn.execute(text("UPDATE games SET doc = '{'")) and None)
    with pytest.raises(StoreError, match=f"game-{OURS}.* of games is not readable"):
        exported(full, tmp_path / "again")
    perform(full, lambda unit: unit.conn.execute(text("UPDATE alembic_version SET version_num = '0001'")) and None)
    with pytest.raises(SchemaOutdated):
        exported(full, tmp_path / "again")
    assert sorted(each.name for each in tmp_path.iterdir() if each.name.startswith("again")) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from store.upkeep import import_organization as module
from store.files.disk import DiskFiles

insert = module._insert

def killed(conn, table, batch, organization):
    insert(conn, table, batch, organization)
    if table.table.name == "follows":
        os.kill(os.getpid(), signal.SIGKILL)

module._insert = killed
folder = DiskFiles(Path(sys.argv[3]))
module.import_organization(sys.argv[1], Path(sys.argv[2]), files=folder, media=folder)
"""


@pytest.mark.proof
@pytest.mark.parametrize("kind", ["postgresql", pytest.param("sqlite", marks=pytest.mark.soak)])
def test_an_import_that_is_killed_begins_again(kind, full, empty_urls, tmp_path):
    """Nothing of it is left; the next one is whole."""
    url = empty_urls[kind]
    exported(full, tmp_path / "kept")
    command = [sys.executable, "-c", KILLED, url, str(tmp_path / "kept"), str(tmp_path / "media")]
    done = subprocess.run(command, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    assert set(rows_of(url).values()) == {0}
    imported(url, tmp_path / "kept")
    assert rows_of(url) == rows_of(full)


def test_a_match_that_both_organizations_follow(full, empty_urls, tmp_path):
    """With the same credentials they share it where both are; where one comes later, its own stands beside until the next start."""
    shared = {"endpoint": "heim:shared", "match_id": "9000310"}
    for url, organization in ((full, OURS), (empty_urls["postgresql"], OTHERS)):
        if url != full:
            perform(url, partial(fill, organizations=(OTHERS,)))
        perform(url, partial(_follow, organization=organization, values=shared))
    exported(full, tmp_path / "kept")
    imported(empty_urls["postgresql"], tmp_path / "kept")
    found = asyncio.run(command.look(empty_urls["postgresql"], _endpoints, timeout=60))

    assert found == {OTHERS: "heim:shared", OURS: f"heim:shared:{key_of(OURS, 'follow')}"}


def _follow(unit, organization, values):
    unit.conn.execute(update(follows).where(follows.c.organization_id == organization).values(values))


def _endpoints(conn):
    rows = conn.execute(select(follows.c.organization_id, follows.c.endpoint).where(follows.c.match_id == "9000310"))
    return dict(map(tuple, rows))


def _share(unit):
    """Put the liveblog of the others on our match, as liveblogs of one endpoint are, with what was posted of it."""
    for table in (attachments, ledger, standbys):
        of_game = table.c.game_id == key_of(OTHERS, "game")
        unit.conn.execute(update(table).where(of_game).values(follow_id=key_of(OURS, "follow")))


def _matches_of(url, organization):
    """The ids of the match that the organization's rows name, by table, and whether that match is open."""
    game = key_of(organization, "game")

    def query(conn):
        (on,) = conn.scalars(select(attachments.c.follow_id).where(attachments.c.game_id == game))
        of_match = [conn.scalars(select(table.c.follow_id)).all() for table in (resources, beliefs)]
        return on, set(conn.scalars(select(ledger.c.follow_id).where(ledger.c.game_id == game))), of_match

    return asyncio.run(command.look(url, query, timeout=60))


def test_two_organizations_that_share_a_match_both_move(full, empty_urls, tmp_path):
    """Each has the match, with its bodies, its belief and its own ledger, whichever comes second."""
    perform(full, _share)
    for organization in (OURS, OTHERS):
        exported(full, tmp_path / organization, organization=organization)
    for url, order in zip(empty_urls.values(), ((OURS, OTHERS), (OTHERS, OURS)), strict=True):
        for organization in order:
            imported(url, tmp_path / organization)
        (first, posted_first, of_first), (second, posted_second, _) = (_matches_of(url, each) for each in order)

        assert first != second
        assert (posted_first, posted_second) == ({first}, {second})
        assert [sorted(names) for names in of_first] == [sorted([first, second])] * 2
        assert rows_of(url, OURS) == rows_of(full, OURS)
        assert rows_of(url, OTHERS) == rows_of(full, OTHERS)


def test_what_was_posted_of_a_match_that_a_liveblog_is_on_no_more_moves_along(full, empty_urls, tmp_path):
    """Put on that match again at the new place it goes on with the same posts; until then nobody follows the match."""

    def take_off(unit):
        _follow(unit, OURS, {"closed_at": None})
        unit.conn.execute(delete(attachments).where(attachments.c.game_id == key_of(OURS, "game")))

    def posted(conn):
        return conn.execute(select(ledger.c.follow_id, follows.c.closed_at).join_from(ledger, follows, ON)).all()

    perform(full, take_off)
    exported(full, tmp_path / "kept")
    for url in empty_urls.values():
        imported(url, tmp_path / "kept")
        ((follow_id, closed_at),) = asyncio.run(command.look(url, posted, timeout=60))

        assert follow_id == key_of(OURS, "follow")
        assert closed_at is not None


async def versions_and_posts(url, target, monkeypatch):
    """What an export holds before each of whose lines another post is written, from the thread that exports."""
    store = await open_store(url, pool=pool_settings(timeout=60.0))
    loop, written = asyncio.get_running_loop(), []

    def write_first(name, row):
        written.append(name)
        work = writing(GAME.id, f"e{len(written)}")
        asyncio.run_coroutine_threadsafe(store.write(work), loop).result(60)
        return line_of(name, row)

    await store.write(partial(insert_game, game=GAME))
    await store.write(writing(GAME.id, "first"))
    monkeypatch.setattr("store.upkeep.export_organization.line_of", write_first)
    await asyncio.to_thread(exported, url, target, organization=GAME.organization_id)
    monkeypatch.undo()
    await store.close()
    rows = [json.loads(line) for line in lines_of(target)[1:-1]]
    versions = [each["row"]["version"] for each in rows if each["table"] == "games"]
    posts = [each["row"]["local_id"] for each in rows if each["table"] == "events"]
    assert len(written) == len(rows) > 2
    return versions, posts


async def test_an_export_is_of_one_instant(migrated_sqlite_url, empty_urls, tmp_path, monkeypatch):
    """Who writes goes on, also between two tables, and nothing of it is exported."""
    for url in (migrated_sqlite_url, empty_urls["postgresql"]):
        found = await versions_and_posts(url, tmp_path / url.partition(":")[0], monkeypatch)
        assert found == ([2], ["first"])
