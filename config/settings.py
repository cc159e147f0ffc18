"""All settings as one frozen value; `config.load` is the door through which a file and the environment become it."""

from pathlib import Path
from typing import Self

from pydantic import Field

from config.organizations import Client, DeclaredId, FollowEntry, Liveblog, OrganizationConfig, ThemeConfig
from config.sections import (
    Alarms,
    Comments,
    Database,
    Desk,
    Embed,
    Feeds,
    Limits,
    Logging,
    MediaConfig,
    Polling,
    ProviderNames,
    Readers,
    Recording,
    Section,
    Server,
    Standby,
    Statistics,
    Traces,
    Webhooks,
)
from config.values import ClientId, OrganizationId, ProviderId

NOT_CONFIGURED = OrganizationConfig(name="not configured", statistics=False)


class Settings(Section):
    """What `config/default.toml` documents, key by key."""

    server: Server = Server()
    database: Database = Database()
    logging: Logging = Logging()
    polling: Polling = Polling()
    standby: Standby = Standby()
    limits: Limits = Limits()
    webhooks: Webhooks = Webhooks()
    feeds: Feeds = Feeds()
    alarms: Alarms = Alarms()
    traces: Traces = Traces()
    embed: Embed = Embed()
    readers: Readers = Readers()
    comments: Comments = Comments()
    desk: Desk = Desk()
    statistics: Statistics = Statistics()
    recording: Recording = Recording()
    media: MediaConfig = MediaConfig()
    providers: dict[ProviderId, ProviderNames] = Field(default_factory=dict)
    organizations: dict[OrganizationId, OrganizationConfig] = Field(default_factory=dict)
    themes: dict[DeclaredId, ThemeConfig] = Field(default_factory=dict)
    clients: dict[ClientId, Client] = Field(default_factory=dict)
    follow: tuple[FollowEntry, ...] = ()
    liveblogs: tuple[Liveblog, ...] = ()

    @property
    def public_url(self) -> str:
        """The address that readers use, without a slash at its end unless one was given."""
        return self.server.public_url or f"http://{self.server.host}:{self.server.port}"

    def listening_at(self, address: str) -> Self:
        """These settings where the daemon listens at `address`, which readers use unless `server.public_url` is given."""
        public_url = self.server.public_url or address
        return self.model_copy(update={"server": self.server.model_copy(update={"public_url": public_url})})

    def organization(self, organization_id: str) -> OrganizationConfig:
        """What is configured for an organization; the defaults for one that is not, as its liveblogs may outlive it."""
        return self.organizations.get(organization_id, NOT_CONFIGURED)

    def counts_readers(self, organization_id: str) -> bool:
        """Whether readers of the organization's liveblogs are counted."""
        return self.statistics.enabled and self.organization(organization_id).statistics

    def in_folder(self, folder: Path) -> Self:
        """These settings with relative names of files and folders taken as below `folder`; the rest stays as it is."""
        moved = {
            "database": self.database.in_folder(folder),
            "desk": self.desk.in_folder(folder),
            "recording": self.recording.in_folder(folder),
            "media": self.media.in_folder(folder),
            "statistics": self.statistics.in_folder(folder),
            "organizations": {name: each.in_folder(folder) for name, each in self.organizations.items()},
        }
        return self.model_copy(update=moved)
