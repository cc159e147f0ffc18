"""Good answers with one thing wrong, as a provider that errs once may give them."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Path = Sequence[Any]
Drawn = Callable[[Sequence[Any]], Iterable[Any]]
IDENTITIES = ("id", "goalID", "resultID")
NOTHING = (b"null", b"[]", b"{}", b"[{}]", b'""', b"")


def spoilt(body: bytes, drawn: Drawn) -> Iterator[tuple[str, bytes]]:
    """What is wrong, and the answer with it: a row, a list, or all of it; `drawn` chooses among rows, lists and bodies."""
    document = json.loads(body)
    for how, wrong in _in_its_lists(document, drawn):
        yield how, json.dumps(wrong, ensure_ascii=False).encode()
    yield "ids of another type", json.dumps(_retyped(document), ensure_ascii=False).encode()
    for nothing in drawn(NOTHING):
        yield f"nothing but {nothing.decode()!r}", nothing


def _in_its_lists(document: Any, drawn: Drawn) -> Iterator[tuple[str, Any]]:
    for path in drawn(_lists_of(document)):
        rows, where = _at(document, path), ".".join(map(str, path)) or "rows"
        for place in drawn(range(len(rows))):
            before, row, after = rows[:place], rows[place], rows[place + 1 :]
            yield f"{where} without {place}", _put(document, path, [*before, *after])
            yield f"{where} with {place} twice", _put(document, path, [*before, row, row, *after])
            yield f"{where} with {place} at the end", _put(document, path, [*before, *after, row])
        yield f"{where} backwards", _put(document, path, rows[::-1])
        if path:
            *above, name = path
            others = _at(document, above).copy()
            del others[name]
            yield f"{where} empty", _put(document, path, [])
            yield f"{where} null", _put(document, path, None)
            yield f"{where} not there", _put(document, above, others)


def _lists_of(document: Any, path: Path = ()) -> list[Path]:
    """Where its lists are, at any depth, those without rows left out."""
    found = [path] if isinstance(document, list) and document else []
    below = document.items() if isinstance(document, dict) else enumerate(document) if found else ()
    return found + [each for key, value in below for each in _lists_of(value, (*path, key))]


def _at(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def _put(document: Any, path: Path, value: Any) -> Any:
    """The document with this value at that path."""
    if not path:
        return value
    key, *below = path
    copied = document.copy()
    copied[key] = _put(document[key], below, value)
    return copied


def _retyped(document: Any) -> Any:
    """The document with each id that is a number as a text, and each that is digits as a number."""
    if isinstance(document, dict):
        return {name: _other_type(value) if name in IDENTITIES else _retyped(value) for name, value in document.items()}
    return [_retyped(each) for each in document] if isinstance(document, list) else document


def _other_type(value: Any) -> Any:
    if type(value) is int:
        return str(value)
    return int(value) if isinstance(value, str) and value.isdecimal() and value == str(int(value)) else value
