"""Imports an exported organization into another database in one transaction: wholly, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import Connection, insert, select, tuple_
from sqlalchemy.exc import IntegrityError

from mapping.errors import StoreUnavailable
from store.engine import migrate
from store.engine.errors import StoreError, reason, store_errors
from store.engine.liveblog_records import new_object_id
from store.engine.portable_table import ORGANIZATION, PortableTable
from store.engine.settings import parse_url
from store.engine.unit import Unit
from store.files.storage import FileStore
from store.following.closing import close_unattached
from store.liveblogs.event_rows import in_chunks
from store.media.tables import uploads
from store.schema import CAPABILITIES
from store.tables import follows
from store.upkeep import command
from store.upkeep.backup import continue_numbers
from store.upkeep.export_organization import PATIENCE, TransferResult, copy_files, delete_files
from store.upkeep.portable_rows import (
    FORMAT,
    FORMAT_VERSION,
    KIND_OF_REFERENCE,
    LONGEST_LINE,
    OWNER_OF,
    OWNERS,
    PORTABLE,
    LineRefused,
    row_of,
    value_of,
)

BATCH_ROWS = 500
"""Rows that are checked and inserted at a time, well below every database's limit of parameters."""
BATCH_BYTES = 8 << 20
"""Bytes of lines after which a batch is inserted although it has fewer rows."""

Numbered = tuple[int, dict[str, Any]]
"""The number of a line, from 1 on, and its row."""


@dataclass(slots=True)
class Copied:
    """Keys of uploads whose files may have been copied, and how many files were missing."""

    keys: list[str] = field(default_factory=list)
    missing: int = 0


def import_organization(
    url: str, source: Path, *, files: FileStore, media: FileStore | None
) -> tuple[str, TransferResult]:
    """Put what the file `source` holds into the database at `url`; the organization and what was imported.

    `media`: where the files of uploads are, `files`: the storage that they are copied to. An empty database gets its
    schema first. Whatever happens, all of the organization is there afterwards or nothing. Not to be called from a
    running event loop.

    Raises StoreError where the organization exists or the file is not sound, with the number of the line, AlreadyRunning
    while a daemon holds the SQLite file, SchemaOutdated unless database and file are of this version's schema,
    StoreUnavailable, OSError.
    """
    with source.open("rb") as lines, store_errors():
        _head(lines)
        if migrate.current(url) is None:
            migrate.upgrade(url)
        copied = Copied()
        try:
            with migrate.file_locked(parse_url(url)):
                return command.run(url, partial(_import, lines, files, media, copied), timeout=PATIENCE)
        except StoreError:  # nothing was committed; where that is not known, the purge of uploads sees to the files
            with suppress(StoreUnavailable):
                delete_files(copied.keys, files)
            raise


def _head(lines: BinaryIO) -> str:
    """The organization that the first line names. Raises StoreError, SchemaOutdated."""
    lines.seek(0)
    try:
        head = value_of(lines.readline(LONGEST_LINE + 1))
    except LineRefused as error:
        raise StoreError(f"line 1: {error}") from error
    if head.get("format") != FORMAT or head.get("format_version") != FORMAT_VERSION:
        raise StoreError("line 1: this is no export of an organization that this version of matchwire knows")
    if not migrate.SAME_EXPORTS_SINCE <= (schema := str(head.get("schema"))[:10]) <= migrate.head():
        raise migrate.other_schema(schema, "upgrade where it came from, and export again", "the export")
    organization = head.get("organization")
    if not isinstance(organization, str) or not organization or "\0" in organization:
        raise StoreError("line 1: it names no organization")
    return organization


def _import(
    lines: BinaryIO, files: FileStore, media: FileStore | None, copied: Copied, unit: Unit
) -> tuple[str, TransferResult]:
    organization = _head(lines)  # again, as a unit that lost a race runs again
    conn = unit.conn
    for each in (each for each in PORTABLE if any(owner in each.table.c for owner in OWNERS)):
        if conn.execute(each.rows(conn.dialect.name).limit(1), {ORGANIZATION.key: organization}).first() is not None:
            raise StoreError(f"the organization {organization} has rows in {each.table.name} already")
    rows = uploaded = 0
    renamed: dict[str, str] = {}
    for table, batch in _batches(lines, organization):
        _rename(unit, table, batch, organization, renamed)
        _check_owners(conn, table, batch, organization)
        _insert(conn, table, batch, organization)
        if table.table is uploads:
            if media is None:
                raise StoreError(f"line {batch[0][0]}: an upload, whose file --media DIR has to give")
            copied.keys += [row["key"] for _, row in batch]
            copied.missing += copy_files([row for _, row in batch], media, files)
            uploaded += len(batch)
        rows += len(batch)
    for statement in (each for capability in CAPABILITIES for each in capability.after_import):
        conn.execute(statement, {ORGANIZATION.key: organization})
    close_unattached(unit, organization)
    continue_numbers(conn, unit.now)
    return organization, TransferResult(rows, uploaded, copied.missing)


def _batches(lines: BinaryIO, organization: str) -> Iterator[tuple[PortableTable, list[Numbered]]]:
    """The rows of the file from its second line on, table by table, so many at a time. Raises StoreError."""
    table, batch, size, number = PORTABLE[0], list[Numbered](), 0, 1
    while True:
        number += 1
        line = lines.readline(LONGEST_LINE + 1)
        try:
            value = value_of(line)
            if value.get("end") is True:
                _end(value, number - 2, lines)
                break
            named, row = row_of(value, organization)
        except LineRefused as error:
            raise StoreError(f"line {number}: {error}") from error
        if batch and (named is not table or len(batch) == BATCH_ROWS or size > BATCH_BYTES):
            yield table, batch
            batch, size = [], 0
        table, size = named, size + len(line)
        batch.append((number, row))
    if batch:
        yield table, batch


def _end(value: dict[str, Any], rows: int, lines: BinaryIO) -> None:
    if value != {"end": True, "rows": rows}:
        raise LineRefused(f"the last line counts other rows than the {rows} that are there")
    if lines.read(1):
        raise LineRefused("the file goes on after its last line")


def _check_owners(conn: Connection, table: PortableTable, batch: list[Numbered], organization: str) -> None:
    """Raise StoreError for a row that names a record of another organization, or none where there has to be one."""
    named = [(number, *each) for number, row in batch for each in _references(table, row)]
    owners: dict[str, dict[str, str]] = {}
    for kind in {kind for _, _, kind, _, _ in named}:
        query, names = OWNER_OF[kind], sorted({name for _, _, of, name, _ in named if of == kind})
        for chunk in in_chunks(names):
            found = conn.execute(query.where(query.selected_columns[0].in_(chunk)))
            owners.setdefault(kind, {}).update((name, owner) for name, owner in found)
    for number, column, kind, name, required in named:
        owner = owners[kind].get(name)
        if owner != organization and (required or owner is not None):
            said = f"{table.table.name}.{column} names a record that is not of this organization"
            raise StoreError(f"line {number}: {said}")


def _references(table: PortableTable, row: dict[str, Any]) -> Iterator[tuple[str, str, str, bool]]:
    """Column, kind and name of each record that a row names, and whether it has to be there."""
    for column, kind in table.parents.items():
        if row[column] is not None:
            yield column, kind, row[column], True
    for column, fixed in table.named.items():
        said = fixed if table.kind_column is None else row[table.kind_column]
        kind = KIND_OF_REFERENCE.get(said, said)
        if row[column] is not None and kind in OWNER_OF:
            yield column, kind, row[column], False


def _insert(conn: Connection, table: PortableTable, batch: list[Numbered], organization: str) -> None:
    """Insert the batch. Raises StoreError for the first row whose key another one has."""
    given = {column: made for column, made in table.given.items() if made is not None}
    rows = [row | {column: made(organization) for column, made in given.items()} for _, row in batch]
    if table.table is follows:
        _step_aside(conn, rows)
    conn.exec_driver_sql("SAVEPOINT batch")
    try:
        conn.execute(insert(table.table), rows)
    except IntegrityError:
        conn.exec_driver_sql("ROLLBACK TO SAVEPOINT batch")
        for (number, _), row in zip(batch, rows, strict=True):
            try:
                conn.execute(insert(table.table), row)
            except IntegrityError as error:
                taken = f"line {number}: {table.table.name}: another record has the same key ({reason(error)})"
                raise StoreError(taken) from error
        raise
    conn.exec_driver_sql("RELEASE SAVEPOINT batch")


def _rename(
    unit: Unit, table: PortableTable, batch: list[Numbered], organization: str, renamed: dict[str, str]
) -> None:
    """Give matches of which another organization has brought the row already a new id, in all rows that name them."""
    if table.table is follows:
        ids = [row["id"] for _, row in batch]
        taken = select(follows.c.id).where(follows.c.id.in_(ids), follows.c.organization_id != organization)
        renamed.update((each, new_object_id(unit.now)) for each in unit.conn.scalars(taken).all())
    column = "id" if table.table is follows else "follow_id"
    for _, row in batch:
        if column in row:
            row[column] = renamed.get(row[column], row[column])


def _step_aside(conn: Connection, rows: list[dict[str, Any]]) -> None:
    """Give matches that another organization follows with the same credentials an endpoint of their own.

    The next start moves their liveblogs to the match that both have, as it does after a new password.
    """
    key = tuple_(follows.c.endpoint, follows.c.match_id)
    same = [(row["endpoint"], row["match_id"]) for row in rows]
    taken = set(map(tuple, conn.execute(select(follows.c.endpoint, follows.c.match_id).where(key.in_(same)))))
    for row in rows:
        if (row["endpoint"], row["match_id"]) in taken:
            row["endpoint"] = f"{row['endpoint']}:{row['id']}"
