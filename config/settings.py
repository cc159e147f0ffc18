"""All settings as one frozen value; `config.load` is the door through which a file and the environment become it."""

from pathlib import Path
from typing import Self

from pydantic import Field

from config.parties import Client, DeclaredId, Liveblog, OrganizationConfig, ThemeConfig
from config.sections import (
    Alarms,
    Comments,
    Database,
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
    Statistics,
    Traces,
    Webhooks,
)
from config.values import ClientId, OrganizationId, ProviderId


class Settings(Section):
    """What `config/default.toml` documents, key by key."""

    server: Server = Server()
    database: Database = Database()
    logging: Logging = Logging()
    polling: Polling = Polling()
    limits: Limits = Limits()
    webhooks: Webhooks = Webhooks()
    feeds: Feeds = Feeds()
    alarms: Alarms = Alarms()
    traces: Traces = Traces()
    embed: Embed = Embed()
    readers: Readers = Readers()
    comments: Comments = Comments()
    statistics: Statistics = Statistics()
    recording: Recording = Recording()
    media: MediaConfig = MediaConfig()
    providers: dict[ProviderId, ProviderNames] = Field(default_factory=dict)
    organizations: dict[OrganizationId, OrganizationConfig] = Field(default_factory=dict)
    themes: dict[DeclaredId, ThemeConfig] = Field(default_factory=dict)
    clients: dict[ClientId, Client] = Field(default_factory=dict)
    liveblogs: tuple[Liveblog, ...] = ()

    def in_folder(self, folder: Path) -> Self:
        """These settings with relative names of files and folders taken as below `folder`; the rest stays as it is."""
        moved = {
            "database": self.database.in_folder(folder),
            "recording": self.recording.in_folder(folder),
            "media": self.media.in_folder(folder),
            "statistics": self.statistics.in_folder(folder),
        }
        return self.model_copy(update=moved)
