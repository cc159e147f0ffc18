"""Documents of readers' statistics: what a page reports, and the numbers that are shown.

The address of a page is kept in one form for all spellings, without what may name a person.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv6Address
from typing import Annotated, Literal, NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

from pydantic import Field

from mapping.documents.base import Document
from mapping.documents.scalars import Bool, Count, LocalId, Text, ViewTime
from mapping.rules.callable_addresses import literal

LONGEST = 2048
"""Characters of an address that is understood, and of a page that is kept."""
PORTS = {"http": 80, "https": 443}
WRITTEN = r"^ *[Hh][Tt][Tt][Pp][Ss]?://[^/?#].*$"
"""How an address begins that is understood."""
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_SAFE = "/%:@!$&'()*+,;=~"
LONGEST_HOST = 253
PUNYCODE = "xn--"


class PageAddress(NamedTuple):
    """An origin (`https://example.org`) and a page of it (`https://example.org/a/b`); empty where nothing is known."""

    origin: str = ""
    location: str = ""


NOWHERE = PageAddress()


@lru_cache(maxsize=4096)
def page_address(url: str) -> PageAddress:
    """The page of an address, without user, query, fragment, default port and last slash; `NOWHERE` for what is none.

    `https://User:pw@Example.org:443/a/?b#c` is the page `https://example.org/a`.
    """
    if len(url) > LONGEST or not url.isprintable():
        return NOWHERE
    try:
        parts = urlsplit(url.strip())
        host, port = _host(parts.hostname or ""), _port(parts)
    except ValueError:
        return NOWHERE
    if parts.scheme not in PORTS or not host:
        return NOWHERE
    origin = f"{parts.scheme}://{host}" + ("" if port in {None, PORTS[parts.scheme]} else f":{port}")
    path = quote(re.sub("/{2,}", "/", parts.path).rstrip("/"), safe=_SAFE)
    location = f"{origin}{path}" if path else f"{origin}/"
    return PageAddress(origin, location) if len(location) <= LONGEST else PageAddress(origin)


def _port(parts: SplitResult) -> int | None:
    """The port, None where none is named. Raises ValueError for one that is none."""
    if parts.port == 0:
        raise ValueError("no server has this port")
    return parts.port


def _host(name: str) -> str:
    """The host in ASCII, an address of IPv6 in brackets; empty for what is none. Raises ValueError for no address."""
    if ":" in name:
        return _in_brackets(IPv6Address(name))
    ascii_name = name.rstrip(".").encode("idna").decode("ascii").lower() if name.rstrip(".") else ""
    labels = ascii_name.split(".")
    literal(ascii_name)
    return ascii_name if len(ascii_name) <= LONGEST_HOST and all(map(_is_label, labels)) else ""


def _is_label(label: str) -> bool:
    """Whether it is part of a name; what says that it is Punycode has to be. Raises ValueError where it is not."""
    named = label.removeprefix(PUNYCODE).encode("ascii").decode("punycode") if label.startswith(PUNYCODE) else label
    return named.isprintable() and _LABEL.fullmatch(label) is not None


def _in_brackets(address: IPv6Address) -> str:
    """The address without a zone, which means something to one machine alone and can be of any length."""
    return "" if address.scope_id is not None else f"[{address.compressed}]"


class Beacon(Document):
    """What a page reports: a load, a click on load more, or for how long it was visible since its last report."""

    kind: Literal["load", "load_more", "retention"]
    liveblog: LocalId
    url: Annotated[str, Field(max_length=2048)] = ""
    ms: ViewTime = 0
    first: Bool = False


class VisitorMetrics(Document):
    """Numbers of readers; `samplesForUniques` and `samplesForRetention` are the loads and views that they rest on."""

    ticker_loads: Annotated[Count, Field(alias="tickerLoads")]
    total_uniques: Annotated[Count, Field(alias="totalUniques")]
    avg_retention_ms: Annotated[Count, Field(alias="avgRetentionMS")]
    samples_for_uniques: Annotated[Count, Field(alias="samplesForUniques")]
    samples_for_retention: Annotated[Count, Field(alias="samplesForRetention")]
    total_views: Annotated[Count, Field(alias="totalViews")]


class StatisticsOverview(Document):
    """The readers of a liveblog since its beginning."""

    visitor_metrics: Annotated[VisitorMetrics, Field(alias="visitorMetrics")]


class StatisticsPeriod(Document):
    """The readers of a period; `startTS` in Unix milliseconds."""

    id: Text
    start_ts: Annotated[Count, Field(alias="startTS")]
    visitor_metrics: Annotated[VisitorMetrics, Field(alias="visitorMetrics")]


class StatisticsPlace(Document):
    """The readers of an origin or of a page."""

    normalized_url: Annotated[Text, Field(alias="normalizedUrl")]
    visitor_metrics: Annotated[VisitorMetrics, Field(alias="visitorMetrics")]
