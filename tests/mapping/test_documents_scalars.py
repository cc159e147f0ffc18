"""The small types of the interface: what they accept, what they hold, what they refuse."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from mapping.documents.scalars import (
    TIMESTAMP_LIMIT,
    Clearable,
    CountryCode,
    GenderType,
    ImageRef,
    Int,
    Locale,
    LocalStatus,
    Many,
    MediaUrl,
    ObjectId,
    Text,
    Timestamp,
    WebUrl,
)
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


def read(kind, value):
    return TypeAdapter(kind).validate_python(value)


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (0, 0), (1530446400, 1530446400), (-86400, -86400), (1530446400.9, 1530446400), (-0.5, -1),
        ("1530446400", 1530446400), ("-86400", -86400), ("007", 7), (TIMESTAMP_LIMIT, TIMESTAMP_LIMIT),
        (-TIMESTAMP_LIMIT, -TIMESTAMP_LIMIT),
    ],
)  # fmt: skip
def test_timestamps_are_whole_seconds(given, seconds):
    """Integers, floats and strings of ASCII digits become whole seconds; negative ones lie before 1970."""
    actual = read(Timestamp, given)

    assert seconds == actual
    assert type(actual) is int


@pytest.mark.parametrize(
    "value", [1530446400000, "1530446400000", -1530446400000, 1530446400000.0, TIMESTAMP_LIMIT + 1]
)
def test_milliseconds_are_refused_with_a_hint(value):
    """What can hardly be seconds is refused, and the message says what it may be."""
    with pytest.raises(ValidationError, match=r"milliseconds\?"):
        read(Timestamp, value)


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        math.nan,
        math.inf,
        -math.inf,
        "",
        " 7",
        "7 ",
        "1_000",
        "١٢٣",
        "+5",
        "1e9",
        "1.5",
        "0x10",
        "9" * 5000,
        [],
        {},
    ],
)
def test_other_values_are_no_timestamps(value):
    """Booleans, NaN, blanks, underscores and digits of other scripts are no timestamps."""
    with pytest.raises(ValidationError, match="Timestamp should be"):
        read(Timestamp, value)


@given(st.integers(-TIMESTAMP_LIMIT, TIMESTAMP_LIMIT))
def test_timestamps_survive_their_own_text(seconds):
    """A timestamp written as text is the same timestamp."""
    assert seconds == read(Timestamp, str(seconds))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (CountryCode, "HR"), (GenderType, "o"), (ImageRef, "https://img.example/a.png"),
        (ImageRef, "imageservice://abc"), (ImageRef, "HTTPS://img.example/a.png"),
        (MediaUrl, "http://img.example/a.mp4"), (WebUrl, "http://example.org/?a=b"), (Locale, ""), (Locale, "nl-nl"),
        (ObjectId, "5f0c1de2a1b2c3d4e5f60718"), (Int, -(2**63)), (Int, 2**63 - 1), (Text, "Žalgiris 🏀"),
        (LocalStatus, 60),
    ],
)  # fmt: skip
def test_good_values_stay_as_they_are(kind, value):
    """A value of the right shape is kept unchanged."""
    assert value == read(kind, value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (CountryCode, "hr"), (CountryCode, "HRV"), (CountryCode, "HR\n"), (CountryCode, "Croatia"),
        (GenderType, "x"), (ImageRef, "http://img.example/a.png"), (ImageRef, "https://"),
        (ImageRef, "https://img.example/a b.png"), (ImageRef, "https://img.example/a\nb"),
        (MediaUrl, "javascript:alert(1)"), (MediaUrl, "file:///etc/passwd"), (WebUrl, "imageservice://abc"),
        (WebUrl, " https://example.org"), (Locale, "en-us"), (ObjectId, ""), (ObjectId, 5), (Int, 2**63),
        (Int, -(2**63) - 1), (Int, True), (Int, "5"), (Int, 1.5), (Text, 5), (Text, "a\0b"), (Text, "\ud800"),
        (LocalStatus, False), (LocalStatus, 1), (LocalStatus, "published"),
    ],
)  # fmt: skip
def test_bad_values_are_refused(kind, value):
    """A value of another shape is an error."""
    with pytest.raises(ValidationError):
        read(kind, value)


def test_a_status_may_be_written_as_text():
    """`"100"` is the status 100, as the deletion of a liveblog sends it."""
    assert read(LocalStatus, "100") == 100


def test_empty_text_clears_a_field():
    """Null and the empty string both clear a field, and a collection becomes empty."""
    assert [read(Clearable[Timestamp], value) for value in (None, "", 5)] == [None, None, 5]
    assert [read(Many[Int], value) for value in (None, "", [5])] == [(), (), (5,)]


@given(st.text())
def test_text_holds_exactly_what_utf_8_and_both_databases_hold(text):
    """Text is accepted just when it can be encoded and holds no NUL."""
    storable = "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)
    if storable:
        assert text == read(Text, text)
    else:
        with pytest.raises(ValidationError, match="must not contain"):
            read(Text, text)


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
