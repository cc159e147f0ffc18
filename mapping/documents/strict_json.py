"""Reads JSON from strangers, and refuses what Python's own reader would let through and no database can hold.

HostileJson (ValueError)
 ├─ NotUtf8          the bytes are no UTF-8
 ├─ NotJson          the text is no JSON; NaN and Infinity are no JSON either
 ├─ ForbiddenText    a string or key holds NUL or a lone surrogate
 ├─ NumberTooLarge   an integer beyond 64 bit, or a float beyond a double
 └─ TooDeep          arrays and objects nested deeper than `MAX_DEPTH`
"""

import json
import math
import re
from typing import Any, NoReturn

MAX_DEPTH = 64
INT_MIN = -(2**63)
INT_MAX = 2**63 - 1

_FORBIDDEN = re.compile("[\0\ud800-\udfff]")
_INT_DIGITS = 20  # the sign and the 19 digits of a 64 bit integer


class HostileJson(ValueError):
    """A body that is not the plain JSON every part of the service can store and give back."""


class NotUtf8(HostileJson):
    """The bytes are no UTF-8."""


class NotJson(HostileJson):
    """The text is no JSON."""


class ForbiddenText(HostileJson):
    """A string that PostgreSQL (NUL) or UTF-8 (lone surrogate) cannot hold."""


class NumberTooLarge(HostileJson):
    """A number that a 64 bit integer or a double cannot hold."""


class TooDeep(HostileJson):
    """Arrays and objects nested deeper than `MAX_DEPTH`."""


def loads(body: bytes | str) -> Any:
    """The JSON value in `body`; of a key given twice the last one counts.

    A byte order mark is skipped. Raises a `HostileJson` for everything that cannot be stored and given back unchanged.
    """
    text = _decode(body) if isinstance(body, bytes) else body
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise TooDeep(f"nested deeper than {MAX_DEPTH} levels") from None
    if isinstance(body, str) or not _plain(text):
        check(value)
    return value


def _plain(text: str) -> bool:
    """Whether what was UTF-8 can hold nothing to be refused once it is read: no escaped character, and few brackets."""
    return "\\u" not in text and text.count("{") + text.count("[") <= MAX_DEPTH


def check(value: Any) -> None:
    """Raise a `HostileJson` unless `value` is a decoded JSON value that is safe to store; never recurses."""
    waiting: list[tuple[Any, int]] = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, dict | list | tuple):
            if depth >= MAX_DEPTH:
                raise TooDeep(f"nested deeper than {MAX_DEPTH} levels")
            children = _checked_keys(item).values() if isinstance(item, dict) else item
            waiting.extend((child, depth + 1) for child in children)
        else:
            _check_scalar(item)


def check_text(text: str) -> str:
    """`text` itself; raises `ForbiddenText` when it holds NUL or a lone surrogate."""
    if text.isascii() and "\0" not in text:
        return text
    if found := _FORBIDDEN.search(text):
        name = "NUL" if found[0] == "\0" else "lone surrogate"
        raise ForbiddenText(f"text must not contain a {name} character")
    return text


def _checked_keys(item: dict[Any, Any]) -> dict[Any, Any]:
    for key in item:
        if not isinstance(key, str):
            raise NotJson("the keys of an object must be strings")
        check_text(key)
    return item


def _check_scalar(item: Any) -> None:
    match item:
        case None | bool():
            return
        case str():
            check_text(item)
        case int():
            if not INT_MIN <= item <= INT_MAX:
                raise NumberTooLarge("an integer must fit into 64 bit")
        case float():
            if not math.isfinite(item):
                raise NotJson("NaN and Infinity are not JSON")
        case _:
            raise NotJson(f"{type(item).__name__} is not a JSON type")


def _decode(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotUtf8(f"not UTF-8 at byte {error.start}") from None


def _no_constant(name: str) -> NoReturn:
    raise NotJson(f"not JSON: {name}")


def _int64(digits: str) -> int:
    if len(digits) > _INT_DIGITS or not INT_MIN <= (number := int(digits)) <= INT_MAX:
        raise NumberTooLarge("an integer must fit into 64 bit")
    return number


def _double(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise NumberTooLarge("a number must fit into a double")
    return number


_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_int=_int64, parse_float=_double)
