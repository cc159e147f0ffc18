"""What a provider's match holds, before a liveblog is made of it."""

from mapping.documents.base import CamelDocument
from mapping.documents.external import ExternalSelector, MatchStatus
from mapping.documents.scalars import Bool, Count, Name, Text, Timestamp


class ExternalPreview(CamelDocument):
    """A match as the provider gives it now. `line_ups` counts people, `events` what happened and would be posted.

    `text_content`: whether the provider's text can be had for it. `liveblogs`: the organization's own that are on it already,
    by `local_id`.
    """

    provider: Name
    selector: ExternalSelector
    sportstype: Text
    title: Text
    competition: Text | None = None
    location: Text | None = None
    home_team: Text | None = None
    away_team: Text | None = None
    home_score: Text | None = None
    away_score: Text | None = None
    starts_at: Timestamp | None = None
    status: MatchStatus
    scoreboard: Bool
    line_ups: Count
    events: Count
    text_content: Bool
    liveblogs: tuple[Name, ...] = ()
