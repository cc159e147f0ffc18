"""JSON from strangers: what is refused before anything else sees it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.documents.strict_json import (
    MAX_DEPTH,
    ForbiddenText,
    HostileJson,
    NotJson,
    NotUtf8,
    NumberTooLarge,
    TooDeep,
    check,
    loads,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner),
    max_leaves=20,
)


@given(JSON)
def test_plain_json_is_read_as_it_is(value):
    """Everything that can be stored is read, escaped or not."""
    assert value == loads(json.dumps(value).encode())
    assert value == loads(json.dumps(value, ensure_ascii=False))


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", NotJson), (b"{", NotJson), (b"{'a': 1}", NotJson), (b"[1,]", NotJson), (b"NaN", NotJson),
        (b'{"a": Infinity}', NotJson), (b"[-Infinity]", NotJson), (b'"\x01"', NotJson), (b"<html>", NotJson),
        (b'"\xff"', NotUtf8), (b'"\xed\xa0\x80"', NotUtf8), ('{"a": 1}'.encode("utf-16"), NotUtf8),
        (b'"\\ud800"', ForbiddenText), (b'{"a": ["x", "\\udc00 \\ud800"]}', ForbiddenText),
        (b'"a\\u0000b"', ForbiddenText), (b'{"\\u0000": 1}', ForbiddenText), (b'{"\\udfff": 1}', ForbiddenText),
        (b"9223372036854775808", NumberTooLarge), (b"-9223372036854775809", NumberTooLarge),
        (b"9" * 100_000, NumberTooLarge), (b"[1e999]", NumberTooLarge), (b"-1e999", NumberTooLarge),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), TooDeep), (b"[" * 200_000 + b"]" * 200_000, TooDeep),
        (b'{"a":' * 200_000 + b"1" + b"}" * 200_000, TooDeep),
    ],
    ids=lambda part: part[:24] if isinstance(part, bytes) else part.__name__,
)  # fmt: skip
def test_hostile_bodies_are_refused_by_name(body, error):
    """Each kind of poison is refused with its own error, all of which are a HostileJson and a ValueError."""
    with pytest.raises(HostileJson) as refused:
        loads(body)

    assert type(refused.value) is error
    assert isinstance(refused.value, ValueError)


def test_messages_say_what_is_wrong_without_repeating_the_body():
    """A message names the fault and its place."""
    with pytest.raises(NotJson, match=r"^not JSON: .*line 2, column 1"):
        loads(b"{\n<secret>")
    with pytest.raises(NotUtf8, match=r"^not UTF-8 at byte 3$"):
        loads(b'"ab\xff"')


def test_nesting_up_to_the_limit_is_read():
    """The deepest allowed nesting is read."""
    assert loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)


def test_of_a_key_given_twice_the_last_one_counts():
    """Duplicate keys are no error."""
    assert loads(b'{"a": 1, "a": 2}') == {"a": 2}


def test_a_byte_order_mark_is_skipped():
    """Some clients put one before their JSON."""
    assert loads(b"\xef\xbb\xbf{}") == {}


def test_an_escaped_pair_of_surrogates_is_a_character():
    """Two halves that belong together are one character, not two lone surrogates."""
    assert loads(b'"\\ud83c\\udfc0"') == "🏀"


@given(st.binary())
def test_any_bytes_are_read_or_refused(body):
    """Whatever the bytes are, the outcome is a storable value or a HostileJson."""
    try:
        value = loads(body)
    except HostileJson:
        return
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


@pytest.mark.parametrize("value", [{1, 2}, b"a", object(), {"a": [1j]}, {5: "a"}, [float("nan")]])
def test_checking_a_value_refuses_what_is_not_json(value):
    """Values that were built in Python are held to the same rules."""
    with pytest.raises(NotJson):
        check(value)
