"""Says what is wrong with settings, and what is allowed but dangerous, before anything is started with them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from config.cross_checks import Vocabulary, idle, is_loopback, is_safe
from config.errors import dotted_path
from config.loading import ConfigReading, read
from config.schema_walk import SHAPE, Leaf, leaves
from config.settings import Settings
from config.values import is_hash

Access = tuple[object, ...]
"""What distinguishes endpoints: provider, base URL, credentials, language."""

REQUESTS = 2
"""Requests of a poll without text, of most providers."""

SHORT = 22
"""Characters; 128 random bits take as many in base 64."""


def check(path: Path | None, environ: Mapping[str, str], vocabulary: Vocabulary | None = None) -> list[str]:
    """Lines that begin with `error: ` (matchwire will not start) or `warning: ` (it will, but look); none is good."""
    reading = read(path, environ, vocabulary)
    errors = [f"error: {problem}" for problem in reading.problems]
    warnings = list(_warnings(path, reading))
    if reading.settings is not None and vocabulary is not None:
        warnings += [f"{dotted_path(at)}: {text}" for at, text in idle(reading.settings, vocabulary)]
    return errors + [f"warning: {text}" for text in warnings]


def _warnings(path: Path | None, reading: ConfigReading) -> Iterator[str]:
    yield from _readable(path, reading)
    if reading.settings is not None:
        for rule in (_clients, _endpoints, _values, _rates):
            yield from rule(reading.settings)


def _readable(path: Path | None, reading: ConfigReading) -> Iterator[str]:
    for file in reading.secret_files:
        if _mode(file) & 0o007:
            yield f"{file}: everybody on this machine can read this secret file; chmod 600 it"
    if path is not None and reading.inline and _mode(path) & 0o007 and any(_plain_secrets(reading.inline)):
        yield f"{path}: holds secrets and everybody on this machine can read it; chmod 600 it, or use secret files"


def _mode(file: Path) -> int:
    try:
        return file.stat().st_mode
    except OSError:
        return 0


_SECRET_NAMES = {path[-1] for path, leaf in leaves(SHAPE) if isinstance(leaf, Leaf) and leaf.secret} - {"url"}


def _plain_secrets(tree: Any) -> Iterator[str]:
    """The names of secrets that stand in the file as they are; hashes and an SQLite address do not count."""
    rows = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in rows:
        if isinstance(value, str) and key in _SECRET_NAMES and not is_hash(value):
            yield str(key)
        if key == "url" and isinstance(value, str) and "@" in value:
            yield "url"
        yield from _plain_secrets(value)


def _clients(settings: Settings) -> Iterator[str]:
    if not settings.organizations:
        yield "organizations: none is configured, so there is nobody whose liveblogs could be created"
    if not settings.clients:
        yield "clients: none is configured; only clients made on the command line can use the API"
    owners: dict[str, str] = {}
    for client_id, client in settings.clients.items():
        at = dotted_path(("clients", client_id))
        if any(len(secret) < SHORT and not is_hash(secret) for secret in client.secrets):
            yield f"{at}: a secret of fewer than {SHORT} characters can be guessed; use 128 random bits"
        for secret in set(client.secrets):
            if owners.setdefault(secret, at) != at:
                yield f"{at}: has the same secret as {owners[secret]}"


def _endpoints(settings: Settings) -> Iterator[str]:
    for organization_id, organization in settings.organizations.items():
        for provider, endpoint in organization.providers.items():
            at = dotted_path(("organizations", organization_id, "providers", provider))
            credentials = endpoint.password or endpoint.api_key
            if credentials and not is_safe(endpoint.base_url):
                yield f"{at}.base_url: is not https; the credentials travel in the open"


def _values(settings: Settings) -> Iterator[str]:
    server = settings.server
    if server.public_url is None and not is_loopback(server.host):
        yield "server.public_url: is not set, so feeds and pages link to the address that the daemon listens on"
    if server.public_url is not None and not is_safe(server.public_url):
        yield "server.public_url: is not https; credentials in query strings and headers travel in the open"
    polling, leaked = settings.polling, settings.desk.leaked_passwords
    if polling.live < 1:
        yield "polling.live: asks a provider more than once a second for every match; many contracts forbid that"
    if polling.silence_alarm < 2 * polling.live:
        yield "polling.silence_alarm: is shorter than two live intervals, so a single lost answer raises the alarm"
    if not is_writable(settings.media.folder):
        yield "media.folder: cannot be written by this user, so uploads fail and no image is cached"
    if leaked is not None and not os.access(leaked, os.R_OK):
        yield "desk.leaked_passwords: cannot be read by this user, so passwords that have leaked are taken"


def _rates(settings: Settings) -> Iterator[str]:
    """Endpoints whose declared liveblogs, all live at the same time, need more requests than `polling.rate` allows."""
    polling = settings.polling
    for (provider, *_), requests in _declared_requests(settings).items():
        needed = sum(requests.values()) / polling.live
        if polling.rate and needed > polling.rate:
            late = polling.live * needed / polling.rate
            yield (
                f"polling.rate: {len(requests)} matches of declared liveblogs need about {needed:.0f} requests a second of"
                f" one {provider} endpoint while all are live, and {polling.rate:g} are allowed; each is polled every"
                f" {late:.0f} s then, not every {polling.live:g} s"
            )


def _declared_requests(settings: Settings) -> dict[Access, dict[tuple[str, str], int]]:
    """The requests of one poll by the match that is declared, for each endpoint."""
    found: dict[Access, dict[tuple[str, str], int]] = {}
    for each in settings.liveblogs:
        organization = settings.organizations.get(each.organization)
        access = organization.providers.get(each.provider) if organization else None
        if access is not None:
            credentials = access.username, access.password, access.api_key
            matches = found.setdefault((each.provider, access.base_url, *credentials, access.language), {})
            requests = REQUESTS + (each.include_text_content and access.text_content)
            matches[each.selector] = max(requests, matches.get(each.selector, 0))
    return found


def is_writable(folder: str) -> bool:
    """Whether this user can write to the folder, or make it where it is not there yet."""
    path = Path(folder).absolute()
    while not os.path.lexists(path):
        path = path.parent
    return path.is_dir() and os.access(path, os.W_OK | os.X_OK)
