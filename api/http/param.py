"""A parameter of a query, said once: its name, what it means, what it may be, and how it is read.

`of` reads it from a query and raises InvalidRequest with the name as field; `document` is how the OpenAPI document shows it,
with its default where a request may say it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mapping.errors import InvalidRequest

T = TypeVar("T")
Json = dict[str, Any]
Query = dict[str, str]

MAX_INT_DIGITS = 15
FLAGS = {"true": True, "1": True, "false": False, "0": False, "": False}
TEXT: Json = {"type": "string"}
NAME: Json = {"type": "string", "minLength": 1}


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
