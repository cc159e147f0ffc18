"""Addresses that the guard refuses, and names that lead to them."""

from dataclasses import dataclass, field

PUBLIC = "93.184.216.34"
PUBLIC_V6 = "2606:2800:220:1:248:1893:25c8:1946"


@dataclass
class Names:
    """A resolver that answers from a table, and counts; a list of lists is answered one after the other."""

    table: dict[str, list[str]] = field(default_factory=dict)
    looked_up: list[str] = field(default_factory=list)
    turns: dict[str, list[list[str]]] = field(default_factory=dict)

    async def __call__(self, host, _):
        self.looked_up.append(host)
        if self.turns.get(host):
            return self.turns[host].pop(0)
        if host not in self.table:
            raise OSError("no such name")
        return self.table[host]


REFUSED_ADDRESSES = {
    "private 10": ("10.0.0.1", PUBLIC),
    "private 172": ("172.16.5.4", "172.32.0.1"),
    "end of private 172": ("172.31.255.255", "172.15.0.1"),
    "private 192": ("192.168.1.1", "192.169.0.1"),
    "loopback": ("127.0.0.1", "128.0.0.1"),
    "all of loopback": ("127.255.255.254", "126.255.255.254"),
    "this host": ("0.0.0.0", "1.0.0.1"),
    "link-local": ("169.254.1.1", "169.253.1.1"),
    "metadata": ("169.254.169.254", "169.255.169.254"),
    "carrier-grade NAT": ("100.64.0.1", "100.63.255.254"),
    "end of carrier-grade NAT": ("100.127.255.254", "100.128.0.1"),
    "metadata of another cloud": ("100.100.100.200", "100.200.100.200"),
    "multicast": ("224.0.0.1", "223.255.255.1"),
    "administrative multicast": ("239.255.255.250", "222.0.0.1"),
    "broadcast": ("255.255.255.255", "8.8.8.8"),
    "reserved": ("240.0.0.1", "9.9.9.9"),
    "documentation": ("203.0.113.7", "203.0.114.7"),
    "benchmark": ("198.18.0.1", "198.20.0.1"),
    "protocol assignments": ("192.0.0.170", "192.0.1.1"),
    "relay of 6to4": ("192.88.99.1", "192.88.98.1"),
    "loopback v6": ("::1", PUBLIC_V6),
    "unspecified v6": ("::", PUBLIC_V6),
    "mapped loopback": ("::ffff:127.0.0.1", PUBLIC_V6),
    "mapped public": ("::ffff:93.184.216.34", PUBLIC_V6),
    "compatible": ("::127.0.0.1", PUBLIC_V6),
    "NAT64 of private": ("64:ff9b::a00:1", "2a00:1450:4001:80b::200e"),
    "NAT64 of public": ("64:ff9b::5db8:d822", "2a00:1450:4001:80b::200e"),
    "local NAT64": ("64:ff9b:1::a00:1", "2a00:1450:4001:80b::200e"),
    "6to4 of private": ("2002:a00:1::1", "2003::1"),
    "6to4 of loopback": ("2002:7f00:1::", "2003::1"),
    "Teredo": ("2001:0:53aa:64c:0:0:80ff:fffe", "2001:4860:4860::8888"),
    "ORCHID": ("2001:20::1", "2001:4860:4860::8888"),
    "documentation v6": ("2001:db8::1", "2001:4860:4860::8888"),
    "unique local": ("fd00:ec2::254", PUBLIC_V6),
    "link-local v6": ("fe80::1", PUBLIC_V6),
    "link-local with a zone": ("fe80::1%eth0", PUBLIC_V6),
    "public with a zone": ("2606:2800:220:1:248:1893:25c8:1946%eth0", PUBLIC_V6),
    "site-local": ("fec0::1", PUBLIC_V6),
    "multicast v6": ("ff02::1", PUBLIC_V6),
}
"""For each kind an address of it, and one near it that everybody can reach."""

FORMS = [
    ("http://2130706433/", f"http://{PUBLIC}/"),
    ("http://1572395042/", f"http://{PUBLIC}/"),  # 93.184.216.34 as one number
    ("http://0x7f000001/", f"http://{PUBLIC}/"),
    ("http://0x5d.0xb8.0xd8.0x22/", f"http://{PUBLIC}/"),
    ("http://0177.0.0.1/", f"http://{PUBLIC}/"),
    ("http://0135.0270.0330.042/", f"http://{PUBLIC}/"),
    ("http://127.1/", f"http://{PUBLIC}/"),
    ("http://93.12113954/", f"http://{PUBLIC}/"),
    ("http://127.0.0.1./", f"http://{PUBLIC}./"),
    ("http://\uff11\uff12\uff17.0.0.1/", "http://m\xfcnchen.example/"),
    ("http://\u2460\u2461\u2466.0.0.1/", "http://m\xfcnchen.example/"),
    ("http://127\u30020\u30020\u30021/", "http://m\xfcnchen.example/"),
    ("http://user:password@public.example/", "http://public.example/"),
    ("http://user@public.example/", "http://public.example/"),
    ("http://@public.example/", "http://public.example/"),
    ("http://public.example:pass@127.0.0.1/", "http://public.example/"),
    ("http://public.example:22/", "http://public.example:80/"),
    ("http://public.example:25/", "http://public.example:443/"),
    ("http://public.example:1023/", "http://public.example:1024/"),
    ("http://public.example:0/", "http://public.example:65535/"),
    ("http://public.example:65536/", "http://public.example:8080/"),
    ("ftp://public.example/", "https://public.example/"),
    ("file:///etc/passwd", "https://public.example/"),
    ("gopher://public.example/", "https://public.example/"),
    ("//public.example/", "https://public.example/"),
    ("http:///hook", "https://public.example/"),
    ("http://[::1/", "https://public.example/"),
    ("http://public.example\\@127.0.0.1/", "http://public.example/"),
    ("http://public.example\r\nhost: x/", "http://public.example/"),
    ("http://public.example /", "http://public.example/"),
    ("http://public.example%00/", "http://public.example/"),
    ("http://localhost/", "http://public.example/"),
    ("http://unknown.example/", "http://public.example/"),
    ("http://public.example/" + "x" * 2048, "http://public.example/" + "x" * 2000),
    ("", "http://public.example/"),
]
