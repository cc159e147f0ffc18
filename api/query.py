"""Query strings read strictly: a name given twice, broken UTF-8 or NUL is malformed, never half understood."""

from __future__ import annotations

from typing import TypeVar
from urllib.parse import parse_qsl

from mapping.errors import InvalidRequest
from mapping.strict_json import check_text

MAX_FIELDS = 100
MAX_INT_DIGITS = 15
BOOLEANS = {"true": True, "1": True, "false": False, "0": False, "": False}

T = TypeVar("T")
Query = dict[str, str]


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
        _check(name, value)
        if name in query:
            raise InvalidRequest(f"the parameter {name} is given twice", field=name)
        query[name] = value
    return query


def choice(query: Query, name: str, choices: dict[str, T], default: T) -> T:
    """The value that `choices` gives to the parameter's word; raises InvalidRequest for other words."""
    if name not in query:
        return default
    try:
        return choices[query[name]]
    except KeyError:
        words = ", ".join(word for word in choices if word)
        raise InvalidRequest(f"{name} should be one of: {words}", field=name) from None


def boolean(query: Query, name: str, *, default: bool = False) -> bool:
    return choice(query, name, BOOLEANS, default)


def integer(query: Query, name: str, default: int, *, low: int, high: int) -> int:
    """A number of ASCII digits within the bounds; raises InvalidRequest."""
    if name not in query:
        return default
    word = query[name]
    digits = word.isascii() and word.isdigit() and len(word) <= MAX_INT_DIGITS
    if not digits or not low <= int(word) <= high:
        raise InvalidRequest(f"{name} should be an integer from {low} to {high}", field=name)
    return int(word)


def _check(name: str, value: str) -> None:
    try:
        check_text(name)
        check_text(value)
    except ValueError as error:
        raise InvalidRequest(str(error)) from None
