"""Addresses of files that documents name: checked before the unit that stores them, so that no transaction waits for a network."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from mapping.documents.base import dump
from mapping.errors import Unprocessable
from mapping.references import named_by
from mapping.rules import addresses
from mapping.rules.addresses import NotAllowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sqlalchemy import Connection

    from api.request import ApiRequest
    from mapping.documents.base import Document
    from mapping.rules.addresses import Target

FIELDS = frozenset({"source_url", "image", "banner_image", "cover_image"})
"""Fields that hold the address of a file wherever they stand."""
MEDIA_URL = re.compile(r"(?:^|\.)media\.\d+\.url$")
"""The path of an entry's address."""
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


def addresses_in(document: Any, path: str = "", *, named: bool = True) -> Iterator[tuple[str, str]]:
    """(path, address) of each file that the document, a JSON value, names, in its order.

    `named`: also of records that the document names by their `_id`, whose own files they are.
    """
    if path and not named and isinstance(document, dict) and named_by(document):
        return
    for name, value in _parts(document):
        there = f"{path}.{name}".lstrip(".")
        if not isinstance(value, str):
            yield from addresses_in(value, there, named=named)
        elif value and (name in FIELDS or MEDIA_URL.search(there)):
            yield there, value


def _parts(value: Any) -> Iterable[tuple[Any, Any]]:
    """What stands in an object or array, by name or place."""
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


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
