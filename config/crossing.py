"""What no single table can know about itself: that names lead somewhere, and that keys are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from config.errors import Path
    from config.parties import Liveblog
    from config.settings import Settings


def conflicts(settings: Settings) -> Iterator[tuple[Path, str]]:
    """Each contradiction between tables, under the key that has to change."""
    for client_id, client in settings.clients.items():
        for index, organization in enumerate(client.organizations):
            if organization not in settings.organizations:
                yield ("clients", client_id, "organizations", index), f"no organization {organization} is configured"
    seen: dict[str, int] = {}
    for index, liveblog in enumerate(settings.liveblogs):
        first = seen.setdefault(liveblog.key, index)
        if first != index:
            yield ("liveblogs", index, "key"), f"is already the key of liveblogs[{first}]"
        for key, text in _dangling(settings, liveblog):
            yield ("liveblogs", index, key), text
    if settings.polling.after_max < settings.polling.after:
        yield ("polling", "after_max"), "is shorter than polling.after, the first of the growing intervals"


def _dangling(settings: Settings, liveblog: Liveblog) -> Iterator[tuple[str, str]]:
    organization = settings.organizations.get(liveblog.organization)
    if organization is None:
        yield "organization", f"no organization {liveblog.organization} is configured"
        return
    endpoint = organization.providers.get(liveblog.provider)
    if endpoint is None:
        yield "provider", f"organization {liveblog.organization} has no provider {liveblog.provider}"
    elif liveblog.include_text_content and not endpoint.text_content:
        yield (
            "include_text_content",
            "the organization's provider endpoint does not deliver text (text_content = false)",
        )
