"""The settings of the daemon itself, one frozen model a table of the file; `default.toml` explains each of them."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from config.values import (
    SQLITE,
    Bucket,
    Bytes,
    Count,
    DatabaseUrl,
    Duration,
    ElementName,
    FrameAncestor,
    HostOrNetwork,
    Interval,
    KeyPrefix,
    Network,
    Number,
    OrganizationId,
    PostgresUrl,
    ScriptPath,
    Secret,
    SecretAddress,
    SigningSecret,
    Text,
    Timezone,
    WebAddress,
)


class Section(BaseModel):
    """A table of the file. Errors never show the value at fault: it may be a secret under a mistyped key."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, validate_default=True)


class Server(Section):
    host: Annotated[str, StringConstraints(min_length=1, max_length=255)] = "127.0.0.1"
    port: Annotated[Count, Field(ge=0, le=65535)] = 8080
    public_url: WebAddress | None = None
    public_feeds: bool = False
    timezone: Timezone = "UTC"
    public_metrics: bool = False
    trusted_proxies: tuple[Network, ...] = ()
    max_connections: Annotated[Count, Field(ge=1)] = 10_000
    keep_alive: Interval = 75.0
    header_timeout: Interval = 10.0
    stall_timeout: Interval = 20.0
    least_rate: Annotated[Number, Field(ge=0)] = 500.0
    shutdown_grace: Duration = 10.0


class Database(Section):
    url: DatabaseUrl = SecretStr("sqlite+aiosqlite:///matchwire.db")
    direct_url: PostgresUrl | None = None
    pool_size: Annotated[Count, Field(ge=1, le=1000)] = 8
    timeout: Interval = 5.0
    start_wait: Duration = 60.0

    @property
    def is_sqlite(self) -> bool:
        return self.url.get_secret_value().startswith(SQLITE)

    @property
    def session_url(self) -> str:
        """The address for what needs a session of its own: `direct_url` where `url` leads through a transaction pooler."""
        return (self.direct_url or self.url).get_secret_value()

    def in_folder(self, folder: Path) -> Self:
        """The same database, its SQLite file in `folder` where the address names it relatively."""
        file = self.url.get_secret_value().removeprefix(SQLITE)
        if not self.is_sqlite or file.startswith(("/", ":")):
            return self
        return self.model_copy(update={"url": SecretStr(f"{SQLITE}{folder / file}")})


class Logging(Section):
    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["auto", "json", "console"] = "auto"
    slow_request: Interval = 1.0


class Polling(Section):
    """Intervals of the polls in seconds, and the limits of one provider endpoint."""

    far: Interval = 900.0
    before: Interval = 60.0
    before_window: Duration = 3600.0
    live: Interval = 5.0
    pause: Interval = 15.0
    after: Interval = 30.0
    after_growth: Annotated[Number, Field(ge=1, le=10)] = 1.5
    after_max: Interval = 3600.0
    after_window: Duration = 172800.0
    note_after: Duration = 30.0
    honour_max_age: bool = False
    timeout: Interval = 10.0
    concurrency: Annotated[Count, Field(ge=1, le=1000)] = 8
    rate: Annotated[Number, Field(ge=0)] = 100.0
    backoff_max: Interval = 300.0
    breaker_after: Annotated[Count, Field(ge=1)] = 5
    breaker_pause: Interval = 30.0
    silence_alarm: Interval = 60.0
    lists: Interval = 600.0
    lists_due: Interval = 60.0
    create_retry_max: Interval = 300.0
    lists_kept_min: Interval = 60.0
    lists_kept_max: Interval = 600.0
    user_agent: Annotated[str, StringConstraints(pattern=r"^[!-~]+( [!-~]+)*$", max_length=200)] = "matchwire"


class Standby(Section):
    """When a match's second source takes the lead, and when it gives it back (seconds)."""

    silence: Interval = 60.0
    stall: Interval = 60.0
    implausible: Interval = 120.0
    quiet_time: Duration = 300.0
    slower: Annotated[Number, Field(ge=1, le=60)] = 3.0
    hold: Interval = 120.0


class Limits(Section):
    """What one caller may use: requests a second and connections (0 = no limit), bursts, and sizes in bytes."""

    client_per_second: Annotated[Number, Field(ge=0)] = 20.0
    client_burst: Annotated[Count, Field(ge=1)] = 60
    public_per_second: Annotated[Number, Field(ge=0)] = 30.0
    connections_per_address: Annotated[Count, Field(ge=0)] = 100
    body_bytes: Bytes = 1_048_576
    provider_bytes: Bytes = 16_777_216
    row_cache_bytes: Annotated[Count, Field(ge=0)] = 33_554_432
    provider_rows: Annotated[Count, Field(ge=1)] = 5000
    match_rows: Annotated[Count, Field(ge=1)] = 10_000
    match_people: Annotated[Count, Field(ge=1)] = 1000
    feed_limit_max: Annotated[Count, Field(ge=20, le=10_000)] = 1000
    delay_max: Annotated[Duration, Field(le=86_400)] = 900.0
    read_cache_bytes: Bytes = 67_108_864

    @property
    def longest_delay(self) -> int:
        """`delay_max` in whole seconds."""
        return int(self.delay_max)


class Webhooks(Section):
    """What clients may have called, and how; `rate` is requests a second to one host (0 = no limit)."""

    allow_hosts: tuple[HostOrNetwork, ...] = ()
    per_organization: Annotated[Count, Field(ge=1, le=10_000)] = 100
    connections: Annotated[Count, Field(ge=1, le=100)] = 4
    rounds: Annotated[Count, Field(ge=1, le=100_000)] = 512
    organization_rounds: Annotated[Count, Field(ge=1, le=100_000)] = 256
    rate: Annotated[Number, Field(ge=0)] = 50.0
    look_ups: Annotated[Count, Field(ge=1, le=1000)] = 32
    organization_look_ups: Annotated[Count, Field(ge=1, le=1000)] = 8
    look_up_timeout: Interval = 3.0
    round_timeout: Interval = 10.0
    try_timeout: Interval = 5.0
    secret_overlap: Duration = 86400.0
    log_kept: Interval = 604800.0


class Feeds(Section):
    """The public hub of public feeds, and the least time between two pings of it for one liveblog (seconds)."""

    hub: WebAddress | None = None
    hub_pause: Annotated[Interval, Field(le=600)] = 5.0


class Alarms(Section):
    """What alarms are raised for beside `polling.silence_alarm`, and where they are sent (seconds, bytes; 0 = never)."""

    webhook_url: SecretAddress | None = None
    webhook_secret: SigningSecret | None = None
    outbox_age: Duration = 60.0
    receiver_rounds: Annotated[Count, Field(ge=0, le=12)] = 3
    disk_free: Annotated[Count, Field(ge=0)] = 536_870_912
    disagreements: bool = False


class Traces(Section):
    """Where spans go by OTLP over HTTP, and which part of all traces (1 = all)."""

    endpoint: WebAddress | None = None
    authorization: Secret | None = None
    sample: Annotated[Number, Field(ge=0, le=1)] = 0.01


class Embed(Section):
    """What pages load from third parties, which sites may show a liveblog in a frame, its card's fonts, its element's names."""

    consent: bool = True
    frame_ancestors: tuple[FrameAncestor, ...] = ("*",)
    card_fonts: tuple[str, ...] = ()
    element_names: Annotated[tuple[ElementName, ...], Field(max_length=20)] = ()
    script_paths: Annotated[tuple[ScriptPath, ...], Field(max_length=20)] = ()


class Readers(Section):
    """Readers who take part: how long their tokens are valid, and what they may send (requests a second, 0 = no limit)."""

    token_age: Annotated[Interval, Field(ge=60)] = 2592000.0
    sign_in_age: Annotated[Interval, Field(ge=10, le=3600)] = 300.0
    tokens_per_second: Annotated[Number, Field(ge=0)] = 0.2
    tokens_burst: Annotated[Count, Field(ge=1)] = 30
    reader_per_second: Annotated[Number, Field(ge=0)] = 0.5
    reader_burst: Annotated[Count, Field(ge=1)] = 15
    address_per_second: Annotated[Number, Field(ge=0)] = 5.0
    address_burst: Annotated[Count, Field(ge=1)] = 100


class Comments(Section):
    """What a comment may be (characters, links), and how long what was rejected is kept (seconds)."""

    text_length: Annotated[Count, Field(ge=1, le=100_000)] = 2000
    max_links: Annotated[Count, Field(ge=0)] = 2
    duplicate_period: Duration = 600.0
    hide_after_reports: Annotated[Count, Field(ge=0)] = 5
    rejected_kept: Interval = 2592000.0


class Statistics(Section):
    """What is counted of readers, how much of it waits in memory, and for how long it is kept (seconds)."""

    enabled: bool = True
    folder: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = "statistics"
    interval: Annotated[Interval, Field(le=60)] = 5.0
    pending_cells: Annotated[Count, Field(ge=10)] = 20_000
    pending_readers: Annotated[Count, Field(ge=1)] = 100_000
    places: Annotated[Count, Field(ge=1, le=10_000)] = 500
    minutes_kept: Annotated[Interval, Field(ge=3600)] = 172800.0
    kept: Annotated[Interval, Field(ge=86400)] = 63072000.0

    def in_folder(self, folder: Path) -> Self:
        """A relative folder taken as below `folder`."""
        return self.model_copy(update={"folder": str(folder / self.folder)})


class MediaConfig(Section):
    """Files that clients upload, images that readers see, how they are kept, made and bounded (bytes, seconds)."""

    folder: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = "media"
    storage: Literal["disk", "s3"] = "disk"
    s3_bucket: Bucket | None = None
    s3_endpoint: WebAddress | None = None
    s3_region: Text = "us-east-1"
    s3_prefix: KeyPrefix = "uploads"
    s3_access_key: Text | None = None
    s3_secret_key: Secret | None = None
    s3_timeout: Interval = 10.0
    new_hosts: Annotated[Count, Field(ge=1, le=1000)] = 50
    data_images: Annotated[Count, Field(ge=1, le=1000)] = 20
    image_bytes: Bytes = 20_971_520
    video_bytes: Bytes = 524_288_000
    uploads: Annotated[Count, Field(ge=1, le=1000)] = 16
    organization_uploads: Annotated[Count, Field(ge=1, le=1000)] = 4
    upload_kept: Annotated[Interval, Field(ge=60)] = 86400.0
    fetch_timeout: Annotated[Interval, Field(le=12)] = 10.0
    fetches: Annotated[Count, Field(ge=2, le=1000)] = 32
    organization_fetches: Annotated[Count, Field(ge=1, le=1000)] = 8
    probe_bytes: Annotated[Count, Field(ge=4096, le=1_048_576)] = 262_144
    probe_tries: Annotated[Count, Field(ge=1, le=100)] = 8
    probe_retry: Annotated[Interval, Field(ge=15)] = 30.0
    probe_retry_most: Interval = 3600.0
    cache_bytes: Annotated[Bytes, Field(ge=1_048_576)] = 2_147_483_648
    hot_bytes: Bytes = 33_554_432
    refresh: Interval = 3600.0
    refresh_most: Interval = 86400.0
    retry: Interval = 60.0
    stale: Interval = 604800.0
    max_age: Annotated[Count, Field(ge=0)] = 600
    pixels: Annotated[Count, Field(ge=1)] = 50_000_000
    frames: Annotated[Count, Field(ge=1)] = 500
    decode_bytes: Annotated[Bytes, Field(ge=1_048_576)] = 157_286_400
    animation_bytes: Bytes = 4_194_304
    workers: Annotated[Count, Field(ge=1, le=64)] = 2
    render_queue: Annotated[Count, Field(ge=1, le=100_000)] = 400
    organization_render_queue: Annotated[Count, Field(ge=1, le=100_000)] = 300

    def in_folder(self, folder: Path) -> Self:
        """The same, a folder that is named relatively taken as one in `folder`."""
        return self.model_copy(update={"folder": str(folder / self.folder)})


class OpenIdRole(Section):
    """What people of a group may do: a role in one organization."""

    group: Text
    organization: OrganizationId
    account_role: Literal["viewer", "editor", "admin"]


class OpenId(Section):
    """The provider of OpenID Connect by which people sign in, and what it has to say of them (seconds)."""

    issuer: WebAddress | None = None
    client_id: Text | None = None
    client_secret: Secret | None = None
    token_endpoint_auth_method: Literal["client_secret_basic", "client_secret_post"] | None = None
    name: Text = "OpenID Connect"
    scopes: tuple[Text, ...] = ("openid", "email", "profile")
    groups_claim: Text = "groups"
    trust_email: bool = False
    timeout: Annotated[Interval, Field(le=60)] = 10.0
    roles: tuple[OpenIdRole, ...] = ()


class Desk(Section):
    """The desk of people: whether there is one, how they sign in, and for how long (seconds)."""

    enabled: bool = True
    passwords: bool = True
    second_factor: Literal["optional", "required"] = "optional"
    session_age: Annotated[Interval, Field(ge=60)] = 43200.0
    session_idle: Annotated[Interval, Field(ge=60)] = 14400.0
    password_checks: Annotated[Count, Field(ge=1, le=32)] = 2
    leaked_passwords: Annotated[str, StringConstraints(min_length=1, max_length=4096)] | None = None
    audit_kept: Annotated[Interval, Field(ge=86400)] = 34560000.0
    openid: OpenId = OpenId()

    def in_folder(self, folder: Path) -> Self:
        """The same, a file that is named relatively taken as one in `folder`."""
        if self.leaked_passwords is None:
            return self
        return self.model_copy(update={"leaked_passwords": str(folder / self.leaked_passwords)})


class Recording(Section):
    """Whether what is polled is kept on disk, where, for how long (seconds) and how much of it (bytes)."""

    enabled: bool = False
    folder: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = "recordings"
    retention: Interval = 1209600.0
    max_bytes: Bytes = 2_147_483_648

    def in_folder(self, folder: Path) -> Self:
        """The same, a folder that is named relatively taken as one in `folder`."""
        return self.model_copy(update={"folder": str(folder / self.folder)})


class ProviderNames(Section):
    """What holds for a provider whoever the organization is: corrections of names that it documents only partly."""

    names: dict[str, Text] = Field(default_factory=dict)
