"""Addresses of files that documents name: checked before the unit that stores them, so that no transaction waits for a network."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mapping.documents.base import dump
from mapping.errors import Unprocessable
from mapping.file_addresses import addresses_in
from mapping.rules import addresses
from mapping.rules.addresses import NotAllowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from api.request import ApiRequest
    from mapping.documents.base import Document
    from mapping.rules.addresses import Target

WEB = ("http:", "https:")


async def check_addresses(
    request: ApiRequest, document: Document, known: Callable[[Connection], Any] | None = None
) -> None:
    """Raise Unprocessable, with the path, for the first address in the document that may not be fetched for a client.

    One that `known` has, the record as it is before the request, is not checked. A name that does not resolve now passes:
    whoever fetches the file checks its address again.
    """
    found = [each for each in addresses_in(dump(document)) if each[1].lower().startswith(WEB)]
    if not found:
        return
    before = await request.services.store.read(known) if known else None
    old = {url for _, url in addresses_in(before)}
    targets: dict[Target, tuple[str, str]] = {}
    for path, url in found:
        if url not in old:
            targets.setdefault(_target(path, url), (path, url))
    most = request.services.settings.media_new_hosts
    for path, _ in list(targets.values())[most:]:
        raise Unprocessable(f"a request names files of at most {most} new hosts", field=path)
    await _check_hosts(request, list(targets.values()))


def _target(path: str, url: str) -> Target:
    try:
        return addresses.target(url)
    except NotAllowed:
        raise Unprocessable(addresses.REFUSED, field=path) from None


async def _check_hosts(request: ApiRequest, found: list[tuple[str, str]]) -> None:
    check = request.services.check_file_address
    if check is None:
        return
    organization = min(request.caller.organizations, default="")  # whose places the look-ups take
    kept = await asyncio.gather(*(check(url, organization) for _, url in found))
    for (path, _), passes in zip(found, kept, strict=True):
        if not passes:
            raise Unprocessable(addresses.REFUSED, field=path)
