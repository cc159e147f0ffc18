"""Settings for tests that build parts of the daemon by themselves: the defaults of the configuration, with changes."""

from dataclasses import fields
from typing import Any

from pydantic import SecretStr

from config import Settings
from config.organizations import Client, OrganizationConfig, ReaderSignIn
from config.sections import Limits, Polling
from mapping.rules.pacing import PollIntervals

LIMITS = Limits()
NOWHERE = "0" * 24
BY_ORGANIZATION = {
    "comment_modes": "comments", "sign_in_secrets": "reader_sign_in", "public_delays": "public_delay",
    "logos": "logo", "counted": "statistics", "organization_frame_ancestors": "frame_ancestors",
}  # fmt: skip
"""How tests say what is configured of organizations, and the setting of each."""


def polling(**changes: Any) -> Polling:
    """`[polling]` with these changes, and without a limit on the requests a second unless one is given."""
    return Polling(**{"rate": 0, **changes})


def intervals(**changes: Any) -> PollIntervals:
    """The intervals of `[polling]` with these changes."""
    return PollIntervals(**polling(**changes).model_dump(include={each.name for each in fields(PollIntervals)}))


def configured(**changes: Any) -> Settings:
    """The default settings with changes: of a section or of a setting, whose name is enough where only one section has it.

    `comment_modes`, `sign_in_secrets`, `public_delays`, `logos` and `organization_frame_ancestors` are by organization,
    `client_delays` by client.
    """
    settings = Settings()
    for name, by_id in {each: changes.pop(each) for each in BY_ORGANIZATION if each in changes}.items():
        for organization_id, value in by_id.items():
            configure(settings, organization_id, **{BY_ORGANIZATION[name]: value})
    for client_id, delay in changes.pop("client_delays", {}).items():
        client = Client(secret="x" * 32, organizations=(NOWHERE,), public_delay=delay)
        settings.clients[client_id] = client
    sections: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        section, key = name.split("__") if "__" in name else (_section_of(name), name)
        sections.setdefault(section, {})[key] = value
    whole = sections.pop("", {})
    parts = {name: getattr(settings, name).model_copy(update=values) for name, values in sections.items()}
    return settings.model_copy(update={**whole, **parts})


def configure(settings: Settings, organization_id: str, **changes: Any) -> None:
    """Change what is configured of an organization from now on."""
    if isinstance(secret := changes.get("reader_sign_in"), str):
        changes["reader_sign_in"] = ReaderSignIn(secret=SecretStr(secret))
    known = settings.organizations.get(organization_id) or OrganizationConfig(name="x", statistics=False)
    settings.organizations[organization_id] = known.model_copy(update=changes)


def _section_of(name: str) -> str:
    """The section that has a setting of that name, "" for a section itself; raises where several have it."""
    if name in Settings.model_fields:
        return ""
    sections = {each: field.annotation for each, field in Settings.model_fields.items()}
    (section,) = [each for each, kind in sections.items() if name in getattr(kind, "model_fields", ())]
    return section
