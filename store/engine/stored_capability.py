"""What the store collects of a capability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Executable, Select

from store.engine.portable_table import PortableTable


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
