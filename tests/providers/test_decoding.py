"""A decoded body is shared between who judges an answer and who translates it, so nobody may alter it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.errors import BadBody
from providers import fetch


def test_a_large_body_is_not_kept():
    """A hostile one would be held in memory for as long as nothing else is polled."""
    body = json.dumps(["x" * fetch.CACHED]).encode()

    assert fetch.decode("match", body) is not fetch.decode("match", body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def plainly(body):
    """What the standard library makes of a body that is small and shallow."""
    try:
        return json.loads(body.decode("utf-8-sig"), parse_constant=fetch._refuse_constant)
    except ValueError:
        return BadBody


def decoded(body):
    try:
        return fetch.decode("match", body)
    except BadBody:
        return BadBody


@given(JSON, st.integers(0, 40), st.binary(max_size=2), st.booleans())
def test_both_parsers_say_the_same(value, at, spoil, ascii_only):
    """Of any JSON, cut and spoilt or not, with lone surrogates, numbers that are none, and a byte order mark."""
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    for body in (text, text[:at] + spoil + text[at:], b"\xef\xbb\xbf" + text):
        assert repr(decoded(body)) == repr(plainly(body))


@pytest.mark.parametrize(
    "body",
    [
        b'["\\ud800"]', b"[NaN]", b"[1e400]", b"[-0, -0.0]", b'{"a": 1, "a": 2}', b"9" * 5000, b"1" * 30, b"[01]",
        b'["\x01"]', b"\xff",
    ],
)  # fmt: skip
def test_both_parsers_say_the_same_of_the_odd_ones(body):
    """Values on which JSON parsers are known to differ."""
    assert repr(decoded(body)) == repr(plainly(body))
