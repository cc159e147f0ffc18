"""Checks settings against each other: names lead somewhere, no key stands twice, a provider has the event type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from ipaddress import ip_address
from urllib.parse import urlsplit

from config.errors import Path
from config.organizations import FollowEntry, Liveblog, OrganizationConfig
from config.settings import Settings

Vocabulary = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Provider id → sport → event types."""


def is_safe(url: str) -> bool:
    """Whether nobody on the way can listen: https, or the same machine."""
    parts = urlsplit(url)
    return parts.scheme == "https" or is_loopback(parts.hostname or "")


def is_loopback(host: str) -> bool:
    """Whether the host is this machine itself."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@dataclass(frozen=True, slots=True)
class ValidTables:
    """The tables that are valid by themselves, beside which others may not be.

    `rows` are the liveblogs by their index in the file. `named` holds the organizations that are written down, valid or not.
    """

    settings: Settings
    rows: Mapping[int, Liveblog]
    named: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def whole(cls, settings: Settings) -> ValidTables:
        return cls(settings, dict(enumerate(settings.liveblogs)), frozenset(settings.organizations))


def conflicts(found: ValidTables, vocabulary: Vocabulary | None = None) -> Iterator[tuple[Path, str]]:
    """Each contradiction between tables, and with the installed providers, under the key that has to change."""
    settings = found.settings
    for client_id, client in settings.clients.items():
        for index, organization in enumerate(client.organizations):
            if organization not in found.named:
                yield ("clients", client_id, "organizations", index), f"no organization {organization} is configured"
    yield from _credentials(settings)
    yield from _storage(settings)
    yield from _openid(found)
    yield from _liveblogs(found)
    yield from _rules(found)
    yield from _delays(settings)
    if settings.polling.after_max < settings.polling.after:
        yield ("polling", "after_max"), "is shorter than polling.after, the first of the growing intervals"
    if vocabulary is not None:
        yield from contradictions(settings, found.rows, vocabulary)


def _credentials(settings: Settings) -> Iterator[tuple[Path, str]]:
    """HTTP Basic takes both halves; a password without a user is the secret of a key, or a contradiction."""
    for organization_id, organization in settings.organizations.items():
        for provider, endpoint in organization.providers.items():
            at: Path = ("organizations", organization_id, "providers", provider)
            if endpoint.username is not None and endpoint.password is None:
                yield (*at, "password"), "is missing beside the username: give password or password_file"
            if endpoint.password is not None and endpoint.username is None and endpoint.api_key is None:
                yield (*at, "username"), "is missing beside the password"


def _storage(settings: Settings) -> Iterator[tuple[Path, str]]:
    """A bucket needs a name, and keys both halves."""
    media = settings.media
    if media.storage == "s3" and media.s3_bucket is None:
        yield ("media", "s3_bucket"), 'is missing: storage = "s3" needs it'
    if media.s3_access_key is not None and media.s3_secret_key is None:
        yield ("media", "s3_secret_key"), "is missing beside the access key: give s3_secret_key or s3_secret_key_file"
    if media.s3_secret_key is not None and media.s3_access_key is None:
        yield ("media", "s3_access_key"), "is missing beside the secret key"


def _openid(found: ValidTables) -> Iterator[tuple[Path, str]]:
    """A provider of OpenID Connect calls us by a name, and groups lead to organizations that there are."""
    openid = found.settings.desk.openid
    if openid.issuer is not None and openid.client_id is None:
        yield ("desk", "openid", "client_id"), "is missing beside desk.openid.issuer"
    if openid.issuer is not None and not is_safe(openid.issuer):
        yield (
            ("desk", "openid", "issuer"),
            "is neither https nor this machine: whoever is on the way could sign in as anybody",
        )
    if found.settings.desk.enabled and not found.settings.desk.passwords and openid.issuer is None:
        yield ("desk", "passwords"), "is false without desk.openid.issuer: nobody could sign in"
    for index, row in enumerate(openid.roles):
        if row.organization not in found.named:
            yield (
                ("desk", "openid", "roles", index, "organization"),
                f"no organization {row.organization} is configured",
            )


def _delays(settings: Settings) -> Iterator[tuple[Path, str]]:
    given = [
        (("organizations", name, "public_delay"), each.public_delay) for name, each in settings.organizations.items()
    ]
    given += [(("clients", name, "public_delay"), each.public_delay) for name, each in settings.clients.items()]
    for path, seconds in given:
        if seconds > settings.limits.delay_max:
            yield path, "is longer than limits.delay_max: what was there so long ago is not kept"


def _liveblogs(found: ValidTables) -> Iterator[tuple[Path, str]]:
    seen: dict[str, int] = {}
    for index, liveblog in found.rows.items():
        first = seen.setdefault(liveblog.key, index)
        if first != index:
            yield ("liveblogs", index, "key"), f"is already the key of liveblogs[{first}]"
        for key, text in _dangling(found, liveblog):
            yield ("liveblogs", index, key), text


def _rules(found: ValidTables) -> Iterator[tuple[Path, str]]:
    """Rules of an organization have a key each, and providers that it has."""
    seen: dict[tuple[str, str], int] = {}
    for index, rule in enumerate(found.settings.follow):
        first = seen.setdefault((rule.organization, rule.key), index)
        if first != index:
            yield ("follow", index, "key"), f"is already the key of follow[{first}]"
        yield from ((("follow", index, *key), text) for key, text in _of_organization(found, rule))


def rule_faults(settings: Settings, rule: FollowEntry, vocabulary: Vocabulary) -> Iterator[tuple[Path, str]]:
    """What is wrong with a rule that stands in no file, under the keys that it would have there."""
    yield from _of_organization(ValidTables.whole(settings), rule)
    yield from _of_rule(rule, vocabulary)


def _of_organization(found: ValidTables, rule: FollowEntry) -> Iterator[tuple[Path, str]]:
    yield from (((key,), text) for key, text in _dangling(found, rule))
    organization = found.settings.organizations.get(rule.organization)
    for at, provider in enumerate(rule.standby if organization is not None else ()):
        if organization is not None and provider not in organization.providers:
            yield ("standby", at), _no_access(rule.organization, organization, provider)


def _dangling(found: ValidTables, liveblog: Liveblog | FollowEntry) -> Iterator[tuple[str, str]]:
    organization = found.settings.organizations.get(liveblog.organization)
    if organization is None:
        if liveblog.organization not in found.named:
            yield "organization", f"no organization {liveblog.organization} is configured"
        return
    endpoint = organization.providers.get(liveblog.provider)
    if endpoint is None:
        yield "provider", _no_access(liveblog.organization, organization, liveblog.provider)
    elif liveblog.include_text_content and not endpoint.text_content:
        yield (
            "include_text_content",
            "the organization's provider endpoint does not deliver text (text_content = false)",
        )


def contradictions(
    settings: Settings, rows: Mapping[int, Liveblog], vocabulary: Vocabulary
) -> Iterator[tuple[Path, str]]:
    """Names of providers and event types that nobody has, and types of a sport that the provider does not cover."""
    for provider in settings.providers:
        if provider not in vocabulary:
            yield ("providers", provider), _no_provider(provider, vocabulary)
    for organization_id, organization in settings.organizations.items():
        for provider in organization.providers:
            if provider not in vocabulary:
                yield ("organizations", organization_id, "providers", provider), _no_provider(provider, vocabulary)
    for index, liveblog in rows.items():
        for at, kind in enumerate(liveblog.exclude_events):
            if text := _why_misplaced(kind, liveblog.provider, vocabulary):
                yield ("liveblogs", index, "exclude_events", at), text
    for index, rule in enumerate(settings.follow):
        yield from ((("follow", index, *key), text) for key, text in _of_rule(rule, vocabulary))


def _of_rule(rule: FollowEntry, vocabulary: Vocabulary) -> Iterator[tuple[Path, str]]:
    catalog = vocabulary.get(rule.provider)
    if catalog is not None and rule.sport is not None and rule.sport not in catalog:
        yield ("sport",), f"{rule.provider} has no {rule.sport} that becomes liveblogs, only {', '.join(catalog)}"
    if rule.standby and rule.sport not in {None, "soccer"}:
        yield ("standby",), f"there are no standby sources for {rule.sport}"
    for at, kind in enumerate(rule.exclude_events):
        if text := _why_misplaced(kind, rule.provider, vocabulary):
            yield ("exclude_events", at), text


def idle(settings: Settings, vocabulary: Vocabulary) -> Iterator[tuple[Path, str]]:
    """Event types that exist and yet exclude nothing: the provider never sends them, or the match has another sport."""
    for index, liveblog in enumerate(settings.liveblogs):
        catalog = vocabulary.get(liveblog.provider, {})
        sent = {kind for kinds in catalog.values() for kind in kinds}
        for at, kind in enumerate(liveblog.exclude_events):
            if kind not in sent:
                yield ("liveblogs", index, "exclude_events", at), f"{liveblog.provider} never sends {kind}"
        sports = {sport for kind in liveblog.exclude_events for sport in _sports(kind, {"": catalog})}
        if len(sports) > 1:
            names = " and ".join(sorted(sports))
            yield ("liveblogs", index, "exclude_events"), f"names types of {names}, but a match has one sport"


def _why_misplaced(kind: str, provider: str, vocabulary: Vocabulary) -> str | None:
    """Why `kind` cannot come from `provider`; None where it can, and where the provider itself is unknown."""
    catalog = vocabulary.get(provider)
    if catalog is None:
        return None
    sports = _sports(kind, vocabulary)
    if not sports:
        known = sorted({each for other in vocabulary.values() for kinds in other.values() for each in kinds})
        close = get_close_matches(kind, known, n=1, cutoff=0.6)
        return f"no provider has an event type {kind}{f'; the nearest is {close[0]}' if close else ''}"
    if sports.isdisjoint(catalog):
        return f"{kind} belongs to a sport that {provider} does not have, only {', '.join(catalog)}"
    return None


def _sports(kind: str, vocabulary: Vocabulary) -> set[str]:
    return {sport for catalog in vocabulary.values() for sport, kinds in catalog.items() if kind in kinds}


def _no_access(organization_id: str, organization: OrganizationConfig, provider: str) -> str:
    there_is = ", ".join(organization.providers)
    return f"organization {organization_id} has no provider {provider}{f', only {there_is}' if there_is else ''}"


def _no_provider(provider: str, vocabulary: Vocabulary) -> str:
    return f"no provider {provider} is installed, only {', '.join(sorted(vocabulary))}"
