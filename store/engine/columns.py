"""What tables are made of: their metadata, and the kinds of columns.

Documents are JSON text; what is searched, sorted or joined by stands in a column of its own. Times are Unix seconds.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, Text

from store.engine.sql.json_type import Json

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

Bytewise = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that sorts by its bytes on both databases."""
Counter = BigInteger().with_variant(Integer(), "sqlite")
"""A key that the database counts up; SQLite does so for INTEGER only."""


def text(name: str, *args: Any, **kwargs: Any) -> Column[Any]:
    return Column(name, Text, *args, **{"nullable": False, **kwargs})


def integer(name: str, **kwargs: Any) -> Column[Any]:
    return Column(name, BigInteger, **{"nullable": False, **kwargs})


def json(name: str, **kwargs: Any) -> Column[Any]:
    return Column(name, Json, **{"nullable": False, **kwargs})


def partial_index(name: str | None, *columns: str, only: str) -> Index:
    """An index of the rows alone of which `only` holds, SQL that a query has to repeat, constants and all, to be answered by it.

    Its revision makes it so. Here that is a note: with options of its dialect a daemon on SQLite would load PostgreSQL's.
    """
    return Index(name, *columns, info={"only": only})
