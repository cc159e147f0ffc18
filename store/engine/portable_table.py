"""Describes what an export of an organization holds of a table: which rows are the organization's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Column, ColumnElement, Executable, Select, Table, Text, bindparam, collate, column, select
from sqlalchemy import table as named_table

ORGANIZATION: Any = bindparam("organization", type_=Text)
_games = named_table("games", column("id"), column("organization_id"))
GAMES = select(_games.c.id).where(_games.c.organization_id == ORGANIZATION)
"""The ids of its liveblogs."""


@dataclass(frozen=True, slots=True)
class PortableTable:
    """A table of which an export holds the rows of one organization.

    `only`: which rows these are. `given`: columns that are not exported, with what makes their values at an import from the
    organization; None is left to the database. `parents`: columns that name a record of the organization, with its kind.
    `named`: columns that name one which may be gone; with `kind_column` its kind stands in the row. `order`: where it is
    not the primary key.
    """

    table: Table
    only: ColumnElement[bool]
    given: Mapping[str, Callable[[str], Any] | None] = field(default_factory=dict)
    parents: Mapping[str, str] = field(default_factory=dict)
    named: Mapping[str, str] = field(default_factory=dict)
    kind_column: str | None = None
    order: tuple[Column[Any], ...] = ()

    @property
    def columns(self) -> list[Column[Any]]:
        """The columns that are exported."""
        return [column for column in self.table.c if column.name not in self.given]

    def rows(self, dialect: str) -> Select[Any]:
        """The rows by the bytes of their keys, so that both databases give them in the same order."""
        keys = self.order or tuple(self.table.primary_key.columns)
        by_bytes = dialect == "postgresql"
        ordered = (collate(key, "C") if by_bytes and isinstance(key.type, Text) else key for key in keys)
        return select(*self.columns).where(self.only).order_by(*ordered)


def of_organization(table: Table, owner: str = "organization_id", **more: Any) -> PortableTable:
    """A table whose rows name their organization."""
    return PortableTable(table, table.c[owner] == ORGANIZATION, **more)


def of_games(table: Table, **more: Any) -> PortableTable:
    """A table whose rows name a liveblog."""
    parents = {"game_id": "game", **more.pop("parents", {})}
    return PortableTable(table, table.c.game_id.in_(GAMES), parents=parents, **more)


@dataclass(frozen=True, kw_only=True)
class StoredCapability:
    """The tables of a capability, as an export of an organization needs to know them."""

    portable: tuple[PortableTable, ...]
    """What an export holds, parents before what refers to them."""
    stays: Mapping[str, str] = field(default_factory=dict)
    """Tables that no export holds, with the reason."""
    owners: Mapping[str, Select[Any]] = field(default_factory=dict)
    """Kind of a record → its id and its organization."""
    after_import: tuple[Executable, ...] = ()
    """What makes, of the rows of an organization that were imported, those that no export holds."""
