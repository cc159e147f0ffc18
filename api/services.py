"""What the daemon hands to the API: the store, the settings and the few things that the API cannot do by itself."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from api.comments.comment_settings import CommentSettings
from api.feeds.themes import Theme, UnknownThemes
from api.liveblog_access import LiveblogIndex
from api.media.proxy import ImageProxy
from api.media.settings import ImageLimits
from api.media.upload_places import UploadPlaces
from api.middleware.request_log import RequestLog
from api.read_cache import ReadCounts
from api.readers.limits import ReaderLimits
from api.readers.reader_settings import ReaderSettings
from api.statistics.beacons import Beacons
from api.stream.streams import Streams
from store.database import Store
from store.files.port import FileStore

URL_BYTES = 8192
"""Longest path and query of a request."""

SelectorKind = Literal["match", "phase", "overall"]


class Keys(NamedTuple):
    """Secrets that the service has made for itself. What was signed by the keys of before the last rotation is believed too."""

    media: bytes
    """Signs the addresses of images (mapping.rules.image_address)."""
    readers: bytes
    """Signs the tokens of readers (mapping.rules.reader_token)."""
    reader_ids: bytes
    """Makes the ids of readers, and is never rotated."""
    media_before: tuple[bytes, ...] = ()
    readers_before: tuple[bytes, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ApiSettings:
    """Limits and addresses of the API; rates are requests a second, 0 means no limit."""

    public_url: str
    public_feeds: bool
    public_metrics: bool
    webhooks_per_organization: int
    secret_overlap: float
    """Seconds for which the secret before signs too after a rotation."""
    timezone: str
    """Whose days the time frames of searches mean."""
    body_bytes: int
    client_per_second: float
    client_burst: int
    public_per_second: float
    feed_limit_max: int
    media_new_hosts: int
    """Hosts of files that one request may name and that its record does not name yet."""
    read_cache_bytes: int
    """Bytes of rendered feeds, pages and delta reads that are kept."""
    image_bytes: int
    """Largest upload of an image."""
    image_limits: ImageLimits
    """What an image may have to be shown at all."""
    video_bytes: int
    """Largest upload of a video."""
    uploads: int
    """Uploads under way at a time."""
    organization_uploads: int
    """Those of one organization."""
    data_images: int
    """Images that one post may bring itself."""
    embed_consent: bool
    """Whether a page loads something from a third party only after a click."""
    delay_max: int
    """Seconds that a read may be delayed by."""
    readers: ReaderSettings
    hub: str | None
    """The public hub of public feeds."""
    comments: CommentSettings
    counted: frozenset[str]
    """Organizations whose readers are counted."""
    frame_ancestors: tuple[str, ...]
    """Sites that may show a liveblog in a frame, as a Content Security Policy names them."""
    organization_frame_ancestors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The same of each organization that has sites of its own."""
    client_delays: Mapping[str, int] = field(default_factory=dict)
    """Seconds by which feeds and pages are delayed for each client that has a delay."""
    public_delays: Mapping[str, int] = field(default_factory=dict)
    """Seconds by which they are delayed for all but the writers of each organization that has a delay."""
    logos: Mapping[str, str] = field(default_factory=dict)
    """Address of the logo of each organization that has one, by its id; for structured data."""
    themes: Mapping[str, Theme] = field(default_factory=dict)
    """By their ids."""
    feed_max_age: int = 2
    """Seconds for which a cache may keep a feed or page without revalidating it."""
    url_bytes: int = URL_BYTES

    @property
    def cache_control(self) -> str:
        """Who may keep what readers see of a liveblog, and for how long."""
        return f"{'public' if self.public_feeds else 'private'}, max-age={self.feed_max_age}"

    def framing(self, organization_id: str) -> str:
        """The policy's directive for frames around liveblogs of an organization; our own page of snippets shows one."""
        allowed = self.organization_frame_ancestors.get(organization_id, self.frame_ancestors)
        return " ".join(("frame-ancestors", "'self'", *allowed))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """A checked createFromExternal request; what to leave out is empty unless posting is automatic."""

    organization_id: str
    client_id: str
    provider: str
    selector_kind: SelectorKind
    selector_id: str
    title: str | None
    locale: str
    text: bool
    auto_post: bool
    exclude_scoreboard: bool
    exclude_events: tuple[str, ...]
    idempotency_key: str | None
    idempotency_digest: str
    """SHA-256 in hex of the body's meaning: equal for bodies that differ in spaces or the order of names alone."""
    declared_key: str | None = None
    """The key of a liveblog that the operator declared; there is at most one liveblog for it."""
    attach_to: str | None = None
    """The liveblog that the match is for, by `local_id` or `ticker_id`; without one it is created."""
    paused: bool = False


ImportMatch = Callable[[ImportRequest], Awaitable[dict[str, Any]]]
"""Creates the liveblog, or attaches it, and gives the decorated game with `external`; raises the errors of `mapping.errors`."""


@dataclass(frozen=True, kw_only=True)
class Services:
    """Everything the API works with; `clock` gives Unix seconds, `organizations` the name of an id or None."""

    store: Store
    settings: ApiSettings
    request_log: RequestLog
    import_match: ImportMatch
    check_text: Callable[[str, str, str], None]
    """Raises InvalidRequest where an organization gets no text content from a provider for a sport."""
    organizations: Callable[[str], str | None]
    ready: Callable[[], Awaitable[Mapping[str, Any]]]
    """Facts about the parts of the process; a false `ready` among them means not ready."""
    clock: Callable[[], float]
    providers: frozenset[str]
    event_types: frozenset[str]
    keys: Keys
    files: FileStore
    """The files that clients have uploaded."""
    check_address: Callable[[str, str], Awaitable[bool]] | None = None
    """Whether an address may be called now that a client of the organization names; without it only its form is checked,
    and it is checked at each connection anyway."""
    check_file_address: Callable[[str, str], Awaitable[bool]] | None = None
    """The same for the address of a file, where a name that does not resolve now passes."""
    images: ImageProxy | None = None
    """Shows images; without it there are none."""
    streams: Streams | None = None
    """The streams of all readers; the daemon closes them before it stops. Without them the API makes its own."""
    beacons: Beacons | None = None
    """What pages report of their readers; without it nothing is counted."""
    metrics: Callable[[str], tuple[bytes, str]] | None = None
    """The numbers for Prometheus in a form that an `Accept` header names, and their content type."""
    status: Callable[[], Awaitable[Mapping[str, Any]]] | None = None
    """What `/status` shows."""
    read_counts: ReadCounts = field(default_factory=ReadCounts)
    """How often pages and feeds were found in the cache."""
    unknown_themes: UnknownThemes = field(default_factory=UnknownThemes)
    """Themes that readers name and nobody has declared."""
    upload_places: UploadPlaces = field(default_factory=UploadPlaces)
    """The uploads under way."""
    reader_limits: ReaderLimits = field(default_factory=ReaderLimits)
    """What readers may still send; the app makes its own by the settings."""
    liveblog_index: LiveblogIndex = field(default_factory=LiveblogIndex)
    """Which liveblog the next write belongs to."""
