"""What a refusal of an operation says to a person."""

from __future__ import annotations

from api.desk.desk_frame import DeskPage
from mapping.desk.matches_text import MatchesText
from mapping.errors import Forbidden, MatchUnknown, ProviderRefused, ServiceError, UpstreamUnavailable

KINDS: tuple[tuple[type[ServiceError], str | None, MatchesText], ...] = (
    (MatchUnknown, None, MatchesText.NO_SUCH_MATCH),
    (ProviderRefused, None, MatchesText.REFUSED),
    (Forbidden, "provider", MatchesText.NO_ACCESS),
    (UpstreamUnavailable, None, MatchesText.PROVIDER_SILENT),
)
"""Of a kind, and where one is named of a field: what is said."""


def refusal_text(page: DeskPage, error: ServiceError) -> str:
    """The words, escaped; in those of the operation where none are for people."""
    for kind, field, name in KINDS:
        if isinstance(error, kind) and (field is None or error.field == field):
            return page.text(name)
    return page.text(MatchesText.WENT_WRONG, reason=error.message)
