"""The table of the desk as a test reads it: its links, fields and keys."""

import re
from html.parser import HTMLParser

from tests.kit.people import add_account, signed_in


async def a_person(server, role="editor", **more):
    return await signed_in(server, await add_account(server.store, role=role, email=f"{role}@example.org", **more))


class Attributes(HTMLParser):
    """Names of attributes that run something."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [
            f"{tag} {name}" for name, value in attrs if name.startswith("on") or "javascript:" in (value or "")[:11]
        ]


def handlers_in(html):
    parser = Attributes()
    parser.feed(html)
    return parser.found


def keys(html):
    return re.findall(r'<tr data-key="([^"]+)"', html)
