"""Pages as templates: those of a package lie in one folder and are compiled once; whatever they show is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, partial
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

_BREAK = re.compile(r"(^|>)\s*\n\s*(?=<|$)|\s*\n\s*")
"""A line break: between two tags it is how the template is laid out, and within a text or a tag it is a space."""


class _Layout(Extension):
    """Leaves out of a page how its template is indented."""

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        for token in stream:
            if token.type == "data":
                text = _BREAK.sub(lambda found: " " if found[1] is None else found[1], token.value)
                yield Token(token.lineno, "data", text)
            else:
                yield token


def initials(name: str) -> str:
    """A person's name where there is room for two letters: those with which the first and the last word begin."""
    words = name.split()
    return "".join(each[0] for each in words[:1] + words[1:][-1:]).upper()


@cache
def load_templates(package: str) -> Environment:
    """All templates in the folder `templates` of a package.

    They write a text as `_("…")`, by the `_` of their page, a name in an address as `name | quoted`.
    """
    found = Environment(
        loader=PackageLoader(package), autoescape=True, undefined=StrictUndefined, extensions=[_Layout], cache_size=-1
    )
    found.filters["quoted"] = partial(quote, safe="")
    found.filters["initials"] = initials
    for name in found.list_templates(extensions=["html"]):
        found.get_template(name)
    return found
