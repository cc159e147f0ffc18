"""What organizations declare for documents to refer to, as the store takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.declarations import Declaration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from config import Settings
    from config.parties import OrganizationConfig
    from config.sections import Section
    from store.declarations import DeclaredKind


def declared_records(settings: Settings) -> tuple[Declaration, ...]:
    """Templates, pricings, tags and locations of all organizations."""
    return tuple(
        Declaration(owner_id=owner_id, kind=kind, id=record_id, fields=record.model_dump(exclude_none=True))
        for owner_id, organization in settings.organizations.items()
        for kind, records in _kinds(organization)
        for record_id, record in records.items()
    )


def _kinds(organization: OrganizationConfig) -> Iterator[tuple[DeclaredKind, Mapping[str, Section]]]:
    yield "template", organization.templates
    yield "pricing", organization.pricings
    yield "tag", organization.tags
    yield "location", organization.locations
