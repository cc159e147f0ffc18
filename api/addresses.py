"""Which addresses are the same client."""

from ipaddress import ip_network


def plain_address(text: str) -> str:
    """An address without its zone, and one of IPv4 as such also where the socket speaks IPv6."""
    bare = text.partition("%")[0]
    return bare.removeprefix("::ffff:") if "." in bare else bare


def group_of(address: str) -> str:
    """Who counts as one: an address, with IPv6 the network of 64 bits that a customer usually gets."""
    if ":" not in address:
        return address
    try:
        return str(ip_network((address, 64), strict=False))
    except ValueError:
        return address
