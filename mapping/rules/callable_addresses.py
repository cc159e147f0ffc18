"""Which addresses of the internet a stranger may make this machine call: pure rules, checked before a call and at connecting."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address

PORTS = {"http": 80, "https": 443}
FREE_PORTS = 1024
"""From here on any port may be called; below it only those of PORTS."""
LONGEST = 2048
REFUSED = (
    "the address may not be used: a public http or https address without user and password is expected, "
    "or one that the operator allows in webhooks.allow_hosts"
)
"""One message for whatever is wrong, so that nobody learns from it what there is inside."""

NOT_PUBLIC_V4 = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, and the metadata services of clouds
        "172.16.0.0/12",
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
PUBLIC_V6 = IPv6Network("2000::/3")
"""Global unicast. Outside of it lie loopback, mapped, NAT64, unique local, link-local and multicast addresses."""
NOT_PUBLIC_V6 = tuple(
    ip_network(text)
    for text in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "3fff::/20",  # documentation
    )
)

_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_NUMERIC_END = re.compile(r"(?:^|\.)(?:0[xX][0-9a-fA-F]*|[0-9]+)\.?$")


class NotAllowed(ValueError):
    """The address may not be used; says nothing about why."""

    def __init__(self) -> None:
        super().__init__(REFUSED)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads: `host` as written, in lower case and without brackets."""

    scheme: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the operator allows although it is not public: host names, addresses and networks."""

    names: frozenset[str] = frozenset()
    networks: tuple[object, ...] = ()

    @classmethod
    def of(cls, hosts: Iterable[str]) -> Allowed:
        """From `[webhooks] allow_hosts`."""
        names, networks = set(), []
        for host in hosts:
            try:
                networks.append(ip_network(host, strict=False))
            except ValueError:
                names.add(plain_host(host))
        return cls(frozenset(names), tuple(networks))

    def names_host(self, host: str) -> bool:
        """Whether the name itself is allowed, wherever it leads."""
        return plain_host(host) in self.names

    def is_allowed(self, host: str, address: Address) -> bool:
        return self.names_host(host) or any(address in network for network in self.networks)  # type: ignore[operator]


def plain_host(host: str) -> str:
    """The name as it is compared: lower case, no trailing dot, no brackets. `EXAMPLE.org.` is `example.org`."""
    return host.lower().removesuffix(".").removeprefix("[").removesuffix("]")


def target(url: str) -> Target:
    """Where `url` leads; raises NotAllowed for other schemes, user or password, odd ports and unreadable addresses."""
    if len(url.encode("utf-8", "replace")) > LONGEST or _CONTROL.search(url):
        raise NotAllowed
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise NotAllowed from None
    if parts.scheme not in PORTS or "@" in parts.netloc or not parts.hostname or "%" in parts.netloc:
        raise NotAllowed
    number = PORTS[parts.scheme] if port is None else port
    check_port(number)
    literal(parts.hostname)
    return Target(parts.scheme, parts.hostname.lower(), number)


def plausible(url: str) -> bool:
    """Whether `url` has a form that may be called; whether it may is known once its name is resolved."""
    try:
        target(url)
    except NotAllowed:
        return False
    return True


def check_port(port: int) -> None:
    """Raises NotAllowed for a port that other services than the web's listen on."""
    if port not in PORTS.values() and not FREE_PORTS <= port <= 65_535:
        raise NotAllowed


def literal(host: str) -> Address | None:
    """The address that `host` is, None for a name.

    Raises NotAllowed for numbers that are no address in its usual form (`2130706433`, `0x7f.1`, `0177.0.0.1`, `127.1`):
    what they mean depends on who reads them.
    """
    bare = plain_host(host)
    try:
        return ip_address(bare)
    except ValueError:
        if ":" in bare or _NUMERIC_END.search(bare):
            raise NotAllowed from None
        return None


def is_public(address: Address) -> bool:
    """Whether everybody can reach the address, so that calling it shows nobody anything new."""
    if isinstance(address, IPv4Address):
        return address.is_global and not any(address in network for network in NOT_PUBLIC_V4)
    if address.scope_id is not None or address not in PUBLIC_V6:
        return False
    return address.is_global and not any(address in network for network in NOT_PUBLIC_V6)


def all_allowed(host: str, addresses: Iterable[str], allowed: Allowed) -> list[str]:
    """The addresses of `host`, if each of them may be called; raises NotAllowed when one may not, or there is none."""
    found = [ip_address(text) for text in addresses]
    if not found or not all(is_public(each) or allowed.is_allowed(host, each) for each in found):
        raise NotAllowed
    return [str(each) for each in dict.fromkeys(found)]


def without_password(url: str) -> str:
    """The URL as it may be shown: without user and password.

    `https://me:pw@example.org/a` is `https://example.org/a`.
    """
    scheme, found, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}{found}{authority.rpartition('@')[2]}{slash}{path}"
