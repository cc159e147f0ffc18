"""A parameter of a request, said once: its name, what it means, what it may be, and how it is read.

`of` reads it from a query and raises InvalidRequest with the name as field; `document` is how the OpenAPI document shows it,
with its default where a request may say it.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import parse_qsl

from cachetools import LRUCache
from starlette.datastructures import Headers

from api.http.json_path import Json
from mapping.documents import strict_json
from mapping.errors import InvalidRequest

T = TypeVar("T")
Query = dict[str, str]

MAX_INT_DIGITS = 15
FLAGS = {"true": True, "1": True, "false": False, "0": False, "": False}
TEXT: Json = {"type": "string"}
NAME: Json = {"type": "string", "minLength": 1}


IDEMPOTENCY_HEADER = "Idempotency-Key"
IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")
KEY: Json = {
    "name": IDEMPOTENCY_HEADER,
    "in": "header",
    "required": False,
    "description": "The same key with the same body gives what it has created before; 1-255 visible ASCII characters",
    "schema": {"type": "string", "pattern": f"^{IDEMPOTENCY_KEY.pattern}$"},
}


MAX_FIELDS = 100
_QUERIES: LRUCache[bytes, Query] = LRUCache(1024)
KEPT_BYTES = 512
"""Of a query string whose parameters are kept."""


class Limit(str):
    """Stands for a limit of the configuration, which the document that is served has in its place; of `DocumentLimits`."""

    __slots__ = ()


@dataclass(frozen=True)
class Param(ABC):
    """A parameter of any kind; what only the desk reads is in no document and needs no description."""

    name: str
    description: str = ""

    @property
    @abstractmethod
    def schema(self) -> Json:
        """What it may be."""

    @property
    def document(self) -> Json:
        """The parameter in the OpenAPI document."""
        shown = {"name": self.name, "in": "query", "description": self.description, "required": False}
        return {**shown, "schema": self.schema}


@dataclass(frozen=True)
class Text(Param):
    """Any text; where `like` says more of it, its reader checks that."""

    like: Json = field(default_factory=lambda: TEXT)
    required: bool = field(default=False, kw_only=True)

    @property
    def schema(self) -> Json:
        return self.like

    @property
    def document(self) -> Json:
        return {**super().document, "required": self.required}

    def of(self, query: Query) -> str:
        """The text, empty where the query has none."""
        return query.get(self.name, "")


@dataclass(frozen=True)
class Integer(Param):
    """A number in ASCII digits, from `low` to `high`."""

    low: int = field(default=0, kw_only=True)
    high: int | Limit = field(kw_only=True)
    default: int = field(default=0, kw_only=True)

    @property
    def schema(self) -> Json:
        default = {} if self.default < self.low else {"default": self.default}
        return {"type": "integer", "minimum": self.low, "maximum": self.high, **default}

    def of(self, query: Query, default: int | None = None, *, high: int | None = None) -> int:
        """The number; `default` and `high` where the configuration says them."""
        if self.name not in query:
            return self.default if default is None else default
        text, most = query[self.name], int(self.high) if high is None else high
        digits = text.isascii() and text.isdigit() and len(text) <= MAX_INT_DIGITS
        if not digits or not self.low <= int(text) <= most:
            raise InvalidRequest(f"{self.name} should be an integer from {self.low} to {most}", field=self.name)
        return int(text)


@dataclass(frozen=True)
class OneOf(Param, Generic[T]):
    """One of several words, and what each stands for."""

    choices: Mapping[str, T] = field(kw_only=True)
    default: T = field(kw_only=True)

    @property
    def schema(self) -> Json:
        default = [word for word, value in self.choices.items() if value == self.default]
        return {"type": "string", "enum": [*self.choices], **({"default": default[0]} if default else {})}

    def of(self, query: Query, default: T | None = None) -> T:
        """What the word stands for; `default` where another parameter says it."""
        if self.name not in query:
            return self.default if default is None else default
        try:
            return self.choices[query[self.name]]
        except KeyError:
            words = ", ".join(filter(None, self.choices))
            raise InvalidRequest(f"{self.name} should be one of: {words}", field=self.name) from None


@dataclass(frozen=True)
class Flag(OneOf[bool]):
    """A switch, off unless it is said; without a value it is off."""

    choices: Mapping[str, bool] = field(default_factory=lambda: FLAGS, kw_only=True)
    default: bool = field(default=False, kw_only=True)

    @property
    def schema(self) -> Json:
        return {"type": "boolean", "default": False}

    @property
    def document(self) -> Json:
        return {**super().document, "allowEmptyValue": True}


def words(choices: Mapping[str, object] | tuple[str, ...]) -> dict[str, str]:
    """The choices of a parameter whose words stand for themselves."""
    return {each: each for each in choices}


def query_of(raw: bytes) -> Query:
    """`parse_query`, which many readers of the same page want of the same bytes; what holds a secret is never kept."""
    known = _QUERIES.get(raw)
    if known is not None:
        return known.copy()
    query = parse_query(raw)
    if len(raw) <= KEPT_BYTES and not any("secret" in name.casefold() for name in query):
        _QUERIES[raw] = query.copy()
    return query


def parse_query(raw: bytes) -> Query:
    """The parameters by name; raises InvalidRequest, with the name as field where one is at fault."""
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, encoding="utf-8", errors="strict", max_num_fields=MAX_FIELDS
        )
    except UnicodeDecodeError:
        raise InvalidRequest("the query string is not UTF-8") from None
    except ValueError:
        raise InvalidRequest("the query string has too many parameters") from None
    query: Query = {}
    for name, value in pairs:
        try:
            strict_json.check_text(name)
            strict_json.check_text(value)
        except ValueError as error:
            raise InvalidRequest(str(error)) from None
        if name in query:
            raise InvalidRequest(f"the parameter {name} is given twice", field=name)
        query[name] = value
    return query


def idempotency_key(headers: Headers) -> str | None:
    """The one `Idempotency-Key`, None where there is none. Raises InvalidRequest."""
    keys = headers.getlist(IDEMPOTENCY_HEADER)
    if len(keys) > 1 or not all(IDEMPOTENCY_KEY.fullmatch(key) for key in keys):
        reason = f"{IDEMPOTENCY_HEADER} should be 1 to 255 visible ASCII characters"
        raise InvalidRequest(reason, field=IDEMPOTENCY_HEADER)
    return keys[0] if keys else None


def digest_of(body: Json) -> str:
    """SHA-256 in hex of what the body means: equal for bodies that differ in spaces or the order of names alone."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
