"""Addresses of files that documents name: checked before the unit that stores them, so that no transaction waits for a network."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from mapping.documents.base import dump
from mapping.errors import Unprocessable
from mapping.liveblog.file_addresses import addresses_in
from mapping.rules import addresses
from mapping.rules.addresses import NotAllowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from api.http.json_path import Json
    from api.http.request import ApiRequest
    from mapping.documents.base import Document

WEB = ("http:", "https:")


class WrittenRecord(NamedTuple):
    """The record that a request writes: whose it is, and how the caller is shown it before, None for a new one."""

    organization_id: str
    before: Json | None = None


async def check_addresses(
    request: ApiRequest, document: Document, target: WrittenRecord | Callable[[Connection], WrittenRecord | None]
) -> None:
    """Raise Unprocessable, with the path, for the first address in the document that may not be fetched for a client.

    `target`: finds the record, None where the caller may not write it: then nothing is looked up, and the unit refuses the
    request. An address that the record had before is not checked. A name that does not resolve now passes: whoever fetches
    the file checks its address again.
    """
    found = [each for each in addresses_in(dump(document)) if each[1].lower().startswith(WEB)]
    if not found:
        return
    record = target if isinstance(target, WrittenRecord) else await request.services.store.read(target)
    if record is None:
        return
    old = {url for _, url in addresses_in(record.before)}
    hosts: dict[addresses.Target, tuple[str, str]] = {}
    for path, url in found:
        if url not in old:
            hosts.setdefault(_host(path, url), (path, url))
    most = request.services.settings.media.new_hosts
    for path, _ in list(hosts.values())[most:]:
        raise Unprocessable(f"a request names files of at most {most} new hosts", field=path)
    await _check_hosts(request, record.organization_id, list(hosts.values()))


def _host(path: str, url: str) -> addresses.Target:
    try:
        return addresses.target(url)
    except NotAllowed:
        raise Unprocessable(addresses.REFUSED, field=path) from None


async def _check_hosts(request: ApiRequest, organization_id: str, found: list[tuple[str, str]]) -> None:
    """The look-ups take places of the organization whose record it is."""
    check = request.services.check_file_address
    if check is None:
        return
    kept = await asyncio.gather(*(check(url, organization_id) for _, url in found))
    for (path, _), passes in zip(found, kept, strict=True):
        if not passes:
            raise Unprocessable(addresses.REFUSED, field=path)
