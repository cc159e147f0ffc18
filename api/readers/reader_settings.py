"""What readers may do, as the configuration says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSettings:
    """Rates are requests a second, of which a burst may come at once; 0 means no limit. Ages are seconds."""

    token_age: float
    """A reader's token ends after so long."""
    sign_in_age: float
    """A sign-in token of an organization may be valid for so long at most."""
    tokens_per_second: float
    """New tokens of one address."""
    tokens_burst: int
    reader_per_second: float
    """What one reader sends: comments, votes and the like."""
    reader_burst: int
    address_per_second: float
    """The same of all readers of one address."""
    address_burst: int
    sign_in_secrets: Mapping[str, str] = field(default_factory=dict)
    """By the id of the organization, where it signs its readers in."""
