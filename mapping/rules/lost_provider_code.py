"""Why a provider counts as lost, for programs: `details.code` of the alarm `provider_lost`."""

from __future__ import annotations

from enum import StrEnum


class LostProviderCode(StrEnum):
    """What kind of failure it is; the alarm's `cause` says it in words, which may change."""

    CREDENTIALS_REFUSED = "credentials_refused"
    UNREACHABLE = "unreachable"
